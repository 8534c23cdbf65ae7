// SPDX-License-Identifier: MIT
// Where elements lie. Regular patterns of elements are intersected with mappings by arithmetic, so
// the cost follows the number of mapped ranges that a pattern crosses and not its elements.
// Elements are neighbours in a tile's memory when they are neighbours in the variable: every mapped
// range has a place of its own.
#pragma once
#include "executable/Image.hpp"
#include <algorithm>

namespace poplar::analysis {

// `count` blocks of `block` neighbouring elements, `stride` apart (stride >= block; 1 block: stride
// unused).
struct Pattern {
  std::uint64_t begin = 0, block = 1, count = 1, stride = 1;
  std::uint64_t elements() const { return block * count; }
  std::uint64_t end() const { return begin + (count - 1) * stride + block; }
  auto operator<=>(const Pattern &) const = default;

  std::uint64_t elementsBelow(std::uint64_t position) const;
  // Blocks that have an element in [lo, hi).
  std::uint64_t blocksWithin(std::uint64_t lo, std::uint64_t hi) const;
};

// The elements of a strided run, each once; a negative stride only turns the order.
Pattern patternOf(const executable::Run &run);

// One side of a move as a set of elements: loops that continue each other joined, loops that stand
// still dropped. `inner` repeats at each offset of `outer` (largest stride first).
struct SidePattern {
  Pattern inner;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> outer; // extent, stride
  std::uint64_t patterns() const;                             // repetitions of inner
};
enum class Side { From, To };
SidePattern sideOf(const executable::Move &move, Side side);
template <class Visit> void forEachPattern(const SidePattern &side, Visit visit); // visit(Pattern)

class Placement {
public:
  explicit Placement(const executable::Image &image)
      : image_(image), places_(image.variables.size()) {}

  struct Piece {
    std::uint32_t tile;
    std::uint64_t elements, spans; // spans: contiguous stretches within this mapped range
    std::uint64_t first;           // element
    std::size_t range;             // index in Variable::mapping
  };
  // Index in Variable::mapping of the range that holds an element. Neighbouring questions are
  // answered at once.
  std::size_t find(std::uint32_t var, std::uint64_t element);
  template <class Visit> void forEachPiece(std::uint32_t var, const Pattern &pattern, Visit visit);
  // Only the pieces on one tile, at a cost that follows the ranges of that tile.
  template <class Visit>
  void forEachPieceOn(std::uint32_t tile, std::uint32_t var, const Pattern &pattern, Visit visit);

private:
  struct Place {
    std::vector<std::uint32_t>
        byTile; // ranges ordered by tile, then by position; empty: not built yet
    std::size_t last = 0;
  };
  const std::vector<std::uint32_t> &byTile(std::uint32_t var);
  template <class Visit>
  void pieceOf(std::uint32_t var, const Pattern &pattern, std::size_t range, std::uint64_t below,
               std::uint64_t upTo, Visit &visit);

  const executable::Image &image_;
  std::vector<Place> places_;
};

// ---- templates ----

template <class Visit> void forEachPattern(const SidePattern &side, Visit visit) {
  std::vector<std::uint64_t> at(side.outer.size(), 0);
  Pattern pattern = side.inner;
  for (;;) {
    visit(static_cast<const Pattern &>(pattern));
    std::size_t level = at.size();
    while (level && ++at[level - 1] == side.outer[level - 1].first) {
      pattern.begin -= (side.outer[level - 1].first - 1) * side.outer[level - 1].second;
      at[--level] = 0;
    }
    if (!level)
      return;
    pattern.begin += side.outer[level - 1].second;
  }
}

// below, upTo: elements of the pattern below the range's begin and end.
template <class Visit>
void Placement::pieceOf(std::uint32_t var, const Pattern &p, std::size_t range, std::uint64_t below,
                        std::uint64_t upTo, Visit &visit) {
  if (upTo == below)
    return;
  const auto &mapped = image_.variables[var].mapping[range];
  auto first = p.count == 1   ? p.begin + below
               : p.block == 1 ? p.begin + below * p.stride
                              : p.begin + below / p.block * p.stride + below % p.block;
  auto spans = p.count == 1   ? 1
               : p.block == 1 ? upTo - below
                              : (upTo - 1) / p.block - below / p.block + 1;
  visit(Piece{mapped.tile, upTo - below, spans, first, range});
}

template <class Visit>
void Placement::forEachPiece(std::uint32_t var, const Pattern &pattern, Visit visit) {
  const auto &mapping = image_.variables[var].mapping.list();
  auto first = find(var, pattern.begin);
  if (mapping[first].end >= pattern.end())
    return pieceOf(var, pattern, first, 0, pattern.elements(), visit);
  auto last = find(var, pattern.end() - 1);
  if (pattern.count == 1 || last - first <= 4 * pattern.count) {
    std::uint64_t below = 0;
    for (auto range = first; range <= last; ++range) {
      auto upTo = pattern.elementsBelow(mapping[range].end);
      pieceOf(var, pattern, range, below, upTo, visit);
      below = upTo;
    }
    return;
  }
  for (std::uint64_t i = 0; i != pattern.count; ++i)
    forEachPiece(var, Pattern{pattern.begin + i * pattern.stride, pattern.block, 1, pattern.block},
                 visit);
}

template <class Visit>
void Placement::forEachPieceOn(std::uint32_t tile, std::uint32_t var, const Pattern &pattern,
                               Visit visit) {
  const auto &mapping = image_.variables[var].mapping.list();
  const auto &ordered = byTile(var);
  auto at = std::partition_point(ordered.begin(), ordered.end(), [&](std::uint32_t range) {
    return mapping[range].tile < tile ||
           (mapping[range].tile == tile && mapping[range].end <= pattern.begin);
  });
  for (; at != ordered.end() && mapping[*at].tile == tile && mapping[*at].begin < pattern.end();
       ++at)
    pieceOf(var, pattern, *at, pattern.elementsBelow(mapping[*at].begin),
            pattern.elementsBelow(mapping[*at].end), visit);
}

} // namespace poplar::analysis
