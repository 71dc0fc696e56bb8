// Counter-based random numbers: draw i of stream s under a seed is a pure function of (seed, s, i).
//
// Used by sampling (a request's seed gives the same draws alone or in a batch), by `saker synth`
// and by the op tests (inputs named by their case). The generator is Philox 4x32-10 of Salmon et
// al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace saker {

/// Four 32-bit words for the 128-bit counter (low, high) under a 64-bit key.
inline std::array<uint32_t, 4> philox(uint64_t key, uint64_t low, uint64_t high) {
    std::array<uint32_t, 4> c = {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                                 static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)};
    uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
        c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
             static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return c;
}

class Rng {
  public:
    explicit Rng(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}
    /// A stream named by text, for tests: the same name gives the same numbers on every machine.
    explicit Rng(std::string_view name) : seed_(hash(name)), stream_(0) {}

    /// Draw `index`, uniform in [0, 1) with 24 bits.
    float uniform(uint64_t index) const {
        return static_cast<float>(philox(seed_, index, stream_)[0] >> 8) * 0x1p-24f;
    }
    /// Draw `index`, uniform over 64-bit integers.
    uint64_t bits(uint64_t index) const {
        const auto w = philox(seed_, index, stream_);
        return uint64_t{w[1]} << 32 | w[0];
    }
    /// Draw `index`, normal with mean 0 and deviation 1 (Box and Muller).
    float normal(uint64_t index) const {
        const auto w = philox(seed_, index, stream_);
        const double u = (w[0] + 1.0) * 0x1p-32, v = w[1] * 0x1p-32;
        return static_cast<float>(std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v));
    }

    /// FNV-1a, 64 bits: turns names into seeds.
    static uint64_t hash(std::string_view text) {
        uint64_t h = 0xcbf29ce484222325u;
        for (unsigned char c : text) h = (h ^ c) * 0x100000001b3u;
        return h;
    }

  private:
    uint64_t seed_, stream_;
};

}  // namespace saker
