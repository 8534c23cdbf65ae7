// SPDX-License-Identifier: MIT
// DebugContext of tensors, which debugcontext.hpp has.
#ifndef POPART_TENSORDEBUGINFO_HPP
#define POPART_TENSORDEBUGINFO_HPP
#include <popart/debugcontext.hpp>
#include <popart/names.hpp>
#endif
