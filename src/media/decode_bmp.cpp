// BMP, by hand: every kind that Pillow reads, with its pixels. Palettes of 1, 4 and 8 bits, plain
// or by runs (RLE); 16, 24 and 32 bits, also with masks; rows from the bottom up or the top down;
// the headers of OS/2 and of Windows, from BITMAPINFO to V5.
//
// The format leaves open what many files do, so that Pillow's reading is the rule: 32 bits without
// masks have no alpha; a color beyond a short palette is black, or the grey of its number where the
// palette is a grey ramp; runs that end before the last row are refused. Differing on purpose: a
// black and white palette of two colors under 4 or 8 bits, and a grey one under 4, which Pillow
// 13 reads with the wrong width of a pixel.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "media/formats.h"
#include "media/large_buffer.h"

namespace saker {
namespace {

constexpr size_t kFileHeader = 14;
enum Compression : uint32_t { kRaw = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3 };

// Where the bytes of a pixel of 24 or 32 bits stand; alpha -1 where there is none.
struct Order {
    int red, green, blue, alpha;
};

struct Bmp {
    int64_t width = 0, height = 0;
    bool top_down = false;
    uint32_t bits = 0, compression = kRaw;
    size_t header_size = 0;
    uint32_t num_colors = 0;
    size_t color_size = 4;
    std::array<uint32_t, 4> masks = {};  // red, green, blue, alpha
    size_t palette_at = 0, pixels_at = 0;

    size_t row_bytes() const { return static_cast<size_t>((width * bits + 31) / 32 * 4); }
};

bool is_header_size(uint32_t size) {
    for (uint32_t known : {12, 40, 52, 56, 64, 108, 124})
        if (size == known) return true;
    return false;
}

// Nothing where the header is cut short.
std::optional<Bmp> read_header(Bytes b) {
    Bmp bmp;
    bmp.header_size = le32(b, kFileHeader);
    if (b.size() < kFileHeader + bmp.header_size) return {};
    const Bytes h = b.subspan(kFileHeader, bmp.header_size);
    bmp.palette_at = kFileHeader + bmp.header_size;
    if (bmp.header_size == 12) {
        bmp.width = le16(h, 4);
        bmp.height = le16(h, 6);
        bmp.bits = le16(h, 10);
        bmp.color_size = 3;
    } else {
        bmp.width = le32(h, 4);
        bmp.height = le32(h, 8);
        // A negative height; more rows than 2^24 are none.
        bmp.top_down = h[11] == 0xFF;
        if (bmp.top_down) bmp.height = (int64_t{1} << 32) - bmp.height;
        bmp.bits = le16(h, 14);
        bmp.compression = le32(h, 16);
        bmp.num_colors = le32(h, 32);
    }
    if (bmp.compression == kBitFields) {
        // A header of 40 bytes has three masks behind it, longer ones within.
        const size_t num_masks = bmp.header_size >= 56 ? 4 : 3;
        if (b.size() < kFileHeader + 40 + 4 * num_masks) return {};
        for (size_t i = 0; i < num_masks; ++i) bmp.masks[i] = le32(b, kFileHeader + 40 + 4 * i);
        if (bmp.header_size == 40) bmp.palette_at += 12;
    }
    if (bmp.num_colors == 0 && bmp.bits <= 8) bmp.num_colors = 1u << bmp.bits;
    bmp.pixels_at = le32(b, 10);
    const size_t palette_size = bmp.bits <= 8 ? bmp.color_size * bmp.num_colors : 0;
    // Some writers name the end of the header as the place of the pixels, some none.
    if (bmp.pixels_at == 0) bmp.pixels_at = bmp.palette_at + palette_size;
    if (bmp.pixels_at == kFileHeader + bmp.header_size) bmp.pixels_at += palette_size;
    return bmp;
}

// The order of the bytes that masks of 24 or 32 bits mean; nothing for masks that cut through them.
std::optional<Order> order_of(const Bmp& bmp) {
    if (bmp.compression == kRaw) return Order{2, 1, 0, -1};
    struct Known {
        std::array<uint32_t, 4> masks;
        Order order;
    };
    static constexpr Known kKnown[] = {
        {{0xFF0000, 0xFF00, 0xFF, 0}, {2, 1, 0, -1}},
        {{0xFF000000, 0xFF0000, 0xFF00, 0}, {3, 2, 1, -1}},
        {{0xFF000000, 0xFF00, 0xFF, 0}, {3, 1, 0, -1}},
        {{0xFF000000, 0xFF0000, 0xFF00, 0xFF}, {3, 2, 1, 0}},
        {{0xFF, 0xFF00, 0xFF0000, 0xFF000000}, {0, 1, 2, 3}},
        {{0xFF0000, 0xFF00, 0xFF, 0xFF000000}, {2, 1, 0, 3}},
        {{0xFF000000, 0xFF00, 0xFF, 0xFF0000}, {3, 1, 0, 2}},
        {{0, 0, 0, 0}, {2, 1, 0, 3}},
    };
    const bool is_24 = bmp.bits == 24;
    for (const Known& known : std::span(kKnown).first(is_24 ? 1 : std::size(kKnown)))
        if (std::equal(bmp.masks.begin(), bmp.masks.begin() + (is_24 ? 3 : 4), known.masks.begin()))
            return known.order;
    return {};
}

using Palette = std::array<std::array<uint8_t, 3>, 256>;

// Nothing where there are too many colors. A file that ends within them has those that are there,
// since some writers give a wrong number.
std::optional<Palette> read_palette(Bytes b, const Bmp& bmp) {
    constexpr uint32_t kMostSaid = 65536;
    const size_t room = bmp.palette_at < b.size() ? b.size() - bmp.palette_at : 0;
    const size_t num_colors = std::min<size_t>(bmp.num_colors, room / bmp.color_size);
    if (bmp.num_colors > kMostSaid || num_colors > 256) return {};
    Palette palette = {};
    bool is_ramp = num_colors == bmp.num_colors;
    for (size_t i = 0; i < num_colors; ++i) {
        const size_t at = bmp.palette_at + bmp.color_size * i;
        palette[i] = {b[at + 2], b[at + 1], b[at]};
        const auto grey = static_cast<uint8_t>(num_colors == 2 ? 255 * i : i);
        is_ramp = is_ramp && palette[i] == std::array<uint8_t, 3>{grey, grey, grey};
    }
    // One black color alone under 1 bit: the other is white.
    if (is_ramp && bmp.num_colors == 1 && bmp.bits == 1) palette[1] = {255, 255, 255};
    if (is_ramp && bmp.num_colors > 2)
        for (uint32_t i = bmp.num_colors; i < 256; ++i) palette[i].fill(static_cast<uint8_t>(i));
    return palette;
}

// One row of plain pixels to RGB, or to RGBA where `order` has an alpha.
void read_row(const uint8_t* in, const Bmp& bmp, const Palette& palette, const Order& order,
              uint8_t* out) {
    const bool green_6 = bmp.compression == kBitFields && bmp.masks[1] == 0x7E0;
    for (int64_t x = 0; x < bmp.width; ++x) {
        if (bmp.bits <= 8) {
            const int64_t bit = x * bmp.bits;
            const uint32_t shift = 8 - bmp.bits - static_cast<uint32_t>(bit % 8);
            const uint32_t index = (in[bit / 8] >> shift) & ((1u << bmp.bits) - 1);
            out = std::copy(palette[index].begin(), palette[index].end(), out);
        } else if (bmp.bits == 16) {
            const uint32_t v = in[2 * x] | uint32_t{in[2 * x + 1]} << 8;
            *out++ = static_cast<uint8_t>((v >> (green_6 ? 11 : 10) & 31) * 255 / 31);
            *out++ =
                static_cast<uint8_t>(green_6 ? (v >> 5 & 63) * 255 / 63 : (v >> 5 & 31) * 255 / 31);
            *out++ = static_cast<uint8_t>((v & 31) * 255 / 31);
        } else {
            const uint8_t* pixel = in + x * (bmp.bits / 8);
            *out++ = pixel[order.red];
            *out++ = pixel[order.green];
            *out++ = pixel[order.blue];
            if (order.alpha >= 0) *out++ = pixel[order.alpha];
        }
    }
}

// The indices of a picture by runs, in the order of the file; shorter where the runs end early.
// Positions are Pillow's: a row that has begun is filled up at its end, an empty one is not; a run
// never leaves its row, single pixels may.
class Runs {
  public:
    Runs(Bytes file, const Bmp& bmp)
        : b_(file), width_(bmp.width), size_(bmp.width * bmp.height), by_4_(bmp.bits == 4) {}

    std::vector<uint8_t> read(size_t at) {
        reserve_large(out_, static_cast<size_t>(size_));
        at_ = at;
        while (count() < size_ && at_ + 2 <= b_.size()) {
            const int64_t number = b_[at_];
            const uint8_t value = b_[at_ + 1];
            at_ += 2;
            if (number > 0)
                add_run(number, value);
            else if (!follow(value))
                break;
        }
        return std::move(out_);
    }

  private:
    int64_t count() const { return static_cast<int64_t>(out_.size()); }
    void add_zeros(int64_t n) {
        out_.resize(out_.size() + static_cast<size_t>(std::clamp<int64_t>(n, 0, size_ - count())));
    }
    void add(uint8_t index) {
        if (count() < size_) out_.push_back(index);
    }
    void add_run(int64_t number, uint8_t value) {
        number = std::clamp<int64_t>(width_ - x_, 0, number);
        for (int64_t i = 0; i < number; ++i)
            add(!by_4_ ? value : static_cast<uint8_t>(i % 2 == 0 ? value >> 4 : value & 15));
        x_ += number;
    }
    // A zero and `what`; false where the picture ends.
    bool follow(uint8_t what) {
        if (what == 0) {  // the row ends
            add_zeros((width_ - count() % width_) % width_);
            x_ = 0;
            return true;
        }
        if (what == 1) return false;
        if (what == 2) {  // a step to the right and up
            if (at_ + 2 > b_.size()) return false;
            add_zeros(b_[at_] + b_[at_ + 1] * width_);
            at_ += 2;
            x_ = count() % width_;
            return true;
        }
        const int64_t number = std::min<int64_t>(size_ - count(), what);
        const auto num_bytes = static_cast<size_t>(by_4_ ? (number + 1) / 2 : number);
        if (num_bytes > b_.size() - at_) return false;
        for (int64_t i = 0; i < number; ++i) {
            const uint8_t byte = b_[at_ + static_cast<size_t>(by_4_ ? i / 2 : i)];
            add(!by_4_ ? byte : static_cast<uint8_t>(i % 2 == 0 ? byte >> 4 : byte & 15));
        }
        at_ += num_bytes;
        at_ += at_ % 2;
        x_ += what;
        return true;
    }

    Bytes b_;
    int64_t width_, size_;
    bool by_4_;
    size_t at_ = 0;
    int64_t x_ = 0;
    std::vector<uint8_t> out_;
};

Result<Stored> decode_runs(Bytes b, const Bmp& bmp, const Palette& palette) {
    const std::vector<uint8_t> indices =
        Runs(b, bmp).read(std::min<size_t>(bmp.pixels_at, b.size()));
    if (static_cast<int64_t>(indices.size()) < bmp.width * bmp.height) return damaged_image();
    Stored out{{bmp.width, bmp.height, make_large(3 * indices.size())}};
    for (int64_t y = 0; y < bmp.height; ++y) {
        uint8_t* to = out.image.row(bmp.top_down ? y : bmp.height - 1 - y);
        for (int64_t x = 0; x < bmp.width; ++x)
            to =
                std::copy_n(palette[indices[static_cast<size_t>(y * bmp.width + x)]].data(), 3, to);
    }
    return out;
}

Result<Stored> decode_rows(Bytes b, const Bmp& bmp, const Palette& palette, const Order& order,
                           DecodeOptions::Alpha alpha) {
    // The last row needs no padding.
    const size_t used = static_cast<size_t>((bmp.width * bmp.bits + 7) / 8);
    const size_t size = bmp.row_bytes() * static_cast<size_t>(bmp.height - 1) + used;
    if (bmp.pixels_at > b.size() || size > b.size() - bmp.pixels_at) return damaged_image();
    Stored out{
        {bmp.width, bmp.height, make_large(static_cast<size_t>(3 * bmp.width * bmp.height))}};
    std::vector<uint8_t> row(order.alpha >= 0 ? static_cast<size_t>(4 * bmp.width) : 0);
    for (int64_t y = 0; y < bmp.height; ++y) {
        const uint8_t* in = b.data() + bmp.pixels_at + static_cast<size_t>(y) * bmp.row_bytes();
        uint8_t* to = out.image.row(bmp.top_down ? y : bmp.height - 1 - y);
        read_row(in, bmp, palette, order, row.empty() ? to : row.data());
        if (!row.empty()) flatten_rgba(row.data(), bmp.width, alpha, to);
    }
    return out;
}

// Whether the file is of a kind that Pillow reads.
bool is_known_kind(const Bmp& bmp) {
    switch (bmp.compression) {
        case kRaw:
            return bmp.bits == 1 || bmp.bits == 4 || bmp.bits == 8 || bmp.bits == 16 ||
                   bmp.bits == 24 || bmp.bits == 32;
        case kRle8:
            return bmp.bits == 8;
        case kRle4:
            return bmp.bits == 4;
        case kBitFields:
            if (bmp.bits == 16)
                return (bmp.masks[0] == 0xF800 && bmp.masks[1] == 0x7E0 && bmp.masks[2] == 0x1F) ||
                       (bmp.masks[0] == 0x7C00 && bmp.masks[1] == 0x3E0 && bmp.masks[2] == 0x1F);
            return (bmp.bits == 24 || bmp.bits == 32) && order_of(bmp).has_value();
        default:
            return false;
    }
}

}  // namespace

bool is_bmp(Bytes bytes) {
    return bytes.size() >= kFileHeader + 4 && bytes[0] == 'B' && bytes[1] == 'M' &&
           is_header_size(le32(bytes, kFileHeader));
}

Result<ImageHeader> read_bmp_header(Bytes bytes) {
    const auto bmp = read_header(bytes);
    if (!bmp || bmp->width == 0 || bmp->height == 0 || bmp->width > INT32_MAX ||
        bmp->height > INT32_MAX)
        return damaged_image();
    return ImageHeader{ImageFormat::bmp, bmp->width, bmp->height};
}

Result<Stored> decode_bmp(Bytes bytes, DecodeOptions::Alpha alpha) {
    const auto bmp = read_header(bytes);
    if (!bmp) return damaged_image();
    if (!is_known_kind(*bmp)) return rare_image("BMP");
    Palette palette = {};
    if (bmp->bits <= 8) {
        const auto read = read_palette(bytes, *bmp);
        if (!read) return damaged_image();
        palette = *read;
    }
    if (bmp->compression == kRle8 || bmp->compression == kRle4)
        return decode_runs(bytes, *bmp, palette);
    const Order order = bmp->bits >= 24 ? *order_of(*bmp) : Order{0, 0, 0, -1};
    return decode_rows(bytes, *bmp, palette, order, alpha);
}

}  // namespace saker
