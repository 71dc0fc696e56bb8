// Banned tokens through the Loop with the fake model: what is chosen in their place, what ends an
// answer, and what is said where nothing is left. Its logits are 10 for one token and 0 for all
// others, so that greedy falls to the lowest id that is not banned.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/loop.h"
#include "models/fake.h"

namespace saker {
namespace {

struct Answer {
    std::vector<int32_t> ids;
    std::vector<TokenEvent> events;
    std::optional<FinishReason> finish;
    std::optional<Error> error;
};

class BansInLoop : public testing::Test {
  protected:
    BansInLoop() : pool_(1) {
        limits_.max_context = 256;
        limits_.num_pages = 32;
        greedy_.temperature = 0;
        greedy_.ignore_eos = true;
        greedy_.max_tokens = 6;
    }

    // One answer for each of `asked`, all in one batch, to the prompt 1 2 3 (or another first).
    std::vector<Answer> ask(const std::vector<Sampling>& asked, int32_t first = 1) {
        Exec ex;
        ex.backend = Backend::cpu;
        ex.pool = &pool_;
        Loop loop(model_, limits_, ex);
        std::vector<TokenChannel::Reader> readers;
        for (const Sampling& sampling : asked) {
            Prompt prompt;
            prompt.ids = {TokenId(first), TokenId(2), TokenId(3)};
            EXPECT_TRUE(check_prompt(prompt, sampling, model_.shape(), limits_).ok());
            auto [writer, reader] = TokenChannel::make();
            loop.add(std::move(prompt), sampling, std::move(writer));
            readers.push_back(std::move(reader));
        }
        while (loop.step()) {
        }
        std::vector<Answer> out;
        for (TokenChannel::Reader& reader : readers) {
            Answer& answer = out.emplace_back();
            while (auto event = reader.next()) {
                if (event->token) answer.ids.push_back(event->token->value);
                answer.finish = event->finish;
                answer.error = event->error;
                answer.events.push_back(std::move(*event));
            }
        }
        return out;
    }
    Answer ask(const Sampling& sampling) { return ask(std::vector{sampling})[0]; }

    static std::vector<TokenId> all_tokens() {
        std::vector<TokenId> out;
        for (int32_t id = 0; id < FakeModel::kVocab; ++id) out.emplace_back(id);
        return out;
    }

    const FakeModel model_;
    ThreadPool pool_;
    EngineLimits limits_;
    Sampling greedy_;
};

TEST_F(BansInLoop, ABannedTokenGivesWayToTheNext) {
    const int32_t chosen = ask(greedy_).ids[0];
    ASSERT_GT(chosen, 1);
    Sampling sampling = greedy_;
    sampling.suppress_tokens = {TokenId(chosen), TokenId(0)};
    const auto answers = ask({sampling, greedy_});
    EXPECT_EQ(answers[0].ids[0], 1);
    EXPECT_EQ(answers[1].ids, ask(greedy_).ids) << "its neighbour in the batch bans nothing";
    sampling = greedy_;
    sampling.begin_suppress_tokens = {TokenId(chosen)};
    EXPECT_EQ(ask(sampling).ids[0], 0);
    sampling = greedy_;
    sampling.bad_words = {{TokenId(2), TokenId(3), TokenId(chosen)}};
    EXPECT_EQ(ask(sampling).ids[0], 0);
}

TEST_F(BansInLoop, WithSamplingToo) {
    const int32_t chosen = ask(greedy_).ids[0];
    Sampling sampling;
    sampling.max_tokens = 1;
    sampling.suppress_tokens = all_tokens();
    std::erase(sampling.suppress_tokens, TokenId(chosen + 1));
    for (uint64_t seed = 0; seed < 20; ++seed) {
        sampling.seed = seed;
        EXPECT_EQ(ask(sampling).ids, std::vector<int32_t>{chosen + 1});
    }
}

TEST_F(BansInLoop, NothingEndsAnAnswerBeforeMinTokens) {
    const std::vector<int32_t> free_running = ask(greedy_).ids;
    Sampling sampling = greedy_;
    sampling.ignore_eos = false;
    limits_.eos_tokens = {TokenId(free_running[0])};
    EXPECT_EQ(ask(sampling).ids.size(), 0u);
    sampling.min_tokens = 1;
    EXPECT_EQ(ask(sampling).ids[0], 0) << "the end token is not chosen";
    limits_.eos_tokens.clear();
    sampling.stop_token_ids = {TokenId(free_running[0])};
    EXPECT_EQ(ask(sampling).ids[0], 0) << "nor is a stop token";
    sampling.min_tokens = 0;
    const Answer ended = ask(sampling);
    EXPECT_TRUE(ended.ids.empty());
    EXPECT_EQ(ended.finish, FinishReason::stop);
}

TEST_F(BansInLoop, NoTokenTwice) {
    Sampling sampling = greedy_;
    sampling.no_repeat_ngram_size = 1;
    sampling.max_tokens = 200;
    sampling.suppress_tokens = {TokenId(FakeModel::kPoison)};
    const Answer answer = ask(sampling);
    std::vector<int32_t> sorted = answer.ids;
    sorted.insert(sorted.end(), {1, 2, 3});
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
    EXPECT_EQ(answer.ids.size(), 200u);
}

TEST_F(BansInLoop, WhereNothingIsLeftTheAnswerEndsWithAnErrorOfItsOwn) {
    Sampling sampling = greedy_;
    sampling.suppress_tokens = all_tokens();
    for (float temperature : {0.0f, 1.0f}) {
        sampling.temperature = temperature;
        const auto answers = ask({greedy_, sampling, greedy_});
        ASSERT_TRUE(answers[1].error);
        EXPECT_EQ(answers[1].error->code, ErrorCode::invalid_value);
        EXPECT_NE(answers[1].error->message.find("No token is left"), std::string::npos);
        EXPECT_EQ(answers[0].ids.size(), 6u);
        EXPECT_EQ(answers[2].ids.size(), 6u);
    }
    sampling.suppress_tokens = {TokenId(5)};
    const auto broken = ask({sampling}, FakeModel::kPoison);
    ASSERT_TRUE(broken[0].error);
    EXPECT_EQ(broken[0].error->code, ErrorCode::numeric_error) << "a NaN is no ban";
}

// 996 logits of 0 and one of 10, whatever is banned.
TEST_F(BansInLoop, LogProbabilitiesAreTheModelsOwn) {
    const int32_t likeliest = ask(greedy_).ids[0];
    Sampling sampling = greedy_;
    sampling.logprobs = 1;
    sampling.suppress_tokens = {TokenId(likeliest)};
    const Answer answer = ask(sampling);
    const double log_sum = std::log(std::exp(10.0) + FakeModel::kVocab - 1);
    EXPECT_NEAR(answer.events[0].logprob, -log_sum, 1e-4);
    ASSERT_EQ(answer.events[0].top_logprobs.size(), 1u);
    EXPECT_EQ(answer.events[0].top_logprobs[0].token, TokenId(likeliest));
    EXPECT_NEAR(answer.events[0].top_logprobs[0].logprob, 10 - log_sum, 1e-4);
}

TEST_F(BansInLoop, IdsOutsideTheVocabularyAreRefused) {
    Prompt prompt;
    prompt.ids = {TokenId(1)};
    const auto param = [&](const Sampling& sampling) {
        const Status status = check_prompt(prompt, sampling, model_.shape(), limits_);
        return status.ok() ? std::string() : status.error().param;
    };
    for (int32_t id : {-1, static_cast<int32_t>(FakeModel::kVocab)}) {
        Sampling sampling = greedy_;
        sampling.suppress_tokens = {TokenId(3), TokenId(id)};
        EXPECT_EQ(param(sampling), "suppress_tokens");
        sampling = greedy_;
        sampling.begin_suppress_tokens = {TokenId(id)};
        EXPECT_EQ(param(sampling), "begin_suppress_tokens");
        sampling = greedy_;
        sampling.bad_words = {{TokenId(3)}, {TokenId(3), TokenId(id)}};
        EXPECT_EQ(param(sampling), "bad_words");
        sampling = greedy_;
        sampling.stop_token_ids = {TokenId(id)};
        EXPECT_EQ(param(sampling), "stop_token_ids");
    }
    EXPECT_EQ(param(greedy_), "");
}

}  // namespace
}  // namespace saker
