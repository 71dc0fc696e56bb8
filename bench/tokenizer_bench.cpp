// The tokenizer on one core, beside the rate at which that core copies memory: encoding English
// technical prose, Chinese, source code and the three in turns; decoding; loading.
//
// The texts: pages of this project, words of the vocabulary drawn as rarely as their rank says
// (Zipf), and the sources. Run in the source folder. Where a folder `shared` stands beside it, its
// pages and the real tokenizer of Qwen3 are taken, which the results in bench/results are of. A
// core's time is counted, not the clock's, so that a busy machine disturbs less.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace saker::bench {
namespace {

constexpr size_t kTextBytes = size_t{1} << 20;
const char* file() {
    static constexpr const char* kReal = "../shared/data/qwen3-tokenizer/tokenizer.json";
    return std::filesystem::exists(kReal) ? kReal : "tests/text/bpe/tokenizer.json";
}

const Tokenizer& tokenizer() {
    static const Tokenizer loaded = Tokenizer::load(file());
    return loaded;
}

// Bytes a second that one core copies from memory to memory: what no pass over a text can beat.
double copy_bytes_s() {
    static const double rate = [] {
        std::vector<char> from(size_t{64} << 20, 1), to(from.size());
        double best_ns = 1e18;
        for (int run = 0; run < 10; ++run) {
            const Stopwatch watch;
            std::memcpy(to.data(), from.data(), from.size());
            benchmark::DoNotOptimize(to.data());
            best_ns = std::min(best_ns, static_cast<double>(watch.elapsed_ns()));
        }
        return static_cast<double>(from.size()) * 1e9 / best_ns;
    }();
    return rate;
}

std::string read_all(const char* folder, std::initializer_list<std::string_view> endings) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (std::find(endings.begin(), endings.end(), entry.path().extension()) != endings.end())
            paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::string text;
    for (const auto& path : paths) {
        std::ifstream in(path, std::ios::binary);
        text.append(std::istreambuf_iterator<char>(in), {});
    }
    return text;
}

bool is_chinese(std::string_view bytes) {
    if (bytes.empty() || !is_utf8(bytes)) return false;
    for (; !bytes.empty(); bytes.remove_prefix(3)) {
        const char32_t c = decode_utf8(bytes).code_point;
        if (c < 0x4E00 || c > 0x9FFF) return false;
    }
    return true;
}

std::string chinese() {
    std::vector<std::string_view> words;  // by id, which is by frequency
    for (int32_t id = 0; id < tokenizer().num_ids(); ++id)
        if (is_chinese(tokenizer().token_bytes(TokenId(id))))
            words.push_back(tokenizer().token_bytes(TokenId(id)));
    const Rng rng("chinese");
    std::string text;
    for (uint64_t i = 0; text.size() < kTextBytes; i += 2) {
        const double rank = std::pow(static_cast<double>(words.size()), rng.uniform(i));
        text += words[std::min(static_cast<size_t>(rank) - 1, words.size() - 1)];
        const float mark = rng.uniform(i + 1);
        if (mark < 0.1f) text += mark < 0.07f ? "\xEF\xBC\x8C" : "\xE3\x80\x82";
    }
    return text;
}

// About four kilobytes of each text in turn, cut between characters.
std::string mixed(std::initializer_list<std::string_view> texts) {
    std::string all;
    for (size_t at = 0; all.size() < kTextBytes; at += 4096)
        for (std::string_view text : texts) {
            text = text.substr(at % (text.size() - 4100));
            while ((text[0] & 0xC0) == 0x80) text.remove_prefix(1);
            text = text.substr(0, 4096);
            all += text.substr(0, text.size() - incomplete_utf8_tail(text));
        }
    return all;
}

const std::string& text_of(std::string_view name) {
    static const std::string english =
        read_all(std::filesystem::exists("../shared") ? "../shared" : "docs", {".md"});
    static const std::string code = read_all("src", {".cpp", ".h"});
    static const std::string zh = chinese();
    static const std::string all = mixed({english, zh, code});
    return name == "english" ? english : name == "code" ? code : name == "chinese" ? zh : all;
}

void report(benchmark::State& state, size_t bytes) {
    using benchmark::Counter;
    const auto work = static_cast<double>(bytes) * static_cast<double>(state.iterations());
    state.counters["MB_s"] = Counter(work / 1e6, Counter::kIsRate);
    state.counters["of_copy"] = Counter(work / copy_bytes_s(), Counter::kIsRate);
}

void encode(benchmark::State& state, std::string_view name) {
    const std::string& text = text_of(name);
    size_t num_ids = 0;
    for (auto _ : state) {
        const auto ids = tokenizer().encode(text);
        num_ids = ids.size();
        benchmark::DoNotOptimize(ids.data());
    }
    report(state, text.size());
    state.counters["bytes_per_token"] =
        static_cast<double>(text.size()) / static_cast<double>(num_ids);
}

void decode(benchmark::State& state) {
    const auto ids = tokenizer().encode(text_of("mixed"));
    for (auto _ : state) benchmark::DoNotOptimize(tokenizer().decode(ids).data());
    report(state, text_of("mixed").size());
}

void detokenize(benchmark::State& state) {
    const auto ids = tokenizer().encode(text_of("mixed"));
    for (auto _ : state) {
        Detokenizer detokenizer(tokenizer(), true);
        for (const TokenId id : ids) benchmark::DoNotOptimize(detokenizer.push(id).data());
    }
    report(state, text_of("mixed").size());
}

void load(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(Tokenizer::load(file()).num_ids());
    report(state, std::filesystem::file_size(file()));
}

BENCHMARK_CAPTURE(encode, english, "english")->Name("tokenizer/encode/english");
BENCHMARK_CAPTURE(encode, chinese, "chinese")->Name("tokenizer/encode/chinese");
BENCHMARK_CAPTURE(encode, code, "code")->Name("tokenizer/encode/code");
BENCHMARK_CAPTURE(encode, mixed, "mixed")->Name("tokenizer/encode/mixed");
BENCHMARK(decode)->Name("tokenizer/decode/mixed");
BENCHMARK(detokenize)->Name("tokenizer/detokenize/mixed");
BENCHMARK(load)->Name("tokenizer/load")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace saker::bench
