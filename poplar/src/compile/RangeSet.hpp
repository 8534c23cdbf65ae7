// SPDX-License-Identifier: MIT
// A set of elements as sorted, disjoint, never touching ranges. Adding in ascending order costs a
// comparison and keeps neighbours merged, which is how vertices usually cover a variable; other
// orders are sorted when first asked.
#pragma once
#include <cstdint>
#include <vector>

namespace poplar::compile {

struct Range {
  std::uint64_t begin, end;
  bool operator==(const Range &) const = default;
};

class RangeSet {
public:
  RangeSet() = default;
  RangeSet(std::uint64_t begin, std::uint64_t end) { add(begin, end); }

  void add(std::uint64_t begin, std::uint64_t end);
  void unite(const RangeSet &other);
  void subtract(const RangeSet &other);
  void intersect(const RangeSet &other);

  bool empty() const { return ranges_.empty(); }
  bool covers(std::uint64_t begin, std::uint64_t end) const;
  bool intersects(std::uint64_t begin, std::uint64_t end) const;
  std::uint64_t size() const; // elements
  const std::vector<Range> &ranges() const;
  bool operator==(const RangeSet &other) const { return ranges() == other.ranges(); }

private:
  void normalise() const;
  mutable std::vector<Range> ranges_;
  mutable bool sorted_ = true;
};

} // namespace poplar::compile
