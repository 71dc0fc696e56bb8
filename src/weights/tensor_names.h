// Tensor names: which spellings of a Qwen3-VL's tensors there are, and which tensors belong to
// something that is no plain checkpoint of one.
//
// Used by checkpoint.h for every tensor that it opens; docs/compatibility.md lists the same tables.
// tests/weights/saved_names.json holds the names that transformers itself saves. To add a spelling:
// one row in tensor_names.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saker {

/// A beginning of names and the released one that takes its place.
struct NamePrefix {
    std::string_view in_file;
    std::string_view released;
};

/// In order: the first that fits is taken. Where the released one is the end of the other, what
/// stands before it is cut off, and the rest is looked up again.
std::span<const NamePrefix> name_prefixes();

/// The released name of a tensor, from the name in a file: `model.language_model.X`,
/// `model.visual.X`, `lm_head.X`. A name that no row fits stays as it is.
std::string canonical_name(std::string_view name_in_file);

/// A sign in a tensor's name of a checkpoint that Saker cannot read.
struct ForeignTensor {
    std::string_view how;  // "begins with", "holds", "ends in"
    std::string_view text, sentence;
};
/// All of them, for docs/compatibility.md.
std::vector<ForeignTensor> foreign_tensors();

/// What a checkpoint that holds a tensor of this name is, where Saker cannot read it: the rest of a
/// sentence without its full stop ("belongs to a LoRA adapter that is not merged: ..."). Empty for
/// every other name.
std::string_view foreign_tensor(std::string_view name_in_file);

}  // namespace saker
