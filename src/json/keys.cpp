// Unknown keys are found by name; the nearest name by edit distance, as compilers do.
#include "json/keys.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "base/utf8.h"

namespace saker {
namespace {

// Edits that turn `a` into `b`: insertions, deletions, exchanges of a letter.
size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, exchanged});
        }
    }
    return row[b.size()];
}

bool is_neutral(const json::value& value, std::string_view neutral) {
    if (value.is_null()) return true;
    const auto list = parse_json(neutral, "a table of known keys");
    CHECK(list && list->is_array(), "neutral values of a KnownKey are a JSON array");
    for (const json::value& item : list->get_array()) {
        if (item == value) return true;
        if (item.is_number() && value.is_number() &&
            item.to_number<double>() == value.to_number<double>())
            return true;
    }
    return false;
}

}  // namespace

std::string_view nearest_key(std::string_view key, const KeyTable& table) {
    constexpr size_t kLongest = 64;  // longer names are no slip of a finger, and cost time
    if (key.size() > kLongest) return {};
    std::string_view nearest;
    size_t least = key.size() / 3 + 1;
    for (const KnownKey& known : table.keys) {
        const size_t distance = edit_distance(key, known.name);
        if (distance <= least && (nearest.empty() || distance < least)) {
            nearest = known.name;
            least = distance;
        }
    }
    return nearest;
}

void check_keys(const JsonReader& reader, const KeyTable& table) {
    std::string unknown;
    for (const auto& [key, value] : reader.members()) {
        const std::string_view name(key.data(), key.size());
        const auto known =
            std::find_if(table.keys.begin(), table.keys.end(),
                         [&](const KnownKey& candidate) { return candidate.name == name; });
        if (known == table.keys.end()) {
            const std::string_view nearest = nearest_key(name, table);
            const std::string hint =
                nearest.empty() ? "" : " (did you mean " + std::string(nearest) + "?)";
            if (table.unknown == UnknownKeys::refuse)
                reader.fail(quote(name), "is not a key that Saker knows" + hint +
                                             ": take it out if it changes nothing");
            unknown += (unknown.empty() ? "" : ", ") + quote(name) + hint;
        } else if (known->use == KeyUse::refused && !is_neutral(value, known->neutral)) {
            reader.fail(name, "asks for something that Saker does not do" +
                                  (known->note.empty() ? std::string()
                                                       : " (" + std::string(known->note) + ")"));
        }
    }
    if (!unknown.empty())
        log_warning(reader.where() + ": keys that Saker does not know are passed over: " + unknown);
}

}  // namespace saker
