// JPEG by libjpeg-turbo. The header and the EXIF block are found by a walk over the markers of our
// own, which allocates nothing.
//
// libjpeg reports errors by calling back and expecting no return. We jump back (longjmp) to the
// step that was begun; no C++ object with a destructor lives between the two, so nothing is
// skipped. What libjpeg would only warn of and paint over (missing or wrong scan content) is an
// error here.
#include <csetjmp>
#include <cstdio>
#include <cstring>

extern "C" {
#include <jerror.h>
#include <jpeglib.h>
}

#include "media/formats.h"
#include "media/large_buffer.h"
#include "media/orientation.h"

namespace saker {
namespace {

// A progressive file may hold any number of scans, each of which costs a pass over the whole
// picture; real ones have about ten.
constexpr int kMaxScans = 100;

struct Markers {
    ImageHeader header{ImageFormat::jpeg, 0, 0};
    int precision = 0, num_components = 0;
    uint8_t frame = 0;  // the start-of-frame marker, 0 where none was found
    Bytes exif;
};

// Reads marker segments up to the first scan.
Markers walk(Bytes b) {
    Markers found;
    size_t at = 2;
    while (at + 4 <= b.size() && b[at] == 0xFF) {
        const uint8_t marker = b[at + 1];
        if (marker == 0xFF) {  // a fill byte
            ++at;
            continue;
        }
        if (marker == 0xDA || marker == 0xD9) break;
        if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) {  // these have no length
            at += 2;
            continue;
        }
        const size_t length = be16(b, at + 2);
        const bool is_frame =
            marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (is_frame && found.frame == 0 && length >= 8 && at + 10 <= b.size()) {
            found.frame = marker;
            found.precision = b[at + 4];
            found.header.height = be16(b, at + 5);
            found.header.width = be16(b, at + 7);
            found.num_components = b[at + 9];
        }
        if (length < 2 || length > b.size() - at - 2) break;
        const Bytes body = b.subspan(at + 4, length - 2);
        if (marker == 0xE1 && found.exif.empty() && body.size() > 6 &&
            std::memcmp(body.data(), "Exif\0", 5) == 0)
            found.exif = body.subspan(6);
        at += 2 + length;
    }
    return found;
}

bool is_tolerable(int warning) {
    switch (warning) {
        case JWRN_EXTRANEOUS_DATA:  // stuffing between segments
        case JWRN_ADOBE_XFORM:
        case JWRN_JFIF_MAJOR:
        case JWRN_TOO_MUCH_DATA:
        case JWRN_BOGUS_PROGRESSION:
            return true;
        default:
            return false;
    }
}

class Decompressor {
  public:
    explicit Decompressor(Bytes bytes) {
        jpeg_.err = jpeg_std_error(&errors_);
        errors_.error_exit = [](j_common_ptr jpeg) { jump(jpeg); };
        errors_.emit_message = [](j_common_ptr jpeg, int level) {
            if (level < 0 && !is_tolerable(jpeg->err->msg_code)) jump(jpeg);
        };
        errors_.output_message = [](j_common_ptr) {};
        jpeg_.client_data = this;
        source_.next_input_byte = bytes.data();
        source_.bytes_in_buffer = bytes.size();
        source_.init_source = source_.term_source = [](j_decompress_ptr) {};
        source_.fill_input_buffer = [](j_decompress_ptr jpeg) -> boolean {
            ERREXIT(jpeg, JERR_INPUT_EOF);
            return FALSE;
        };
        source_.skip_input_data = [](j_decompress_ptr jpeg, long n) {
            if (n <= 0) return;
            if (static_cast<size_t>(n) > jpeg->src->bytes_in_buffer) ERREXIT(jpeg, JERR_INPUT_EOF);
            jpeg->src->next_input_byte += n;
            jpeg->src->bytes_in_buffer -= static_cast<size_t>(n);
        };
        source_.resync_to_restart = jpeg_resync_to_restart;
        progress_.progress_monitor = [](j_common_ptr jpeg) {
            if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > kMaxScans) jump(jpeg);
        };
    }
    ~Decompressor() { jpeg_destroy_decompress(&jpeg_); }
    Decompressor(const Decompressor&) = delete;
    Decompressor& operator=(const Decompressor&) = delete;

    /// Reads the header and starts; false on any fault.
    bool start() {
        return guarded([this] {
            jpeg_create_decompress(&jpeg_);
            jpeg_.src = &source_;
            jpeg_.progress = &progress_;
            jpeg_read_header(&jpeg_, TRUE);
            jpeg_.out_color_space = jpeg_.num_components == 4 ? JCS_CMYK : JCS_RGB;
            jpeg_.dct_method = JDCT_ISLOW;
            jpeg_.do_fancy_upsampling = TRUE;
            jpeg_start_decompress(&jpeg_);
        });
    }
    bool read_row(uint8_t* row) {
        return guarded([this, row] {
            JSAMPROW rows[1] = {row};
            if (jpeg_read_scanlines(&jpeg_, rows, 1) != 1) jump(as_common());
        });
    }
    /// Reads to the end marker, so that a file without it is found out.
    bool finish() {
        return guarded([this] { jpeg_finish_decompress(&jpeg_); });
    }

    int64_t width() const { return jpeg_.output_width; }
    int64_t height() const { return jpeg_.output_height; }
    int64_t channels() const { return jpeg_.output_components; }

  private:
    j_common_ptr as_common() { return reinterpret_cast<j_common_ptr>(&jpeg_); }

    [[noreturn]] static void jump(j_common_ptr jpeg) {
        std::longjmp(static_cast<Decompressor*>(jpeg->client_data)->back_, 1);
    }

    // `step` holds pointers alone: a jump out of it skips no destructor.
    template <class Step>
    bool guarded(const Step& step) {
        static_assert(std::is_trivially_destructible_v<Step>);
        if (setjmp(back_) != 0) return false;
        step();
        return true;
    }

    jpeg_decompress_struct jpeg_{};
    jpeg_error_mgr errors_{};
    jpeg_source_mgr source_{};
    jpeg_progress_mgr progress_{};
    std::jmp_buf back_;
};

// In place. Adobe stores CMYK inverted, and so does everyone since; the product is Pillow's.
void flatten_cmyk(uint8_t* row, int64_t num_pixels) {
    const uint8_t* cmyk = row;
    for (int64_t x = 0; x < num_pixels; ++x, cmyk += 4, row += 3) {
        const int key = cmyk[3];  // 255 - black
        for (int c = 0; c < 3; ++c) {
            const int ink = (255 - cmyk[c]) * key + 128;
            row[c] = static_cast<uint8_t>(key - ((ink + (ink >> 8)) >> 8));
        }
    }
}

}  // namespace

Result<ImageHeader> read_jpeg_header(Bytes bytes) {
    const Markers found = walk(bytes);
    if (found.frame == 0 || found.header.width == 0 || found.header.height == 0)
        return damaged_image();
    return found.header;
}

Result<Stored> decode_jpeg(Bytes bytes, const ImageHeader& header) {
    const Markers found = walk(bytes);
    const int n = found.num_components;
    if (found.precision != 8 || (n != 1 && n != 3 && n != 4)) return rare_image("JPEG");
    // Baseline, extended and progressive, by Huffman or arithmetic coding; not the lossless and
    // hierarchical ones.
    const uint8_t f = found.frame;
    if (f != 0xC0 && f != 0xC1 && f != 0xC2 && f != 0xC9 && f != 0xCA) return rare_image("JPEG");

    if (header.width > JPEG_MAX_DIMENSION || header.height > JPEG_MAX_DIMENSION)
        return Error{ErrorCode::unsupported_image, "The image is a JPEG with a side of more than " +
                                                       std::to_string(JPEG_MAX_DIMENSION) +
                                                       " pixels; send a smaller one."};
    Decompressor jpeg(bytes);
    if (!jpeg.start()) return damaged_image();
    const int64_t row_bytes = jpeg.width() * jpeg.channels();
    if (jpeg.width() != header.width || jpeg.height() != header.height) return damaged_image();
    if (jpeg.channels() != (n == 4 ? 4 : 3)) return damaged_image();

    Stored out{{header.width, header.height, {}}, exif_orientation(found.exif)};
    reserve_large(out.image.rgb, header.width * header.height * 3);
    std::vector<uint8_t> row(row_bytes);
    for (int64_t y = 0; y < header.height; ++y) {
        if (!jpeg.read_row(row.data())) return damaged_image();
        if (n == 4) flatten_cmyk(row.data(), header.width);
        out.image.rgb.insert(out.image.rgb.end(), row.data(), row.data() + 3 * header.width);
    }
    if (!jpeg.finish()) return damaged_image();
    return out;
}

}  // namespace saker
