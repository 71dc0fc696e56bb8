// main() of the fuzz tests: feeds a parser its corpus, then seeded mutations of it.
//
//   NAME_fuzz CORPUS_FOLDER --runs N   the corpus and N mutations, the same on every machine
//   NAME_fuzz CORPUS_FOLDER --run I    mutation I alone, to repeat a failure
//   NAME_fuzz FILE                     the bytes of one file
//
// A crash prints the number of the run before the process ends. libFuzzer brings its own main(), so
// this file is left out of the preset fuzz. The parser may also say that an input was slow by
// exceeding kSlowestMs, which fails: no few bytes may hold a worker for long.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kMaxBytes = 1 << 20;
constexpr double kSlowestMs = 10000;

std::string g_at;  // what is being run, for the last words

void last_words() {
    const std::string words = "fuzz: failed at " + g_at + "\n";
    (void)!write(2, words.data(), words.size());
}

void on_signal(int number) {
    last_words();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

Bytes read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A sequence of choices: the draws of one run.
class Choices {
  public:
    explicit Choices(uint64_t run) : rng_(0x5a6b, run) {}
    uint64_t below(uint64_t n) { return n == 0 ? 0 : rng_.bits(next_++) % n; }

  private:
    saker::Rng rng_;
    uint64_t next_ = 0;
};

using Difference = Bytes::difference_type;

void mutate(Bytes& bytes, const Bytes& other, Choices& choose) {
    static constexpr uint8_t kEdges[] = {0x00, 0x01, 0x7F, 0x80, 0xFF, '"',
                                         '\\', '{',  '[',  '<',  '\n', '9'};
    const size_t at = choose.below(bytes.size() + 1);
    const size_t left = bytes.size() - at;
    const auto where = bytes.begin() + static_cast<Difference>(at);
    switch (choose.below(8)) {
        case 0:  // flip a bit
            if (left > 0) bytes[at] ^= static_cast<uint8_t>(1u << choose.below(8));
            break;
        case 1:  // a byte at which rules change
            if (left > 0) bytes[at] = kEdges[choose.below(std::size(kEdges))];
            break;
        case 2:  // any byte, new
            bytes.insert(where, static_cast<uint8_t>(choose.below(256)));
            break;
        case 3:  // drop some
            bytes.erase(where, where + static_cast<Difference>(std::min(left, choose.below(17))));
            break;
        case 4:  // cut off the end
            bytes.resize(at);
            break;
        case 5: {  // say something twice
            const Bytes piece(where,
                              where + static_cast<Difference>(std::min(left, choose.below(65))));
            bytes.insert(where, piece.begin(), piece.end());
            break;
        }
        case 6: {  // a piece of another input
            const size_t from = choose.below(other.size() + 1);
            const size_t size = std::min(other.size() - from, size_t{choose.below(257)});
            const auto begin = other.begin() + static_cast<Difference>(from);
            bytes.insert(where, begin, begin + static_cast<Difference>(size));
            break;
        }
        case 7: {  // a 32-bit size that is wrong: small, huge or negative, either byte order
            static constexpr uint32_t kSizes[] = {0,          1,          0xFFFF,    0x10000,
                                                  0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
            const uint32_t size = kSizes[choose.below(std::size(kSizes))];
            const bool big = choose.below(2) == 0;
            for (size_t i = 0; i < 4 && i < left; ++i)
                bytes[at + i] = static_cast<uint8_t>(size >> 8 * (big ? 3 - i : i));
            break;
        }
    }
    if (bytes.size() > kMaxBytes) bytes.resize(kMaxBytes);
}

bool run(const Bytes& bytes, std::string at) {
    g_at = std::move(at);
    // Exactly as large as the input, so that the address sanitizer sees a step beyond it.
    const Bytes exact(bytes);
    const saker::Stopwatch watch;
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    if (watch.elapsed_ms() < kSlowestMs) return true;
    std::fprintf(stderr, "fuzz: %s took %.0f ms\n", g_at.c_str(), watch.elapsed_ms());
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string option = argc == 4 ? argv[2] : "";
    if (argc != 2 && option != "--runs" && option != "--run") {
        std::fprintf(stderr, "usage: %s CORPUS_FOLDER [--runs N | --run I] | FILE\n", argv[0]);
        return 2;
    }
    for (int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL})
        if (!__sanitizer_set_death_callback || number == SIGABRT) std::signal(number, on_signal);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(last_words);

    const std::filesystem::path path = argv[1];
    if (std::filesystem::is_regular_file(path)) return run(read_file(path), argv[1]) ? 0 : 1;
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(path))
        for (const auto& entry : std::filesystem::directory_iterator(path))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (files.empty()) {
        std::fprintf(stderr, "%s: holds no input to start from\n", argv[1]);
        return 1;
    }
    std::vector<Bytes> corpus;
    bool good = true;
    for (const auto& file : files) {
        corpus.push_back(read_file(file));
        if (option != "--run") good = run(corpus.back(), file.string()) && good;
    }
    const int64_t number = argc == 4 ? std::atoll(argv[3]) : 0;
    const int64_t begin = option == "--run" ? number : 0;
    const int64_t end = option == "--run" ? number + 1 : number;
    for (int64_t i = begin; i < end; ++i) {
        Choices choose(static_cast<uint64_t>(i));
        Bytes bytes = corpus[choose.below(corpus.size())];
        const Bytes& other = corpus[choose.below(corpus.size())];
        for (uint64_t left = 1 + choose.below(1 + choose.below(6)); left > 0; --left)
            mutate(bytes, other, choose);
        good = run(bytes, std::string(argv[0]) + " " + argv[1] + " --run " + std::to_string(i)) &&
               good;
    }
    return good ? 0 : 1;
}
