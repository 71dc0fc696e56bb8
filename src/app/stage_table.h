// StageTable: what `saker verify` prints of one case: a line a stage, and whether all passed.
#pragma once

#include <string>
#include <vector>

namespace saker {

// One line of the table.
struct Verdict {
    std::string stage;
    double max_error = 0, relative = 0;
    std::string says;  // "ok", "FAILED", or what was measured
    bool passed = true;
};

class StageTable {
  public:
    void add(Verdict v) {
        passed_ = passed_ && v.passed;
        lines_.push_back(std::move(v));
    }
    void exact(const std::string& stage, bool same, const std::string& detail) {
        add({stage, 0, 0, same ? "ok" : "FAILED: " + detail, same});
    }
    bool passed() const { return passed_; }
    void print(const std::string& name) const;

  private:
    std::vector<Verdict> lines_;
    bool passed_ = true;
};

}  // namespace saker
