// What a folder is, found out before anything of it is loaded.
//
// People bring adapters, GGUF files, text models and half a download where a Qwen3-VL is wanted.
// Each of them would fail at some first missing key or tensor, whose name says nothing of the
// cause. To tell another kind: one function or one row in folder_kind.cpp.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace saker {

/// Passes where `folder` may be a checkpoint of one of the `served` model types; the loaders look
/// at the rest. Throws StartupError that says what it is and what to give in its place:
///   no folder (a file of a model, a name that is nowhere; `caches` were searched for it)
///   a stand-in for a file that is read (Git LFS pointer, web page), a link that leads nowhere
///   a download that is not complete
///   an adapter; GGUF, ONNX and TensorRT files; a pipeline of diffusers; a training checkpoint
///   no model but the folder around one, or an empty folder
///   another model type, a text-only model, an image tower alone
///   weights quantised in a way that cannot be read (quantization.h)
void check_model_folder(const std::filesystem::path& folder,
                        std::span<const std::string_view> served,
                        std::span<const std::filesystem::path> caches = {});

/// The first three of these alone, for what needs no weights: `saker render`.
void check_files(const std::filesystem::path& folder,
                 std::span<const std::filesystem::path> caches = {});

}  // namespace saker
