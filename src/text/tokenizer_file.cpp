// The model and the added tokens; the steps around them are tokenizer_steps.cpp's.
#include "text/tokenizer_file.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/utf8.h"
#include "json/json.h"
#include "text/byte_letters.h"
#include "text/tokenizer_keys.h"
#include "text/tokenizer_steps.h"

namespace saker {
namespace {

constexpr size_t kMaxFileBytes = size_t{64} << 20;
constexpr size_t kMaxAddedTokens = 65536;
constexpr size_t kMaxAddedBytes = 1024;

using IdOf = std::unordered_map<std::string_view, int32_t>;

std::string_view view(const json::string& s) {
    return {s.data(), s.size()};
}

void require(const JsonReader& reader, std::string_view key, bool holds,
             std::string_view sentence) {
    if (!holds) reader.fail(key, sentence);
}

void read_model_switches(const JsonReader& model, TokenizerFile& file) {
    check_keys(model, TokenizerKeys::model);
    require(model, "type", model.string_or("type", "BPE") == "BPE",
            "is not supported; only BPE is");
    file.ignores_merges = model.boolean_or("ignore_merges", false);
}

IdOf read_vocab(const JsonReader& model, int64_t vocab_size, TokenizerFile& file) {
    const json::value& value = model.value("vocab");
    require(model, "vocab", value.is_object(), "is not an object");
    const json::object& vocab = value.get_object();
    IdOf id_of;
    id_of.reserve(vocab.size());
    std::vector<bool> seen(static_cast<size_t>(vocab_size));
    int64_t largest = -1;
    for (const auto& [token, id] : vocab) {
        require(model, "vocab", id.is_int64(), "has an id that is not an integer");
        require(model, "vocab", id.get_int64() >= 0 && id.get_int64() < vocab_size,
                "has an id outside 0 to " + std::to_string(vocab_size - 1));
        const auto index = static_cast<size_t>(id.get_int64());
        require(model, "vocab", !seen[index], "has the id " + std::to_string(index) + " twice");
        require(model, "vocab", !token.empty(), "has an empty token");
        seen[index] = true;
        largest = std::max(largest, id.get_int64());
        id_of.emplace(std::string_view(token.data(), token.size()), static_cast<int32_t>(index));
    }
    file.next_added_id = static_cast<int64_t>(vocab.size());
    file.token_bytes.resize(static_cast<size_t>(largest + 1));
    file.spells_bytes.resize(file.token_bytes.size());
    std::string bytes;
    for (const auto& [token, id] : id_of) {
        const auto index = static_cast<size_t>(id);
        file.spells_bytes[index] = read_byte_letters(token, bytes);
        file.token_bytes[index] = file.spells_bytes[index] ? bytes : std::string(token);
    }
    const auto letters = byte_letters();
    for (size_t byte = 0; byte < 256; ++byte) {
        std::string letter;
        append_utf8(letter, letters[byte]);
        const auto found = id_of.find(letter);
        require(model, "vocab", found != id_of.end(),
                "has no token for the byte " + std::to_string(byte));
        file.byte_tokens[byte] = found->second;
    }
    return id_of;
}

// The two sides of a merge, which is written "a b" or ["a", "b"].
std::pair<std::string_view, std::string_view> sides(const JsonReader& model,
                                                    const json::value& merge) {
    if (merge.is_string()) {
        const std::string_view text = view(merge.get_string());
        const size_t blank = text.find(' ');
        if (blank != std::string_view::npos && text.find(' ', blank + 1) == std::string_view::npos)
            return {text.substr(0, blank), text.substr(blank + 1)};
    } else if (merge.is_array() && merge.get_array().size() == 2 &&
               merge.get_array()[0].is_string() && merge.get_array()[1].is_string()) {
        return {view(merge.get_array()[0].get_string()), view(merge.get_array()[1].get_string())};
    }
    model.fail("merges", "has an item that is neither \"a b\" nor [\"a\", \"b\"]");
}

// Old files begin their list of strings as a merges.txt does.
bool is_version_line(const json::value& merge) {
    return merge.is_string() && view(merge.get_string()).starts_with("#version");
}

void read_merges(const JsonReader& model, const IdOf& id_of, TokenizerFile& file) {
    const json::value& value = model.value("merges");
    require(model, "merges", value.is_array(), "is not a list");
    const json::array& merges = value.get_array();
    require(model, "merges", merges.size() < size_t{1} << 22, "has more than 4 million items");
    file.merges.reserve(merges.size());
    std::vector<uint64_t> pairs;
    pairs.reserve(merges.size());
    std::string joined;
    for (const json::value& merge : merges) {
        if (is_version_line(merge)) continue;
        const auto [left, right] = sides(model, merge);
        joined.assign(left).append(right);
        const auto fault = [&](std::string_view rule) {
            model.fail("merges[" + std::to_string(file.merges.size()) + "]", rule);
        };
        const auto find = [&](std::string_view token) {
            const auto found = id_of.find(token);
            if (found == id_of.end()) fault("names a token that is not in the vocabulary");
            return found->second;
        };
        const BpeMerge read = {find(left), find(right), find(joined)};
        pairs.push_back(uint64_t(uint32_t(read.left)) << 32 | uint32_t(read.right));
        // Bytes follow letters, so that the bytes of the whole are those of its parts.
        const auto bytes = [&](int32_t id) -> const std::string& {
            return file.token_bytes[static_cast<size_t>(id)];
        };
        if (bytes(read.result) != bytes(read.left) + bytes(read.right))
            fault("joins tokens that are not written in byte letters");
        file.merges.push_back(read);
    }
    std::sort(pairs.begin(), pairs.end());
    require(model, "merges", std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end(),
            "has the same pair twice");
}

AddedToken read_added_token(const JsonReader& reader, int64_t vocab_size) {
    check_keys(reader, TokenizerKeys::added_token);
    AddedToken token;
    token.text = reader.string("content");
    token.id = static_cast<int32_t>(reader.integer("id", 0, vocab_size - 1));
    token.is_special = reader.boolean_or("special", false);
    token.is_normalized = reader.boolean_or("normalized", !token.is_special);
    token.strips_left = reader.boolean_or("lstrip", false);
    token.strips_right = reader.boolean_or("rstrip", false);
    token.is_whole_word = reader.boolean_or("single_word", false);
    require(reader, "content", !token.text.empty() && token.text.size() <= kMaxAddedBytes,
            "must have 1 to 1024 bytes");
    return token;
}

void read_added(const JsonReader& root, const std::string& path, const IdOf& id_of,
                int64_t vocab_size, TokenizerFile& file) {
    if (!root.has("added_tokens")) return;
    const json::value& value = root.value("added_tokens");
    require(root, "added_tokens", value.is_array(), "is not a list");
    require(root, "added_tokens", value.get_array().size() <= kMaxAddedTokens,
            "has more than 65536 items");
    std::unordered_set<std::string> seen_texts;
    std::unordered_set<int32_t> seen_ids;
    for (const json::value& item : value.get_array()) {
        const std::string at = "added_tokens[" + std::to_string(file.added.size()) + "]";
        require(root, at, item.is_object(), "is not an object");
        const JsonReader reader(item.get_object(), path, at + ".");
        AddedToken token = read_added_token(reader, vocab_size);
        require(reader, "content", seen_texts.insert(token.text).second,
                "is that of an earlier added token");
        require(reader, "id", seen_ids.insert(token.id).second,
                "is that of an earlier added token");
        const auto as_token = id_of.find(token.text);
        require(reader, "content", as_token == id_of.end() || as_token->second == token.id,
                "is in the vocabulary under another id");
        const auto index = static_cast<size_t>(token.id);
        if (index >= file.token_bytes.size()) {
            file.token_bytes.resize(index + 1);
            file.spells_bytes.resize(index + 1);
        }
        std::string bytes = bytes_of_token(token.text);
        require(reader, "id", file.token_bytes[index].empty() || file.token_bytes[index] == bytes,
                "is that of another token of the vocabulary");
        if (as_token == id_of.end() && token.id != file.next_added_id)
            reader.fail("id", "is " + std::to_string(token.id) + ", but tokenizers reads it as " +
                                  std::to_string(file.next_added_id) +
                                  ": added tokens count on from the vocabulary, in the order of "
                                  "the list");
        file.next_added_id = std::max<int64_t>(file.next_added_id, token.id + 1);
        file.token_bytes[index] = std::move(bytes);
        file.added.push_back(std::move(token));
    }
}

}  // namespace

std::string bytes_of_token(std::string_view token) {
    std::string bytes;
    return read_byte_letters(token, bytes) ? bytes : std::string(token);
}

TokenizerFile read_tokenizer_file(const std::filesystem::path& path, int64_t vocab_size) {
    JsonLimits limits;
    limits.max_bytes = kMaxFileBytes;
    const json::object object = read_json_file(path, limits);
    const std::string name = path.string();
    const JsonReader root(object, name);
    check_keys(root, TokenizerKeys::top);
    TokenizerFile file;
    read_steps(root, name, file);
    const JsonReader model = root.object("model");
    read_model_switches(model, file);
    const IdOf id_of = read_vocab(model, vocab_size, file);
    read_merges(model, id_of, file);
    read_added(root, name, id_of, vocab_size, file);
    return file;
}

}  // namespace saker
