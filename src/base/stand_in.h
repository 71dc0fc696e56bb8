// What may lie in place of a file that was to be downloaded: a Git LFS pointer, a web page, the
// text of a refusal.
//
// Readers of files ask before they say "not valid JSON" or "not a picture", which would send the
// user looking for a damage that there is not.
#pragma once

#include <cstddef>
#include <string_view>

namespace saker {

/// As many bytes as stand_in needs to see.
inline constexpr size_t kStandInBytes = 256;

/// Of a file that begins with `first_bytes`: what it is and what to do, as the rest of a sentence
/// without its full stop ("is a Git LFS pointer ..."). Empty where it is nothing of the kind.
std::string_view stand_in(std::string_view first_bytes);

}  // namespace saker
