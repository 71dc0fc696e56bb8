// Base64 (RFC 4648, section 4): how pictures travel inside JSON. Used where data URLs are read and
// written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saker {

/// With "=" at the end, without line breaks.
std::string encode_base64(std::span<const uint8_t> bytes);

/// The bytes, or nothing where `text` is not base64. Padding may be left out, and white space may
/// stand anywhere, as line breaks in mail do; the URL-safe letters "-" and "_" are read as well.
std::optional<std::vector<uint8_t>> decode_base64(std::string_view text);

}  // namespace saker
