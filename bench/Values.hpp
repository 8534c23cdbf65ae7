// SPDX-License-Identifier: MIT
// Numbers that depend on a name and a position alone, so that a model and its peers in other
// languages begin alike without exchanging files.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

inline std::vector<float> uniform(const std::string &name, std::size_t count) { // in [0, 1)
  std::uint32_t seed = 2166136261u;
  for (unsigned char c : name)
    seed = (seed ^ c) * 16777619u;
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto h = std::uint32_t(i) * 2654435761u + seed;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    out[i] = float((h ^ (h >> 16)) >> 8) / float(1 << 24);
  }
  return out;
}

template <class Integer>
std::vector<Integer> below(std::int64_t classes, const std::string &name, std::size_t count) {
  std::vector<Integer> out;
  for (float v : uniform(name, count))
    out.push_back(Integer(v * float(classes)));
  return out;
}

} // namespace bench
