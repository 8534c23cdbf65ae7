// SPDX-License-Identifier: MIT
// Boxes of a tensor's index space: what an operator reads, writes or passes on.
#ifndef POPART_REGION_HPP
#define POPART_REGION_HPP
#include <functional>
#include <popart/names.hpp>

namespace popart {
namespace view {

// What is done with a region.
enum class AccessType { None = 0, Read = 1, Write = 2, ReadWrite = 3, N };
// The first and the end of each dimension.
using LowBounds = std::vector<std::int64_t>;
using UppBounds = std::vector<std::int64_t>;

class Region;
using Regions = std::vector<Region>; // several regions, which may overlap
// From a region of one tensor to where it is found in another.
using RegMap = std::function<Regions(const Region &)>;

// A box of elements: a range of each dimension.
class Region {
public:
  // From `lower` up to, but without, `upper`; popart::error if they do not make a box.
  Region(const LowBounds &lower, const UppBounds &upper, AccessType access = AccessType::None);
  // All elements of a shape.
  static Region getFull(const Shape &shape, AccessType access = AccessType::None);
  static Region getEmpty(std::int64_t rank); // no elements

  int rank() const { return static_cast<int>(lower_.size()); } // the number of dimensions
  std::int64_t nelms() const;                                  // elements in it
  bool isEmpty() const { return nelms() == 0; }                // whether it has no elements
  Region intersect(const Region &other) const;                 // the elements that are in both
  // The region after dimensions changed their order.
  Region transpose(const Shape &permutation) const;
  // Seen from the other end of these dimensions of a tensor.
  Region reverse(const Shape &shape, const Shape &dimensions) const;
  // Whether an element, or all of another region, is in it.
  bool contains(const std::vector<std::int64_t> &index) const;
  bool contains(const Region &other) const;
  const LowBounds &getLower() const { return lower_; }        // first of each dimension
  const UppBounds &getUpper() const { return upper_; }        // end of each dimension
  AccessType getAccessType() const { return access_; }        // what is done with it
  void setAccessType(AccessType access) { access_ = access; } // says what is done with it
  bool operator==(const Region &other) const {
    return lower_ == other.lower_ && upper_ == other.upper_;
  }
  bool operator!=(const Region &other) const { return !(*this == other); }
  void append(std::ostream &out) const; // writes it as text

private:
  LowBounds lower_;
  UppBounds upper_;
  AccessType access_ = AccessType::None;
};
std::ostream &operator<<(std::ostream &out, const Region &region); // [0,0]-[2,3]

} // namespace view
} // namespace popart
#endif
