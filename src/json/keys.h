// KeyTable: which keys an object of a checkpoint's file may hold, and what becomes of each.
//
// A key that changes numbers and is passed over gives wrong answers without a word. So every room
// that reads a file has one table for each nested object of it, and hands object and table to
// check_keys before it reads the values. docs/compatibility.md lists the same tables, and a test
// holds that page against them. Add a key where it is read: one row in the room's table.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "json/json.h"

namespace saker {

enum class KeyUse {
    honoured,  // read, and does what its file means by it
    harmless,  // known to change nothing here
    refused,   // would change the answer, and Saker does not do it: a StartupError
};

struct KnownKey {
    std::string_view name;
    KeyUse use = KeyUse::honoured;
    // refused: a JSON array of the values that ask for nothing ("[1, false]"); such a value passes.
    // null always does. Numbers compare as numbers.
    std::string_view neutral = "[]";
    std::string_view note = "";  // for docs/compatibility.md
};

enum class UnknownKeys {
    refuse,  // a StartupError that names the nearest known key
    warn,    // one line in the log for all of them
};

/// Rows that several tables share, and those of one.
template <size_t A, size_t B>
constexpr std::array<KnownKey, A + B> join_keys(const std::array<KnownKey, A>& shared,
                                                const std::array<KnownKey, B>& own) {
    std::array<KnownKey, A + B> all;
    std::copy(shared.begin(), shared.end(), all.begin());
    std::copy(own.begin(), own.end(), all.begin() + A);
    return all;
}

struct KeyTable {
    std::string_view file;    // "config.json"
    std::string_view object;  // "text_config.rope_parameters"; empty: the file itself
    UnknownKeys unknown = UnknownKeys::warn;
    std::span<const KnownKey> keys;
};

/// Holds the members of `reader`'s object against `table`. Throws StartupError naming file, key and
/// either the nearest known key or what Saker does not do; logs one warning for unknown keys where
/// the table says so.
void check_keys(const JsonReader& reader, const KeyTable& table);

/// The name of `table` that `key` is most likely a misspelling of; empty where none is near.
std::string_view nearest_key(std::string_view key, const KeyTable& table);

}  // namespace saker
