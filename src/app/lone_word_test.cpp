// What people ask in one word, and what they mistype.
#include "app/lone_word.h"

#include <gtest/gtest.h>

namespace saker {
namespace {

TEST(LoneWord, Questions) {
    for (const char* word :
         {"Why?", "Hello", "hi", "What's", "What is a/b?", "a/b?", "What is in ./x.png", "...why?",
          "图里有什么", "图里有3个人吗", "两个a/b吗？", "这是什么？", "Describe!", "Привет",
          "ماذا؟", "Describe\tit", "一张图。"})
        EXPECT_FALSE(looks_like_path(word)) << word;
}

TEST(LoneWord, PathsAndNames) {
    for (const char* word : {"/models/X",
                             "models/demo",
                             "./model",
                             "../x",
                             ".",
                             "..",
                             "~",
                             "~/model",
                             "C:\\models",
                             "Qwen/Qwen3-VL-4B-Instruct",
                             "Qwen3-VL",
                             "model_2",
                             "demo2",
                             "model.safetensors",
                             "picture.PNG",
                             "图.png",
                             "/模型/x",
                             "models--Qwen--X",
                             "x.gguf",
                             "http://host/x",
                             "-"})
        EXPECT_TRUE(looks_like_path(word)) << word;
}

}  // namespace
}  // namespace saker
