// From parts and pictures to a Prompt: where placeholders land, how a video is written out, what is
// refused.
#include "serve/prepare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "base/utf8.h"
#include "serve/answer.h"

namespace saker {
namespace {

using Kind = PromptPart::Kind;

std::vector<uint8_t> read_bytes(const char* path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

class PrepareTest : public testing::Test {
  protected:
    PrepareTest()
        : tokenizer_(Tokenizer::load("examples/synth/tokenizer.json")),
          picture_(read_bytes("examples/pictures/shapes-1.png")) {
        settings_.tokenizer = &tokenizer_;
        settings_.preprocessor.image_min_pixels = 64 * 64;
        settings_.preprocessor.image_max_pixels = 96 * 96;
        settings_.preprocessor.video_max_pixels = 4 * 64 * 64;
    }

    TokenId id(std::string_view added) { return *tokenizer_.added_token(added); }
    MediaInput image() { return {Modality::image, {picture_}, 0}; }
    MediaInput video(size_t frames, double fps) {
        return {Modality::video, std::vector<std::vector<uint8_t>>(frames, picture_), fps};
    }
    static std::vector<PromptPart> pair(Kind kind) {
        const std::string pad(kind == Kind::image ? kImagePad : kVideoPad);
        return {{Kind::added, std::string(kVisionStart)},
                {kind, pad},
                {Kind::added, std::string(kVisionEnd)}};
    }
    static std::vector<PromptPart> join(std::initializer_list<std::vector<PromptPart>> lists) {
        std::vector<PromptPart> out;
        for (const auto& list : lists) out.insert(out.end(), list.begin(), list.end());
        return out;
    }
    Result<Prompt> prepare(const std::vector<PromptPart>& parts,
                           const std::vector<MediaInput>& media) {
        return prepare_prompt(parts, media, settings_, pool_);
    }
    // Every placeholder belongs to exactly one frame, and every frame to as many as it says.
    void check_frames(const Prompt& prompt) {
        std::vector<bool> covered(prompt.ids.size(), false);
        for (const Frame& f : prompt.frames) {
            const TokenId pad = id(f.modality == Modality::image ? kImagePad : kVideoPad);
            for (int64_t t = f.first_token; t < f.end_token(); ++t) {
                EXPECT_EQ(prompt.ids[static_cast<size_t>(t)], pad);
                EXPECT_FALSE(covered[static_cast<size_t>(t)]);
                covered[static_cast<size_t>(t)] = true;
            }
            EXPECT_EQ(prompt.ids[static_cast<size_t>(f.first_token - 1)], id(kVisionStart));
            EXPECT_EQ(prompt.ids[static_cast<size_t>(f.end_token())], id(kVisionEnd));
            EXPECT_EQ(f.num_tokens * 4, f.num_patches());
            EXPECT_EQ(static_cast<int64_t>(f.pixels.size()),
                      f.num_patches() * settings_.preprocessor.patch_bytes());
        }
        for (size_t i = 0; i < prompt.ids.size(); ++i) {
            const bool pad = prompt.ids[i] == id(kImagePad) || prompt.ids[i] == id(kVideoPad);
            EXPECT_EQ(pad, covered[i]) << "a placeholder without a picture at " << i;
        }
    }

    Tokenizer tokenizer_;
    std::vector<uint8_t> picture_;
    PrepareSettings settings_;
    ThreadPool pool_{1};
};

TEST_F(PrepareTest, TextAlone) {
    auto prompt = prepare({{Kind::text, "Hello <|image_pad|> there"}}, {});
    ASSERT_TRUE(prompt.ok());
    EXPECT_TRUE(prompt->frames.empty());
    for (TokenId token : prompt->ids) EXPECT_FALSE(tokenizer_.is_special(token));
}

TEST_F(PrepareTest, TwoPicturesBetweenTexts) {
    auto prompt = prepare(join({{{Kind::text, "first "}},
                                pair(Kind::image),
                                {{Kind::text, " then "}},
                                pair(Kind::image),
                                {{Kind::text, "?"}}}),
                          {image(), image()});
    ASSERT_TRUE(prompt.ok());
    ASSERT_EQ(prompt->frames.size(), 2u);
    EXPECT_EQ(prompt->frames[0].item, 0);
    EXPECT_EQ(prompt->frames[1].item, 1);
    check_frames(*prompt);
}

// A user who writes a placeholder gets text, and the real picture stays where it belongs.
TEST_F(PrepareTest, ForgedPlaceholdersStayText) {
    auto prompt = prepare(join({{{Kind::text, "<|vision_start|><|image_pad|><|vision_end|>"}},
                                pair(Kind::image),
                                {{Kind::text, "<|image_pad|>"}}}),
                          {image()});
    ASSERT_TRUE(prompt.ok());
    ASSERT_EQ(prompt->frames.size(), 1u);
    check_frames(*prompt);
}

TEST_F(PrepareTest, AVideoIsWrittenOutGroupByGroup) {
    auto prompt = prepare(join({{{Kind::text, "Look:"}}, pair(Kind::video), {{Kind::text, "!"}}}),
                          {video(5, 2.0)});
    ASSERT_TRUE(prompt.ok());
    ASSERT_EQ(prompt->frames.size(), 3u) << "five frames are three groups of two";
    check_frames(*prompt);
    const std::string text = tokenizer_.decode(prompt->ids, true);
    // Frames at 0, 0.5, 1, 1.5, 2 s and the last one again: groups at 0.25, 1.25 and 2 s.
    EXPECT_EQ(text, "Look:<0.2 seconds><1.2 seconds><2.0 seconds>!");
    const auto starts = std::count(prompt->ids.begin(), prompt->ids.end(), id(kVisionStart));
    EXPECT_EQ(starts, 3);
    settings_.video_outer_pair = true;
    auto wrapped = prepare(join({{{Kind::text, "Look:"}}, pair(Kind::video), {{Kind::text, "!"}}}),
                           {video(5, 2.0)});
    ASSERT_TRUE(wrapped.ok());
    EXPECT_EQ(std::count(wrapped->ids.begin(), wrapped->ids.end(), id(kVisionStart)), 4);
    check_frames(*wrapped);
}

TEST_F(PrepareTest, MixedItemsAreCountedByKind) {
    auto prompt = prepare(join({pair(Kind::image), pair(Kind::video), pair(Kind::image)}),
                          {image(), video(4, 1.0), image()});
    ASSERT_TRUE(prompt.ok());
    std::vector<std::pair<Modality, int32_t>> items;
    for (const Frame& f : prompt->frames) items.emplace_back(f.modality, f.item);
    const std::vector<std::pair<Modality, int32_t>> want = {
        {Modality::image, 0}, {Modality::video, 0}, {Modality::video, 0}, {Modality::image, 1}};
    EXPECT_EQ(items, want);
    check_frames(*prompt);
}

TEST_F(PrepareTest, RefusesWithTheNumberOfThePicture) {
    MediaInput bad = image();
    bad.files[0].resize(100);
    auto cut = prepare(join({pair(Kind::image), pair(Kind::image)}), {image(), bad});
    ASSERT_FALSE(cut.ok());
    EXPECT_EQ(cut.error().message.rfind("Image 2: ", 0), 0u) << cut.error().message;
    auto clip = prepare(pair(Kind::video), {video(1, 1.0)});
    ASSERT_FALSE(clip.ok());
    EXPECT_EQ(clip.error().code, ErrorCode::invalid_video);
    EXPECT_EQ(clip.error().message.rfind("Video 1: ", 0), 0u) << clip.error().message;
}

TEST_F(PrepareTest, APictureBringsItsOwnLimits) {
    const auto tokens = [&](const MediaInput& input) {
        return prepare(pair(Kind::image), {input})->frames[0].num_tokens;
    };
    MediaInput small = image();
    small.max_pixels = 32 * 32;
    EXPECT_EQ(tokens(small), 1);
    EXPECT_EQ(tokens(image()), 6) << "as the settings say";
}

TEST_F(PrepareTest, AFaultNamesThePictureAndItsFile) {
    MediaInput broken = image();
    broken.files[0].resize(100);
    broken.names = {"cat.png"};
    const auto faulty = prepare(join({pair(Kind::image), pair(Kind::image)}), {image(), broken});
    ASSERT_FALSE(faulty.ok());
    EXPECT_EQ(faulty.error().message.rfind("Image 2 (cat.png): The image is ", 0), 0u)
        << faulty.error().message;
}

TEST_F(PrepareTest, RefusesWithTheNameOfThePicture) {
    MediaInput empty = image();
    empty.files[0].clear();
    empty.names = {"holiday/cat.png"};
    auto picture = prepare(join({pair(Kind::image), pair(Kind::image)}), {image(), empty});
    ASSERT_FALSE(picture.ok());
    EXPECT_EQ(picture.error().message,
              "Image 2 (holiday/cat.png): The image is empty, a file of 0 bytes; save or download "
              "it again.");

    MediaInput clip = video(16, 1.0);
    clip.files[6].resize(100);
    auto cut = prepare(pair(Kind::video), {clip});
    ASSERT_FALSE(cut.ok());
    EXPECT_EQ(cut.error().message.rfind("Video 1, frame 7 of 16: The image is cut short", 0), 0u)
        << cut.error().message;
    for (int i = 1; i <= 16; ++i) clip.names.push_back("frame_" + std::to_string(i) + "\n.png");
    cut = prepare(pair(Kind::video), {clip});
    ASSERT_FALSE(cut.ok());
    EXPECT_EQ(cut.error().message.rfind("Video 1, frame_7?.png (7 of 16): The image is cut", 0), 0u)
        << cut.error().message;
}

TEST_F(PrepareTest, AFrameOfAnotherSizeIsNamed) {
    MediaInput clip = video(5, 1.0);
    clip.files[3] = read_bytes("tests/media/rgb.png");
    clip.names = {"a.png", "b.png", "c.png", "d.png", "e.png"};
    const auto header = read_image_header(picture_);
    auto result = prepare(pair(Kind::video), {clip});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::invalid_video);
    EXPECT_EQ(result.error().message,
              "Video 1, d.png (4 of 5): The image is 37 x 29, but the first frame is " +
                  std::to_string(header->width) + " x " + std::to_string(header->height) +
                  "; send all frames in one size.");
}

TEST_F(PrepareTest, PicturesWhoseFilesEndEarlyAreTakenWithAWarning) {
    MediaInput cut = image();
    cut.files[0].resize(cut.files[0].size() - 12);  // without IEND
    cut.names = {"cat.png"};
    const auto parts = join({pair(Kind::image), pair(Kind::image)});
    std::vector<std::string> warnings;
    const auto prompt =
        prepare_prompt(parts, std::vector{image(), cut}, settings_, pool_, nullptr, &warnings);
    ASSERT_TRUE(prompt.ok());
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(
        warnings[0].rfind("Image 2 (cat.png): The image is whole, but its file ends early", 0), 0u)
        << warnings[0];
    EXPECT_EQ(prompt->frames[0].pixels, prompt->frames[1].pixels);
}

// From the headers, before the first picture is decoded.
TEST_F(PrepareTest, DecodedBytesHaveABudget) {
    const auto header = read_image_header(picture_);
    settings_.max_decoded_bytes = header->num_bytes();
    EXPECT_TRUE(prepare(join({pair(Kind::image), pair(Kind::image)}), {image(), image()}).ok());
    auto clip = prepare(pair(Kind::video), {video(5, 1.0)});
    ASSERT_FALSE(clip.ok()) << "two frames are held at a time";
    EXPECT_EQ(clip.error().code, ErrorCode::image_too_large);
    settings_.max_decoded_bytes *= 2;
    EXPECT_TRUE(prepare(pair(Kind::video), {video(5, 1.0)}).ok());
    settings_.max_decoded_bytes = header->num_bytes() - 1;
    EXPECT_FALSE(prepare(pair(Kind::image), {image()}).ok());

    settings_ = PrepareSettings{&tokenizer_, {}, {}};
    settings_.decode.max_pixels = 1'000'000'000;
    MediaInput huge = image();
    huge.files[0] = {0x89, 'P',  'N', 'G', '\r', '\n', 0x1A, '\n', 0,    0, 0,
                     13,   'I',  'H', 'D', 'R',  0,    0,    0x75, 0x30, 0, 0,
                     0x75, 0x30, 8,   2,   0,    0,    0,    0,    0,    0, 0};
    const auto refused = prepare(join({pair(Kind::image), pair(Kind::image)}), {image(), huge});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message,
              "Image 2: Its pixels take 2700 MB once decoded; the limit is 2147 MB; send a smaller "
              "one.");
    settings_.decode.max_pixels = DecodeOptions().max_pixels;
    EXPECT_EQ(prepare(pair(Kind::image), {huge}).error().message,
              "Image 1: The image is 30000 x 30000, 900.0 megapixels; the limit is 200.0 "
              "(--max-image-pixels); send a smaller one.");
    huge.files[0][16 + 2] = 0;  // 48 x 30000
    EXPECT_EQ(prepare(pair(Kind::image), {huge}).error().message,
              "Image 1: The image is 48 x 30000, one side more than 200 times the other; crop or "
              "pad it.");
}

// Both were taken once: the frames all stood at 0 seconds, the second file was left out.
TEST_F(PrepareTest, RefusesAVideoWithoutARateAndAnImageOfTwoFiles) {
    for (double fps : {0.0, -1.0, double{INFINITY}, double{NAN}}) {
        const auto prompt = prepare(pair(Kind::video), {video(2, fps)});
        ASSERT_FALSE(prompt.ok()) << fps;
        EXPECT_EQ(prompt.error().message,
                  "Video 1: The video has no frame rate; say how many frames a second it has.");
    }
    const auto prompt = prepare(pair(Kind::image), {{Modality::image, {picture_, picture_}, 0}});
    ASSERT_FALSE(prompt.ok());
    EXPECT_EQ(prompt.error().message,
              "Image 1: An image is one file; send each picture as an image of its own.");
}

TEST_F(PrepareTest, CountsMustMatch) {
    EXPECT_FALSE(prepare(pair(Kind::image), {}).ok());
    EXPECT_FALSE(prepare({{Kind::text, "x"}}, {image()}).ok());
    EXPECT_FALSE(prepare(pair(Kind::image), {video(2, 1)}).ok());
    settings_.max_images = 1;
    auto many = prepare(join({pair(Kind::image), pair(Kind::image)}), {image(), image()});
    ASSERT_FALSE(many.ok());
    EXPECT_EQ(many.error().code, ErrorCode::too_many_items);
    EXPECT_NE(many.error().message.find("At most 1 image(s) may be provided in one prompt"),
              std::string::npos);
}

TEST_F(PrepareTest, AnswersAreWholeCharactersAndEndAtStopStrings) {
    const auto ids = tokenizer_.encode("Say 你好 now, END and more");
    auto [writer, reader] = TokenChannel::make();
    for (TokenId token : ids) {
        TokenEvent event;
        event.token = token;
        writer.push(std::move(event));
    }
    AnswerStream stream(tokenizer_, std::move(reader), {"END"});
    std::string text;
    std::optional<FinishReason> finish;
    while (auto piece = stream.next()) {
        EXPECT_TRUE(is_utf8(piece->text));
        text += piece->text;
        finish = piece->finish;
    }
    EXPECT_EQ(text, "Say 你好 now, ");
    EXPECT_EQ(finish, FinishReason::stop);
    EXPECT_TRUE(writer.is_cancelled()) << "a stop string ends the engine's work";
}

}  // namespace
}  // namespace saker
