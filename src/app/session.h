// Session: a model folder, loaded and wired: everything that a command needs to answer. The only
// place that sees every room.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "base/thread_pool.h"
#include "engine/limits.h"
#include "models/registry.h"
#include "serve/generation_config.h"
#include "serve/prepare.h"
#include "tensor/exec.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace saker {

class Session {
  public:
    /// Loads all of it. Throws StartupError. `quiet`: no progress.
    Session(const Options& options, bool quiet);

    const Model& model() const { return *loaded_.model; }
    const Checkpoint& checkpoint() const { return *loaded_.checkpoint; }
    const Tokenizer& tokenizer() const { return tokenizer_; }
    const GenerationConfig& generation() const { return generation_; }
    const ChatTemplate& chat_template() const { return chat_template_; }
    PrepareSettings prepare_settings() const;
    /// Puts limits of --min-pixels and --max-pixels in place of the checkpoint's. To be called
    /// before limits are planned; says what contradicts what.
    Status limit_images(std::optional<int64_t> min_pixels, std::optional<int64_t> max_pixels);
    ThreadPool& media_pool() { return media_pool_; }

    /// An Exec without scratch, for an Engine or a Loop.
    Exec exec();
    /// Limits for `max_context` tokens (0: the model's) and `sequences` at once, shortened to what
    /// memory holds; says so in the log. Pages for `contexts` whole ones, or as many as fit.
    EngineLimits plan_limits(int64_t max_context, int64_t sequences, int64_t contexts = 1) const;

  private:
    std::filesystem::path folder_;
    Backend backend_;
    Resample resample_;
    int64_t max_image_pixels_;
    Preprocessor preprocessor_;
    Tokenizer tokenizer_;
    ChatTemplate chat_template_;
    ThreadPool pool_;        // the engine's
    ThreadPool media_pool_;  // of the thread that prepares pictures
    LoadedModel loaded_;
    GenerationConfig generation_;
};

Backend parse_backend(const std::string& name);
DType parse_compute(const std::string& name);

/// Bytes of memory that this process may still take: the machine's available memory, or its control
/// group's limit where that is lower.
int64_t available_bytes();

/// The bytes of a file, or of a pipe up to its end, or an Error that names it; at most 1 GiB, as
/// a BMP of 200 megapixels needs.
Result<std::vector<uint8_t>> read_file(const std::string& path);
/// The same of stdin.
Result<std::vector<uint8_t>> read_stdin_bytes();

/// All of stdin as text; at most 64 MiB, so that a pipe without an end cannot fill the memory.
Result<std::string> read_stdin();

/// "1.5 GB", decimal.
std::string bytes_text(int64_t bytes);

}  // namespace saker
