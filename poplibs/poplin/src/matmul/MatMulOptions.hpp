// SPDX-License-Identifier: MIT
// A matrix product as the convolution that is planned, and its options in a convolution's words.
#pragma once
#include "poplin/ConvPlan.hpp"
#include "poplin/MatMul.hpp"

namespace poplin {

// Throws poplar::invalid_option for names that products do not have, and for bad values.
poplar::OptionFlags convFlags(const poplar::OptionFlags &matMulOptions);
bool isPreArranged(const poplar::OptionFlags &matMulOptions);
// For grouped shapes [g][m][k] and [g][k][n].
ConvParams convParams(poplar::Type inputType, poplar::Type outputType,
                      const std::vector<std::size_t> &aShape,
                      const std::vector<std::size_t> &bShape);

} // namespace poplin
