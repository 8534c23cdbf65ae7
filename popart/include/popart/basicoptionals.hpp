// SPDX-License-Identifier: MIT
// OptionalVGraphId and its kin, which op.hpp has.
#ifndef POPART_BASICOPTIONALS_HPP
#define POPART_BASICOPTIONALS_HPP
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/vendored/optional.hpp>

namespace popart {

template <class T, unsigned = 0> using BasicOptional = nonstd::optional<T>; // the older name

} // namespace popart
#endif
