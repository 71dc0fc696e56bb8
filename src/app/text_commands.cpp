// `saker tokenize` and `saker render`: text to ids, without a model.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "app/commands.h"
#include "app/session.h"
#include "base/utf8.h"
#include "json/json.h"

namespace saker {
namespace {

json::array ids_json(const std::vector<TokenId>& ids) {
    json::array out;
    for (TokenId id : ids) out.push_back(id.value);
    return out;
}

// The next line of stdin without its end, or nothing at the end of the input; of an endless line no
// more than the JSON parser takes.
std::optional<std::string> read_line() {
    constexpr size_t kMost = (size_t{64} << 20) + 1;
    std::string line;
    int c = 0;
    while (line.size() < kMost && (c = getc_unlocked(stdin)) != EOF && c != '\n')
        line += static_cast<char>(c);
    if (c == EOF && line.empty()) return std::nullopt;
    return line;
}

}  // namespace

int tokenize_command(const Options& options) {
    const Tokenizer tokenizer = Tokenizer::load(options.tokenizer);
    for (int64_t number = 1; const auto next = read_line(); ++number) {
        const std::string& line = *next;
        if (line.empty()) continue;
        const std::string what = "Line " + std::to_string(number);
        auto value = parse_json(line, what);
        if (!value) return report(value.error());
        const json::value* text =
            value->is_object() ? value->get_object().if_contains("text") : nullptr;
        if (!text || !text->is_string())
            return report(
                {ErrorCode::invalid_json, what + " is not an object with a string \"text\".", ""});
        const std::string_view bytes(text->get_string().data(), text->get_string().size());
        if (!is_utf8(bytes))
            return report({ErrorCode::invalid_utf8, what + ": text is not valid UTF-8.", ""});
        const auto ids = tokenizer.encode_with_added(bytes);
        json::object out;
        out["ids"] = ids_json(ids);
        out["text"] = tokenizer.decode(ids);
        fmt::print("{}\n", dump_json(out));
    }
    return 0;
}

int render_command(const Options& options) {
    std::string body;
    if (options.request == "-") {
        auto text = read_stdin();
        if (!text) return report(text.error());
        body = std::move(*text);
    } else {
        auto bytes = read_file(options.request);
        if (!bytes) return report(bytes.error());
        body.assign(bytes->begin(), bytes->end());
    }
    auto chat = parse_chat(body);
    if (!chat) return report(chat.error());
    const std::filesystem::path folder = options.model;
    const Tokenizer tokenizer = Tokenizer::load(folder / "tokenizer.json");
    for (std::string_view token :
         {kImagePad, kVideoPad, std::string_view("<|im_start|>"), std::string_view("<|im_end|>")})
        if (!tokenizer.added_token(token))
            throw StartupError(fmt::format("{}: has no added token {}: is it that of a Qwen3-VL?",
                                           (folder / "tokenizer.json").string(), token));
    auto parts = ChatTemplate::load(folder, tokenizer, options.chat_template).render(*chat);
    if (!parts) return report(parts.error());
    json::object out;
    out["prompt"] = rendered_text(*parts);
    out["ids"] = ids_json(encode_parts(tokenizer, *parts).ids);
    fmt::print("{}\n", dump_json(out));
    return 0;
}

}  // namespace saker
