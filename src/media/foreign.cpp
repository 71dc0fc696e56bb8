// Magic bytes as the formats' own specifications give them. ISO base media files (HEIC, AVIF, MP4)
// are told apart by the brand in their first box.
#include "media/foreign.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "media/formats.h"

namespace saker {
namespace {

using namespace std::string_view_literals;
using Sort = ForeignKind::Sort;

constexpr std::string_view kConvert = "convert IN OUT.png";

struct Magic {
    size_t at;
    std::string_view bytes;
    ForeignKind kind;
};

constexpr ForeignKind kMp4 = {Sort::video, "a video (MP4)", ""};
constexpr ForeignKind kQuickTime = {Sort::video, "a video (QuickTime)", ""};
constexpr ForeignKind kMpeg = {Sort::video, "a video (MPEG)", ""};
constexpr ForeignKind kHeic = {Sort::photo, "a HEIC picture", "heif-convert IN.heic OUT.jpg"};
constexpr ForeignKind kAvif = {Sort::photo, "an AVIF picture", "avifdec IN.avif OUT.png"};
constexpr ForeignKind kTiff = {Sort::photo, "a TIFF picture", kConvert};
constexpr ForeignKind kRaw = {Sort::photo, "a camera's raw picture", "darktable-cli IN OUT.jpg"};
constexpr ForeignKind kJxl = {Sort::photo, "a JPEG XL picture", "djxl IN.jxl OUT.png"};
constexpr ForeignKind kJp2 = {Sort::photo, "a JPEG 2000 picture",
                              "opj_decompress -i IN.jp2 -o OUT.png"};
constexpr ForeignKind kSvg = {Sort::drawing, "an SVG drawing", "rsvg-convert IN.svg -o OUT.png"};
constexpr ForeignKind kPostScript = {Sort::drawing, "a PostScript document", kConvert};

// The first row that fits counts.
constexpr auto kMagic = std::to_array<Magic>({
    {8, "CR\x02"sv, kRaw},  // Canon's, in a TIFF
    {0, "II*\0"sv, kTiff},
    {0, "MM\0*"sv, kTiff},
    {0, "II+\0"sv, kTiff},
    {0, "MM\0+"sv, kTiff},
    {0, "IIU\0"sv, kRaw},
    {0, "IIRO"sv, kRaw},
    {0, "IIRS"sv, kRaw},
    {0, "MMOR"sv, kRaw},
    {0, "FUJIFILMCCD-RAW"sv, kRaw},
    {0, "FOVb"sv, kRaw},
    {0, "\xFF\x0A"sv, kJxl},
    {0, "\0\0\0\x0CJXL \r\n\x87\n"sv, kJxl},
    {0, "\0\0\0\x0CjP  \r\n\x87\n"sv, kJp2},
    {0, "\xFF\x4F\xFF\x51"sv, kJp2},
    {0, "P1\n"sv, {Sort::photo, "a PBM picture", kConvert}},
    {0, "P2\n"sv, {Sort::photo, "a PGM picture", kConvert}},
    {0, "P3\n"sv, {Sort::photo, "a PPM picture", kConvert}},
    {0, "P4\n"sv, {Sort::photo, "a PBM picture", kConvert}},
    {0, "P5\n"sv, {Sort::photo, "a PGM picture", kConvert}},
    {0, "P6\n"sv, {Sort::photo, "a PPM picture", kConvert}},
    {0, "qoif"sv, {Sort::photo, "a QOI picture", kConvert}},
    {0, "v/1\x01"sv, {Sort::photo, "an OpenEXR picture", kConvert}},
    {0, "DDS "sv, {Sort::photo, "a DDS picture", kConvert}},
    {0, "\0\0\x01\0"sv, {Sort::drawing, "an icon (ICO)", "convert 'IN.ico[0]' OUT.png"}},
    {0, "icns"sv, {Sort::drawing, "an icon (ICNS)", kConvert}},
    {0, "8BPS"sv, {Sort::drawing, "a Photoshop file (PSD)", "convert 'IN.psd[0]' OUT.png"}},
    {0, "gimp xcf"sv, {Sort::drawing, "a GIMP file (XCF)", "convert IN.xcf -flatten OUT.png"}},
    {0, "%PDF-"sv, {Sort::drawing, "a PDF document", "pdftoppm -png IN.pdf OUT"}},
    {0, "%!PS"sv, kPostScript},
    {0, "\xC5\xD0\xD3\xC6"sv, kPostScript},
    {0, "\x1A\x45\xDF\xA3"sv, {Sort::video, "a video (WebM or Matroska)", ""}},
    {8, "AVI LIST"sv, {Sort::video, "a video (AVI)", ""}},
    {0, "FLV\x01"sv, {Sort::video, "a video (FLV)", ""}},
    {0, "OggS"sv, {Sort::video, "an Ogg file", ""}},
    {0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11"sv, {Sort::video, "a video (WMV)", ""}},
    {0, "\0\0\x01\xBA"sv, kMpeg},
    {0, "\0\0\x01\xB3"sv, kMpeg},
    {4, "moov"sv, kQuickTime},
    {4, "mdat"sv, kQuickTime},
    {0, "\0\0\0\x08wide"sv, kQuickTime},
    {0,
     "version https://git-lfs"sv,
     {Sort::no_media, "a Git LFS pointer in place of a picture", "git lfs pull"}},
    {0, "PK\x03\x04"sv, {Sort::no_media, "a ZIP archive", "unzip IN.zip"}},
    {0, "\x1F\x8B\x08"sv, {Sort::no_media, "a gzip archive", "gunzip IN.gz"}},
    {0, "7z\xBC\xAF\x27\x1C"sv, {Sort::no_media, "a 7z archive", "7z x IN.7z"}},
});

// Brands of ISO base media; what is not here is taken as an MP4.
struct Brand {
    std::string_view name;
    ForeignKind kind;
};
constexpr auto kBrands = std::to_array<Brand>({
    {"avif", kAvif},
    {"avis", kAvif},
    {"heic", kHeic},
    {"heix", kHeic},
    {"heim", kHeic},
    {"heis", kHeic},
    {"hevc", kHeic},
    {"hevx", kHeic},
    {"mif1", kHeic},
    {"msf1", kHeic},
    {"crx ", kRaw},
    {"qt  ", kQuickTime},
});

// What text begins with, in small letters, behind blanks.
struct Opening {
    std::string_view text;
    ForeignKind kind;
};
constexpr ForeignKind kPage = {Sort::no_media, "a web page in place of a picture", ""};
constexpr ForeignKind kJson = {Sort::no_media, "JSON text in place of a picture", ""};
constexpr auto kOpenings = std::to_array<Opening>({
    {"<svg", kSvg},
    {"<!doctype svg", kSvg},
    {"<!doctype html", kPage},
    {"<html", kPage},
    {"<head", kPage},
    {"<body", kPage},
    {"data:image/", {Sort::no_media, "a data URL as text", "base64 -d"}},
    {"{", kJson},
    {"[", kJson},
});

bool starts_with(Bytes bytes, size_t at, std::string_view magic) {
    return bytes.size() >= at + magic.size() &&
           std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

const ForeignKind& kind_of_brand(Bytes bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    // AVIF may stand as the general brand "mif1", and says so among the compatible ones.
    const size_t end = std::min<size_t>({be32(bytes, 0), bytes.size(), 256});
    const std::string_view box = text.substr(0, end);
    const std::string_view major = text.substr(8, 4);
    if ((major == "mif1" || major == "msf1") && box.find("avif") != std::string_view::npos)
        return kAvif;
    for (const Brand& brand : kBrands)
        if (major == brand.name) return brand.kind;
    return kMp4;
}

const ForeignKind* kind_of_text(Bytes bytes) {
    std::string text(bytes.begin(), bytes.end());
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    const size_t start = text.find_first_not_of(" \t\r\n", mark);
    if (start == std::string::npos) return nullptr;
    const std::string_view rest = std::string_view(text).substr(start);
    for (const Opening& opening : kOpenings)
        if (rest.starts_with(opening.text)) return &opening.kind;
    if (!rest.starts_with("<?xml") && !rest.starts_with("<!--")) return nullptr;
    if (rest.find("<svg") != std::string_view::npos) return &kSvg;
    return rest.find("<html") != std::string_view::npos ? &kPage : nullptr;
}

}  // namespace

std::vector<ForeignKind> foreign_kinds() {
    std::vector<ForeignKind> kinds;
    const auto add = [&](const ForeignKind& kind) {
        const auto same = [&](const ForeignKind& known) { return known.name == kind.name; };
        if (std::none_of(kinds.begin(), kinds.end(), same)) kinds.push_back(kind);
    };
    for (const Brand& brand : kBrands) add(brand.kind);
    for (const Magic& magic : kMagic) add(magic.kind);
    for (const Opening& opening : kOpenings) add(opening.kind);
    add(kMp4);
    return kinds;
}

const ForeignKind* find_foreign_kind(Bytes bytes) {
    bytes = bytes.first(std::min(bytes.size(), kForeignBytes));
    if (starts_with(bytes, 4, "ftyp") && bytes.size() >= 12) return &kind_of_brand(bytes);
    for (const Magic& magic : kMagic)
        if (starts_with(bytes, magic.at, magic.bytes)) return &magic.kind;
    // A transport stream: a packet every 188 bytes.
    if (bytes.size() > 376 && bytes[0] == 'G' && bytes[188] == 'G' && bytes[376] == 'G')
        return &kMpeg;
    return kind_of_text(bytes);
}

Error foreign_error(Bytes bytes) {
    if (bytes.empty())
        return {ErrorCode::invalid_image,
                "The image is empty, a file of 0 bytes; save or download it again."};
    const ForeignKind* kind = find_foreign_kind(bytes);
    if (kind == nullptr) return unsupported_image();
    const std::string is = "The image is " + std::string(kind->name);
    const std::string command = "`" + std::string(kind->command) + "`";
    const auto refuse = [&](const std::string& rest) {
        return Error{ErrorCode::unsupported_image, is + rest};
    };
    switch (kind->sort) {
        case Sort::photo:
        case Sort::drawing:
            return refuse(", which Saker does not read; convert it, for example with " + command +
                          ".");
        case Sort::video:
            return refuse(
                ", not a picture; take its frames, for example with `ffmpeg -i IN -vf fps=2 "
                "FOLDER/%04d.png`, and give the folder as --video-frames.");
        case Sort::no_media:
            break;
    }
    if (kind->command.empty()) return refuse("; download the picture itself.");
    return refuse("; get the picture itself, for example with " + command + ".");
}

}  // namespace saker
