// Bytes alone decide: white space and the ends of sentences that people type are few.
#include "app/lone_word.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace saker {
namespace {

constexpr std::array<std::string_view, 9> kSpaces = {
    " ",           "\t", "\n", "\r", "\xc2\xa0", "\xe3\x80\x80", "\xe2\x80\x82", "\xe2\x80\x83",
    "\xe2\x80\x89"};
// ? ! and their forms in Chinese and Arabic, the ideographic full stop, and the ellipsis.
constexpr std::array<std::string_view, 7> kSentenceEnds = {
    "?", "!", "\xef\xbc\x9f", "\xef\xbc\x81", "\xd8\x9f", "\xe3\x80\x82", "\xe2\x80\xa6"};
constexpr std::array<std::string_view, 18> kSuffixes = {
    ".json", ".jsonl", ".jinja", ".safetensors", ".gguf", ".bin", ".pt",  ".pth", ".txt",
    ".md",   ".png",   ".jpg",   ".jpeg",        ".webp", ".gif", ".bmp", ".mp4", ".zip"};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_letter(char c) {
    return lower(c) >= 'a' && lower(c) <= 'z';
}

}  // namespace

bool looks_like_path(std::string_view word) {
    const auto holds = [&](std::string_view part) {
        return word.find(part) != std::string_view::npos;
    };
    const auto ends = [&](std::string_view part) { return word.ends_with(part); };
    if (word.empty() || std::any_of(kSpaces.begin(), kSpaces.end(), holds)) return false;
    if (std::any_of(kSentenceEnds.begin(), kSentenceEnds.end(), ends)) return false;
    if (holds("/") || holds("\\") || word[0] == '.' || word[0] == '~') return true;
    std::string folded(word);
    std::transform(folded.begin(), folded.end(), folded.begin(), lower);
    for (std::string_view suffix : kSuffixes)
        if (folded.ends_with(suffix)) return true;
    const bool ascii = std::all_of(word.begin(), word.end(),
                                   [](char c) { return static_cast<uint8_t>(c) < 0x80; });
    return ascii &&
           !std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || c == '\''; });
}

}  // namespace saker
