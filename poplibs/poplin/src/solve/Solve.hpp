// SPDX-License-Identifier: MIT
// Parts that the solvers share: options, checks.
#pragma once
#include "poplin/ProductPlan.hpp"
#include <poplar/Tensor.hpp>
#include <string>

namespace poplin::solve {

constexpr std::size_t substitutionBlock = 64; // of triangularSolve, unless blockSize is given

struct Options {
  std::size_t blockSize;
  ConvOptions product;
};
Options parseOptions(const poplar::OptionFlags &options, std::size_t blockSize);
// Without blockSize: what matMul takes.
poplar::OptionFlags matMulOptions(const poplar::OptionFlags &options);

// [..., N, N] of float or half, or poplibs_error.
void checkSquare(const char *function, const char *what, const poplar::Type &type,
                 const std::vector<std::size_t> &shape);
// What factorising matrices of this shape takes on the tiles.
openipu::Plan choleskyPlan(const poplar::Target &target, const poplar::Type &type,
                           const std::vector<std::size_t> &shape, const Options &options,
                           PlanningCache *cache);

std::size_t batches(const std::vector<std::size_t> &shape); // product of all but the last two

} // namespace poplin::solve
