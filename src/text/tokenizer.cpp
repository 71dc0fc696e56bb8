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
#include "text/tokenizer_settings.h"

namespace saker {
namespace {

std::vector<std::string_view> views(const std::vector<std::string>& strings) {
    return {strings.begin(), strings.end()};
}

}  // namespace

struct Tokenizer::Parts {
    TokenizerFile file;
    CharTable chars;
    bool scans_by_hand = false;                               // one split, with the Qwen pattern
    std::vector<std::unique_ptr<const SplitPattern>> splits;  // otherwise
    Bpe bpe;
    std::unordered_map<std::string_view, int32_t> whole_pieces;  // where merges are ignored
    AddedTokenFinder raw_added;                                // looked for before the normal form
    AddedTokenFinder normalized_added;                         // and after
    std::unordered_map<std::string_view, size_t> added_index;  // by text
    std::vector<int32_t> added_of;                             // by id; -1: a plain token
    int64_t max_token_bytes = 1;

    explicit Parts(TokenizerFile read)
        : file(std::move(read)),
          bpe(views(file.token_bytes), file.byte_tokens, file.merges),
          added_of(file.token_bytes.size(), -1) {
        file.merges = {};
        find_added_tokens();
        for (size_t id = 0; id < file.token_bytes.size(); ++id) {
            const std::string& bytes = file.token_bytes[id];
            max_token_bytes = std::max(max_token_bytes, static_cast<int64_t>(bytes.size()));
            // No text may become a control token, whatever the vocabulary holds.
            if (file.ignores_merges && added_of[id] < 0 && file.spells_bytes[id])
                whole_pieces.emplace(bytes, static_cast<int32_t>(id));
        }
    }

    void find_added_tokens() {
        std::vector<AddedTokenFinder::Added> raw, normalized;
        std::string buffer;
        std::vector<AddedToken*> changed;  // by their normal form
        // Special tokens come first: of two that their normal form makes equal, the first counts.
        for (const bool special : {true, false})
            for (AddedToken& token : file.added) {
                if (token.is_special != special) continue;
                AddedTokenFinder::Added added = {token.text, token.id, token.strips_left,
                                                 token.strips_right, token.is_whole_word};
                if (token.is_normalized) added.text = normal(token.text, buffer);
                if (added.text != token.text) {
                    file.token_bytes[static_cast<size_t>(token.id)] = bytes_of_token(added.text);
                    changed.push_back(&token);
                }
                (token.is_normalized ? normalized : raw).push_back(std::move(added));
            }
        // Hugging Face decodes them in that form, and then does not know them for special.
        for (AddedToken* token : changed) token->is_special = false;
        raw_added = AddedTokenFinder(chars, std::move(raw));
        normalized_added = AddedTokenFinder(chars, std::move(normalized));
        for (size_t i = 0; i < file.added.size(); ++i) {
            added_index.emplace(file.added[i].text, i);
            added_of[static_cast<size_t>(file.added[i].id)] = static_cast<int32_t>(i);
        }
    }

    void compile_splits(const std::string& name) {
        scans_by_hand = file.splits.size() == 1 && file.splits[0].pattern == kQwenPattern &&
                        !file.adds_prefix_space && !file.splits_bytes;
        if (scans_by_hand) return;
        for (const SplitStep& step : file.splits) {
            try {
                splits.push_back(std::make_unique<SplitPattern>(step.pattern));
            } catch (const std::invalid_argument& fault) {
                throw StartupError(name + ": " + step.key + " " + fault.what() + ".");
            }
        }
        if (file.splits_bytes) splits.push_back(std::make_unique<SplitPattern>(kByteLevelPattern));
    }

    const AddedToken* added(TokenId id) const {
        if (id.value < 0 || static_cast<size_t>(id.value) >= added_of.size()) return nullptr;
        const int32_t index = added_of[static_cast<size_t>(id.value)];
        return index < 0 ? nullptr : &file.added[static_cast<size_t>(index)];
    }

    std::string_view normal(std::string_view text, std::string& buffer) const {
        switch (file.form) {
            case NormalForm::nfc:
                return to_nfc(chars, text, buffer);
            case NormalForm::nfd:
                return to_nfd(text, buffer);
            case NormalForm::none:
                break;
        }
        return text;
    }

    void encode_piece(std::string_view piece, std::vector<TokenId>& out) const {
        if (file.ignores_merges) {
            const auto whole = whole_pieces.find(piece);
            if (whole != whole_pieces.end()) return out.push_back(TokenId(whole->second));
        }
        bpe.encode(piece, out);
    }

    // The piece through the splits from `step` on; each cursor belongs to one of them.
    void encode_from(size_t step, std::string_view piece,
                     std::span<const std::unique_ptr<PieceCursor>> cursors,
                     std::vector<TokenId>& out) const {
        if (step == file.splits.size() && file.adds_prefix_space && !piece.starts_with(' ')) {
            const std::string with_space = " " + std::string(piece);
            return encode_behind(step, with_space, cursors, out);
        }
        encode_behind(step, piece, cursors, out);
    }

    void encode_behind(size_t step, std::string_view piece,
                       std::span<const std::unique_ptr<PieceCursor>> cursors,
                       std::vector<TokenId>& out) const {
        if (step == cursors.size()) return encode_piece(piece, out);
        PieceCursor& cursor = *cursors[step];
        cursor.restart(piece);
        while (const auto part = cursor.next()) encode_from(step + 1, *part, cursors, out);
    }

    void encode_normalized(std::string_view text, std::vector<TokenId>& out) const {
        if (text.empty()) return;
        if (!scans_by_hand) {
            std::vector<std::unique_ptr<PieceCursor>> cursors;
            for (const auto& split : splits)
                cursors.push_back(std::make_unique<PieceCursor>(*split));
            return encode_from(0, text, cursors, out);
        }
        for (size_t at = 0; at < text.size();) {
            const size_t end = qwen_piece_end(chars, text, at);
            encode_piece(text.substr(at, end - at), out);
            at = end;
        }
    }

    void encode_plain(std::string_view text, std::vector<TokenId>& out) const {
        std::string buffer;
        encode_normalized(normal(text, buffer), out);
    }

    // Text between the added tokens that are looked for before the normal form.
    void encode_between(std::string_view text, std::vector<TokenId>& out) const {
        if (normalized_added.empty()) return encode_plain(text, out);
        std::string buffer;
        normalized_added.split(
            normal(text, buffer),
            [&](std::string_view between) { encode_normalized(between, out); },
            [&](const AddedTokenFinder::Added& token) { out.push_back(TokenId(token.id)); });
    }
};

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::filesystem::path& tokenizer_json, int64_t vocab_size) {
    CHECK(vocab_size > 0 && vocab_size <= kMaxVocabSize, "a vocabulary has at most 2^21 ids");
    TokenizerFile file = read_tokenizer_file(tokenizer_json, vocab_size);
    read_tokenizer_settings(tokenizer_json.parent_path(), vocab_size, file);
    auto parts = std::make_unique<Parts>(std::move(file));
    parts->compile_splits(tokenizer_json.string());
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
    parts_->raw_added.split(
        text, [&](std::string_view between) { parts_->encode_between(between, ids); },
        [&](const AddedTokenFinder::Added& token) { ids.push_back(TokenId(token.id)); });
    return ids;
}

std::optional<TokenId> Tokenizer::added_token(std::string_view text) const {
    const auto found = parts_->added_index.find(text);
    if (found == parts_->added_index.end()) return std::nullopt;
    return TokenId(parts_->file.added[found->second].id);
}

std::vector<Tokenizer::AddedSplit> Tokenizer::split_added(std::string_view text) const {
    if (!is_utf8(text)) return split_added(replace_invalid_utf8(text));
    std::vector<AddedSplit> found;
    const auto walk = [&](const AddedTokenFinder& finder, std::string_view whole, auto&& between) {
        size_t done = 0;
        while (const auto match = finder.find(whole, done)) {
            if (done < match->begin) between(whole.substr(done, match->begin - done));
            const TokenId id(match->token->id);
            found.push_back({parts_->added(id)->text, id});
            done = match->end;
        }
        if (done < whole.size()) between(whole.substr(done));
    };
    const auto keep = [&](std::string_view between) {
        found.push_back({std::string(between), std::nullopt});
    };
    walk(parts_->raw_added, text, [&](std::string_view between) {
        std::string buffer;
        const std::string_view normal = parts_->normal(between, buffer);
        if (parts_->normalized_added.find(normal, 0))
            walk(parts_->normalized_added, normal, keep);
        else
            keep(between);
    });
    return found;
}

std::string_view Tokenizer::without_swallowed(std::string_view text, std::optional<TokenId> before,
                                              std::optional<TokenId> behind) const {
    const AddedToken* left = before ? parts_->added(*before) : nullptr;
    const AddedToken* right = behind ? parts_->added(*behind) : nullptr;
    if (left && left->strips_right) text.remove_prefix(space_at_front(parts_->chars, text));
    if (right && right->strips_left) text = text.substr(0, space_at_back(parts_->chars, text));
    return text;
}

bool Tokenizer::is_special(TokenId id) const {
    const AddedToken* token = parts_->added(id);
    return token && token->is_special;
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
