// One automaton of Knuth, Morris and Pratt for each stop string, fed byte by byte. What is held
// back is the longest start of a stop string that the text ends with. Stop strings are valid UTF-8,
// so a start of one begins where a character begins, and no character is cut.
#include "text/stop_strings.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace saker {

StopStrings::StopStrings(std::vector<std::string> stops, bool keep) : keep_(keep) {
    for (std::string& text : stops) {
        CHECK(!text.empty(), "a stop string is not empty");
        Stop stop{std::move(text), {0, 0}, 0};
        for (size_t i = 1, k = 0; i < stop.text.size(); ++i) {
            while (k > 0 && stop.text[i] != stop.text[k]) k = stop.fall_back[k];
            if (stop.text[i] == stop.text[k]) ++k;
            stop.fall_back.push_back(k);
        }
        stops_.push_back(std::move(stop));
    }
}

StopStrings::Fed StopStrings::feed(std::string_view piece) {
    CHECK(!has_hit_, "nothing is fed after a stop string");
    Fed fed;
    held_ += piece;
    for (size_t i = held_.size() - piece.size(); i < held_.size(); ++i) {
        for (size_t s = 0; s < stops_.size(); ++s) {
            Stop& stop = stops_[s];
            while (stop.matched > 0 && stop.text[stop.matched] != held_[i])
                stop.matched = stop.fall_back[stop.matched];
            if (stop.text[stop.matched] == held_[i]) ++stop.matched;
            if (stop.matched < stop.text.size()) continue;
            if (!fed.hit || stop.text.size() > stops_[*fed.hit].text.size()) fed.hit = s;
        }
        if (!fed.hit) continue;
        has_hit_ = true;
        const size_t end = i + 1;
        fed.text = held_.substr(0, keep_ ? end : end - stops_[*fed.hit].text.size());
        held_.clear();
        return fed;
    }
    size_t held = 0;
    for (const Stop& stop : stops_) held = std::max(held, stop.matched);
    fed.text = held_.substr(0, held_.size() - held);
    held_.erase(0, held_.size() - held);
    return fed;
}

std::string StopStrings::finish() {
    return std::exchange(held_, {});
}

}  // namespace saker
