// SPDX-License-Identifier: MIT
// A set of elements as sorted, disjoint, never touching ranges, kept in chunks of bounded length:
// an addition or removal costs a search and one chunk, however many ranges there are. So a program
// of a hundred thousand small steps on one variable is followed step by step. Adding in ascending
// order costs a comparison and keeps neighbours merged, which is how vertices usually cover a
// variable.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace poplar::analysis {

struct Range {
  std::uint64_t begin, end;
  bool operator==(const Range &) const = default;
};

class RangeSet {
public:
  RangeSet() = default;
  RangeSet(std::uint64_t begin, std::uint64_t end) { add(begin, end); }

  void add(std::uint64_t begin, std::uint64_t end);
  void remove(std::uint64_t begin, std::uint64_t end);
  // Cost what `other` has, not what this has.
  void unite(const RangeSet &other);
  void subtract(const RangeSet &other);
  void intersect(const RangeSet &other);

  bool empty() const { return chunks_.empty(); }
  bool covers(std::uint64_t begin, std::uint64_t end) const;
  bool intersects(std::uint64_t begin, std::uint64_t end) const;
  std::uint64_t size() const; // elements
  std::vector<Range> ranges() const;
  bool operator==(const RangeSet &other) const { return ranges() == other.ranges(); }

  // Ranges looked at or moved by all sets of this thread, for tests of how the work grows.
  static std::uint64_t &work();

private:
  using Chunk = std::vector<Range>; // never empty, except while it is being changed
  struct Position {                 // of a range; {chunks_.size(), 0} behind the last
    std::size_t chunk, index;
  };
  Position firstEndingAfter(std::uint64_t x) const; // the first range whose end is larger
  const Range *at(Position p) const;                // null behind the last
  void next(Position &p) const;
  void splice(Position from, Position to, std::span<const Range> with);
  void tidy(std::size_t chunk);

  std::vector<Chunk> chunks_; // in order
};

} // namespace poplar::analysis
