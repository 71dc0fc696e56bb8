// The pipeline of tokenizer.h, joined from its parts.
#include "text/tokenizer.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "base/check.h"
#include "base/utf8.h"
#include "text/added_tokens.h"
#include "text/bpe.h"
#include "text/char_table.h"
#include "text/normalize.h"
#include "text/pretokenizer.h"
#include "text/tokenizer_file.h"

namespace saker {
namespace {

std::vector<std::string_view> views(const std::vector<std::string>& strings) {
    return {strings.begin(), strings.end()};
}

}  // namespace

struct Tokenizer::Parts {
    TokenizerFile file;
    CharTable chars;
    std::optional<SplitPattern> split;  // empty: the Qwen pattern, scanned by hand
    Bpe bpe;
    AddedTokenFinder raw_added;         // looked for before NFC
    AddedTokenFinder normalized_added;  // and after
    AddedTokenFinder all_added;
    std::unordered_map<std::string_view, int32_t> added_ids;
    std::vector<bool> special;  // by id
    int64_t max_token_bytes = 1;

    explicit Parts(TokenizerFile read)
        : file(std::move(read)),
          bpe(views(file.token_bytes), file.byte_tokens, file.merges),
          special(file.token_bytes.size()) {
        file.merges = {};
        std::vector<AddedTokenFinder::Added> raw, normalized, all;
        std::string buffer;
        for (const AddedToken& token : file.added) {
            all.push_back({token.text, token.id});
            if (token.is_normalized)
                normalized.push_back({normalize(token.text, buffer), token.id});
            else
                raw.push_back({token.text, token.id});
            added_ids.emplace(token.text, token.id);
            special[static_cast<size_t>(token.id)] = token.is_special;
        }
        raw_added = AddedTokenFinder(raw);
        normalized_added = AddedTokenFinder(normalized);
        all_added = AddedTokenFinder(all);
        for (const std::string& bytes : file.token_bytes)
            max_token_bytes = std::max(max_token_bytes, static_cast<int64_t>(bytes.size()));
    }

    std::string normalize(std::string_view text, std::string& buffer) const {
        return std::string(file.has_nfc ? to_nfc(chars, text, buffer) : text);
    }

    void encode_normalized(std::string_view text, std::vector<TokenId>& out) const {
        if (split) {
            PieceCursor pieces(*split, text);
            while (const auto piece = pieces.next()) bpe.encode(*piece, out);
            return;
        }
        for (size_t at = 0; at < text.size();) {
            const size_t end = qwen_piece_end(chars, text, at);
            bpe.encode(text.substr(at, end - at), out);
            at = end;
        }
    }

    void encode_plain(std::string_view text, std::vector<TokenId>& out) const {
        std::string buffer;
        encode_normalized(file.has_nfc ? to_nfc(chars, text, buffer) : text, out);
    }

    // Text between the added tokens that are looked for before NFC.
    void encode_between(std::string_view text, std::vector<TokenId>& out) const {
        if (normalized_added.empty()) return encode_plain(text, out);
        std::string buffer;
        split_added(normalized_added, file.has_nfc ? to_nfc(chars, text, buffer) : text, out,
                    [&](std::string_view between) { encode_normalized(between, out); });
    }

    template <class Between>
    static void split_added(const AddedTokenFinder& added, std::string_view text,
                            std::vector<TokenId>& out, Between&& between) {
        size_t at = 0;
        while (const auto match = added.find(text, at)) {
            between(text.substr(at, match->begin - at));
            out.push_back(TokenId(match->id));
            at = match->begin + match->size;
        }
        between(text.substr(at));
    }
};

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::filesystem::path& tokenizer_json, int64_t vocab_size) {
    CHECK(vocab_size > 0 && vocab_size <= kMaxVocabSize, "a vocabulary has at most 2^21 ids");
    auto parts = std::make_unique<Parts>(read_tokenizer_file(tokenizer_json, vocab_size));
    if (parts->file.split_pattern != kQwenPattern) {
        try {
            parts->split.emplace(parts->file.split_pattern);
        } catch (const std::invalid_argument& fault) {
            throw StartupError(tokenizer_json.string() +
                               ": pre_tokenizer.pretokenizers[0].pattern.Regex " + fault.what() +
                               ".");
        }
    }
    return Tokenizer(std::move(parts));
}

namespace {

// A guess that holds for nearly all text, so that the ids are not copied as they grow.
std::vector<TokenId> reserve_ids(std::string_view text) {
    std::vector<TokenId> ids;
    ids.reserve(text.size() / 3 + 8);
    return ids;
}

}  // namespace

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
    if (!is_utf8(text)) return encode(replace_invalid_utf8(text));
    std::vector<TokenId> ids = reserve_ids(text);
    parts_->encode_plain(text, ids);
    return ids;
}

std::vector<TokenId> Tokenizer::encode_with_added(std::string_view text) const {
    if (!is_utf8(text)) return encode_with_added(replace_invalid_utf8(text));
    std::vector<TokenId> ids = reserve_ids(text);
    Parts::split_added(parts_->raw_added, text, ids,
                       [&](std::string_view between) { parts_->encode_between(between, ids); });
    return ids;
}

std::optional<TokenId> Tokenizer::added_token(std::string_view text) const {
    const auto found = parts_->added_ids.find(text);
    if (found == parts_->added_ids.end()) return std::nullopt;
    return TokenId(found->second);
}

std::optional<Tokenizer::AddedMatch> Tokenizer::find_added(std::string_view text,
                                                           size_t from) const {
    const auto match = parts_->all_added.find(text, from);
    if (!match) return std::nullopt;
    return AddedMatch{match->begin, match->size, TokenId(match->id)};
}

bool Tokenizer::is_special(TokenId id) const {
    return id.value >= 0 && id.value < num_ids() && parts_->special[static_cast<size_t>(id.value)];
}

std::string_view Tokenizer::token_bytes(TokenId id) const {
    if (id.value < 0 || id.value >= num_ids()) return {};
    return parts_->file.token_bytes[static_cast<size_t>(id.value)];
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skip_special) const {
    std::string bytes;
    for (const TokenId id : ids)
        if (!skip_special || !is_special(id)) bytes += token_bytes(id);
    return is_utf8(bytes) ? bytes : replace_invalid_utf8(bytes);
}

int64_t Tokenizer::num_ids() const {
    return static_cast<int64_t>(parts_->file.token_bytes.size());
}

int64_t Tokenizer::max_token_bytes() const {
    return parts_->max_token_bytes;
}

}  // namespace saker
