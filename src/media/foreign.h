// What bytes are that are no picture that Saker reads, told by their first ones: a HEIC picture, a
// video, a web page in place of a download. Used by decode.cpp for the refusal, which names the
// kind and a command that makes a picture of it, and by frame_folder.cpp to tell a frame from a
// stray file. A kind more is a row of the table in foreign.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace saker {

struct ForeignKind {
    enum class Sort : uint8_t {
        photo,     // a picture: one pixel beside the other
        drawing,   // turned into a picture by a program: SVG, PDF, PSD, an icon
        video,     // a container of frames
        no_media,  // what lies in the place of a picture by mistake
    };
    Sort sort = Sort::no_media;
    std::string_view name;     // "a HEIC picture"
    std::string_view command;  // makes OUT... of IN..., or what else is to be done
};

/// Every kind once, for docs/compatibility.md.
std::vector<ForeignKind> foreign_kinds();

/// How many bytes from the start are looked at, at most.
inline constexpr size_t kForeignBytes = 1024;

/// The kind, or null where the bytes begin like nothing known.
const ForeignKind* find_foreign_kind(std::span<const uint8_t> bytes);

/// The refusal of bytes that are none of our formats.
Error foreign_error(std::span<const uint8_t> bytes);

}  // namespace saker
