// Every honoured key of generation_config.json, from the file to the tokens: what transformers
// answers with the demo's model, and what its logits processors ban. make_generation_cases.py made
// the expected values.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "app/session.h"
#include "engine/banned_tokens.h"
#include "engine/loop.h"
#include "serve/answer.h"

namespace saker {
namespace {

struct Case {
    std::string name;
    Prompt prompt;
    GenerationConfig config;
    std::vector<int64_t> ids;
    std::optional<std::string> text;  // where a stop string cuts it
    FinishReason finish;
};

struct Answer {
    std::vector<int64_t> ids;
    std::string text;
    std::optional<FinishReason> finish;
};

std::vector<TokenId> token_ids(const std::vector<int64_t>& values) {
    std::vector<TokenId> out;
    for (int64_t value : values) out.emplace_back(static_cast<int32_t>(value));
    return out;
}

GenerationConfig load(const json::object& settings, int64_t vocab_size) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("saker_settings_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "generation_config.json") << dump_json(settings);
    std::ofstream(folder / "config.json") << "{}";
    GenerationConfig config = GenerationConfig::load(folder, vocab_size);
    std::filesystem::remove_all(folder);
    return config;
}

class Generation : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        file_ = new json::object(read_json_file("tests/sampling/generation_cases.json"));
        Options options;
        options.model = "models/demo";
        options.compute = "f32";
        options.threads = 1;
        session_ = new Session(options, true);
    }
    static void TearDownTestSuite() {
        delete session_;
        delete file_;
    }

    static std::vector<Case> cases() {
        std::vector<Case> out;
        const JsonReader prompts(file_->at("prompts").as_object(), "prompts");
        for (const json::value& value : file_->at("greedy").as_array()) {
            const JsonReader reader(value.as_object(), "greedy");
            Case c;
            c.name = reader.string("name");
            c.prompt.ids = token_ids(prompts.integers(reader.string("prompt")));
            c.config =
                load(reader.value("settings").as_object(), session_->model().shape().vocab_size);
            c.ids = reader.integers("ids");
            if (reader.has("text")) c.text = reader.string("text");
            c.finish =
                reader.string("finish") == "stop" ? FinishReason::stop : FinishReason::length;
            out.push_back(std::move(c));
        }
        return out;
    }

    static EngineLimits limits() {
        EngineLimits limits;
        limits.max_context = 4 * kPageTokens;
        limits.num_pages = 64;
        limits.max_sequences = 64;
        limits.eos_tokens = {TokenId(951), TokenId(949)};
        return limits;
    }

    static AnswerStream add(Loop& loop, const Case& c) {
        EXPECT_EQ(c.config.eos_tokens, loop.limits().eos_tokens);
        const auto sampling =
            c.config.fit_to_prompt(c.config.sampling, static_cast<int64_t>(c.prompt.ids.size()),
                                   loop.limits().max_context);
        EXPECT_TRUE(sampling.ok());
        EXPECT_TRUE(
            check_prompt(c.prompt, *sampling, session_->model().shape(), loop.limits()).ok());
        auto [writer, reader] = TokenChannel::make();
        loop.add(c.prompt, *sampling, std::move(writer));
        return AnswerStream(session_->tokenizer(), std::move(reader), c.config.stops_with({}));
    }

    static Answer read(AnswerStream& stream) {
        Answer answer;
        while (auto piece = stream.next()) {
            EXPECT_FALSE(piece->error) << piece->error->message;
            answer.text += piece->text;
            for (const TokenEvent& event : piece->tokens) answer.ids.push_back(event.token->value);
            answer.finish = piece->finish;
        }
        return answer;
    }

    static void expect(const Case& c, const Answer& answer) {
        EXPECT_EQ(answer.ids, c.ids) << c.name;
        EXPECT_EQ(answer.finish, c.finish) << c.name;
        EXPECT_EQ(answer.text, c.text.value_or(answer.text)) << c.name;
    }

    static json::object* file_;
    static Session* session_;
};
json::object* Generation::file_ = nullptr;
Session* Generation::session_ = nullptr;

TEST_F(Generation, AnswersAsTransformersDoes) {
    for (const Case& c : cases()) {
        Loop loop(session_->model(), limits(), session_->exec());
        AnswerStream stream = add(loop, c);
        while (loop.step()) {
        }
        expect(c, read(stream));
    }
}

// All in one batch that has too few pages: most are preempted and computed again.
TEST_F(Generation, TheSameTogetherAndAfterPreemption) {
    EngineLimits few = limits();
    few.num_pages = 7;
    Loop loop(session_->model(), few, session_->exec());
    const std::vector<Case> all = cases();
    std::vector<AnswerStream> streams;
    for (const Case& c : all) streams.push_back(add(loop, c));
    while (loop.step()) {
    }
    EXPECT_GT(loop.scheduler().num_preemptions(), 0);
    for (size_t i = 0; i < all.size(); ++i) expect(all[i], read(streams[i]));
}

TEST_F(Generation, BansAsTransformersDoes) {
    const JsonReader bans(file_->at("bans").as_object(), "bans");
    const int64_t vocab = bans.integer("vocab", 1, 100);
    const std::vector<TokenId> end = token_ids(bans.integers("end"));
    BannedTokens banned;
    for (const json::value& value : bans.value("cases").as_array()) {
        const JsonReader reader(value.as_object(), "bans");
        json::object settings = reader.value("settings").as_object();
        settings["eos_token_id"] = bans.value("end");
        const GenerationConfig config = load(settings, vocab);
        const auto tokens = token_ids(reader.integers("tokens"));
        const int64_t num_prompt = reader.integer("num_prompt", 1, 100);
        const auto sampling = config.fit_to_prompt(config.sampling, num_prompt, 1000);
        const auto got = banned.collect(*sampling, tokens, num_prompt, end, vocab);
        const std::vector<int64_t> want = reader.integers("banned");
        EXPECT_EQ(std::set<int64_t>(got.begin(), got.end()),
                  std::set<int64_t>(want.begin(), want.end()))
            << dump_json(value);
    }
}

}  // namespace
}  // namespace saker
