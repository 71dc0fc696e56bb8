// Arbitrary bytes as text: encoding never yields a control token, decoding gives the text back, and
// decoding token by token gives what decoding at once gives.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "text/char_table.h"
#include "text/detokenizer.h"
#include "text/normalize.h"
#include "text/prompt_parts.h"
#include "text/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace saker;
    static const Tokenizer tokenizer = Tokenizer::load("tests/text/bpe/tokenizer.json");
    static const CharTable table;
    static const int32_t first_added = tokenizer.added_token("<|endoftext|>")->value;
    const std::string_view raw(reinterpret_cast<const char*>(bytes), size);

    const std::string text = replace_invalid_utf8(raw);
    std::string buffer;
    const std::string_view normal = to_nfc(table, text, buffer);
    const std::vector<TokenId> ids = tokenizer.encode(raw);
    for (const TokenId id : ids)
        CHECK(id.value >= 0 && id.value < first_added, "text yields no control token");
    CHECK(tokenizer.decode(ids) == normal, "decoding gives the text back");
    CHECK(static_cast<int64_t>(ids.size()) * tokenizer.max_token_bytes() >=
              static_cast<int64_t>(normal.size()),
          "a token is no longer than the longest");

    const auto parts = split_rendered(tokenizer, text);
    std::string joined_buffer;
    CHECK(to_nfc(table, rendered_text(parts), joined_buffer) == normal,
          "splitting loses nothing but the form");
    CHECK(encode_parts(tokenizer, parts).ids == tokenizer.encode_with_added(text),
          "parts are encoded as the whole");

    std::vector<TokenId> any;  // each two bytes as an id, known or not
    for (size_t i = 0; i + 1 < size; i += 2)
        any.emplace_back((bytes[i] << 8 | bytes[i + 1]) % 6200);
    for (const bool skip_special : {false, true}) {
        Detokenizer detokenizer(tokenizer, skip_special);
        std::string joined;
        for (const TokenId id : any) {
            const std::string piece = detokenizer.push(id);
            CHECK(is_utf8(piece), "what is shown is whole characters");
            joined += piece;
        }
        joined += detokenizer.finish();
        CHECK(joined == tokenizer.decode(any, skip_special), "piece by piece is as at once");
    }
    return 0;
}
