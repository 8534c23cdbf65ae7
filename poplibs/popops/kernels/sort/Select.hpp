// SPDX-License-Identifier: MIT
// The best k of n keys, and their order. A candidate is a key as an ordered 32-bit number above its
// index, so no two are equal, equal keys keep their order, and the result is the same however the
// work is cut.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace popops::sorting {

using Candidate = std::uint64_t;

inline Candidate candidate(std::uint32_t key, std::size_t index) {
  return Candidate(key) << 32 | std::uint32_t(index);
}
inline std::uint32_t indexOf(Candidate c) { return std::uint32_t(c); }

// A number that compares as the key does. -0 equals 0; NaN lies beyond infinity.
std::uint32_t orderedFloat(float key);

// Appends the k smallest of keys[0..n), whose indices start at `first`, in no order.
void selectSmallest(const std::uint32_t *keys, std::size_t n, std::size_t first, std::size_t k,
                    std::vector<Candidate> &into);
// Leaves the k smallest.
void keepSmallest(std::vector<Candidate> &candidates, std::size_t k);
// Ascending; candidates whose indices ascend already are sorted faster when they are many.
void sortCandidates(std::vector<Candidate> &candidates, bool indicesAscend);

} // namespace popops::sorting
