// SPDX-License-Identifier: MIT
// Identifiers of PopART's operators.
#ifndef POPART_OPIDENTIFIER_HPP
#define POPART_OPIDENTIFIER_HPP
#include <popart/operators.hpp>
#endif
