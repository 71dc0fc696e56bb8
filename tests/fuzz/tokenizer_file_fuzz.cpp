// Arbitrary bytes as a tokenizer.json: refused with one sentence, or read so that its merges, by
// both roads, give the same tokens.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "text/bpe.h"
#include "text/tokenizer_file.h"

namespace {

using namespace saker;

void read_and_encode(const std::string& path) {
    const TokenizerFile file = read_tokenizer_file(path, 4096);
    CHECK(file.token_bytes.size() <= 4096, "ids are below the size of the vocabulary");
    const std::vector<std::string_view> views(file.token_bytes.begin(), file.token_bytes.end());
    const Bpe bpe(views, file.byte_tokens, file.merges);
    for (const std::string_view piece :
         {"hello", "aaaaaaa", " the theater", "\xE4\xBD\xA0\xE5\xA5\xBD"}) {
        std::vector<TokenId> fast, slow;
        bpe.encode(piece, fast);
        bpe.encode_by_merging(piece, slow);
        CHECK(fast == slow, "both roads give the same tokens");
        std::string joined;
        for (const TokenId id : fast) joined += views[static_cast<size_t>(id.value)];
        CHECK(joined == piece, "tokens spell the piece");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    set_log_level(LogLevel::off);  // unknown keys are many here
    const int file = memfd_create("tokenizer", 0);
    CHECK(file >= 0 && write(file, bytes, size) == static_cast<ssize_t>(size),
          "a file in memory can be written");
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    try {
        read_and_encode(path);
    } catch (const StartupError& fault) {
        const std::string_view sentence = fault.what();
        CHECK(sentence.starts_with(path + ": ") && sentence.ends_with('.'),
              "a fault is one sentence about the file");
    }
    close(file);
    return 0;
}
