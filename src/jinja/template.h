// JinjaTemplate: a template of the language that chat templates are written in, read once and
// rendered as often as wanted.
//
// It does what Jinja2 does as transformers sets it up (trim_blocks, lstrip_blocks, the immutable
// sandbox, break and continue, tojson without HTML escapes), for the part of the language that chat
// templates use; what it lacks is named when a template is read. Templates come with checkpoints,
// from strangers: time, memory and output are bounded, and every byte of the output knows who wrote
// it. Any number of threads may render at once.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "jinja/value.h"

namespace saker {

class JinjaTemplate {
  public:
    static constexpr size_t kMaxBytes = size_t{1} << 20;

    /// Reads a template; `file` names it in messages. Throws StartupError with file and line.
    static JinjaTemplate parse(std::string_view source, std::string file);

    JinjaTemplate(JinjaTemplate&&) noexcept;
    JinjaTemplate& operator=(JinjaTemplate&&) noexcept;
    ~JinjaTemplate();

    /// Renders with variables, which lie in `heap`. An Error has the sentence of raise_exception as
    /// it is, or says what is wrong at which line.
    Result<OriginText> render(jinja::Heap& heap, const jinja::Dict& variables,
                              std::time_t now) const;

  private:
    struct Parts;
    JinjaTemplate(std::unique_ptr<const Parts> parts, std::string file);

    std::unique_ptr<const Parts> parts_;
    std::string file_;
};

}  // namespace saker
