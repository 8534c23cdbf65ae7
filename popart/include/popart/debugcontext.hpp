// SPDX-License-Identifier: MIT
// Debug names: what a user calls an operator or tensor. PopART's are Poplar's own.
#ifndef POPART_DEBUGCONTEXT_HPP
#define POPART_DEBUGCONTEXT_HPP
#include <poplar/DebugContext.hpp>

namespace popart {
using DebugContext = poplar::DebugContext;
using DebugNameAndId = poplar::DebugNameAndId; // Poplar's, under PopART's name.
using SourceLocation = poplar::SourceLocation; // Poplar's, under PopART's name
} // namespace popart
#endif
