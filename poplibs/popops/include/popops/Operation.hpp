// SPDX-License-Identifier: MIT
// Operations of a reduction as text: ADD, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, SQUARE_ADD,
// LOG_ADD.
#pragma once
#include <iosfwd>
#include <popops/OperationDef.hpp>
#include <string>

namespace popops {

// Reads one word; any other word throws poputil::poplibs_error with the list.
std::istream &operator>>(std::istream &in, Operation &op);
std::ostream &operator<<(std::ostream &out, const Operation &op);

std::string asString(const Operation &op); // the operator's name

} // namespace popops
