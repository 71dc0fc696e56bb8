// RopeConfig: what config.json says about rotary positions: base, axes, and the scaling of long
// contexts.
//
// The keys lie in rope_parameters (transformers 5), in rope_scaling, or beside them, and files mix
// the spellings: any mixture is read, and keys that contradict each other are named. The numbers
// are those of transformers 5.17 (modeling_rope_utils). Read by qwen3_vl_config.cpp; mrope.h makes
// frequencies of it.
#pragma once

#include <cstdint>
#include <span>

#include "json/keys.h"

namespace saker {

struct RopeConfig {
    enum class Scaling { none, linear, yarn };

    double theta = 0;
    int64_t section[3] = {};  // frequencies of the temporal, height and width axes
    Scaling scaling = Scaling::none;
    double factor = 1;            // linear, yarn
    double attention_factor = 1;  // yarn: of cos and sin
    // yarn: frequencies that turn more than beta_fast times within the original context stay, those
    // that turn less than beta_slow times are divided by the factor.
    int64_t original_context = 0;
    double beta_fast = 32, beta_slow = 1;
    bool truncate = true;  // the bounds between them lie on whole frequencies

    /// Reads the rope keys of a text_config. Throws StartupError.
    static RopeConfig read(const JsonReader& text, int64_t head_dim, int64_t max_context);
};

/// Reads the rope keys of a vision_config: its base, 10,000 where it says nothing. Throws
/// StartupError where they ask for anything but plain rotation by row and column.
double read_vision_rope_theta(const JsonReader& vision);

/// The tables of the objects that are read here.
std::span<const KeyTable> rope_key_tables();

}  // namespace saker
