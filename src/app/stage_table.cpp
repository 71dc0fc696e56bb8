// The table's layout.
#include "app/stage_table.h"

#include <fmt/format.h>

namespace saker {

void StageTable::print(const std::string& name) const {
    fmt::print("{}\n  {:<34}{:>14}{:>14}  {}\n", name, "stage", "max abs error", "relative",
               "verdict");
    for (const Verdict& v : lines_)
        fmt::print("  {:<34}{:>14.3g}{:>14.3g}  {}\n", v.stage, v.max_error, v.relative, v.says);
}

}  // namespace saker
