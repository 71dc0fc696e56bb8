// ReferenceCase: one folder made by tools/export_reference.py: a prompt with its pictures, and what
// Hugging Face transformers computed from them. Read by `saker verify`.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "serve/prepare.h"
#include "weights/safetensors.h"

namespace saker {

/// A reference tensor as numbers, row-major.
struct ReferenceTensor {
    std::vector<int64_t> shape;
    std::vector<float> numbers;     // of float tensors
    std::vector<int64_t> integers;  // of integer tensors

    int64_t num_elements() const;
    int64_t columns() const { return shape.empty() ? 1 : shape.back(); }
    int64_t rows() const { return columns() > 0 ? num_elements() / columns() : 0; }
};

class ReferenceCase {
  public:
    /// Throws StartupError.
    explicit ReferenceCase(const std::filesystem::path& folder);

    const std::string& name() const { return name_; }
    const std::string& prompt() const { return prompt_; }
    const std::vector<MediaInput>& media() const { return media_; }
    /// Nothing where the case has none; throws StartupError where it is empty, or holds integers
    /// for floats or floats for integers.
    std::optional<ReferenceTensor> find(const std::string& tensor) const;
    /// Throws StartupError where it is missing.
    ReferenceTensor get(const std::string& tensor) const;
    /// Tensors that nobody has looked at yet: a stage that was not compared must not pass.
    std::vector<std::string> unread() const;

  private:
    std::string name_, prompt_;
    std::vector<MediaInput> media_;  // in the order of the prompt's placeholders
    SafetensorsFile golden_;
    mutable std::set<std::string> read_;
};

}  // namespace saker
