// Every key is looked for in every place that may hold it, and the places must agree.
#include "models/rope_config.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"

namespace saker {
namespace {

constexpr int64_t kMaxContext = int64_t{1} << 30;
constexpr double kHuge = 1e6;     // no factor of a real model comes near
constexpr double kHugest = 1e30;  // nor a base

constexpr KnownKey kTextKeys[] = {
    {"rope_theta"},
    {"rope_type", KeyUse::honoured, "[]", "default, linear, yarn"},
    {"type", KeyUse::honoured, "[]", "the old name of rope_type; mrope is default"},
    {"mrope_section"},
    {"mrope_interleaved", KeyUse::honoured, "[]", "must be true"},
    {"factor", KeyUse::honoured, "[]", "linear, yarn"},
    {"original_max_position_embeddings", KeyUse::honoured, "[]",
     "yarn; max_position_embeddings where absent"},
    {"attention_factor", KeyUse::honoured, "[]", "yarn"},
    {"mscale", KeyUse::honoured, "[]", "yarn, with mscale_all_dim"},
    {"mscale_all_dim", KeyUse::honoured, "[]", "yarn, with mscale"},
    {"beta_fast", KeyUse::honoured, "[]", "yarn"},
    {"beta_slow", KeyUse::honoured, "[]", "yarn"},
    {"truncate", KeyUse::honoured, "[]", "yarn"},
    {"partial_rotary_factor", KeyUse::refused, "[1]", "every part of a head is rotated"},
    {"short_factor", KeyUse::refused, "[]", "rope_type longrope"},
    {"long_factor", KeyUse::refused, "[]", "rope_type longrope"},
    {"low_freq_factor", KeyUse::refused, "[]", "rope_type llama3"},
    {"high_freq_factor", KeyUse::refused, "[]", "rope_type llama3"},
};

constexpr KnownKey kVisionKeys[] = {
    {"rope_theta"},
    {"rope_type", KeyUse::honoured, "[]", "axial, which default means too"},
    {"type", KeyUse::honoured, "[]", "the old name of rope_type"},
    {"partial_rotary_factor", KeyUse::refused, "[1]", "every part of a head is rotated"},
};

constexpr KeyTable kTables[] = {
    {"config.json", "text_config.rope_parameters", UnknownKeys::refuse, kTextKeys},
    {"config.json", "text_config.rope_scaling", UnknownKeys::refuse, kTextKeys},
    {"config.json", "vision_config.rope_parameters", UnknownKeys::refuse, kVisionKeys},
    {"config.json", "vision_config.rope_scaling", UnknownKeys::refuse, kVisionKeys},
};

// An object that may hold keys of rope, and how its keys are called from the object around it.
struct Place {
    JsonReader reader;
    std::string prefix;  // "rope_scaling."; empty for the object around
};

// The value as it stands in the file, short enough for a sentence.
std::string shown(const json::value& value) {
    constexpr size_t kLongest = 60;
    std::string text = dump_json(value);
    if (text.size() <= kLongest) return text;
    size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "...";
}

// What the objects, and a few keys beside them, say together.
class RopeKeys {
  public:
    // `tables`: those of rope_parameters and rope_scaling within `around`.
    RopeKeys(const JsonReader& around, std::span<const KeyTable> tables) : around_(around) {
        places_.push_back({around, ""});
        const char* const kObjects[] = {"rope_parameters", "rope_scaling"};
        for (size_t i = 0; i < 2; ++i) {
            if (!around.has(kObjects[i])) continue;
            const JsonReader object = around.object(kObjects[i]);
            check_keys(object, tables[i]);
            places_.push_back({object, std::string(kObjects[i]) + "."});
        }
    }

    // What `get` reads of `key`, where anything holds it.
    template <class Get>
    auto agreed(std::string_view key, Get get) const {
        std::optional<decltype(get(around_, key))> found;
        const Place* first = nullptr;
        for (const Place& place : places_) {
            if (!may_hold(place, key) || !place.reader.has(key)) continue;
            auto value = get(place.reader, key);
            if (first && *found != value) contradict(*first, key, place, key);
            if (first) continue;
            found = std::move(value);
            first = &place;
        }
        return found;
    }

    std::optional<double> number(std::string_view key, double low) const {
        return agreed(key, [&](const JsonReader& reader, std::string_view name) {
            const double value = reader.number(name);
            if (!(value >= low && value <= kHuge))
                reader.fail(name, "is " + shown(reader.value(name)) + ", outside " +
                                      dump_json(json::value(low)) + " to 1e6");
            return value;
        });
    }

    std::optional<bool> boolean(std::string_view key) const {
        return agreed(key, [](const JsonReader& reader, std::string_view name) {
            return reader.boolean_or(name, true);
        });
    }

    // rope_type or its old name; "default" where nothing holds either.
    std::string type() const {
        const Place* first = nullptr;
        std::string_view first_key;
        std::string found = "default";
        for (const Place& place : places_) {
            for (std::string_view key : {"rope_type", "type"}) {
                if (!may_hold(place, key) || !place.reader.has(key)) continue;
                const std::string said = place.reader.string(key);
                if (said == "mrope")
                    continue;  // says that there are three axes, nothing of scaling
                if (first && said != found) contradict(*first, first_key, place, key);
                if (first) continue;
                first = &place;
                first_key = key;
                found = said;
            }
        }
        return found;
    }

    // Whether a place has the key with null for a value.
    bool is_null(std::string_view key) const {
        return std::any_of(places_.begin(), places_.end(), [&](const Place& place) {
            const json::value* value = place.reader.members().if_contains(key);
            return may_hold(place, key) && value && value->is_null();
        });
    }

    // Throws for `key`, in the place that has it.
    [[noreturn]] void fail(std::string_view key, std::string_view sentence) const {
        for (const Place& place : places_)
            if (may_hold(place, key) && place.reader.has(key)) place.reader.fail(key, sentence);
        const Place& last = places_.back();
        last.reader.fail(key, sentence);
    }

    // Throws for a type that is not done; `those` says which are.
    [[noreturn]] void fail_type(const std::string& type, std::string_view those) const {
        const std::string sentence =
            "is " + shown(json::value(json::string_view(type.data(), type.size()))) +
            ", which Saker does not do: " + std::string(those);
        for (const Place& place : places_)
            for (std::string_view key : {"rope_type", "type"})
                if (may_hold(place, key) && place.reader.has(key) &&
                    place.reader.string(key) == type)
                    place.reader.fail(key, sentence);
        around_.fail("rope_type", sentence);
    }

    void warn_unused(std::string_view key, const std::string& type) const {
        log_warning(places_.back().reader.where() + ": " + std::string(key) +
                    " has no effect where rope_type is " + type);
    }

  private:
    // The object around has a "type" and a "factor" of its own, if any.
    static bool may_hold(const Place& place, std::string_view key) {
        return !place.prefix.empty() || key == "rope_theta" ||
               key == "original_max_position_embeddings";
    }

    [[noreturn]] void contradict(const Place& a, std::string_view a_key, const Place& b,
                                 std::string_view b_key) const {
        around_.fail(a.prefix + std::string(a_key), "is " + shown(a.reader.value(a_key)) +
                                                        ", but " + b.prefix + std::string(b_key) +
                                                        " is " + shown(b.reader.value(b_key)) +
                                                        ": take out the one that is wrong");
    }

    JsonReader around_;
    std::vector<Place> places_;  // the object around first
};

double read_theta(const RopeKeys& keys, const JsonReader& around, std::optional<double> fallback) {
    auto theta = keys.agreed("rope_theta", [](const JsonReader& reader, std::string_view key) {
        const double value = reader.number(key);
        if (!(value > 1 && value <= kHugest)) reader.fail(key, "must be above 1, up to 1e30");
        return value;
    });
    if (!theta) theta = fallback;
    if (!theta) around.fail("rope_theta", "is missing, here and in rope_parameters");
    return *theta;
}

void read_section(const RopeKeys& keys, int64_t head_dim, RopeConfig& rope) {
    rope.section[0] = 24, rope.section[1] = 20, rope.section[2] = 20;
    const auto section =
        keys.agreed("mrope_section", [](const JsonReader& reader, std::string_view key) {
            const std::vector<int64_t> read = reader.integers(key);
            if (read.size() != 3) reader.fail(key, "must have three numbers");
            return read;
        });
    if (section) std::copy(section->begin(), section->end(), rope.section);
    int64_t sum = 0;
    for (int64_t n : rope.section) {
        if (n < 0 || n > head_dim) keys.fail("mrope_section", "has a number outside the head");
        sum += n;
    }
    if (sum != head_dim / 2)
        keys.fail("mrope_section", section ? "does not add up to head_dim / 2"
                                           : "is missing, and head_dim is not 128");
    if (keys.boolean("mrope_interleaved") == false)
        keys.fail("mrope_interleaved", "must be true: Qwen3-VL interleaves its axes");
}

// The keys of scaling, each read whatever the type is: what is wrong is wrong unused, too.
struct ScalingKeys {
    explicit ScalingKeys(const RopeKeys& keys)
        : factor(keys.number("factor", 1)),
          attention_factor(keys.number("attention_factor", 0)),
          mscale(keys.number("mscale", 0)),
          mscale_all_dim(keys.number("mscale_all_dim", 0)),
          beta_fast(keys.number("beta_fast", 0)),
          beta_slow(keys.number("beta_slow", 0)),
          original_context(keys.agreed("original_max_position_embeddings",
                                       [](const JsonReader& reader, std::string_view key) {
                                           return reader.integer(key, 1, kMaxContext);
                                       })),
          truncate(keys.boolean("truncate")) {
        if (attention_factor == 0.0) keys.fail("attention_factor", "must be above 0");
    }

    // Keys that only YaRN reads.
    void warn_of_yarn_keys(const RopeKeys& keys, const std::string& type) const {
        const std::pair<const char*, bool> kGiven[] = {
            {"attention_factor", attention_factor.has_value()},
            {"mscale", mscale.has_value()},
            {"mscale_all_dim", mscale_all_dim.has_value()},
            {"beta_fast", beta_fast.has_value()},
            {"beta_slow", beta_slow.has_value()},
            {"truncate", truncate.has_value()}};
        for (const auto& [key, is_given] : kGiven)
            if (is_given) keys.warn_unused(key, type);
    }

    std::optional<double> factor, attention_factor, mscale, mscale_all_dim, beta_fast, beta_slow;
    std::optional<int64_t> original_context;
    std::optional<bool> truncate;
};

// How much cos and sin grow with the context, for a weight of the growth.
double magnitude(double factor, double weight) {
    return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0;
}

void read_yarn(const RopeKeys& keys, const ScalingKeys& scaling, int64_t max_context,
               RopeConfig& rope) {
    rope.scaling = RopeConfig::Scaling::yarn;
    rope.original_context = scaling.original_context.value_or(max_context);
    if (!scaling.factor && !keys.is_null("factor"))
        keys.fail("factor", "is missing: rope_type yarn needs it");
    rope.factor = scaling.factor.value_or(static_cast<double>(max_context) /
                                          static_cast<double>(rope.original_context));
    if (rope.factor < 1)
        keys.fail("original_max_position_embeddings",
                  "is above max_position_embeddings, and factor is null");
    // A 0 stands for a key that is not given.
    const double mscale = scaling.mscale.value_or(0);
    const double mscale_all_dim = scaling.mscale_all_dim.value_or(0);
    if (scaling.attention_factor)
        rope.attention_factor = *scaling.attention_factor;
    else if (mscale > 0 && mscale_all_dim > 0)
        rope.attention_factor =
            magnitude(rope.factor, mscale) / magnitude(rope.factor, mscale_all_dim);
    else
        rope.attention_factor = magnitude(rope.factor, 1);
    if (scaling.beta_fast.value_or(0) > 0) rope.beta_fast = *scaling.beta_fast;
    if (scaling.beta_slow.value_or(0) > 0) rope.beta_slow = *scaling.beta_slow;
    if (rope.beta_fast < rope.beta_slow)
        keys.fail(scaling.beta_slow ? "beta_slow" : "beta_fast",
                  "makes beta_slow " + dump_json(json::value(rope.beta_slow)) +
                      ", above beta_fast, which is " + dump_json(json::value(rope.beta_fast)));
    // transformers takes a null for false, and no key for true.
    rope.truncate = scaling.truncate.value_or(!keys.is_null("truncate"));
}

}  // namespace

RopeConfig RopeConfig::read(const JsonReader& text, int64_t head_dim, int64_t max_context) {
    const RopeKeys keys(text, std::span(kTables).first(2));
    RopeConfig rope;
    rope.theta = read_theta(keys, text, std::nullopt);
    read_section(keys, head_dim, rope);
    const ScalingKeys scaling(keys);
    const std::string type = keys.type();
    if (type == "yarn") {
        read_yarn(keys, scaling, max_context, rope);
    } else if (type == "linear") {
        if (!scaling.factor) keys.fail("factor", "is missing: rope_type linear needs it");
        rope.scaling = Scaling::linear;
        rope.factor = *scaling.factor;
        scaling.warn_of_yarn_keys(keys, type);
    } else if (type == "default") {
        if (scaling.factor.value_or(1) != 1) keys.warn_unused("factor", type);
        scaling.warn_of_yarn_keys(keys, type);
    } else {
        keys.fail_type(type, "default, linear and yarn are");
    }
    return rope;
}

double read_vision_rope_theta(const JsonReader& vision) {
    const RopeKeys keys(vision, std::span(kTables).last(2));
    const std::string type = keys.type();
    if (type != "default" && type != "axial") keys.fail_type(type, "axial is");
    return read_theta(keys, vision, 10000);
}

std::span<const KeyTable> rope_key_tables() {
    return kTables;
}

}  // namespace saker
