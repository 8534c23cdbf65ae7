// SPDX-License-Identifier: MIT
// How many copies of a graph run side by side, as a type of its own.
#pragma once

namespace poplar {

// How often a graph stands on the device; an own type, so that it cannot be mistaken for another
// number.
class replication_factor {
public:
  explicit constexpr replication_factor(unsigned value) : value_(value) {}
  constexpr operator unsigned() const { return value_; }

private:
  unsigned value_;
};

} // namespace poplar
