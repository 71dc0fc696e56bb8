// Wiring. Order matters where one part checks what another has read.
#include "app/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/log.h"
#include "cache/kv_pages.h"
#include "cache/page_pool.h"
#include "tensor/device.h"

namespace saker {
namespace {

LoadOptions load_options(Backend backend, const Options& options, const Preprocessor& p) {
    LoadOptions load;
    load.backend = backend;
    load.compute = parse_compute(options.compute);
    load.bf16_rope_frequencies = options.rope == "bf16";
    // The op divides by 255; another rescale factor moves into mean and deviation.
    const double to_255 = 1.0 / (255.0 * p.rescale);
    for (size_t c = 0; c < 3; ++c) {
        load.pixel_mean[c] = static_cast<float>(p.mean[c] * to_255);
        load.pixel_deviation[c] = static_cast<float>(p.std[c] * to_255);
    }
    return load;
}

void check_fit(const Tokenizer& tokenizer, const ModelShape& shape, const Preprocessor& p,
               const std::filesystem::path& folder) {
    if (tokenizer.num_ids() > shape.vocab_size)
        throw StartupError(fmt::format(
            "{}: tokenizer.json has {} ids, but the model's vocab_size is {}: they do not belong "
            "together.",
            folder.string(), tokenizer.num_ids(), shape.vocab_size));
    if (p.patch_size != shape.patch_size || p.temporal_patch_size != shape.temporal_patch_size ||
        p.merge_size != shape.merge_size)
        throw StartupError(fmt::format(
            "{}: the processor's patch, temporal and merge sizes are not those of config.json.",
            folder.string()));
    const auto check = [&](std::string_view text, int32_t id, const char* key) {
        const auto found = tokenizer.added_token(text);
        if (!found || found->value != id)
            throw StartupError(
                fmt::format("{}: config.json says {} = {}, but tokenizer.json has "
                            "another id for {}.",
                            folder.string(), key, id, text));
    };
    check(kImagePad, shape.image_token, "image_token_id");
    check(kVideoPad, shape.video_token, "video_token_id");
    check(kVisionStart, shape.vision_start_token, "vision_start_token_id");
    check(kVisionEnd, shape.vision_end_token, "vision_end_token_id");
    // Without them the turns of a conversation would be plain text, and the answers nonsense.
    for (std::string_view turn : {"<|im_start|>", "<|im_end|>"})
        if (!tokenizer.added_token(turn))
            throw StartupError(
                fmt::format("{}: tokenizer.json has no added token {}.", folder.string(), turn));
}

// The step is not there yet on cuda: say so before 62 GB are read.
Backend usable_backend(const std::string& name) {
    const Backend backend = parse_backend(name);
    if (!is_built(backend))
        throw StartupError(
            fmt::format("This build has no {} backend: build it where nvcc is found.", name));
    if (backend == Backend::cuda)
        throw StartupError(
            "The cuda backend has embed, rms_norm, linear and rope so far, which is not a model: "
            "use --backend cpu.");
    return backend;
}

// Every op waits for all threads, so that more of them than cores only wait for each other.
int usable_threads(int wanted) {
    const int cores = ThreadPool::num_cores();
    if (wanted > cores)
        log_warning(fmt::format("--threads {} is more than this machine's {} cores: {} are used.",
                                wanted, cores, cores));
    return std::min(wanted, cores);
}

std::filesystem::path existing_folder(const std::string& path) {
    if (!std::filesystem::is_directory(path))
        throw StartupError(path + ": is not a folder; give the folder of a checkpoint.");
    return path;
}

// Of a file, a pipe or a device, none of which need know its size beforehand.
Result<std::vector<uint8_t>> read_to_end(int descriptor, const std::string& name) {
    constexpr size_t kMost = size_t{1} << 30, kPiece = size_t{1} << 16;
    std::vector<uint8_t> bytes;
    struct stat status = {};
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        bytes.reserve(std::min(static_cast<size_t>(status.st_size), kMost) + kPiece);
    while (true) {
        const size_t have = bytes.size();
        bytes.resize(have + kPiece);
        const ssize_t n = read(descriptor, bytes.data() + have, kPiece);
        bytes.resize(have + static_cast<size_t>(std::max<ssize_t>(n, 0)));
        if (n < 0)
            return Error{ErrorCode::invalid_value,
                         name + ": cannot be read: " + strerror(errno) + ".", ""};
        if (n == 0) return bytes;
        if (bytes.size() > kMost)
            return Error{ErrorCode::invalid_value, name + ": is larger than 1 GiB.", ""};
    }
}

}  // namespace

Backend parse_backend(const std::string& name) {
    return name == "ref" ? Backend::ref : name == "cuda" ? Backend::cuda : Backend::cpu;
}

DType parse_compute(const std::string& name) {
    return name == "f32" ? DType::f32 : DType::bf16;
}

int64_t available_bytes() {
    int64_t available = INT64_MAX;
    std::ifstream meminfo("/proc/meminfo");
    for (std::string key; meminfo >> key;) {
        if (key == "MemAvailable:") {
            int64_t kib = 0;
            meminfo >> kib;
            available = kib * 1024;
            break;
        }
        meminfo.ignore(256, '\n');
    }
    int64_t limit = 0, used = 0;
    std::ifstream max_file("/sys/fs/cgroup/memory.max"), used_file("/sys/fs/cgroup/memory.current");
    if (max_file >> limit && used_file >> used) available = std::min(available, limit - used);
    rlimit space = {};  // ulimit -v
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
        int64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        available = std::min(available,
                             static_cast<int64_t>(space.rlim_cur) - pages * sysconf(_SC_PAGESIZE));
    }
    return std::max<int64_t>(available, 0);
}

Result<std::vector<uint8_t>> read_file(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return Error{ErrorCode::invalid_value,
                     path + (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG
                                 ? ": there is no such file to read."
                                 : ": cannot be opened: " + std::string(strerror(errno)) + "."),
                     ""};
    struct stat status = {};
    const bool is_folder = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    auto bytes =
        is_folder ? Error{ErrorCode::invalid_value, path + ": is a folder; name a file in it.", ""}
                  : read_to_end(descriptor, path);
    close(descriptor);
    return bytes;
}

Result<std::vector<uint8_t>> read_stdin_bytes() {
    return read_to_end(STDIN_FILENO, "stdin");
}

Result<std::string> read_stdin() {
    constexpr size_t kMost = size_t{64} << 20;
    std::string text;
    char piece[1 << 16];
    while (const size_t n = std::fread(piece, 1, sizeof piece, stdin)) {
        if (text.size() + n > kMost)
            return Error{ErrorCode::invalid_value, "More than 64 MiB come from stdin.", ""};
        text.append(piece, n);
    }
    if (std::ferror(stdin))
        return Error{ErrorCode::invalid_value,
                     "stdin: cannot be read: " + std::string(strerror(errno)) + ".", ""};
    return text;
}

std::string bytes_text(int64_t bytes) {
    const double b = static_cast<double>(bytes);
    if (bytes < 1'000'000) return fmt::format("{:.1f} kB", b / 1e3);
    if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", b / 1e6);
    return fmt::format("{:.2f} GB", b / 1e9);
}

Session::Session(const Options& options, bool quiet)
    : folder_(existing_folder(options.model)),
      backend_(usable_backend(options.backend)),
      resample_(options.resample == "pillow" ? Resample::pillow : Resample::torch),
      max_image_pixels_(options.max_image_pixels),
      preprocessor_(Preprocessor::load(folder_)),
      tokenizer_(Tokenizer::load(folder_ / "tokenizer.json")),
      chat_template_(ChatTemplate::load(folder_, tokenizer_, options.chat_template)),
      pool_(usable_threads(options.threads)),
      media_pool_(std::min(options.threads, ThreadPool::num_cores())),
      loaded_(load_model(folder_, load_options(backend_, options, preprocessor_), pool_,
                         quiet ? Progress::Style::silent : Progress::Style::automatic)),
      generation_(GenerationConfig::load(folder_, model().shape().vocab_size,
                                         options.generation_config == "none"
                                             ? GenerationDefaults::none
                                             : GenerationDefaults::from_file)) {
    check_fit(tokenizer_, model().shape(), preprocessor_, folder_);
}

Status Session::limit_images(std::optional<int64_t> min_pixels, std::optional<int64_t> max_pixels) {
    const auto limited = preprocessor_.with_image_area(min_pixels, max_pixels);
    if (!limited) return limited.error();
    preprocessor_ = *limited;
    return Done{};
}

PrepareSettings Session::prepare_settings() const {
    PrepareSettings settings;
    settings.tokenizer = &tokenizer_;
    settings.preprocessor = preprocessor_;
    settings.resample = resample_;
    settings.decode.max_pixels = max_image_pixels_;
    return settings;
}

Exec Session::exec() {
    Exec ex;
    ex.backend = backend_;
    ex.pool = &pool_;
    return ex;
}

EngineLimits Session::plan_limits(int64_t max_context, int64_t sequences, int64_t contexts) const {
    const ModelShape& shape = model().shape();
    const KvShape kv{shape.num_layers, shape.num_kv_heads, shape.head_dim, shape.compute};
    EngineLimits limits;
    limits.eos_tokens = generation_.eos_tokens;
    limits.max_sequences = sequences;
    const int64_t wanted =
        max_context > 0 ? std::min(max_context, shape.max_context) : shape.max_context;
    if (max_context > shape.max_context)
        log_warning(fmt::format("--max-context {} is more than the model's {}: {} is used.",
                                max_context, shape.max_context, wanted));
    // Weights are mapped and can be read again; KV pages and scratch cannot. Half of what is free
    // leaves room for both and for the rest of the machine.
    const int64_t room = available_bytes() / 2;
    const int64_t fits = room / kv.bytes_per_token() / kPageTokens * kPageTokens;
    if (fits < kPageTokens)
        throw StartupError(fmt::format("{} of memory are free, which holds no context: free some.",
                                       bytes_text(available_bytes())));
    limits.max_context = std::min(wanted, fits);
    if (limits.max_context < wanted)
        log_info(
            fmt::format("Context shortened from {} to {} tokens: {} of memory are free, a token "
                        "takes {}.",
                        wanted, limits.max_context, bytes_text(available_bytes()),
                        bytes_text(kv.bytes_per_token())));
    if (limits.max_context < wanted)
        limits.too_long_advice = "shorten it, or free memory for a longer context";
    else if (wanted < shape.max_context)
        limits.too_long_advice = "shorten it or raise --max-context";
    else
        limits.too_long_advice = "shorten it, since the model takes no more";
    limits.num_pages = pages_for(std::min(limits.max_context * contexts, fits));
    // The largest picture that the processor makes, and its tokens.
    const int64_t area = preprocessor_.patch_size * preprocessor_.patch_size;
    limits.max_patches = std::max<int64_t>(
        preprocessor_.image_max_pixels / area,
        preprocessor_.video_max_pixels / area / preprocessor_.temporal_patch_size);
    limits.feature_rows =
        std::max(limits.max_patches / (shape.merge_size * shape.merge_size), limits.max_context);
    return limits;
}

}  // namespace saker
