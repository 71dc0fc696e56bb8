// Pointers, web pages and refusals are told from files that only resemble them.
#include "base/stand_in.h"

#include <gtest/gtest.h>

#include <string>

namespace saker {
namespace {

TEST(StandIn, KnowsWhatDownloadsLeave) {
    const auto says = [](std::string_view bytes, std::string_view part) {
        return stand_in(bytes).find(part) != std::string_view::npos;
    };
    EXPECT_TRUE(says("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS"));
    EXPECT_TRUE(says("<!DOCTYPE html>\n<html>", "web page"));
    EXPECT_TRUE(says("\xEF\xBB\xBF \n<HTML lang=en>", "web page"));
    EXPECT_TRUE(says("<?xml version=\"1.0\"?><Error><Code>AccessDenied", "web page"));
    EXPECT_TRUE(says("Entry not found", "refused download"));
    EXPECT_TRUE(says("Access to model Qwen/X is restricted.", "refused download"));
}

TEST(StandIn, LeavesFilesAlone) {
    for (std::string_view bytes :
         {"", " ", "{", "{\"model_type\": \"<html\"}", "version", "version https://git-l", "<",
          "{%- if tools %}", "<|im_start|>", "\x89PNG", "GGUF"})
        EXPECT_EQ("", stand_in(bytes)) << bytes;
}

}  // namespace
}  // namespace saker
