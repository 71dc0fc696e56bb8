// StopStrings: finds where an answer must end, in text that arrives in pieces.
//
// One per answer, between the detokenizer and the reply. Text that may be the start of a stop
// string is held back until that is decided; the result does not depend on how the text is cut
// into pieces. The stop string that ends first wins, and of several that end together the longest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker {

class StopStrings {
  public:
    /// None of `stops` may be empty. With `keep` the stop string itself belongs to the text.
    explicit StopStrings(std::vector<std::string> stops, bool keep = false);

    struct Fed {
        std::string text;           // what can be shown now
        std::optional<size_t> hit;  // index of the stop string that was reached
    };
    /// Takes the next piece (whole characters). After a hit nothing more may be fed.
    Fed feed(std::string_view piece);

    /// At the end of the answer: what was held back.
    std::string finish();

    bool has_hit() const { return has_hit_; }

  private:
    struct Stop {
        std::string text;
        std::vector<size_t> fall_back;  // [size + 1]: Knuth, Morris and Pratt's failure function
        size_t matched = 0;             // how much of it the text so far ends with
    };
    std::vector<Stop> stops_;
    std::string held_;
    bool keep_, has_hit_ = false;
};

}  // namespace saker
