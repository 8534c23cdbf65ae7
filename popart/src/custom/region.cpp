// SPDX-License-Identifier: MIT
#include <popart/region.hpp>

#include "base/Text.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::view {

Region::Region(const LowBounds &lower, const UppBounds &upper, AccessType access)
    : lower_(lower), upper_(upper), access_(access) {
  bool fits = lower.size() == upper.size();
  for (std::size_t i = 0; fits && i < lower.size(); ++i)
    fits = lower[i] <= upper[i];
  if (!fits)
    throw error(
        base::str("No region reaches from ", base::list(lower), " to ", base::list(upper), "."));
}
Region Region::getFull(const Shape &shape, AccessType access) {
  return Region(LowBounds(shape.size(), 0), shape, access);
}
Region Region::getEmpty(std::int64_t rank) {
  const LowBounds zeros(std::size_t(std::max<std::int64_t>(rank, 1)),
                        0); // a scalar has one element
  return Region(zeros, zeros);
}
std::int64_t Region::nelms() const {
  std::int64_t n = 1;
  for (std::size_t i = 0; i < lower_.size(); ++i)
    n *= upper_[i] - lower_[i];
  return n;
}
Region Region::intersect(const Region &other) const {
  if (rank() != other.rank())
    throw error("Regions of {} and of {} dimensions do not meet.", rank(), other.rank());
  LowBounds lower = lower_;
  UppBounds upper = upper_;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    lower[i] = std::max(lower[i], other.lower_[i]);
    upper[i] = std::max(lower[i], std::min(upper[i], other.upper_[i]));
  }
  return Region(lower, upper, access_);
}
Region Region::transpose(const Shape &permutation) const {
  LowBounds lower;
  UppBounds upper;
  for (auto from : permutation) {
    lower.push_back(lower_.at(std::size_t(from)));
    upper.push_back(upper_.at(std::size_t(from)));
  }
  return Region(lower, upper, access_);
}
Region Region::reverse(const Shape &shape, const Shape &dimensions) const {
  LowBounds lower = lower_;
  UppBounds upper = upper_;
  for (auto dimension : dimensions) {
    const auto d = std::size_t(dimension);
    lower.at(d) = shape.at(d) - upper_.at(d);
    upper.at(d) = shape.at(d) - lower_.at(d);
  }
  return Region(lower, upper, access_);
}
bool Region::contains(const std::vector<std::int64_t> &index) const {
  for (std::size_t i = 0; i < lower_.size(); ++i)
    if (i >= index.size() || index[i] < lower_[i] || index[i] >= upper_[i])
      return false;
  return true;
}
bool Region::contains(const Region &other) const {
  return other.isEmpty() || intersect(other) == other;
}
void Region::append(std::ostream &out) const {
  out << base::list(lower_) << '-' << base::list(upper_);
}
std::ostream &operator<<(std::ostream &out, const Region &region) {
  region.append(out);
  return out;
}

} // namespace popart::view
