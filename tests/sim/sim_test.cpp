// Scheduler, pages, features and loop under random arrivals, cancels, pictures and shortages.
//
// FakeModel's tokens depend on every token, position and picture before them, read back through the
// pages, so an answer that equals the one computed here by hand proves that no page, row or feature
// went astray.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "base/rng.h"
#include "engine/engine.h"
#include "engine/loop.h"
#include "models/fake.h"

namespace saker {
namespace {

Exec make_exec(ThreadPool& pool) {
    Exec ex;
    ex.backend = Backend::cpu;
    ex.pool = &pool;
    return ex;
}

EngineLimits small_limits() {
    EngineLimits limits;
    limits.max_context = 512;
    limits.num_pages = 8;
    limits.max_sequences = 6;
    limits.chunk_tokens = 48;
    limits.max_patches = 400;
    limits.feature_rows = 100;
    return limits;
}

struct Request {
    Prompt prompt;
    Sampling sampling;
};

// A prompt of random length with up to three pictures, and a random limit on the answer.
Request random_request(const Rng& rng, uint64_t& draw, int64_t max_context) {
    const auto below = [&](int64_t n) {
        return static_cast<int64_t>(rng.bits(draw++) % static_cast<uint64_t>(n));
    };
    Request r;
    r.sampling.temperature = 0;
    r.sampling.ignore_eos = true;
    r.sampling.max_tokens = 1 + below(120);
    const int64_t room = max_context - r.sampling.max_tokens;
    const int64_t pictures = below(4);
    const auto text = [&](int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
            auto id = static_cast<int32_t>(below(FakeModel::kVocab));
            r.prompt.ids.emplace_back(id == FakeModel::kPoison ? 0 : id);
        }
    };
    text(1 + below(40));
    for (int64_t p = 0; p < pictures; ++p) {
        Frame frame;
        frame.item = static_cast<int32_t>(p);
        frame.grid_h = 2 * (1 + below(8));
        frame.grid_w = 2 * (1 + below(8));
        frame.num_tokens = frame.num_patches() / 4;
        frame.first_token = static_cast<int64_t>(r.prompt.ids.size());
        if (frame.end_token() + 20 > room) break;
        frame.pixels.assign(static_cast<size_t>(frame.num_patches() * FakeModel::kPatchBytes),
                            static_cast<uint8_t>(below(256)));
        for (int64_t i = 0; i < frame.num_tokens; ++i) r.prompt.ids.emplace_back(7);
        r.prompt.frames.push_back(std::move(frame));
        text(1 + below(10));
    }
    return r;
}

// The answer by hand: no pages, no chunks, no batch.
std::vector<int32_t> expected_answer(const Request& r, const FakeModel& model) {
    std::vector<PositionBlock> blocks;
    std::vector<float> values;
    for (TokenId id : r.prompt.ids) values.push_back(FakeModel::token_value(id.value));
    for (const Frame& f : r.prompt.frames) {
        blocks.push_back({f.first_token, f.grid_h / 2, f.grid_w / 2});
        for (int64_t i = 0; i < f.num_tokens; ++i)
            values[static_cast<size_t>(f.first_token + i)] =
                FakeModel::visual_value(f.pixels[0], i) + 0.5f;
    }
    const auto n = static_cast<int64_t>(r.prompt.ids.size());
    const Positions p = model.positions(n, blocks);
    std::vector<int32_t> positions = p.axes[0], out;
    for (int64_t i = 0; i < r.sampling.max_tokens; ++i) {
        out.push_back(FakeModel::next_token(values, positions));
        values.push_back(FakeModel::token_value(out.back()));
        positions.push_back(static_cast<int32_t>(n + i) + p.delta);
    }
    return out;
}

struct Asked {
    std::vector<int32_t> expected, got;
    TokenChannel::Reader reader;
    bool cancelled = false, finished = false;
};

void simulate(uint64_t seed, EngineLimits limits, int num_requests) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const FakeModel model;
    ThreadPool pool(1);
    Loop loop(model, limits, make_exec(pool));
    const Rng rng(seed);
    uint64_t draw = 0;
    const auto below = [&](uint64_t n) { return rng.bits(draw++) % n; };
    std::vector<Asked> asked;
    int sent = 0;
    // Each answer needs at most its tokens in steps; many run together and some start again.
    for (int step = 0; step < 200000; ++step) {
        while (sent < num_requests && below(3) == 0) {
            Request r = random_request(rng, draw, limits.max_context);
            ASSERT_TRUE(check_prompt(r.prompt, r.sampling, model.shape(), limits).ok());
            auto [writer, reader] = TokenChannel::make();
            asked.push_back({expected_answer(r, model), {}, std::move(reader), false, false});
            loop.add(std::move(r.prompt), r.sampling, std::move(writer));
            ++sent;
        }
        if (!asked.empty() && below(40) == 0) {
            Asked& victim = asked[below(asked.size())];
            victim.cancelled = true;
            victim.reader.close();
        }
        const bool worked = loop.step();
        // Every page is free or with a running sequence; the pools check double frees themselves.
        ASSERT_LE(loop.pages().num_free(), limits.num_pages);
        ASSERT_LE(loop.scheduler().num_running(), limits.max_sequences);
        if (!worked && sent == num_requests) break;
    }
    ASSERT_TRUE(loop.scheduler().is_idle());
    EXPECT_EQ(loop.pages().num_free(), limits.num_pages);
    EXPECT_EQ(loop.features().num_free(), limits.feature_rows);
    for (size_t i = 0; i < asked.size(); ++i) {
        Asked& a = asked[i];
        while (!a.cancelled) {
            auto event = a.reader.next();
            if (!event) break;
            ASSERT_FALSE(event->error) << event->error->message;
            if (event->token) a.got.push_back(event->token->value);
            a.finished = a.finished || event->finish == FinishReason::length;
        }
        if (a.cancelled) continue;
        EXPECT_TRUE(a.finished) << "request " << i;
        EXPECT_EQ(a.got, a.expected) << "request " << i;
    }
}

TEST(Sim, EveryAnswerIsRightUnderShortageAndCancels) {
    for (uint64_t seed = 0; seed < 12; ++seed) simulate(seed, small_limits(), 60);
}

TEST(Sim, PlentyOfRoom) {
    EngineLimits limits = small_limits();
    limits.num_pages = 64;
    limits.feature_rows = 2000;
    limits.max_patches = 2000;
    limits.chunk_tokens = 1000;
    simulate(100, limits, 80);
}

TEST(Sim, ChunksOfOneToken) {
    EngineLimits limits = small_limits();
    limits.chunk_tokens = 1;
    simulate(200, limits, 15);
}

// Two requests that each need more than half of the pages: the older one is never preempted.
TEST(Sim, TheOldestIsNeverPreempted) {
    const FakeModel model;
    ThreadPool pool(1);
    EngineLimits limits = small_limits();
    Loop loop(model, limits, make_exec(pool));
    std::vector<TokenChannel::Reader> readers;
    for (int i = 0; i < 2; ++i) {
        Request r;
        r.prompt.ids.assign(180, TokenId(5 + i));
        r.sampling.temperature = 0;
        r.sampling.ignore_eos = true;
        r.sampling.max_tokens = 300;
        auto [writer, reader] = TokenChannel::make();
        loop.add(std::move(r.prompt), r.sampling, std::move(writer));
        readers.push_back(std::move(reader));
    }
    int steps = 0;
    while (loop.step() && steps < 5000) ++steps;
    EXPECT_LT(steps, 5000);
    EXPECT_GE(loop.scheduler().num_preemptions(), 1);
    for (auto& reader : readers) {
        int tokens = 0;
        while (auto event = reader.next()) tokens += event->token.has_value();
        EXPECT_EQ(tokens, 300);
    }
}

// A large picture needs every feature row, and small ones that could always have some keep coming.
TEST(Sim, SmallPicturesDoNotKeepALargeOneWaiting) {
    const FakeModel model;
    ThreadPool pool(1);
    EngineLimits limits = small_limits();
    limits.chunk_tokens = 8;
    limits.feature_rows = 64;
    Loop loop(model, limits, make_exec(pool));
    const auto ask = [&](int64_t side) {
        Request r;
        Frame frame;
        frame.grid_h = frame.grid_w = side;
        frame.num_tokens = frame.num_patches() / 4;
        frame.first_token = 1;
        frame.pixels.resize(static_cast<size_t>(frame.num_patches() * FakeModel::kPatchBytes));
        r.prompt.ids.assign(static_cast<size_t>(frame.num_tokens + 2), TokenId(7));
        r.prompt.frames.push_back(std::move(frame));
        r.sampling.max_tokens = 1;
        auto [writer, reader] = TokenChannel::make();
        loop.add(std::move(r.prompt), r.sampling, std::move(writer));
        return std::move(reader);
    };
    struct LargeOne : StepObserver {
        void on_encode(std::span<const PlannedFrame> frames) override {
            for (const PlannedFrame& f : frames) seen = seen || f.get().grid_h == 16;
        }
        void on_forward(const StepPlan&) override {}
        bool seen = false;
    } large;
    loop.set_observer(&large, nullptr);
    std::vector<TokenChannel::Reader> readers;
    readers.push_back(ask(8));
    readers.push_back(ask(16));
    int steps = 0;
    for (; steps < 100 && !large.seen; ++steps) {
        readers.push_back(ask(8));
        loop.step();
    }
    EXPECT_LT(steps, 6);
}

TEST(Sim, NumbersThatAreNoneEndOneAnswerOnly) {
    const FakeModel model;
    ThreadPool pool(1);
    Loop loop(model, small_limits(), make_exec(pool));
    std::vector<TokenChannel::Reader> readers;
    for (int32_t first : {1, FakeModel::kPoison, 2}) {
        Prompt prompt;
        prompt.ids = {TokenId(first), TokenId(3)};
        Sampling sampling;
        sampling.temperature = 0;
        sampling.max_tokens = 5;
        auto [writer, reader] = TokenChannel::make();
        loop.add(std::move(prompt), sampling, std::move(writer));
        readers.push_back(std::move(reader));
    }
    while (loop.step()) {
    }
    for (size_t i = 0; i < readers.size(); ++i) {
        std::optional<Error> error;
        int tokens = 0;
        while (auto event = readers[i].next()) {
            tokens += event->token.has_value();
            error = event->error;
        }
        if (i == 1) {
            ASSERT_TRUE(error);
            EXPECT_EQ(error->code, ErrorCode::numeric_error);
        } else {
            EXPECT_FALSE(error);
            EXPECT_EQ(tokens, 5);
        }
    }
}

TEST(Sim, EndTokensAndStopTokens) {
    const FakeModel model;
    ThreadPool pool(1);
    Request r;
    r.prompt.ids = {TokenId(1), TokenId(2), TokenId(3)};
    r.sampling.temperature = 0;
    r.sampling.ignore_eos = true;
    r.sampling.max_tokens = 20;
    const auto free_running = expected_answer(r, model);
    const auto run = [&](EngineLimits limits, Sampling sampling) {
        Loop loop(model, limits, make_exec(pool));
        auto [writer, reader] = TokenChannel::make();
        Prompt prompt = r.prompt;
        loop.add(std::move(prompt), sampling, std::move(writer));
        while (loop.step()) {
        }
        std::pair<std::vector<int32_t>, FinishReason> out;
        while (auto event = reader.next()) {
            if (event->token) out.first.push_back(event->token->value);
            if (event->finish) out.second = *event->finish;
        }
        return out;
    };
    EngineLimits limits = small_limits();
    limits.eos_tokens = {TokenId(free_running[6])};
    Sampling sampling = r.sampling;
    EXPECT_EQ(run(limits, sampling).first, free_running) << "ignore_eos";
    sampling.ignore_eos = false;
    const auto [ended, reason] = run(limits, sampling);
    EXPECT_EQ(ended, std::vector<int32_t>(free_running.begin(), free_running.begin() + 6));
    EXPECT_EQ(reason, FinishReason::stop);
    limits.eos_tokens.clear();
    sampling.stop_token_ids = {TokenId(free_running[3])};
    EXPECT_EQ(run(limits, sampling).first.size(), 3u);
}

TEST(CheckPrompt, RefusesWhatCanNeverBeAnswered) {
    const FakeModel model;
    const EngineLimits limits = small_limits();
    const auto code = [&](const Prompt& prompt, const Sampling& sampling) {
        const auto status = check_prompt(prompt, sampling, model.shape(), limits);
        return status.ok() ? std::optional<ErrorCode>() : status.error().code;
    };
    Prompt prompt;
    Sampling sampling;
    EXPECT_EQ(code(prompt, sampling), ErrorCode::invalid_value) << "empty";
    prompt.ids.assign(512, TokenId(1));
    EXPECT_EQ(code(prompt, sampling), ErrorCode::context_length_exceeded);
    EXPECT_EQ(check_prompt(prompt, sampling, model.shape(), limits).error().message,
              "This model's maximum context length is 512 tokens, but the prompt has 512: shorten "
              "it.")
        << "no flag is named unless the limits say that one helps";
    prompt.ids.resize(511);
    EXPECT_EQ(code(prompt, sampling), std::nullopt);
    sampling.max_tokens = 2;
    EXPECT_EQ(code(prompt, sampling), ErrorCode::context_length_exceeded);
    sampling.max_tokens = INT64_MAX;
    EXPECT_EQ(code(prompt, sampling), ErrorCode::context_length_exceeded) << "no overflow";
    sampling.max_tokens = 1;
    for (int32_t id : {-1, static_cast<int32_t>(FakeModel::kVocab)}) {
        prompt.ids[3] = TokenId(id);
        EXPECT_EQ(code(prompt, sampling), ErrorCode::invalid_value) << id;
    }
    prompt.ids[3] = TokenId(0);
    for (float temperature : {-1.0f, 2.1f, std::numeric_limits<float>::quiet_NaN()}) {
        Sampling s = sampling;
        s.temperature = temperature;
        EXPECT_EQ(code(prompt, s), ErrorCode::invalid_value) << temperature;
    }
    Frame frame;
    frame.grid_h = frame.grid_w = 22;
    frame.num_tokens = 121;
    frame.pixels.resize(22 * 22 * FakeModel::kPatchBytes);
    prompt.frames.push_back(frame);
    EXPECT_EQ(code(prompt, sampling), ErrorCode::image_too_large);
}

// The thread, the inbox, and many askers; also run under ThreadSanitizer.
TEST(Engine, ManyThreadsAskAndSomeLeave) {
    const FakeModel model;
    ThreadPool pool(1);
    EngineLimits limits = small_limits();
    Engine engine(model, limits, make_exec(pool));
    std::vector<std::thread> askers;
    std::atomic<int> right{0};
    for (uint64_t a = 0; a < 6; ++a)
        askers.emplace_back([&, a] {
            const Rng rng(a, 77);
            uint64_t draw = 0;
            for (int i = 0; i < 12; ++i) {
                Request r = random_request(rng, draw, limits.max_context);
                const auto expected = expected_answer(r, model);
                auto reader = engine.submit(std::move(r.prompt), r.sampling);
                ASSERT_TRUE(reader.ok());
                std::vector<int32_t> got;
                while (auto event = reader->next()) {
                    if (event->token) got.push_back(event->token->value);
                    if (i % 4 == 3 && got.size() > 3) break;  // leaves in the middle
                }
                right += i % 4 == 3 || got == expected;
            }
        });
    for (auto& asker : askers) asker.join();
    EXPECT_EQ(right, 72);
}

TEST(Engine, TimesCountAnAnswerWholeOnceItHasEnded) {
    const FakeModel model;
    ThreadPool pool(1);
    Engine engine(model, small_limits(), make_exec(pool));
    for (int64_t i = 1; i <= 300; ++i) {
        Request r;
        r.prompt.ids = {TokenId(1), TokenId(2)};
        r.sampling.temperature = 0;
        r.sampling.ignore_eos = true;
        r.sampling.max_tokens = 3;
        auto reader = engine.submit(std::move(r.prompt), r.sampling);
        ASSERT_TRUE(reader.ok());
        while (reader->next()) {
        }
        const PhaseTimes times = engine.times();
        ASSERT_EQ(times.num_prefill_tokens, 2 * i);
        ASSERT_EQ(times.num_decode_tokens, 2 * i);
    }
}

TEST(Engine, EndingItEndsItsAnswersWithAnError) {
    const FakeModel model;
    ThreadPool pool(1);
    std::optional<TokenChannel::Reader> reader;
    {
        EngineLimits limits = small_limits();
        Engine engine(model, limits, make_exec(pool));
        Request r;
        r.prompt.ids = {TokenId(1)};
        r.sampling.temperature = 0;
        r.sampling.ignore_eos = true;
        reader = std::move(*engine.submit(std::move(r.prompt), r.sampling));
        reader->next();
    }
    bool ended = false;
    while (auto event = reader->next()) ended = event->is_last();
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace saker
