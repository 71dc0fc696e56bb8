// list_frames: the pictures of a folder in the order of a clip.
//
// In natural order (base/natural_order.h), so that frame_30 stands before frame_120. What is
// plainly no frame, such as a readme, Thumbs.db or a subfolder, is passed over and named; hidden
// files are passed over without a word. A file counts as a frame by its content, also where it is
// of a kind that Saker does not read, and by the ending of its name: a broken or empty frame_7.png
// is not left out, which would move all that follows, but refused by name when it is decoded.
// Called by app for --video-frames.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace saker {

struct FrameFolder {
    std::vector<std::filesystem::path> pictures;  // at least one
    std::vector<std::string> passed_over;         // names, in natural order
};

/// Errors, naming the folder: it is none, cannot be read, or holds no picture (and what it holds).
Result<FrameFolder> list_frames(const std::filesystem::path& folder);

/// "readme.txt", "readme.txt and 2 more": a list in a sentence. `names` must not be empty.
std::string names_in_words(const std::vector<std::string>& names);

}  // namespace saker
