// Every tensor is either a view of the mapped file or made in pieces of about a megabyte, which the
// pool's threads decode: into the arena on the host, or into staging memory that is copied to the
// device batch by batch.
#include "weights/loader.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>

#include "base/log.h"
#include "tensor/device.h"
#include "weights/decode.h"

namespace saker {
namespace {

constexpr int64_t kPieceBytes = 1 << 20;
constexpr int64_t kReadAheadBytes = 8 << 20;
constexpr int64_t kStagingBytes = 64 << 20;
constexpr size_t kNamesInMessage = 3;

int64_t blocks(int64_t n) {
    return (n + kScaleBlock - 1) / kScaleBlock;
}

bool has_shape(const TensorEntry& entry, std::initializer_list<int64_t> shape) {
    return std::equal(entry.shape.begin(), entry.shape.end(), shape.begin(), shape.end());
}

[[noreturn]] void fail(const TensorEntry& entry, std::string_view name,
                       const std::string& sentence) {
    throw StartupError(entry.file + ": tensor " + quote(name) + " " + sentence);
}

[[noreturn]] void fail_on_shape(const TensorEntry& entry, std::string_view name,
                                const std::string& wanted) {
    fail(entry, name,
         "has the shape " + shape_text(entry.shape) + ", but the configuration asks for " + wanted +
             ": do the two belong to the same model?");
}

std::string text(std::initializer_list<int64_t> shape) {
    return shape_text(std::span(shape.begin(), shape.size()));
}

// Names the first few of a list: `"a", "b", "c" and 5 more`.
std::string first_few(const std::vector<std::string>& names) {
    std::string out;
    for (size_t i = 0; i < std::min(names.size(), kNamesInMessage); ++i)
        out += (i ? ", " : "") + quote(names[i]);
    if (names.size() > kNamesInMessage)
        out += " and " + std::to_string(names.size() - kNamesInMessage) + " more";
    return out;
}

// Stored, and rightly unused.
bool is_harmless(std::string_view name) {
    return name.ends_with(".inv_freq") || name.starts_with("mtp.") ||
           name.find(".mtp.") != std::string_view::npos || name == "lm_head.weight" ||
           name.ends_with(".activation_scale") || name.ends_with(".input_scale");
}

}  // namespace

struct Loader::Source {
    std::string name;
    const TensorEntry* weight = nullptr;
    const TensorEntry* scale = nullptr;  // f8_e4m3 alone
    DType decoded = DType::bf16;

    bool is_as_stored() const { return weight->dtype == decoded; }
    bool is_aligned() const {
        return reinterpret_cast<uintptr_t>(weight->at) % static_cast<uintptr_t>(size_of(decoded)) ==
               0;
    }

    // Matrix `i` of the stored tensor, taken as [n, rows, cols].
    StoredMatrix matrix(int64_t i, int64_t rows, int64_t cols) const {
        StoredMatrix m{weight->at + i * rows * cols * size_of(weight->dtype), weight->dtype, rows,
                       cols};
        if (scale) {
            m.scale_dtype = scale->dtype;
            m.scales = scale->at + i * blocks(rows) * blocks(cols) * size_of(scale->dtype);
        }
        return m;
    }
};

// One tensor of the arena: which rows (or, transposed, columns) of which stored matrices follow one
// another in it.
struct Loader::Output {
    struct Piece {
        const Source* source;
        StoredMatrix matrix;
        bool transposed;
        int64_t begin, end;  // rows of the matrix, or columns where transposed
        int64_t out_begin;   // bytes from the beginning of the tensor
        int64_t out_bytes;

        // Of the file; of a matrix that several pieces share, its part.
        int64_t read_bytes() const {
            const int64_t lines = transposed ? matrix.rows : matrix.cols;
            return (end - begin) * lines * size_of(matrix.dtype);
        }
    };
    std::vector<Piece> pieces;
    int64_t out_bytes = 0;

    void add(const Source& source, const StoredMatrix& m, bool transposed) {
        const int64_t n = transposed ? m.cols : m.rows;
        const int64_t line_bytes = (transposed ? m.rows : m.cols) * size_of(source.decoded);
        // Whole scale blocks where a line is short enough, so that no tile is cut.
        int64_t lines = std::max<int64_t>(1, kPieceBytes / std::max<int64_t>(line_bytes, 1));
        if (lines > kScaleBlock) lines = lines / kScaleBlock * kScaleBlock;
        for (int64_t begin = 0; begin < n; begin += lines) {
            const int64_t end = std::min(n, begin + lines);
            const int64_t bytes = (end - begin) * line_bytes;
            pieces.push_back({&source, m, transposed, begin, end, out_bytes, bytes});
            out_bytes += bytes;
        }
    }

    // Reads what a piece is the first to need; false where the file no longer has it. Transposed
    // pieces of one matrix all need the whole matrix.
    static bool read(const Piece& piece) {
        const StoredMatrix& m = piece.matrix;
        const int64_t row_bytes = m.cols * size_of(m.dtype);
        if (m.scales && piece.begin == 0 &&
            !read_ahead(m.scales, blocks(m.rows) * blocks(m.cols) * size_of(m.scale_dtype)))
            return false;
        if (!piece.transposed)
            return read_ahead(m.at + piece.begin * row_bytes,
                              (piece.end - piece.begin) * row_bytes);
        return piece.begin != 0 || read_ahead(m.at, m.rows * row_bytes);
    }

    static void decode(const Piece& piece, void* out) {
        if (piece.transposed)
            decode_columns(piece.matrix, piece.begin, piece.end, out);
        else
            decode_rows(piece.matrix, piece.begin, piece.end, out);
    }
};

// Two halves: while one is copied to the device, the other is filled.
struct Loader::Staging {
    explicit Staging(int device) : stream(device) {
        memory = static_cast<std::byte*>(pinned_allocate(2 * kStagingBytes));
    }
    ~Staging() {
        stream.synchronize();
        pinned_free(memory);
    }
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    // Memory that no copy reads any more.
    std::byte* acquire() {
        half = 1 - half;
        if (is_used[half]) copied[half].synchronize();
        return memory + half * kStagingBytes;
    }
    // Sends what acquire() gave last.
    void send(void* to, Place place, int64_t bytes) {
        copy(Tensor(to, DType::u8, {bytes}, place),
             Tensor(memory + half * kStagingBytes, DType::u8, {bytes}), stream.raw());
        copied[half].record(stream.raw());
        is_used[half] = true;
    }

    Stream stream;
    Event copied[2];
    bool is_used[2] = {};
    int half = 0;
    std::byte* memory;
};

Loader::Loader(const Checkpoint& checkpoint, Place place)
    : checkpoint_(&checkpoint), place_(place) {}

Loader::Loader(const Checkpoint& checkpoint, Arena& weights, ThreadPool& pool, Progress* progress)
    : Loader(checkpoint, weights.place()) {
    arena_ = &weights;
    pool_ = &pool;
    progress_ = progress;
    if (!place_.is_host()) staging_ = std::make_unique<Staging>(place_.device);
}

Loader::~Loader() = default;
Loader::Loader(Loader&&) noexcept = default;

Loader Loader::measuring(const Checkpoint& checkpoint, Place place) {
    return Loader(checkpoint, place);
}

int64_t Loader::bytes_needed(const Checkpoint& checkpoint) {
    int64_t total = 0;
    for (const std::string& name : checkpoint.names()) {
        const TensorEntry* entry = checkpoint.find(name);
        const auto decoded = entry ? decoded_dtype(entry->dtype) : std::nullopt;
        if (!decoded) continue;
        const int64_t elements = entry->size_bytes / size_of(entry->dtype);
        total += Arena::padded_bytes(*decoded, {elements});
    }
    return total;
}

Loader::Source Loader::find(std::string_view name) {
    Source source;
    source.name = name;
    source.weight = &checkpoint_->entry(name);
    asked_.insert(source.name);
    const TensorEntry& weight = *source.weight;
    const std::optional<DType> decoded = decoded_dtype(weight.dtype);
    if (!decoded)
        fail(weight, name,
             "has the dtype " + std::string(safetensors_type(weight.dtype)) +
                 ", which is no format of weights here: BF16, F32, F16 and F8_E4M3 are.");
    source.decoded = *decoded;
    if (weight.dtype == DType::f8_e4m3) {
        std::string scale_name = source.name + "_scale_inv";
        if (!has(scale_name)) scale_name = source.name + ".weight_scale_inv";
        if (!has(scale_name))
            fail(weight, name,
                 "is F8_E4M3 without " + quote(source.name + "_scale_inv") +
                     ": only FP8 checkpoints with scales of 128 x 128 blocks can be read.");
        source.scale = &checkpoint_->entry(scale_name);
        asked_.insert(scale_name);
        const size_t rank = weight.shape.size();
        std::vector<int64_t> wanted = weight.shape;
        for (size_t i = rank - std::min<size_t>(rank, 2); i < rank; ++i)
            wanted[i] = blocks(wanted[i]);
        if (rank < 2 || source.scale->shape != wanted)
            fail(*source.scale, scale_name,
                 "has the shape " + shape_text(source.scale->shape) +
                     ", but blocks of 128 x 128 of " + shape_text(weight.shape) + " need " +
                     shape_text(wanted) + ".");
        if (source.scale->dtype != DType::bf16 && source.scale->dtype != DType::f32)
            fail(*source.scale, scale_name,
                 "has the dtype " + std::string(safetensors_type(source.scale->dtype)) +
                     ": scales are BF16 or F32.");
    }
    read_bytes_ += source.weight->size_bytes;
    return source;
}

Loader::Source Loader::find(std::string_view name, std::initializer_list<int64_t> shape) {
    const TensorEntry& entry = checkpoint_->entry(name);
    if (!has_shape(entry, shape)) fail_on_shape(entry, name, text(shape));
    return find(name);
}

Tensor Loader::load(std::string_view name, std::initializer_list<int64_t> shape) {
    const Source source = find(name, shape);
    if (place_.is_host() && source.is_as_stored() && source.is_aligned()) return view(source);
    int64_t cols = 1;
    for (size_t i = 1; i < shape.size(); ++i) cols *= shape.begin()[i];
    Output output;
    output.add(source, source.matrix(0, *shape.begin(), cols), false);
    return produce(output, source.decoded, shape);
}

Loader::Experts Loader::load_experts(std::string_view prefix, int64_t E, int64_t F, int64_t C) {
    const std::string gate_up = std::string(prefix) + ".gate_up_proj";
    const std::string down = std::string(prefix) + ".down_proj";
    if (has(gate_up) || has(down)) return load_fused(gate_up, down, {E, F, C});
    if (has(std::string(prefix) + ".0.gate_proj.weight")) return load_separate(prefix, {E, F, C});
    throw StartupError(checkpoint_->folder() + ": the checkpoint holds no experts under " +
                       quote(prefix) + ".");
}

// The released layout and that of transformers 5 have the same names, and a tensor alone can fit
// both where two sizes are equal: the pair decides.
Loader::Experts Loader::load_fused(const std::string& gate_up, const std::string& down,
                                   const ExpertSizes& n) {
    const TensorEntry& g = checkpoint_->entry(gate_up);
    const TensorEntry& d = checkpoint_->entry(down);
    const bool released = has_shape(g, {n.E, n.C, 2 * n.F}) && has_shape(d, {n.E, n.F, n.C});
    const bool linear = has_shape(g, {n.E, 2 * n.F, n.C}) && has_shape(d, {n.E, n.C, n.F});
    if (released == linear)
        fail(g, gate_up,
             "and its down_proj have the shapes " + shape_text(g.shape) + " and " +
                 shape_text(d.shape) + ", but the configuration asks for " +
                 text({n.E, n.C, 2 * n.F}) + " and " + text({n.E, n.F, n.C}) + ", or " +
                 text({n.E, 2 * n.F, n.C}) + " and " + text({n.E, n.C, n.F}) + ".");
    return {load_fused_one(find(gate_up), released, {n.E, 2 * n.F, n.C}),
            load_fused_one(find(down), released, {n.E, n.C, n.F})};
}

Tensor Loader::load_fused_one(const Source& source, bool transposed,
                              std::initializer_list<int64_t> shape) {
    if (!transposed && place_.is_host() && source.is_as_stored() && source.is_aligned())
        return view(source);
    const std::vector<int64_t>& stored = source.weight->shape;
    Output output;
    for (int64_t e = 0; e < stored[0]; ++e)
        output.add(source, source.matrix(e, stored[1], stored[2]), transposed);
    return produce(output, source.decoded, shape);
}

Loader::Experts Loader::load_separate(std::string_view prefix, const ExpertSizes& n) {
    std::vector<Source> sources;
    sources.reserve(static_cast<size_t>(n.E * 3));  // pieces point to them
    Output gate_up, down;
    for (int64_t e = 0; e < n.E; ++e) {
        const std::string expert = std::string(prefix) + "." + std::to_string(e);
        for (const char* part : {".gate_proj.weight", ".up_proj.weight"}) {
            sources.push_back(find(expert + part, {n.F, n.C}));
            gate_up.add(sources.back(), sources.back().matrix(0, n.F, n.C), false);
        }
        sources.push_back(find(expert + ".down_proj.weight", {n.C, n.F}));
        down.add(sources.back(), sources.back().matrix(0, n.C, n.F), false);
    }
    for (const Source& source : sources)
        if (source.decoded != sources.front().decoded)
            fail(*source.weight, source.name,
                 "has another dtype than the first expert: all experts of a layer have one.");
    const DType decoded = sources.empty() ? DType::bf16 : sources.front().decoded;
    return {produce(gate_up, decoded, {n.E, 2 * n.F, n.C}),
            produce(down, decoded, {n.E, n.C, n.F})};
}

// The stored tensor itself, after its pages were read: so that the first request does not wait for
// the disk, and so that a fault of the disk shows now.
Tensor Loader::view(const Source& source) {
    const TensorEntry& weight = *source.weight;
    if (pool_) {
        std::atomic<bool> is_cut = false;
        pool_->run((weight.size_bytes + kReadAheadBytes - 1) / kReadAheadBytes, [&](int64_t i) {
            const int64_t begin = i * kReadAheadBytes;
            const int64_t bytes = std::min(kReadAheadBytes, weight.size_bytes - begin);
            if (!read_ahead(weight.at + begin, bytes)) is_cut = true;
            if (progress_) progress_->add(bytes);
        });
        if (is_cut) fail_on_cut(source);
        return weight.view();
    }
    return Tensor(nullptr, weight.dtype, std::span(weight.shape), place_);
}

Tensor Loader::produce(const Output& output, DType decoded, std::initializer_list<int64_t> shape) {
    arena_bytes_ += Arena::padded_bytes(decoded, shape);
    if (!arena_) return Tensor(nullptr, decoded, shape, place_);
    const Tensor out = arena_->take(decoded, shape);
    CHECK(out.size_bytes() == output.out_bytes, "pieces do not fill the tensor");
    const std::span<const Output::Piece> pieces = output.pieces;
    size_t begin = 0;
    while (begin < pieces.size()) {
        // All pieces at once on the host; on a device as many as the staging memory holds.
        size_t end = place_.is_host() ? pieces.size() : begin + 1;
        const int64_t first = pieces[begin].out_begin;
        while (end < pieces.size() &&
               pieces[end].out_begin + pieces[end].out_bytes - first <= kStagingBytes)
            ++end;
        make_batch(out, output, begin, end);
        begin = end;
    }
    if (staging_) staging_->stream.synchronize();
    return out;
}

void Loader::make_batch(const Tensor& out, const Output& output, size_t begin, size_t end) {
    const std::span pieces = std::span(output.pieces).subspan(begin, end - begin);
    const auto count = static_cast<int64_t>(pieces.size());
    const int64_t first = pieces.front().out_begin;
    const int64_t bytes = pieces.back().out_begin + pieces.back().out_bytes - first;
    std::byte* to = static_cast<std::byte*>(out.raw()) + first;
    std::byte* at = to;
    if (staging_) {
        CHECK(bytes <= kStagingBytes, "a row of a weight is larger than the staging memory");
        at = staging_->acquire();
    }
    std::atomic<const Source*> cut = nullptr;
    pool_->run(count, [&](int64_t i) {
        const Output::Piece& piece = pieces[static_cast<size_t>(i)];
        if (!Output::read(piece)) cut = piece.source;
    });
    if (cut) fail_on_cut(*cut.load());
    pool_->run(count, [&](int64_t i) {
        const Output::Piece& piece = pieces[static_cast<size_t>(i)];
        Output::decode(piece, at + (piece.out_begin - first));
        if (progress_) progress_->add(piece.read_bytes());
    });
    if (staging_) staging_->send(to, place_, bytes);
}

void Loader::fail_on_cut(const Source& source) {
    fail(*source.weight, source.name,
         "can no longer be read: the file was cut short or its disk failed while it was loaded.");
}

void Loader::skip(std::string_view prefix) {
    skipped_prefixes_.emplace_back(prefix);
}

void Loader::finish() {
    std::vector<std::string> unknown, harmless;
    for (const std::string& name : checkpoint_->names()) {
        const auto is_skipped = [&](const std::string& prefix) { return name.starts_with(prefix); };
        if (asked_.contains(name) ||
            std::any_of(skipped_prefixes_.begin(), skipped_prefixes_.end(), is_skipped))
            continue;
        (is_harmless(name) ? harmless : unknown).push_back(name);
    }
    if (!unknown.empty())
        throw StartupError(
            checkpoint_->folder() + ": the checkpoint holds " + std::to_string(unknown.size()) +
            " tensors that the configuration does not call for: " + first_few(unknown) +
            ". Do config.json and the weights belong together?");
    if (!harmless.empty() && arena_)
        log_info("the checkpoint holds " + std::to_string(harmless.size()) +
                 " tensors that are not used here: " + first_few(harmless));
}

std::vector<std::string> scan_finite(const Checkpoint& checkpoint, ThreadPool& pool) {
    constexpr int64_t kChunk = 1 << 20;
    std::vector<std::string> names;
    for (const std::string& name : checkpoint.names()) {
        const TensorEntry* entry = checkpoint.find(name);
        if (!entry || !decoded_dtype(entry->dtype)) continue;
        const int64_t element = size_of(entry->dtype), count = entry->size_bytes / element;
        std::atomic<bool> found = false;
        pool.run((count + kChunk - 1) / kChunk, [&](int64_t i) {
            const int64_t begin = i * kChunk;
            if (holds_non_finite(entry->at + begin * element, entry->dtype,
                                 std::min(kChunk, count - begin)))
                found = true;
        });
        if (found) names.push_back(name);
    }
    return names;
}

}  // namespace saker
