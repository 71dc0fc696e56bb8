// `saker compatibility`: what this build reads of checkpoints and pictures, as the page
// docs/compatibility.md. Every list comes from the tables that the rooms themselves read by, and a
// test compares the committed page with this output: `saker compatibility > docs/compatibility.md`
// makes it true again.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/message_keys.h"
#include "json/keys.h"
#include "media/decode.h"
#include "media/foreign.h"
#include "media/preprocessor.h"
#include "models/qwen3_vl_config.h"
#include "models/registry.h"
#include "serve/generation_keys.h"
#include "text/tokenizer_keys.h"
#include "weights/quantization.h"
#include "weights/tensor_names.h"

namespace saker {
namespace {

std::string code(std::string_view text) {
    return fmt::format("`{}`", text);
}

// What stands behind a key: of a refused one the values that pass, and its note.
std::string remark_of(const KnownKey& key) {
    std::string out;
    if (key.use == KeyUse::refused && key.neutral != "[]")
        out += fmt::format(" unless {}", key.neutral.substr(1, key.neutral.size() - 2));
    if (!key.note.empty()) out += fmt::format(" ({})", key.note);
    return out;
}

// "`a`, `b` (note)": neighbours with the same remark share it.
std::string keys_of(const KeyTable& table, KeyUse use) {
    std::string out, remark;
    for (const KnownKey& key : table.keys) {
        if (key.use != use) continue;
        const std::string next = remark_of(key);
        if (!out.empty()) out += (next == remark ? "" : remark) + ", ";
        out += code(key.name);
        remark = next;
    }
    return out + remark;
}

void print_keys(const KeyTable& table) {
    fmt::print("### {}{}\n\n| | keys |\n|---|---|\n", table.file,
               table.object.empty() ? "" : fmt::format(": {}", table.object));
    const auto row = [](const char* name, const std::string& keys) {
        if (!keys.empty()) fmt::print("| {} | {} |\n", name, keys);
    };
    row("honoured", keys_of(table, KeyUse::honoured));
    row("harmless", keys_of(table, KeyUse::harmless));
    row("refused", keys_of(table, KeyUse::refused));
    row("any other", table.unknown == UnknownKeys::refuse ? "refused" : "one warning");
    fmt::print("\n");
}

std::vector<KeyTable> all_keys() {
    std::vector<KeyTable> tables = qwen3_vl_key_tables();
    tables.push_back(fp8_keys());
    for (const KeyTable& table : preprocessor_key_tables()) tables.push_back(table);
    tables.push_back(generation_keys());
    for (const KeyTable* table : TokenizerKeys::all()) tables.push_back(*table);
    for (const KeyTable* table : {&kRequestTable, &kMessageTable, &kPartTable})
        tables.push_back(*table);
    return tables;
}

void print_names() {
    fmt::print(
        "## Names of tensors\n\nThe first row that fits is taken; where a beginning is cut off, "
        "the rest is looked up again.\n\n| in the file | read as |\n|---|---|\n");
    for (const NamePrefix& prefix : name_prefixes())
        fmt::print("| {} | {} |\n", code(std::string(prefix.in_file) + "X"),
                   code(std::string(prefix.released) + "X"));
    fmt::print("\nA checkpoint is not read where one of its tensors\n\n");
    for (const ForeignTensor& tensor : foreign_tensors())
        fmt::print("- {} {}: it {};\n", tensor.how, code(tensor.text), tensor.sentence);
    fmt::print("\n");
}

void print_pictures() {
    fmt::print("## Pictures\n\n| read | which |\n|---|---|\n");
    for (const ReadFormat& format : read_formats())
        fmt::print("| {} | {} |\n", format.name, format.kinds);
    fmt::print("\n| told by name and refused | a command that helps |\n|---|---|\n");
    for (const ForeignKind& kind : foreign_kinds())
        fmt::print("| {} | {} |\n", kind.name, kind.command.empty() ? "" : code(kind.command));
    fmt::print("\n");
}

}  // namespace

int compatibility_command(const Options&) {
    std::string types;
    for (std::string_view type : served_model_types())
        types += (types.empty() ? "" : ", ") + code(type);
    fmt::print(
        "# What Saker reads\n\n"
        "`saker compatibility` prints this page from the tables that the program itself reads by; "
        "a test holds the two together.\n\n"
        "Models: `model_type` {}. Weights: safetensors, one file or shards with an index; bf16, "
        "f16, f32, and FP8 (e4m3 with a scale for each block of 128 x 128); experts as released "
        "(input-major), as transformers 5 stores them, or one tensor each. Among shards the index "
        "decides where a tensor lies; beside an index, a single `model.safetensors` is taken where "
        "it holds every tensor. A model is a folder, a folder of the Hugging Face cache, or the id "
        "`ORG/NAME` of one that lies in it. Every other way of packing weights is refused by its "
        "name.\n\n"
        "## Keys of files\n\n"
        "*Honoured*: read, and does what its file means by it. *Harmless*: known to change nothing "
        "here. *Refused*: would change the answer, and is not done; a value after \"unless\" asks "
        "for nothing and passes, and so does null.\n\n",
        types);
    for (const KeyTable& table : all_keys()) print_keys(table);
    print_names();
    print_pictures();
    return 0;
}

}  // namespace saker
