// SPDX-License-Identifier: MIT
// EncodeOneHot sets one element of each of its rows; the rows have been filled before.
#pragma once
#include "arch/Chip.hpp"
#include "poplar/Type.hpp"

namespace popops::cost {

// The assembly of unsigned int to half runs in the supervisor; others are workers' code, each with
// its share of the rows. None of them costs more for longer rows.
inline std::uint64_t oneHotCycles(const arch::Chip &chip, const poplar::Type &index,
                                  const poplar::Type &type, bool customValues, std::uint64_t rows) {
  if (index == poplar::UNSIGNED_INT && type == poplar::HALF && !customValues)
    return 11 + 74 * rows;
  return chip.onWorkers(100 * chip.workerShare(rows));
}

} // namespace popops::cost
