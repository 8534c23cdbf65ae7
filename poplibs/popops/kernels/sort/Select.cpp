// SPDX-License-Identifier: MIT
#include "sort/Select.hpp"
#include <algorithm>
#include <array>
#include <cstring>

namespace popops::sorting {

namespace {

constexpr std::size_t smallRow = 256;
constexpr std::size_t worthRadix = 512;

// Least significant digit first, on the key only: stable, so indices stay ascending.
void radixSort(std::vector<Candidate> &candidates) {
  std::vector<Candidate> other(candidates.size());
  for (unsigned shift = 32; shift < 64; shift += 8) {
    std::array<std::size_t, 257> starts{};
    for (auto c : candidates)
      ++starts[(c >> shift & 255) + 1];
    if (std::find(starts.begin(), starts.end(), candidates.size()) != starts.end())
      continue; // all share this digit
    for (std::size_t d = 1; d < starts.size(); ++d)
      starts[d] += starts[d - 1];
    for (auto c : candidates)
      other[starts[c >> shift & 255]++] = c;
    candidates.swap(other);
  }
}

} // namespace

std::uint32_t orderedFloat(float key) {
  std::uint32_t bits;
  if (key != key) // whatever its sign
    return 0xffffffffu;
  key += 0.0f; // -0 becomes 0
  std::memcpy(&bits, &key, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

void keepSmallest(std::vector<Candidate> &candidates, std::size_t k) {
  if (candidates.size() <= k)
    return;
  if (k > 0)
    std::nth_element(candidates.begin(), candidates.begin() + (k - 1), candidates.end());
  candidates.resize(k);
}

void selectSmallest(const std::uint32_t *keys, std::size_t n, std::size_t first, std::size_t k,
                    std::vector<Candidate> &into) {
  if (k == 0)
    return;
  std::vector<Candidate> best;
  if (n <= smallRow || k * 8 > n) {
    best.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      best[i] = candidate(keys[i], first + i);
  } else {
    // Most keys are worse than the worst kept, and cost one comparison.
    std::size_t room = 2 * k + smallRow;
    best.reserve(room);
    std::uint32_t worst = 0xffffffffu;
    for (std::size_t i = 0; i < n; ++i) {
      if (keys[i] > worst)
        continue;
      best.push_back(candidate(keys[i], first + i));
      if (best.size() == room) {
        keepSmallest(best, k);
        worst = std::uint32_t(best[k - 1] >> 32);
      }
    }
  }
  keepSmallest(best, k);
  into.insert(into.end(), best.begin(), best.end());
}

void sortCandidates(std::vector<Candidate> &candidates, bool indicesAscend) {
  if (indicesAscend && candidates.size() > worthRadix)
    radixSort(candidates);
  else
    std::sort(candidates.begin(), candidates.end());
}

} // namespace popops::sorting
