// Names and shapes of the JSON are those of chat completions; a minus infinity is sent as -9999.
#include "app/run_output.h"

#include <fmt/format.h>

#include <cmath>

#include "base/utf8.h"

namespace saker {
namespace {

double ms(int64_t ns) {
    return static_cast<double>(ns) * 1e-6;
}

double rate(int64_t n, int64_t ns) {
    return ns > 0 ? static_cast<double>(n) * 1e9 / static_cast<double>(ns) : 0.0;
}

// Three places are a microsecond; more would be noise.
double rounded(double value) {
    return std::round(value * 1e3) / 1e3;
}

std::string token_text(const Tokenizer& tokenizer, TokenId id) {
    return replace_invalid_utf8(tokenizer.token_bytes(id));
}

json::object token_json(const Tokenizer& tokenizer, TokenId id, float logprob) {
    json::array bytes;
    for (char c : tokenizer.token_bytes(id)) bytes.push_back(static_cast<uint8_t>(c));
    json::object out;
    out["token"] = token_text(tokenizer, id);
    out["logprob"] = std::isinf(logprob) ? -9999.0 : static_cast<double>(logprob);
    out["bytes"] = bytes;
    return out;
}

json::object logprobs_json(const Answer& answer, const Tokenizer& tokenizer) {
    json::array content;
    for (const TokenEvent& token : answer.tokens) {
        json::object entry = token_json(tokenizer, *token.token, token.logprob);
        json::array top;
        for (const TokenLogprob& other : token.top_logprobs)
            top.push_back(token_json(tokenizer, other.token, other.logprob));
        entry["top_logprobs"] = top;
        content.push_back(entry);
    }
    return {{"content", content}};
}

// As a C string would spell it, so that blanks and line breaks are seen.
std::string spelled(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (byte < 0x20 || byte == 0x7F)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    }
    return out + '"';
}

}  // namespace

json::object answer_json(const Answer& answer, const Tokenizer& tokenizer, bool with_logprobs) {
    const auto completion = static_cast<int64_t>(answer.tokens.size());
    json::object usage = {
        {"prompt_tokens", answer.prompt_tokens},
        {"completion_tokens", completion},
        {"total_tokens", answer.prompt_tokens + completion},
        {"prompt_tokens_details",
         {{"image_tokens", answer.image_tokens}, {"video_tokens", answer.video_tokens}}}};
    const PhaseTimes& p = answer.phases;
    json::object timings = {{"decode_pictures", rounded(ms(answer.prepare.decode_ns))},
                            {"patches", rounded(ms(answer.prepare.patch_ns))},
                            {"tokenize", rounded(ms(answer.prepare.tokenize_ns))},
                            {"vision", rounded(ms(p.encode_ns))},
                            {"prefill", rounded(ms(p.prefill_ns))},
                            {"decode", rounded(ms(p.decode_ns))},
                            {"first_token", rounded(answer.first_token_ms)},
                            {"total", rounded(answer.total_ms)}};
    json::object out;
    out["text"] = answer.text;
    out["finish_reason"] = answer.finish ? to_string(*answer.finish) : "interrupted";
    out["usage"] = usage;
    out["timings_ms"] = timings;
    out["tokens_per_second"] = {{"prefill", rounded(rate(p.num_prefill_tokens, p.prefill_ns))},
                                {"decode", rounded(rate(p.num_decode_tokens, p.decode_ns))}};
    out["seed"] = answer.seed;
    if (with_logprobs) out["logprobs"] = logprobs_json(answer, tokenizer);
    return out;
}

std::string logprob_table(const Answer& answer, const Tokenizer& tokenizer) {
    std::string out = "\nlogprob   token\n";
    for (const TokenEvent& token : answer.tokens) {
        out +=
            fmt::format("{:8.4f}  {}", token.logprob, spelled(token_text(tokenizer, *token.token)));
        const char* before = "   of ";
        for (const TokenLogprob& other : token.top_logprobs) {
            out += fmt::format("{}{} {:.4f}", before, spelled(token_text(tokenizer, other.token)),
                               other.logprob);
            before = ", ";
        }
        out += '\n';
    }
    return out;
}

std::string stats_table(const Answer& answer) {
    const PhaseTimes& p = answer.phases;
    return fmt::format(
        "\n"
        "decode pictures  {:9.1f} ms\n"
        "resize, patches  {:9.1f} ms\n"
        "tokenize         {:9.1f} ms\n"
        "vision           {:9.1f} ms   {} patches, {:.0f} patches/s\n"
        "prefill          {:9.1f} ms   {} tokens, {:.1f} tokens/s\n"
        "decode           {:9.1f} ms   {} tokens, {:.1f} tokens/s\n"
        "first token      {:9.1f} ms   after the question; {} tokens in the answer\n",
        ms(answer.prepare.decode_ns), ms(answer.prepare.patch_ns), ms(answer.prepare.tokenize_ns),
        ms(p.encode_ns), p.num_patches, rate(p.num_patches, p.encode_ns), ms(p.prefill_ns),
        p.num_prefill_tokens, rate(p.num_prefill_tokens, p.prefill_ns), ms(p.decode_ns),
        p.num_decode_tokens, rate(p.num_decode_tokens, p.decode_ns), answer.first_token_ms,
        answer.tokens.size());
}

}  // namespace saker
