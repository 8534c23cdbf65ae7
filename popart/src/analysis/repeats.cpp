// SPDX-License-Identifier: MIT
// A suffix array by doubling, the lengths that neighbours in it share, and the intervals of those.
#include "analysis/repeats.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace popart::analysis {

namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers suffixArray(const Numbers &symbols, Numbers &rank) {
  const auto n = symbols.size();
  Numbers order(n), next(n);
  std::iota(order.begin(), order.end(), 0u);
  rank = symbols;
  for (std::size_t k = 1;; k *= 2) {
    const auto second = [&](std::uint32_t i) -> std::int64_t {
      return i + k < n ? std::int64_t(rank[i + k]) : -1;
    };
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      return rank[a] != rank[b] ? rank[a] < rank[b] : second(a) < second(b);
    };
    std::sort(order.begin(), order.end(), less);
    for (std::size_t i = 0; i < n; ++i)
      next[order[i]] = i ? next[order[i - 1]] + less(order[i - 1], order[i]) : 0;
    rank = next;
    if (!n || rank[order[n - 1]] + 1 == n)
      return order;
  }
}

// How many symbols each suffix shares with the one before it in the order.
Numbers sharedLengths(const Numbers &symbols, const Numbers &order, const Numbers &rank) {
  Numbers shared(symbols.size(), 0);
  std::uint32_t length = 0;
  for (std::uint32_t i = 0; i < symbols.size(); ++i) {
    if (!rank[i]) {
      length = 0;
      continue;
    }
    const auto j = order[rank[i] - 1];
    while (i + length < symbols.size() && j + length < symbols.size() &&
           symbols[i + length] == symbols[j + length])
      ++length;
    shared[rank[i]] = length;
    length -= length > 0;
  }
  return shared;
}

struct Interval {
  std::uint32_t length, begin, end; // in the suffix array
  std::uint64_t weight() const { return std::uint64_t(length) * (end - begin); }
};

std::vector<Interval> intervals(const Numbers &shared) {
  std::vector<Interval> out, stack{{0, 0, 0}};
  for (std::uint32_t i = 1; i <= shared.size(); ++i) {
    const auto length = i < shared.size() ? shared[i] : 0;
    auto begin = i - 1;
    while (stack.back().length > length) {
      stack.back().end = i;
      begin = stack.back().begin;
      out.push_back(stack.back());
      stack.pop_back();
    }
    if (stack.back().length < length)
      stack.push_back({length, begin, 0});
  }
  return out;
}

} // namespace

std::vector<Repeat> findRepeats(const Numbers &symbols, std::size_t limit) {
  Numbers rank;
  const auto order = suffixArray(symbols, rank);
  auto found = intervals(sharedLengths(symbols, order, rank));
  std::stable_sort(found.begin(), found.end(),
                   [](const Interval &a, const Interval &b) { return a.weight() > b.weight(); });
  if (found.size() > limit)
    found.resize(limit);
  std::vector<Repeat> out;
  // In a chain of n equal nodes every length repeats, n times: of lengths that differ by a fifth or
  // less the heaviest say it all.
  constexpr std::size_t placesPerSymbol = 4;
  std::map<int, std::size_t> placesOf; // by the logarithm of the length
  for (const auto &interval : found) {
    auto &places = placesOf[int(4 * std::log2(double(interval.length)))];
    if (places > placesPerSymbol * symbols.size())
      continue;
    places += interval.end - interval.begin;
    Repeat r{interval.length, {order.begin() + interval.begin, order.begin() + interval.end}};
    std::sort(r.places.begin(), r.places.end());
    std::uint32_t period = r.length;
    for (std::size_t i = 1; i < r.places.size(); ++i)
      period = std::min(period, r.places[i] - r.places[i - 1]);
    if (period < r.length) {
      Repeat one{period, r.places};
      // the last place is followed by whole periods as well
      for (auto p = r.places.back() + period; p + period <= r.places.back() + r.length; p += period)
        one.places.push_back(p);
      out.push_back(std::move(one));
    }
    out.push_back(std::move(r));
  }
  return out;
}

} // namespace popart::analysis
