// A table of beginnings, compared without regard to case and leading space.
#include "base/stand_in.h"

#include <algorithm>

namespace saker {
namespace {

constexpr std::string_view kPointer =
    "is a Git LFS pointer and not the file itself: run git lfs pull in its folder";
constexpr std::string_view kWebPage =
    "is a web page and not the file itself: its download went wrong, fetch it again";
constexpr std::string_view kRefusal =
    "holds the text of a refused download and not the file itself: fetch it again, logged in where "
    "its repository asks for that";

struct Beginning {
    std::string_view text;  // in lower case
    std::string_view sentence;
};
constexpr Beginning kBeginnings[] = {
    {"version https://git-lfs", kPointer},
    {"<!doctype html", kWebPage},
    {"<html", kWebPage},
    {"<?xml", kWebPage},
    {"access to model ", kRefusal},
    {"entry not found", kRefusal},
    {"invalid credentials", kRefusal},
    {"invalid username or password", kRefusal},
    {"repository not found", kRefusal},
};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string_view stand_in(std::string_view first_bytes) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (first_bytes.starts_with(kByteOrderMark)) first_bytes.remove_prefix(kByteOrderMark.size());
    first_bytes.remove_prefix(
        std::min(first_bytes.find_first_not_of(" \t\r\n"), first_bytes.size()));
    for (const Beginning& known : kBeginnings) {
        const std::string_view start = first_bytes.substr(0, known.text.size());
        if (std::equal(start.begin(), start.end(), known.text.begin(), known.text.end(),
                       [](char a, char b) { return lower(a) == b; }))
            return known.sentence;
    }
    return {};
}

}  // namespace saker
