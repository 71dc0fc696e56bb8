// What comes first: added_tokens_decoder by rising id, or added_tokens.json where there is none;
// then the special tokens that are named and not yet known.
#include "text/tokenizer_settings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "base/utf8.h"
#include "json/json.h"
#include "text/byte_letters.h"
#include "text/tokenizer.h"
#include "text/tokenizer_keys.h"

namespace saker {
namespace {

constexpr size_t kMaxBytes = size_t{16} << 20;
constexpr size_t kMaxTokens = 65536, kMaxTokenBytes = 1024;

void check_size(const JsonReader& reader, std::string_view key, std::string_view text) {
    if (text.empty() || text.size() > kMaxTokenBytes)
        reader.fail(key, "holds a token that has not 1 to 1024 bytes");
}

// The tokens of a TokenizerFile by their text, and the ways to change the added ones.
class Tokens {
  public:
    Tokens(TokenizerFile& file, int64_t vocab_size) : file_(file), vocab_size_(vocab_size) {
        for (size_t i = 0; i < file.added.size(); ++i) added_.emplace(file.added[i].text, i);
    }

    bool has_added(const std::string& text) const { return added_.count(text) > 0; }

    // Adds a token under the id that transformers gives it; false where the model has no row for
    // that id.
    bool add(AddedToken token) {
        const std::optional<int32_t> plain = plain_id(token.text);
        const int64_t id = plain ? *plain : file_.next_added_id;
        if (id >= vocab_size_) return false;
        token.id = static_cast<int32_t>(id);
        const auto index = static_cast<size_t>(id);
        if (index >= file_.token_bytes.size()) {
            file_.token_bytes.resize(index + 1);
            file_.spells_bytes.resize(index + 1);
        }
        file_.token_bytes[index] = bytes_of_token(token.text);
        file_.next_added_id = std::max<int64_t>(file_.next_added_id, id + 1);
        added_.emplace(token.text, file_.added.size());
        file_.added.push_back(std::move(token));
        return true;
    }

    // Adds a token, or gives the added one of this text other flags. `reader` and `key` are where a
    // file says it, and that its id is `id`.
    void put(const JsonReader& reader, std::string_view key, AddedToken token, int64_t id) {
        const std::string text = token.text;
        check_size(reader, key, text);
        if (const auto known = added_.find(text); known != added_.end()) {
            AddedToken& place = file_.added[known->second];
            token.id = place.id;
            token.is_special |= place.is_special;  // once special, always
            place = std::move(token);
        } else if (!add(std::move(token))) {
            reader.fail(key, "adds " + quote(text) + ", for which the model's vocabulary of " +
                                 std::to_string(vocab_size_) + " has no row");
        }
        const int32_t taken = file_.added[added_.at(text)].id;
        if (taken != id)
            reader.fail(key, "gives " + quote(text) + " the id " + std::to_string(id) +
                                 ", but transformers reads it as " + std::to_string(taken));
    }

  private:
    // The id of a token of the vocabulary that is written so.
    std::optional<int32_t> plain_id(std::string_view text) {
        if (plain_.empty())
            for (size_t id = 0; id < file_.token_bytes.size(); ++id)
                plain_.emplace(std::pair{file_.spells_bytes[id], file_.token_bytes[id]},
                               static_cast<int32_t>(id));
        std::string bytes;
        const bool spells = read_byte_letters(text, bytes);
        const auto found = plain_.find({spells, spells ? bytes : std::string(text)});
        if (found == plain_.end()) return std::nullopt;
        return found->second;
    }

    TokenizerFile& file_;
    int64_t vocab_size_;
    std::unordered_map<std::string, size_t> added_;          // index in file_.added
    std::map<std::pair<bool, std::string>, int32_t> plain_;  // made when first asked for
};

AddedToken token_of(const JsonReader& reader) {
    check_keys(reader, TokenizerKeys::added_setting);
    AddedToken token;
    token.text = reader.string("content");
    token.is_special = reader.boolean_or("special", false);
    token.is_normalized = reader.boolean_or("normalized", !token.is_special);
    token.strips_left = reader.boolean_or("lstrip", false);
    token.strips_right = reader.boolean_or("rstrip", false);
    token.is_whole_word = reader.boolean_or("single_word", false);
    return token;
}

// A key that must be an id: its number, or -1.
int64_t id_of(std::string_view key) {
    if (key.empty() || key.size() > 9) return -1;
    int64_t id = 0;
    for (const char c : key) {
        if (c < '0' || c > '9') return -1;
        id = id * 10 + (c - '0');
    }
    return id;
}

void read_decoder(const JsonReader& settings, const std::string& name, Tokens& tokens) {
    const JsonReader decoder = settings.object("added_tokens_decoder");
    if (decoder.members().size() > kMaxTokens)
        settings.fail("added_tokens_decoder", "has more than 65536 tokens");
    std::map<int64_t, std::string> keys;  // by rising id
    for (const auto& [key, value] : decoder.members()) {
        const std::string text(key.data(), key.size());
        const int64_t id = id_of(text);
        if (id < 0 || !value.is_object() || !keys.emplace(id, text).second)
            decoder.fail(quote(text), "is not an id with the token that has it");
    }
    for (const auto& [id, key] : keys) {
        const JsonReader reader(decoder.members().at(key).get_object(), name,
                                "added_tokens_decoder." + key + ".");
        tokens.put(reader, "content", token_of(reader), id);
    }
}

// Special tokens by the names of their uses: text, or an object that holds it.
std::vector<AddedToken> named_tokens(const JsonReader& settings) {
    std::vector<AddedToken> named;
    const auto take = [&](std::string_view key, const json::value& value) {
        AddedToken token;
        if (value.is_string()) {
            token.text = std::string(value.get_string());
        } else if (value.is_object() && value.get_object().contains("content")) {
            token =
                token_of(JsonReader(value.get_object(), settings.where(), std::string(key) + "."));
        } else {
            settings.fail(key, "is neither a token's text nor an object with its content");
        }
        token.is_special = true;
        if (token.text.empty()) return;
        check_size(settings, key, token.text);
        named.push_back(std::move(token));
    };
    for (const char* key : {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token",
                            "cls_token", "mask_token"})
        if (settings.has(key)) take(key, settings.value(key));
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
        if (!settings.has(key) || !settings.value(key).is_array()) continue;
        const json::array& list = settings.value(key).get_array();
        if (list.size() > kMaxTokens) settings.fail(key, "has more than 65536 tokens");
        for (const json::value& item : list) take(key, item);
    }
    return named;
}

void read_older_list(const std::filesystem::path& path, const std::vector<AddedToken>& named,
                     Tokens& tokens) {
    JsonLimits limits;
    limits.max_bytes = kMaxBytes;
    const json::object object = read_json_file(path, limits);
    const JsonReader reader(object, path.string());
    if (object.size() > kMaxTokens)
        throw StartupError(path.string() + ": has more than 65536 tokens.");
    std::unordered_set<std::string_view> special;
    for (const AddedToken& token : named) special.insert(token.text);
    for (const auto& [key, value] : object) {
        AddedToken token;
        token.text = std::string(key.data(), key.size());
        if (tokens.has_added(token.text)) continue;  // tokenizer.json says more about it
        const int64_t id = reader.integer(token.text, 0, Tokenizer::kMaxVocabSize - 1);
        token.is_special = special.count(token.text) > 0;
        token.is_normalized = !token.is_special;
        const std::string at = quote(token.text);
        tokens.put(reader, at, std::move(token), id);
    }
}

}  // namespace

void read_tokenizer_settings(const std::filesystem::path& folder, int64_t vocab_size,
                             TokenizerFile& file) {
    const std::filesystem::path path = folder / "tokenizer_config.json";
    const std::filesystem::path older = folder / "added_tokens.json";
    const bool has_older = std::filesystem::exists(older);
    Tokens tokens(file, vocab_size);
    if (!std::filesystem::exists(path)) {
        if (has_older) read_older_list(older, {}, tokens);
        return;
    }
    JsonLimits limits;
    limits.max_bytes = kMaxBytes;
    const json::object object = read_json_file(path, limits);
    const JsonReader settings(object, path.string());
    check_keys(settings, TokenizerKeys::settings);
    const std::vector<AddedToken> named = named_tokens(settings);
    if (settings.has("added_tokens_decoder"))
        read_decoder(settings, path.string(), tokens);
    else if (has_older)
        read_older_list(older, named, tokens);
    for (const AddedToken& token : named)
        if (!tokens.has_added(token.text) && !tokens.add(token))
            log_warning(path.string() + ": names " + quote(token.text) +
                        ", which tokenizer.json lacks and the model has no row for: it is text.");
}

}  // namespace saker
