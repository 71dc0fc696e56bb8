// Model folders by name: which folder a word of the command line stands for.
//
// Besides a folder, a word may name a model that the Hugging Face tools have downloaded: the folder
// of its cache (`.../models--ORG--NAME`, with `refs/main` and `snapshots/REVISION`), or the id
// `ORG/NAME` of its repository. Where the caches lie is the caller's business, since only app/
// reads the environment. What a folder holds is folder_kind.h's question.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace saker {

/// The folder that `name` stands for:
///   a folder of a model                  itself
///   .../models--ORG--NAME, .../snapshots the snapshot that refs/main names, or the only one
///   ORG/NAME, found in one of `caches`   the same of CACHE/models--ORG--NAME
///   anything else                        `name`, unchanged
/// Throws StartupError where a cache folder has no snapshot to choose.
std::filesystem::path resolve_model_folder(const std::string& name,
                                           const std::vector<std::filesystem::path>& caches);

/// True for `ORG/NAME` in the letters that Hugging Face allows.
bool is_repository_id(std::string_view name);

/// Throws StartupError where `folder` is a snapshot of a cache, or a folder that a download fills,
/// and files are still missing.
void check_download(const std::filesystem::path& folder);

}  // namespace saker
