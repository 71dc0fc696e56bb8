// `saker synth`: a checkpoint of random weights, of any shape.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/commands.h"
#include "app/session.h"
#include "base/rng.h"
#include "weights/writer.h"

namespace saker {
namespace {

// Numbers 2 * pair and 2 * pair + 1 of a stream, near normal with mean 0 and deviation 1: the sum
// of four uniform draws of 16 bits each. Sixty gigabytes of weights want no logarithms.
std::array<float, 2> draw_pair(uint64_t seed, uint64_t stream, uint64_t pair) {
    const std::array<uint32_t, 4> words = philox(seed, pair, stream);
    std::array<float, 2> out;
    for (size_t i = 0; i < 2; ++i) {
        const uint32_t a = words[2 * i], b = words[2 * i + 1];
        const uint32_t sum = (a & 0xFFFF) + (a >> 16) + (b & 0xFFFF) + (b >> 16);
        // The sum of four uniform numbers in [0, 1) has mean 2 and variance 1/3.
        out[i] = (static_cast<float>(sum) * 0x1p-16f - 2.0f) * 1.7320508f;
    }
    return out;
}

namespace fs = std::filesystem;

void write_weights(const Options& options, const std::vector<WeightSpec>& specs,
                   SafetensorsWriter& writer, Progress& progress) {
    ThreadPool pool;
    const uint64_t seed = options.seed.value_or(0);
    const auto scale = static_cast<float>(options.scale);
    constexpr int64_t kPiece = 1 << 20;  // numbers at a time
    std::vector<Bf16> numbers;
    for (const WeightSpec& spec : specs) {
        // A norm's weight is near 1, or nothing would pass through a deep model.
        const bool is_norm = spec.shape.size() == 1 &&
                             spec.name.find("norm") != std::string::npos &&
                             spec.name.ends_with(".weight");
        const float centre = is_norm ? 1.0f : 0.0f;
        const uint64_t stream = Rng::hash(spec.name);
        for (int64_t begin = 0; begin < spec.num_elements(); begin += kPiece) {
            const int64_t count = std::min(kPiece, spec.num_elements() - begin);
            numbers.resize(static_cast<size_t>(count));
            // kPiece is even, so pieces begin at a pair.
            pool.for_ranges((count + 1) / 2, 4096, [&](int64_t from, int64_t to) {
                for (int64_t pair = from; pair < to; ++pair) {
                    const auto draws =
                        draw_pair(seed, stream, static_cast<uint64_t>(begin / 2 + pair));
                    for (int64_t n = 2 * pair; n < std::min(2 * pair + 2, count); ++n)
                        numbers[static_cast<size_t>(n)] =
                            Bf16::from(centre + scale * draws[static_cast<size_t>(n - 2 * pair)]);
                }
            });
            writer.write(numbers.data(), count * 2);
            progress.add(count * 2);
        }
    }
}

// The configuration, and what stands beside it.
void copy_beside(const fs::path& config, const fs::path& out) {
    std::error_code ec;
    for (const char* name :
         {"config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json",
          "chat_template.jinja", "chat_template.json", "preprocessor_config.json",
          "video_preprocessor_config.json", "processor_config.json"}) {
        const fs::path from =
            std::string(name) == "config.json" ? config : config.parent_path() / name;
        if (!fs::exists(from)) continue;
        fs::copy_file(from, out / name, fs::copy_options::overwrite_existing, ec);
        if (ec) throw StartupError((out / name).string() + ": cannot be written.");
    }
}

}  // namespace

int synth_command(const Options& options) {
    const fs::path config = options.config, out = options.out;
    const std::vector<WeightSpec> specs = list_weights(config);
    std::error_code ec;
    fs::create_directories(out, ec);
    if (ec) throw StartupError(out.string() + ": cannot be made (" + ec.message() + ").");
    if (fs::exists(out / "config.json"))
        return report({ErrorCode::invalid_value,
                       out.string() + ": holds a checkpoint already; give an empty folder.", ""});

    std::vector<SafetensorsWriter::Declared> declared;
    int64_t total = 0;
    for (const WeightSpec& spec : specs) {
        declared.push_back({spec.name, DType::bf16, spec.shape});
        if (__builtin_add_overflow(total, 2 * spec.num_elements(), &total))
            throw StartupError(config.string() + ": asks for more than 2^63 bytes of weights.");
    }
    SafetensorsWriter writer(out, declared, options.shard_mb << 20);
    Progress progress("writing weights", total);
    write_weights(options, specs, writer, progress);
    writer.finish();
    progress.finish();
    copy_beside(config, out);
    fmt::print("{}: {} tensors, {} of random bf16 weights.\n", out.string(), specs.size(),
               bytes_text(total));
    return 0;
}

}  // namespace saker
