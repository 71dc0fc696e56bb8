// The channel between engine and reply: order, the end, cancelling, and a writer that disappears.
#include "ask/channel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "ask/sampling.h"

namespace saker {
namespace {

TokenEvent token(int32_t id) {
    TokenEvent event;
    event.token = TokenId(id);
    return event;
}

TokenEvent finish() {
    TokenEvent event;
    event.finish = FinishReason::stop;
    return event;
}

TEST(TokenChannel, EventsInOrderThenNothing) {
    auto [writer, reader] = TokenChannel::make();
    writer.push(token(1));
    writer.push(token(2));
    writer.push(finish());
    writer.push(token(3));  // after the end: dropped
    EXPECT_EQ(reader.next()->token, TokenId(1));
    EXPECT_EQ(reader.next()->token, TokenId(2));
    EXPECT_EQ(reader.next()->finish, FinishReason::stop);
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.next());
}

TEST(TokenChannel, WaitingEndsWithAnEventOrWithTheTime) {
    auto [writer, reader] = TokenChannel::make();
    EXPECT_FALSE(reader.wait(0));
    EXPECT_FALSE(reader.wait(5));
    std::thread later([&, &writer = writer] { writer.push(finish()); });
    EXPECT_TRUE(reader.wait(60'000));
    later.join();
    EXPECT_TRUE(reader.wait(0)) << "it takes no event out";
    EXPECT_TRUE(reader.next()->finish);
    EXPECT_TRUE(reader.wait(0)) << "next() has nothing more to wait for";
}

TEST(TokenChannel, ClosingOrDroppingTheReaderCancels) {
    auto [writer, reader] = TokenChannel::make();
    EXPECT_FALSE(writer.is_cancelled());
    reader.close();
    EXPECT_TRUE(writer.is_cancelled());
    auto [writer2, reader2] = TokenChannel::make();
    { const TokenChannel::Reader gone = std::move(reader2); }
    EXPECT_TRUE(writer2.is_cancelled());
    writer2.push(token(1));  // nobody listens: no harm
}

TEST(TokenChannel, AWriterThatDisappearsEndsTheStream) {
    TokenChannel::Reader reader;
    {
        auto [writer, made] = TokenChannel::make();
        reader = std::move(made);
        writer.push(token(1));
    }
    EXPECT_EQ(reader.next()->token, TokenId(1));
    const auto last = reader.next();
    ASSERT_TRUE(last && last->error);
    EXPECT_EQ(last->error->code, ErrorCode::internal_error);
    EXPECT_FALSE(reader.next());
}

TEST(TokenChannel, TwoThreads) {
    auto [writer, reader] = TokenChannel::make();
    std::thread engine([w = std::move(writer)]() mutable {
        for (int32_t i = 0; i < 20000; ++i) w.push(token(i));
        w.push(finish());
    });
    int32_t want = 0;
    while (auto event = reader.next())
        if (event->token) {
            ASSERT_EQ(event->token->value, want);
            ++want;
        }
    engine.join();
    EXPECT_EQ(want, 20000);
}

TEST(Sampling, RangesNameTheirParameter) {
    const auto param = [](auto set) {
        Sampling s;
        set(s);
        const auto status = s.validate();
        return status.ok() ? std::string() : status.error().param;
    };
    EXPECT_EQ(param([](Sampling&) {}), "");
    EXPECT_EQ(param([](Sampling& s) { s.temperature = 2.1f; }), "temperature");
    EXPECT_EQ(param([](Sampling& s) { s.temperature = 1e-30f; }), "");
    EXPECT_EQ(param([](Sampling& s) { s.temperature = NAN; }), "temperature");
    EXPECT_EQ(param([](Sampling& s) { s.top_p = 0; }), "top_p");
    EXPECT_EQ(param([](Sampling& s) { s.top_p = 1.01f; }), "top_p");
    EXPECT_EQ(param([](Sampling& s) { s.top_k = -1; }), "top_k");
    EXPECT_EQ(param([](Sampling& s) { s.top_k = 1000000000; }), "");
    EXPECT_EQ(param([](Sampling& s) { s.min_p = -0.1f; }), "min_p");
    EXPECT_EQ(param([](Sampling& s) { s.repetition_penalty = 0; }), "repetition_penalty");
    EXPECT_EQ(param([](Sampling& s) { s.repetition_penalty = INFINITY; }), "repetition_penalty");
    EXPECT_EQ(param([](Sampling& s) { s.presence_penalty = 2.1f; }), "presence_penalty");
    EXPECT_EQ(param([](Sampling& s) { s.frequency_penalty = -2.1f; }), "frequency_penalty");
    EXPECT_EQ(param([](Sampling& s) { s.max_tokens = -1; }), "max_tokens");
    EXPECT_EQ(param([](Sampling& s) { s.logprobs = 21; }), "top_logprobs");
}

}  // namespace
}  // namespace saker
