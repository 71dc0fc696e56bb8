// The same weights in every layout and format come out as the same bits; faults name the tensor.
#include "weights/loader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "base/rng.h"
#include "tensor/device.h"
#include "weights/decode.h"
#include "weights/test_files.h"

namespace saker {
namespace {

constexpr char kExperts[] = "model.language_model.layers.0.mlp.experts";

// A checkpoint with what loading from it takes.
struct Opened {
    explicit Opened(const std::filesystem::path& folder)
        : checkpoint(Checkpoint::open(folder)),
          arena(Loader::bytes_needed(checkpoint), Place::host()),
          pool(2),
          loader(checkpoint, arena, pool) {}

    Checkpoint checkpoint;
    Arena arena;
    ThreadPool pool;
    Loader loader;
};

std::string bytes(const Tensor& t) {
    return {static_cast<const char*>(t.raw()), static_cast<size_t>(t.size_bytes())};
}

bool says(const std::string& error, std::string_view part) {
    return error.find(part) != std::string::npos;
}

// bf16 bytes of a random tensor.
std::string random_bf16(const std::string& name, int64_t count) {
    const Rng rng{std::string_view(name)};
    std::vector<Bf16> numbers;
    for (int64_t i = 0; i < count; ++i)
        numbers.push_back(Bf16::from(rng.normal(static_cast<uint64_t>(i))));
    return bytes_of(numbers);
}

// [n, rows, cols] -> [n, cols, rows], elements of `size` bytes.
std::string turned(const std::string& in, int64_t n, int64_t rows, int64_t cols, int64_t size) {
    std::string out(in.size(), '\0');
    for (int64_t i = 0; i < n; ++i)
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t c = 0; c < cols; ++c)
                std::memcpy(&out[static_cast<size_t>(((i * cols + c) * rows + r) * size)],
                            &in[static_cast<size_t>(((i * rows + r) * cols + c) * size)],
                            static_cast<size_t>(size));
    return out;
}

TEST(Loader, ReferenceTensorsComeOutUncopied) {
    Opened o("tests/golden/tiny-dense");
    for (const std::string& name : o.checkpoint.names()) {
        const TensorEntry& entry = o.checkpoint.entry(name);
        // load() takes a list; the ranks that there are:
        const auto& s = entry.shape;
        Tensor t;
        if (s.size() == 1) t = o.loader.load(name, {s[0]});
        if (s.size() == 2) t = o.loader.load(name, {s[0], s[1]});
        if (s.size() == 5) t = o.loader.load(name, {s[0], s[1], s[2], s[3], s[4]});
        ASSERT_TRUE(t.exists()) << name;
        EXPECT_EQ(static_cast<const void*>(entry.at), t.raw());
        EXPECT_EQ(DType::bf16, t.dtype());
    }
    EXPECT_EQ(0, o.loader.arena_bytes());
    EXPECT_EQ(o.checkpoint.total_bytes(), o.loader.read_bytes());
    o.loader.finish();
}

TEST(Loader, ReleasedAndTransformers5LayoutsGiveEqualExperts) {
    Opened v5("tests/golden/tiny-moe"), released("tests/golden/tiny-moe-release");
    int layers = 0;
    for (const std::string& name : v5.checkpoint.names()) {
        if (!name.ends_with(".experts.gate_up_proj")) continue;
        ++layers;
        const std::string prefix = name.substr(0, name.rfind('.'));
        const auto& shape = v5.checkpoint.entry(name).shape;
        const int64_t E = shape[0], F = shape[1] / 2, C = shape[2];
        EXPECT_NE(shape, released.checkpoint.entry(name).shape);
        const auto a = v5.loader.load_experts(prefix, E, F, C);
        const auto b = released.loader.load_experts(prefix, E, F, C);
        EXPECT_EQ(bytes(a.gate_up), bytes(b.gate_up));
        EXPECT_EQ(bytes(a.down), bytes(b.down));
        EXPECT_EQ(static_cast<const void*>(v5.checkpoint.entry(name).at), a.gate_up.raw());
        const auto want = std::vector<int64_t>{E, 2 * F, C};
        EXPECT_TRUE(
            std::equal(want.begin(), want.end(), b.gate_up.dims().begin(), b.gate_up.dims().end()));
    }
    EXPECT_GT(layers, 0);
}

// The three layouts of one layer, from Linear-order weights. Elements of `size` bytes.
struct Layer {
    int64_t E, F, C;
    std::string gate_up, down;  // [E, 2F, C], [E, C, F]
    DType dtype = DType::bf16;

    std::vector<TestTensor> linear() const {
        return {{std::string(kExperts) + ".gate_up_proj", dtype, {E, 2 * F, C}, gate_up},
                {std::string(kExperts) + ".down_proj", dtype, {E, C, F}, down}};
    }
    std::vector<TestTensor> released() const {
        const int64_t size = size_of(dtype);
        return {
            {std::string(kExperts) + ".gate_up_proj",
             dtype,
             {E, C, 2 * F},
             turned(gate_up, E, 2 * F, C, size)},
            {std::string(kExperts) + ".down_proj", dtype, {E, F, C}, turned(down, E, C, F, size)}};
    }
    std::vector<TestTensor> separate() const {
        std::vector<TestTensor> out;
        const auto n = static_cast<size_t>(F * C * size_of(dtype));
        for (int64_t e = 0; e < E; ++e) {
            const std::string expert = std::string(kExperts) + "." + std::to_string(e);
            const auto at = static_cast<size_t>(e) * n;
            out.push_back({expert + ".gate_proj.weight", dtype, {F, C}, gate_up.substr(2 * at, n)});
            out.push_back(
                {expert + ".up_proj.weight", dtype, {F, C}, gate_up.substr(2 * at + n, n)});
            out.push_back({expert + ".down_proj.weight", dtype, {C, F}, down.substr(at, n)});
        }
        return out;
    }
};

Layer bf16_layer(int64_t E, int64_t F, int64_t C) {
    return {E, F, C, random_bf16("gate_up", E * 2 * F * C), random_bf16("down", E * C * F)};
}

void expect_layer(const std::vector<TestTensor>& stored, const Layer& want) {
    const TestFolder folder;
    write_checkpoint(folder.path(), stored);
    Opened o(folder.path());
    const auto experts = o.loader.load_experts(kExperts, want.E, want.F, want.C);
    EXPECT_EQ(DType::bf16, experts.gate_up.dtype());
    EXPECT_TRUE(bytes(experts.gate_up) == want.gate_up);
    EXPECT_TRUE(bytes(experts.down) == want.down);
    o.loader.finish();
    EXPECT_EQ(o.arena.used_bytes(), o.loader.arena_bytes());
    Loader measure = Loader::measuring(o.checkpoint, Place::host());
    measure.load_experts(kExperts, want.E, want.F, want.C);
    EXPECT_EQ(o.loader.arena_bytes(), measure.arena_bytes());
}

TEST(Loader, ThreeLayoutsOfExperts) {
    for (const auto& [E, F, C] : {std::array<int64_t, 3>{3, 5, 7}, {2, 64, 128}, {4, 130, 200}}) {
        SCOPED_TRACE(testing::Message() << E << " " << F << " " << C);
        const Layer layer = bf16_layer(E, F, C);
        expect_layer(layer.linear(), layer);
        expect_layer(layer.released(), layer);
        expect_layer(layer.separate(), layer);
    }
}

// Where one of the two tensors fits both layouts, the other decides.
TEST(Loader, AmbiguousExpertsAreDecidedByThePair) {
    const Layer square_gate_up = bf16_layer(2, 4, 8), square_down = bf16_layer(2, 8, 8);
    for (const Layer& layer : {square_gate_up, square_down}) {
        expect_layer(layer.linear(), layer);
        expect_layer(layer.released(), layer);
    }
}

TEST(Loader, ExpertFaults) {
    const Layer layer = bf16_layer(2, 3, 5);
    const auto error = [&](std::vector<TestTensor> stored) {
        const TestFolder folder;
        write_checkpoint(folder.path(), stored);
        Opened o(folder.path());
        return startup_error([&] { o.loader.load_experts(kExperts, 2, 3, 5); });
    };
    // One tensor of each layout fits neither.
    EXPECT_TRUE(
        says(error({layer.linear()[0], layer.released()[1]}), "[2, 5, 6] and [2, 3, 5], or"));
    EXPECT_TRUE(says(error({layer.linear()[0]}),
                     "holds no tensor \"" + std::string(kExperts) + ".down_proj\""));
    EXPECT_TRUE(says(error({{"x", DType::u8, {1}, "a"}}), "holds no experts under"));
    auto separate = layer.separate();
    separate.pop_back();
    EXPECT_TRUE(says(error(separate), "experts.1.down_proj.weight"));
    separate = layer.separate();
    separate[1].dtype = DType::f32;
    separate[1].bytes += separate[1].bytes;
    EXPECT_TRUE(says(error(separate), "another dtype than the first expert"));
    separate = layer.separate();
    std::swap(separate[0].shape[0], separate[0].shape[1]);
    EXPECT_TRUE(
        says(error(separate), "has the shape [5, 3], but the configuration asks for [3, 5]"));
}

// Random codes without NaN, and scales of either dtype, with what they stand for in bf16.
struct Fp8 {
    TestTensor codes, scales;
    std::string decoded;
};

Fp8 fp8(const std::string& name, const std::string& scale_name, std::vector<int64_t> shape,
        DType scale_dtype) {
    const Rng rng{std::string_view(name)};
    const size_t rank = shape.size();
    const int64_t n = rank == 3 ? shape[0] : 1, rows = shape[rank - 2], cols = shape[rank - 1];
    const int64_t row_blocks = (rows + 127) / 128, col_blocks = (cols + 127) / 128;
    std::vector<float> scales;
    for (int64_t i = 0; i < n * row_blocks * col_blocks; ++i) {
        const float f = 0.001f + 0.01f * rng.uniform(static_cast<uint64_t>(i));
        scales.push_back(scale_dtype == DType::f32 ? f : round_bf16(f));
    }
    std::vector<uint8_t> codes;
    std::vector<Bf16> decoded;
    for (int64_t i = 0; i < n * rows * cols; ++i) {
        auto code = static_cast<uint8_t>(rng.bits(static_cast<uint64_t>(i)));
        if ((code & 0x7F) == 0x7F) code = 0;
        codes.push_back(code);
        const int64_t matrix = i / (rows * cols), r = i / cols % rows, c = i % cols;
        const int64_t block = (matrix * row_blocks + r / 128) * col_blocks + c / 128;
        decoded.push_back(Bf16::from(f8_e4m3_to_f32(code) * scales[static_cast<size_t>(block)]));
    }
    std::vector<int64_t> scale_shape = {row_blocks, col_blocks};
    if (rank == 3) scale_shape.insert(scale_shape.begin(), n);
    std::string scale_bytes = bytes_of(scales);
    if (scale_dtype == DType::bf16) {
        std::vector<Bf16> narrow;
        for (float f : scales) narrow.push_back(Bf16::from(f));
        scale_bytes = bytes_of(narrow);
    }
    return {{name, DType::f8_e4m3, std::move(shape), bytes_of(codes)},
            {scale_name, scale_dtype, std::move(scale_shape), scale_bytes},
            bytes_of(decoded)};
}

TEST(Loader, Fp8Linears) {
    for (DType scale_dtype : {DType::bf16, DType::f32}) {
        const Fp8 a = fp8("a.weight", "a.weight_scale_inv", {256, 128}, scale_dtype);
        const Fp8 b = fp8("b.weight", "b.weight_scale_inv", {130, 300}, scale_dtype);
        const TestFolder folder;
        write_checkpoint(folder.path(), {a.codes, a.scales, b.codes, b.scales});
        Opened o(folder.path());
        EXPECT_TRUE(bytes(o.loader.load("a.weight", {256, 128})) == a.decoded);
        EXPECT_TRUE(bytes(o.loader.load("b.weight", {130, 300})) == b.decoded);
        o.loader.finish();
    }
}

TEST(Loader, Fp8Experts) {
    const int64_t E = 2, F = 192, C = 160;
    const std::string prefix = kExperts;
    for (DType scale_dtype : {DType::bf16, DType::f32}) {
        const auto fused = [&](const char* part, std::vector<int64_t> shape) {
            const std::string name = prefix + part;
            return fp8(name, name + "_scale_inv", std::move(shape), scale_dtype);
        };
        Layer want{E, F, C, "", ""};
        // Linear order: scales along [2F, C] and [C, F].
        Fp8 gate_up = fused(".gate_up_proj", {E, 2 * F, C}), down = fused(".down_proj", {E, C, F});
        want.gate_up = gate_up.decoded;
        want.down = down.decoded;
        expect_layer({gate_up.codes, gate_up.scales, down.codes, down.scales}, want);
        // Released: codes and scales input-major.
        gate_up = fused(".gate_up_proj", {E, C, 2 * F});
        down = fused(".down_proj", {E, F, C});
        want.gate_up = turned(gate_up.decoded, E, C, 2 * F, 2);
        want.down = turned(down.decoded, E, F, C, 2);
        expect_layer({gate_up.codes, gate_up.scales, down.codes, down.scales}, want);
        // One tensor each.
        want.gate_up.clear();
        want.down.clear();
        std::vector<TestTensor> stored;
        for (int64_t e = 0; e < E; ++e) {
            for (const char* part : {".gate_proj", ".up_proj", ".down_proj"}) {
                const bool is_down = std::string_view(part) == ".down_proj";
                const std::string name = prefix + "." + std::to_string(e) + part + ".weight";
                const Fp8 one = fp8(name, name + "_scale_inv",
                                    is_down ? std::vector{C, F} : std::vector{F, C}, scale_dtype);
                stored.push_back(one.codes);
                stored.push_back(one.scales);
                (is_down ? want.down : want.gate_up) += one.decoded;
            }
        }
        expect_layer(stored, want);
    }
}

TEST(Loader, Fp8Faults) {
    Fp8 a = fp8("a.weight", "a.weight_scale_inv", {256, 130}, DType::bf16);
    const auto error = [&](std::vector<TestTensor> stored) {
        const TestFolder folder;
        write_checkpoint(folder.path(), stored);
        Opened o(folder.path());
        return startup_error([&] { o.loader.load("a.weight", {256, 130}); });
    };
    EXPECT_EQ("", error({a.codes, a.scales}));
    EXPECT_TRUE(says(error({a.codes}), "is F8_E4M3 without \"a.weight_scale_inv\""));
    TestTensor other = a.scales;
    other.shape = {4, 1};
    EXPECT_TRUE(
        says(error({a.codes, other}), "[4, 1], but blocks of 128 x 128 of [256, 130] need [2, 2]"));
    other = a.scales;
    other.dtype = DType::f16;
    EXPECT_TRUE(says(error({a.codes, other}), "scales are BF16 or F32"));
}

TEST(Loader, HalfAndFullPrecision) {
    const TestFolder folder;
    const std::vector<uint16_t> half = {0x3C00, 0x0001, 0xFBFF, 0x3555};
    const std::vector<float> full = {1.1f, -2.5f};
    write_checkpoint(folder.path(), {{"half", DType::f16, {2, 2}, bytes_of(half)},
                                     {"full", DType::f32, {2}, bytes_of(full)}});
    Opened o(folder.path());
    const Tensor h = o.loader.load("half", {2, 2});
    ASSERT_EQ(DType::f32, h.dtype());
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(f16_to_f32(half[i]), h.as<float>()[i]);
    const Tensor f = o.loader.load("full", {2});
    EXPECT_EQ(static_cast<const void*>(o.checkpoint.entry("full").at), f.raw());
}

TEST(Loader, MisalignedTensorsAreCopied) {
    const TestFolder folder;
    const std::vector<float> full = {1.1f, -2.5f, 3e7f};
    const Layer layer = bf16_layer(2, 3, 5);
    std::vector<TestTensor> stored = {{"odd", DType::u8, {3}, "abc"},
                                      {"full", DType::f32, {3}, bytes_of(full)},
                                      {"empty", DType::bf16, {0, 4}, ""}};
    for (const TestTensor& t : layer.linear()) stored.push_back(t);
    write_checkpoint(folder.path(), stored);
    Opened o(folder.path());
    const Tensor f = o.loader.load("full", {3});
    EXPECT_NE(static_cast<const void*>(o.checkpoint.entry("full").at), f.raw());
    EXPECT_EQ(bytes_of(full), bytes(f));
    const Tensor empty = o.loader.load("empty", {0, 4});
    EXPECT_EQ(0, empty.num_elements());
    EXPECT_EQ(4, empty.dim(1));
    const auto experts = o.loader.load_experts(kExperts, 2, 3, 5);
    EXPECT_EQ(layer.gate_up, bytes(experts.gate_up));
    EXPECT_EQ(layer.down, bytes(experts.down));
}

TEST(Loader, MissingAndMisshapen) {
    Opened o("tests/golden/tiny-dense");
    const std::string name = "model.language_model.norm.weight";
    std::string error = startup_error([&] { o.loader.load("model.language_model.x", {1}); });
    EXPECT_TRUE(
        says(error, "tiny-dense: the checkpoint holds no tensor \"model.language_model.x\""));
    error = startup_error([&] { o.loader.load(name, {7}); });
    EXPECT_TRUE(says(error, "model.safetensors: tensor \"" + name + "\" has the shape [")) << error;
    EXPECT_TRUE(says(error, "but the configuration asks for [7]")) << error;
    error = startup_error([&] { o.loader.load(name, {64, 1}); });
    EXPECT_TRUE(says(error, "asks for [64, 1]")) << error;

    const TestFolder folder;
    write_checkpoint(folder.path(), {{"a", DType::i32, {1}, "abcd"}});
    Opened ints(folder.path());
    error = startup_error([&] { ints.loader.load("a", {1}); });
    EXPECT_TRUE(says(error, "has the dtype I32, which is no format of weights")) << error;
}

TEST(Loader, MeasuringTouchesNothing) {
    Opened o("tests/golden/tiny-moe-release");
    Loader host = Loader::measuring(o.checkpoint, Place::host());
    Loader device = Loader::measuring(o.checkpoint, Place::cuda(0));
    const std::string gate_up = std::string(kExperts) + ".gate_up_proj";
    ASSERT_TRUE(o.checkpoint.has(gate_up));
    const auto& shape = o.checkpoint.entry(gate_up).shape;
    const int64_t E = shape[0], C = shape[1], F = shape[2] / 2;
    for (Loader* loader : {&host, &device}) {
        EXPECT_EQ(nullptr, loader->load_experts(kExperts, E, F, C).down.raw());
        EXPECT_EQ(nullptr, loader->load("model.language_model.norm.weight", {C}).raw());
    }
    const int64_t experts = Arena::padded_bytes(DType::bf16, {E, 2 * F, C}) +
                            Arena::padded_bytes(DType::bf16, {E, C, F});
    EXPECT_EQ(experts, host.arena_bytes());
    EXPECT_EQ(experts + Arena::padded_bytes(DType::bf16, {C}), device.arena_bytes());
    EXPECT_EQ(host.read_bytes(), device.read_bytes());
    EXPECT_TRUE(host.load("model.language_model.norm.weight", {C}).place().is_host());
    EXPECT_FALSE(device.load("model.language_model.norm.weight", {C}).place().is_host());
}

// More than one batch of the staging memory, and each way of making a tensor.
TEST(Loader, DeviceHoldsTheSameBits) {
    if (num_devices() == 0) GTEST_SKIP() << "no GPU here";
    const int64_t E = 48, F = 640, C = 768;
    Layer layer{E, F, C, "", ""};
    layer.gate_up = random_bf16("gate_up", 1 << 20);
    while (static_cast<int64_t>(layer.gate_up.size()) < E * 2 * F * C * 2)
        layer.gate_up += layer.gate_up;
    layer.gate_up.resize(static_cast<size_t>(E * 2 * F * C * 2));
    layer.down = layer.gate_up.substr(2, static_cast<size_t>(E * F * C * 2));
    const Fp8 codes = fp8("a.weight", "a.weight_scale_inv", {130, 300}, DType::bf16);
    const std::vector<float> full = {1.1f, -2.5f, 3e7f};
    for (auto stored : {layer.linear(), layer.released(), layer.separate()}) {
        stored.push_back(codes.codes);
        stored.push_back(codes.scales);
        stored.push_back({"full", DType::f32, {3}, bytes_of(full)});
        const TestFolder folder;
        write_checkpoint(folder.path(), stored);
        const auto checkpoint = Checkpoint::open(folder.path());
        const auto load = [&](Loader& loader) {
            const auto experts = loader.load_experts(kExperts, E, F, C);
            return std::vector{experts.gate_up, experts.down, loader.load("a.weight", {130, 300}),
                               loader.load("full", {3})};
        };
        Loader measure = Loader::measuring(checkpoint, Place::cuda(0));
        load(measure);
        Arena arena(measure.arena_bytes(), Place::cuda(0));
        ThreadPool pool;
        Loader loader(checkpoint, arena, pool);
        const std::vector<Tensor> tensors = load(loader);
        loader.finish();
        EXPECT_EQ(arena.capacity_bytes(), arena.used_bytes());
        const std::string want[] = {layer.gate_up, layer.down, codes.decoded, bytes_of(full)};
        Stream stream(0);
        for (size_t i = 0; i < 4; ++i) {
            std::string got(want[i].size(), '\0');
            copy(Tensor(got.data(), DType::u8, {tensors[i].size_bytes()}),
                 Tensor(tensors[i].raw(), DType::u8, {tensors[i].size_bytes()}, Place::cuda(0)),
                 stream.raw());
            stream.synchronize();
            EXPECT_TRUE(got == want[i]) << i;
        }
    }
}

TEST(Loader, FinishNamesWhatNobodyAskedFor) {
    const TestFolder folder;
    std::vector<TestTensor> stored = {
        {"a", DType::bf16, {1}, "ab"},
        {"lm_head.weight", DType::bf16, {1}, "ab"},
        {"mtp.layers.0.x", DType::bf16, {1}, "ab"},
        {"model.layers.0.self_attn.rotary_emb.inv_freq", DType::bf16, {1}, "ab"}};
    for (const char* name : {"b1", "b2", "b3", "b4"})
        stored.push_back({name, DType::bf16, {1}, "ab"});
    write_checkpoint(folder.path(), stored);
    Opened o(folder.path());
    o.loader.load("a", {1});
    const std::string error = startup_error([&] { o.loader.finish(); });
    EXPECT_TRUE(says(error,
                     "holds 4 tensors that the configuration does not call for: "
                     "\"b1\", \"b2\", \"b3\" and 1 more"))
        << error;
    o.loader.skip("b");
    EXPECT_EQ("", startup_error([&] { o.loader.finish(); }));
}

TEST(Loader, FileCutWhileLoading) {
    const TestFolder folder;
    const std::string numbers(1 << 20, 'x');
    write_checkpoint(folder.path(), {{"a", DType::bf16, {1 << 19}, numbers},
                                     {"b", DType::f16, {1 << 19}, numbers}});
    Opened o(folder.path());
    std::filesystem::resize_file(folder / "model.safetensors", 4096);
    EXPECT_TRUE(says(startup_error([&] { o.loader.load("a", {1 << 19}); }), "was cut short"));
    EXPECT_TRUE(says(startup_error([&] { o.loader.load("b", {1 << 19}); }), "was cut short"));
}

TEST(Loader, ProgressCountsEveryByte) {
    const Layer layer = bf16_layer(4, 130, 200);
    const TestFolder folder;
    std::vector<TestTensor> stored = layer.released();
    stored.push_back({"a", DType::f16, {3, 3}, std::string(18, 'a')});
    stored.push_back({"b", DType::bf16, {3, 3}, std::string(18, 'a')});
    write_checkpoint(folder.path(), stored);
    const auto checkpoint = Checkpoint::open(folder.path());
    Progress progress("loading", checkpoint.total_bytes(), Progress::Style::silent);
    Arena arena(Loader::bytes_needed(checkpoint), Place::host());
    ThreadPool pool(2);
    Loader loader(checkpoint, arena, pool, &progress);
    loader.load_experts(kExperts, 4, 130, 200);
    loader.load("a", {3, 3});
    loader.load("b", {3, 3});
    EXPECT_EQ(checkpoint.total_bytes(), loader.read_bytes());
    EXPECT_EQ(checkpoint.total_bytes(), progress.done_bytes());
}

TEST(Loader, ScanFindsNanAndInfinity) {
    const TestFolder folder;
    std::vector<Bf16> big(3'000'000, Bf16::from(1.0f));
    big[2'999'999] = Bf16::from(std::numeric_limits<float>::infinity());
    write_checkpoint(folder.path(), {{"fine", DType::f32, {2}, bytes_of(std::vector<float>{1, 2})},
                                     {"ids", DType::u8, {2}, "\xFF\x7F"},
                                     {"nan", DType::f32, {2}, bytes_of(std::vector<float>{1, NAN})},
                                     {"inf", DType::bf16, {3'000'000}, bytes_of(big)}});
    ThreadPool pool(2);
    EXPECT_EQ((std::vector<std::string>{"inf", "nan"}),
              scan_finite(Checkpoint::open(folder.path()), pool));
}

}  // namespace
}  // namespace saker
