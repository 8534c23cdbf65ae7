// SPDX-License-Identifier: MIT
// A dense product, which sparse ones are compared with.
#pragma once
#include "Program.hpp"

namespace calibration {

struct ProductShape {
  std::size_t m, k, n;
};
double denseSeconds(const std::string &chip, const poplar::Type &type, const ProductShape &shape);

} // namespace calibration
