// See tokenizer_keys.h. A note says why a key changes nothing, or what a refused one would do.
#include "text/tokenizer_keys.h"

#include <array>

namespace saker {
namespace {

using enum KeyUse;
constexpr std::string_view kFile = "tokenizer.json";

constexpr KnownKey kTop[] = {
    {"version", harmless},
    {"truncation", harmless, "[]", "transformers resets it unless a call asks to truncate"},
    {"padding", harmless, "[]", "transformers resets it unless a call asks to pad"},
    {"added_tokens"},
    {"normalizer"},
    {"pre_tokenizer"},
    {"post_processor"},
    {"decoder"},
    {"model"}};

constexpr KnownKey kModel[] = {
    {"type"},
    {"vocab"},
    {"merges"},
    {"ignore_merges"},
    {"dropout", refused, "[0]", "random merges"},
    {"unk_token", harmless, "[]", "every byte has a token"},
    {"fuse_unk", harmless, "[]", "every byte has a token"},
    {"byte_fallback", harmless, "[]", "every byte has a token"},
    {"continuing_subword_prefix", refused, "[\"\"]", "letters before all tokens but the first"},
    {"end_of_word_suffix", refused, "[\"\"]", "letters behind the last token of a word"}};

constexpr KnownKey kAddedToken[] = {{"id"},     {"content"}, {"single_word"}, {"lstrip"},
                                    {"rstrip"}, {"special"}, {"normalized"}};

constexpr KnownKey kSequence[] = {
    {"type"}, {"normalizers"}, {"pretokenizers"}, {"processors"}, {"decoders"}};
constexpr KnownKey kNormalForm[] = {{"type"}};
constexpr KnownKey kSplit[] = {{"type"},
                               {"pattern"},
                               {"behavior"},
                               {"invert", harmless, "[]", "Isolated pieces are the same"}};
constexpr KnownKey kPattern[] = {{"Regex"}, {"String"}};
constexpr KnownKey kDigits[] = {{"type"}, {"individual_digits"}};
constexpr KnownKey kByteLevel[] = {
    {"type"},
    {"add_prefix_space", honoured, "[]", "of the pre-tokenizer; elsewhere without effect"},
    {"use_regex", honoured, "[]", "of the pre-tokenizer; elsewhere without effect"},
    {"trim_offsets", harmless, "[]", "moves offsets alone"}};
constexpr KnownKey kFuse[] = {{"type"}};
constexpr KnownKey kLayout[] = {
    {"type"},
    {"single"},
    {"pair", harmless, "[]", "for two texts at once"},
    {"special_tokens", harmless, "[]", "where single names none of them"}};

constexpr std::string_view kNamed = "a special token; one that tokenizer.json lacks is added";
constexpr std::string_view kVariable = "a variable of the chat template";
constexpr KnownKey kSettings[] = {
    {"added_tokens_decoder"},
    {"chat_template"},
    {"bos_token", honoured, "[]", kNamed},
    {"eos_token", honoured, "[]", kNamed},
    {"unk_token", honoured, "[]", kNamed},
    {"sep_token", honoured, "[]", kNamed},
    {"pad_token", honoured, "[]", kNamed},
    {"cls_token", honoured, "[]", kNamed},
    {"mask_token", honoured, "[]", kNamed},
    {"additional_special_tokens", honoured, "[]", kNamed},
    {"extra_special_tokens", honoured, "[]", "as a list: special tokens, likewise"},
    {"split_special_tokens", refused, "[false]", "control tokens read as text"},
    {"add_prefix_space", refused, "[false]", "a blank before every piece"},
    {"add_bos_token", harmless, "[]", "transformers adds none with this tokenizer"},
    {"add_eos_token", harmless, "[]", "transformers adds none with this tokenizer"},
    {"clean_up_tokenization_spaces", harmless, "[]", "transformers ignores it for BPE"},
    {"model_max_length", harmless, "[]", "warns only"},
    {"errors", harmless, "[]", "bytes that are not UTF-8 always become U+FFFD"},
    {"tokenizer_class", harmless, "[]", "tokenizer.json says what to do"},
    {"processor_class", harmless},
    {"backend", harmless},
    {"auto_map", harmless, "[]", "no code of a model's folder is ever run"},
    {"use_fast", harmless},
    {"legacy", harmless},
    {"is_local", harmless},
    {"local_files_only", harmless},
    {"name_or_path", harmless},
    {"tokenizer_file", harmless},
    {"special_tokens_map_file", harmless},
    {"model_input_names", harmless},
    {"model_specific_special_tokens", harmless, "[]", "other names for added tokens"},
    {"image_token", honoured, "[]", kVariable},
    {"video_token", honoured, "[]", kVariable},
    {"vision_bos_token", honoured, "[]", kVariable},
    {"vision_eos_token", honoured, "[]", kVariable},
    {"response_schema", harmless, "[]", "how an answer may be parsed"},
    {"response_template", harmless, "[]", "how an answer may be parsed"},
    {"normalization", harmless, "[]", "tokenizer.json says what to do"},
    {"use_default_system_prompt", harmless, "[]", "the chat template says it"},
    {"return_token_type_ids", harmless},
    {"padding", harmless, "[]", "nothing is padded"},
    {"truncation", harmless, "[]", "nothing is cut"},
    {"padding_side", harmless, "[]", "nothing is padded"},
    {"pad_to_multiple_of", harmless, "[]", "nothing is padded"},
    {"pad_token_type_id", harmless, "[]", "nothing is padded"},
    {"truncation_side", harmless, "[]", "nothing is cut"},
    {"truncation_strategy", harmless, "[]", "nothing is cut"},
    {"max_length", harmless, "[]", "nothing is cut"},
    {"stride", harmless, "[]", "nothing is cut"}};
constexpr KnownKey kAddedSetting[] = {{"__type", harmless}, {"content"}, {"single_word"},
                                      {"lstrip"},           {"rstrip"},  {"special"},
                                      {"normalized"}};

}  // namespace

const KeyTable TokenizerKeys::top = {kFile, "", UnknownKeys::warn, kTop};
const KeyTable TokenizerKeys::model = {kFile, "model", UnknownKeys::warn, kModel};
const KeyTable TokenizerKeys::added_token = {kFile, "added_tokens[]", UnknownKeys::warn,
                                             kAddedToken};
const KeyTable TokenizerKeys::sequence = {kFile, "Sequence", UnknownKeys::warn, kSequence};
const KeyTable TokenizerKeys::normal_form = {kFile, "NFC, NFD", UnknownKeys::warn, kNormalForm};
const KeyTable TokenizerKeys::split = {kFile, "Split", UnknownKeys::warn, kSplit};
const KeyTable TokenizerKeys::pattern = {kFile, "Split.pattern", UnknownKeys::refuse, kPattern};
const KeyTable TokenizerKeys::digits = {kFile, "Digits", UnknownKeys::warn, kDigits};
const KeyTable TokenizerKeys::byte_level = {kFile, "ByteLevel", UnknownKeys::warn, kByteLevel};
const KeyTable TokenizerKeys::fuse = {kFile, "Fuse", UnknownKeys::warn, kFuse};
const KeyTable TokenizerKeys::layout = {kFile, "TemplateProcessing", UnknownKeys::warn, kLayout};
const KeyTable TokenizerKeys::settings = {"tokenizer_config.json", "", UnknownKeys::warn,
                                          kSettings};
const KeyTable TokenizerKeys::added_setting = {"tokenizer_config.json", "added_tokens_decoder[]",
                                               UnknownKeys::warn, kAddedSetting};

std::span<const KeyTable* const> TokenizerKeys::all() {
    static constexpr std::array kAll = {
        &top,    &model,      &added_token, &sequence, &normal_form, &split,        &pattern,
        &digits, &byte_level, &fuse,        &layout,   &settings,    &added_setting};
    return kAll;
}

}  // namespace saker
