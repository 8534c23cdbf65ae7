// SPDX-License-Identifier: MIT
// A tensor that the interpreter or the engine reads and writes, packed, in a backend's memory.
#pragma once
#include "backend/Backend.hpp"

namespace poplar::backend {

struct HostView {
  HostView(const tensor::View &view, const executable::Image &image, Backend &backend);

  Place place;
  TypeId type;
  std::vector<std::size_t> shape;
  std::size_t elements;
  std::uint64_t bytes() const { return elements * sizeOf(type); }
};

// One element that steers control flow.
struct HostScalar {
  Place place = 0;
  TypeId type = TypeId::Int;
  HostScalar() = default;
  HostScalar(const tensor::View &view, const executable::Image &image, Backend &backend);
  // Integers by value, floats as zero or one.
  std::int64_t value(Backend &backend, unsigned replica) const;
  bool isTrue(Backend &backend, unsigned replica) const { return value(backend, replica) != 0; }
};

} // namespace poplar::backend
