// smart_resize, which picks the size that the model sees, and resize, which makes it.
//
// Sizes: model specification 5.2 (images) and 6.3 (videos). Pixels: 5.3, antialiased bicubic with
// a = -0.5, horizontal pass, rounding to a byte, vertical pass; a pass that changes nothing is
// skipped. Results are bit-equal to torch's uint8 kernel or to Pillow, on every CPU and for any
// number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "media/image.h"

namespace saker {

struct Size {
    int64_t height = 0, width = 0;
    bool operator==(const Size&) const = default;
};

/// "640 x 480", the width first, as people write it.
std::string in_words(Size size);

/// Both sides multiples of `factor`, their product within [min_pixels, max_pixels] as far as the
/// published rule keeps it there (it rounds to the nearest multiple first). Error invalid_image:
/// a side of 0, or one side above 200 times the other.
Result<Size> smart_resize(Size in, int64_t factor, int64_t min_pixels, int64_t max_pixels);

/// The same for `num_frames` frames of one size: the budget is over all of them, counted after
/// rounding to a multiple of `temporal`. Frames below `factor` on a side are first enlarged. Error
/// invalid_video: fewer than `temporal` frames, or a size that smart_resize refuses.
Result<Size> smart_resize_video(int64_t num_frames, Size in, int64_t factor, int64_t temporal,
                                int64_t min_pixels, int64_t max_pixels);

/// Whose arithmetic: torch weighs with 16 bits, Pillow (up to 12) with 22; they differ in about 1 %
/// of bytes. Pillow 13 runs whichever pass is cheaper first, which changes more bytes than that, so
/// its order is not followed.
enum class Resample : uint8_t { torch, pillow };

/// `image` at size `out`, both at least 1 x 1.
Image resize(const Image& image, Size out, Resample resample, ThreadPool& pool);

/// The weights of one resize; made once, shared by the threads that run it.
struct ResizePlan {
    /// One pass: each output is a weighted sum of a run of inputs.
    struct Axis {
        int64_t taps = 0;            // weights kept for each output, a multiple of 4
        int shift = 0;               // binary places of the weights
        std::vector<int64_t> first;  // [out] first input
        std::vector<int64_t> count;  // [out] inputs used, 1 to taps
        std::vector<int16_t> w16;    // [out, taps], zero beyond count; torch
        std::vector<int32_t> w32;    // [out, taps], zero beyond count; pillow
    };

    ResizePlan(Size input, Size output, Resample whose);

    Size in, out;
    Resample resample;
    Axis x, y;  // taps = 0 where that side keeps its size
};

/// The rows of a resized picture, in order, for one thread: for callers that consume rows as they
/// come instead of keeping the picture. Borrows plan and image.
class ResizedRows {
  public:
    ResizedRows(const ResizePlan& plan, const Image& image, int64_t begin);

    /// The next `num_rows` rows, dense, into `out`.
    void read(int64_t num_rows, uint8_t* out);

  private:
    const uint8_t* narrowed(int64_t row) const;
    void narrow_up_to(int64_t end);

    const ResizePlan& plan_;
    const Image& image_;
    int64_t next_;  // output row that read() gives next
    int64_t ring_rows_ = 0,
            ring_next_ = 0;                // input rows after the horizontal pass: [.., ring_next_)
    std::vector<uint8_t> ring_;            // [ring_rows_, out.width, 3]
    std::vector<const uint8_t*> sources_;  // of one vertical sum
};

}  // namespace saker
