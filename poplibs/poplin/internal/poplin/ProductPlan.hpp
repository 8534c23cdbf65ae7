// SPDX-License-Identifier: MIT
// Matrix products and plain vertices as parts of other operators' plans (solvers, recurrent
// layers), with the number of times a loop does them.
#pragma once
#include "poplin/ConvPlan.hpp"

namespace poplin {

// [groups][m][k] x [groups][k][n].
struct ProductShape {
  std::size_t groups, m, k, n;
  poplar::Type inputType, outputType;
};

// Options of matMul as the planner reads them. Throws poplar::invalid_option.
ConvOptions productOptions(const poplar::OptionFlags &matMulOptions);

// Nothing if a dimension is 0.
openipu::Plan productPlan(const poplar::Target &target, const ProductShape &shape,
                          const ConvOptions &options, PlanningCache *cache, const std::string &name,
                          std::size_t repeats = 1);

// The same work on tiles [0, tiles).
openipu::Superstep onTiles(std::string name, std::string vertex, unsigned tiles,
                           openipu::TileWork work, std::size_t repeats = 1);

} // namespace poplin
