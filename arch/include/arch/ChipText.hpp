// SPDX-License-Identifier: MIT
// Chips as text: one `key = value unit` per line, `#` starts a comment. The first line may name the
// chip to start from; every other field of Chip can be set by its name.
//
//   base  = ipu2
//   name  = bigger
//   tiles = 4000
//   clock = 2.0 GHz
//   memory = 1 MiB          # the regions keep their proportion unless they are given
//   sync.boundary = 300
#pragma once
#include "arch/Chip.hpp"
#include <iosfwd>

namespace arch {

// Throws std::invalid_argument naming the source, the line, the key and near matches. `source` is
// only for messages.
Chip parseChip(std::istream &text, std::string_view source);

// All fields; parseChip(describe(c)) == c.
std::string describe(const Chip &chip);

} // namespace arch
