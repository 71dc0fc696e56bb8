// The environment says where the caches are, in the order in which Hugging Face's tools ask it.
#include "app/model_choice.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "models/registry.h"
#include "weights/folder_kind.h"
#include "weights/model_folder.h"

namespace saker {
namespace {

std::vector<std::filesystem::path> hugging_face_caches() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::filesystem::path(value ? value : "");
    };
    if (const auto hub = variable("HF_HUB_CACHE"); !hub.empty()) return {hub};
    if (const auto hub = variable("HUGGINGFACE_HUB_CACHE"); !hub.empty()) return {hub};
    if (const auto home = variable("HF_HOME"); !home.empty()) return {home / "hub"};
    if (const auto cache = variable("XDG_CACHE_HOME"); !cache.empty())
        return {cache / "huggingface" / "hub"};
    if (const auto home = variable("HOME"); !home.empty())
        return {home / ".cache" / "huggingface" / "hub"};
    return {};
}

}  // namespace

void resolve_model(Options& options) {
    if (!options.model.empty())
        options.model = resolve_model_folder(options.model, hugging_face_caches()).string();
}

void check_model(const Options& options) {
    if (options.model.empty()) return;
    if (options.command == "render")
        check_files(options.model, hugging_face_caches());
    else
        check_model_folder(options.model, served_model_types(), hugging_face_caches());
}

}  // namespace saker
