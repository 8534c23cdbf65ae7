// SPDX-License-Identifier: MIT
// The operators of a Builder, which builder.hpp has.
#ifndef POPART_BUILDER_GEN_HPP
#define POPART_BUILDER_GEN_HPP
#include <popart/builder.hpp>
#endif
