// What of a folder is a frame, in which order, and what is said of the rest.
#include "media/frame_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "media/test_pictures.h"

namespace saker {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class FrameFolderTest : public testing::Test {
  protected:
    void SetUp() override {
        dir_ = fs::temp_directory_path() /
               ("saker-frames-" +
                std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        fs::remove_all(dir_);
        fs::create_directories(dir_);
    }
    void TearDown() override { fs::remove_all(dir_); }

    void write(const std::string& name, const std::string& text) {
        std::ofstream(dir_ / name, std::ios::binary) << text;
    }
    void copy(const std::string& picture, const std::string& name) {
        fs::copy_file(fs::path("tests/media") / picture, dir_ / name);
    }
    static Names names_of(const FrameFolder& folder) {
        Names names;
        for (const fs::path& path : folder.pictures) names.push_back(path.filename().string());
        return names;
    }
    std::string fault() {
        const auto folder = list_frames(dir_);
        return folder ? "" : folder.error().message;
    }

    fs::path dir_;
};

TEST_F(FrameFolderTest, NumbersInNamesDecide) {
    Names want;
    for (int i = 30; i <= 240; i += 30) want.push_back("frame_" + std::to_string(i) + ".png");
    for (const std::string& name : want) copy("one_pixel.png", name);
    const auto folder = list_frames(dir_);
    ASSERT_TRUE(folder.ok());
    EXPECT_EQ(names_of(*folder), want);
    EXPECT_TRUE(folder->passed_over.empty());
    EXPECT_EQ(folder->pictures[0], dir_ / "frame_30.png");
}

TEST_F(FrameFolderTest, StrayFilesArePassedOver) {
    copy("one_pixel.png", "10.png");
    copy("one_pixel.jpg", "9");  // by its content
    copy("one_pixel.gif", "9.txt");
    write("readme.txt", "Frames of a clip.");
    write("Thumbs.db", std::string("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8));
    write("clip.mp4", std::string("\0\0\0\x18"
                                  "ftypisom\0\0\0\0",
                                  16));
    write("cover.pdf", "%PDF-1.7\n");
    write("empty", "");
    write(".DS_Store", std::string("\0\0\0\1Bud1", 8));
    write("._10.png", "AppleDouble");
    fs::create_directory(dir_ / "more.png");
    mkfifo((dir_ / "pipe").c_str(), 0600);
    const auto folder = list_frames(dir_);
    ASSERT_TRUE(folder.ok());
    EXPECT_EQ(names_of(*folder), (Names{"9", "9.txt", "10.png"}));
    EXPECT_EQ(folder->passed_over, (Names{"Thumbs.db", "clip.mp4", "cover.pdf", "empty", "more.png",
                                          "pipe", "readme.txt"}));
}

// Leaving one out would move the frames behind it.
TEST_F(FrameFolderTest, BrokenAndForeignFramesStay) {
    copy("one_pixel.png", "1.png");
    write("2.png", "");
    write("3.JPG", "<!DOCTYPE html>");
    write("4.heic", std::string("\0\0\0\x18"
                                "ftypheic\0\0\0\0",
                                16));
    write("5", std::string("II*\0\x08\0\0\0", 8));
    write("6", "\x89PNG\r\n\x1A\n");
    fs::create_symlink("nowhere", dir_ / "7.png");
    fs::create_symlink("1.png", dir_ / "8");
    const auto folder = list_frames(dir_);
    ASSERT_TRUE(folder.ok());
    EXPECT_EQ(names_of(*folder),
              (Names{"1.png", "2.png", "3.JPG", "4.heic", "5", "6", "7.png", "8"}));
    EXPECT_TRUE(folder->passed_over.empty());
}

TEST_F(FrameFolderTest, AFolderWithoutPicturesSaysWhatItHolds) {
    EXPECT_NE(fault().find(dir_.string() + ": is not a folder of pictures, it is empty; "),
              std::string::npos)
        << fault();
    write(".DS_Store", "x");
    EXPECT_NE(fault().find("it holds hidden files alone"), std::string::npos) << fault();
    write("readme.txt", "x");
    EXPECT_NE(fault().find("it holds \"readme.txt\";"), std::string::npos) << fault();
    write("notes\n.txt", "x");
    EXPECT_NE(fault().find("it holds \"notes?.txt\" and \"readme.txt\";"), std::string::npos)
        << fault();
    write("a", "x");
    EXPECT_NE(fault().find("it holds \"a\" and 2 more;"), std::string::npos) << fault();
}

TEST_F(FrameFolderTest, WhatIsNoFolderIsNamed) {
    write("clip.mov", std::string("\0\0\0\x14"
                                  "ftypqt  \0\0\0\0",
                                  16));
    const auto video = list_frames(dir_ / "clip.mov");
    ASSERT_FALSE(video.ok());
    EXPECT_NE(video.error().message.find("clip.mov: is a video (QuickTime), not a folder"),
              std::string::npos)
        << video.error().message;
    const auto missing = list_frames(dir_ / "none");
    ASSERT_FALSE(missing.ok());
    EXPECT_NE(missing.error().message.find("none: is not a folder of pictures, there is nothing"),
              std::string::npos)
        << missing.error().message;
}

}  // namespace
}  // namespace saker
