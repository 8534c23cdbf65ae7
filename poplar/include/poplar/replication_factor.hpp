// SPDX-License-Identifier: MIT
// How many copies of a graph run side by side, as a type of its own.
#pragma once

namespace poplar {

class replication_factor {
public:
  explicit constexpr replication_factor(unsigned value) : value_(value) {}
  constexpr operator unsigned() const { return value_; }

private:
  unsigned value_;
};

} // namespace poplar
