// SPDX-License-Identifier: MIT
// Attributes of operators that no converter reads by name: misspelt ones, and those of custom
// operators, which go to PopART as they are.
#pragma once
#include "core/Call.hpp"
#include <set>

namespace paddleipu {

// ProgramError for an attribute that neither was `read` nor is any of Paddle's: nobody would notice
// that it does nothing.
void refuseUnknownAttributes(const Call &c, const std::set<std::string> &read);
// UnimplementedError for operators that an optimiser of models has put into this one.
void refuseFusions(const Call &c);
// Those of an operator, without what Paddle notes on every operator (op_role, ipu_index ...).
Attributes attributesOf(const Call &c);

} // namespace paddleipu
