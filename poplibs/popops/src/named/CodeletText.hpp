// SPDX-License-Identifier: MIT
// Pieces of codelet source: what vertices by name and generated vertices are put together from.
#pragma once
#include "popops/ExprOp.hpp"
#include <string>

namespace popops {

// The operators' enumerations and the functions that operators use.
std::string codeletPrelude();
// UnaryOf<op> or BinaryOf<op>, which compute one operator.
std::string codeletOperator(expr::UnaryOpType op);
std::string codeletOperator(expr::BinaryOpType op);
// convert<To>(x) and clamp<T>(x, low, high).
std::string codeletFunctions();

} // namespace popops
