// SPDX-License-Identifier: MIT
#include "sort/Ties.hpp"
#include <algorithm>

namespace popops::sorting {

namespace {

using kernels::TieOrder;
using Candidates = std::vector<Candidate>;

std::uint32_t keyOf(Candidate c) { return std::uint32_t(c >> 32); }
bool byKey(Candidate a, Candidate b) { return keyOf(a) < keyOf(b); }

// Whether a key of the chosen is there twice, among all.
bool anyTwice(const std::vector<std::uint32_t> &keys, const Candidates &chosen) {
  for (std::size_t i = 1; i < chosen.size(); ++i)
    if (keyOf(chosen[i]) == keyOf(chosen[i - 1]))
      return true;
  return chosen.size() < keys.size() &&
         std::count(keys.begin(), keys.end(), keyOf(chosen.back())) > 1;
}

// Few of many by a heap, others by parting; the last of these is in its place already.
void select(Candidates &all, std::size_t k, bool sorted) {
  constexpr std::size_t fewOfMany = 64;
  const auto begin = all.begin(), end = begin + std::ptrdiff_t(k);
  if (k * fewOfMany <= all.size())
    std::partial_sort(begin, end, all.end(), byKey);
  else {
    std::nth_element(begin, end - 1, all.end(), byKey);
    if (sorted)
      std::sort(begin, end - 1, byKey);
  }
}

// Hoare's selection with the median of three as the pivot, which waits at the left end: afterwards
// the k-th (from 0) is in its place.
void part(Candidates &a, std::size_t k) {
  const auto inOrder = [&](std::size_t i, std::size_t j) {
    if (byKey(a[j], a[i]))
      std::swap(a[i], a[j]);
  };
  std::size_t left = 0, right = a.size() - 1;
  while (right > left + 1) {
    std::swap(a[(left + right) / 2], a[left + 1]);
    inOrder(left + 1, right);
    inOrder(left, right);
    inOrder(left + 1, left);
    std::size_t i = left + 1, j = right;
    for (const Candidate pivot = a[left];;) {
      while (byKey(a[++i], pivot)) {
      }
      while (byKey(pivot, a[--j])) {
      }
      if (j < i)
        break;
      std::swap(a[i], a[j]);
    }
    std::swap(a[left], a[j]);
    if (j >= k)
      right = j ? j - 1 : 0;
    if (j <= k)
      left = i;
  }
  if (right == left + 1)
    inOrder(left, right);
}

} // namespace

std::vector<Candidate> inTieOrder(const std::vector<std::uint32_t> &keys,
                                  std::vector<Candidate> chosen, TieOrder ties, bool sorted) {
  const std::size_t k = chosen.size();
  if (k == 0 || (sorted && !anyTwice(keys, chosen)))
    return chosen;
  Candidates all(keys.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = candidate(keys[i], i);
  if (ties == TieOrder::Selected)
    select(all, k, sorted);
  else if (ties == TieOrder::Sorted)
    std::sort(all.begin(), all.end(), byKey);
  else {
    part(all, k - 1);
    chosen.back() = all[k - 1];
    return chosen;
  }
  all.resize(k);
  return all;
}

} // namespace popops::sorting
