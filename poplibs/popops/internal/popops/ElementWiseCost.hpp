// SPDX-License-Identifier: MIT
// Tile cycles of the element-wise vertices on a chip (openipu::chipOf): n elements on a tile, in
// `regions` contiguous stretches (one: the 1D vertex, on all workers; several: 2D vertices, the
// regions shared among the workers). The inner loops of each operator are in
// Operators.def.
#pragma once
#include "arch/Chip.hpp"
#include "popops/ExprOp.hpp"
#include <cstdint>
#include <poplar/Type.hpp>

namespace popops {
namespace cost {

std::uint64_t unaryCycles(const arch::Chip &chip, expr::UnaryOpType op, const poplar::Type &type,
                          std::uint64_t n, bool inPlace = false, unsigned regions = 1);
std::uint64_t binaryCycles(const arch::Chip &chip, expr::BinaryOpType op, const poplar::Type &type,
                           std::uint64_t n, bool inPlace = false, unsigned regions = 1);
std::uint64_t broadcastScalarCycles(const arch::Chip &chip, expr::BinaryOpType op,
                                    const poplar::Type &type, std::uint64_t n, bool inPlace = false,
                                    unsigned regions = 1);
// `len` values of the vector against each of `slices` * `broadcast` rows of that length.
std::uint64_t vectorInnerCycles(const arch::Chip &chip, expr::BinaryOpType op,
                                const poplar::Type &type, std::uint64_t slices, std::uint64_t len,
                                std::uint64_t broadcast);
// One value of the vector per row of `columns` elements.
std::uint64_t vectorOuterCycles(const arch::Chip &chip, expr::BinaryOpType op,
                                const poplar::Type &type, std::uint64_t rows,
                                std::uint64_t columns);
std::uint64_t selectCycles(const arch::Chip &chip, const poplar::Type &type, std::uint64_t n,
                           unsigned regions = 1);
std::uint64_t clampCycles(const arch::Chip &chip, const poplar::Type &type, std::uint64_t n,
                          unsigned regions = 1);
std::uint64_t scalarMultiplyCycles(const arch::Chip &chip, std::uint64_t n); // halves by one float
std::uint64_t castCycles(const arch::Chip &chip, const poplar::Type &from, const poplar::Type &to,
                         std::uint64_t n, unsigned regions = 1);
std::uint64_t fillCycles(const arch::Chip &chip, const poplar::Type &type, std::uint64_t n,
                         unsigned regions = 1);

enum class ScaledAdd { APlusbB, AMinusbB, aAPlusbB, aAMinusbB };
// `scale`: type of the scales; `constrained`: A and B in different memory elements.
std::uint64_t scaledAddCycles(const arch::Chip &chip, const poplar::Type &a, const poplar::Type &b,
                              const poplar::Type &scale, std::uint64_t n,
                              ScaledAdd form = ScaledAdd::APlusbB, bool constrained = false,
                              unsigned regions = 1);
// The vertex that `map` generates for an expression of `ops` operators on `inputs` tensors.
std::uint64_t fusedCycles(const arch::Chip &chip, unsigned ops, unsigned inputs,
                          const poplar::Type &type, std::uint64_t n, unsigned regions = 1);

// Floating-point operations of one element; none for other types.
unsigned flops(expr::UnaryOpType op, const poplar::Type &type);
unsigned flops(expr::BinaryOpType op, const poplar::Type &type);

// Whether a vertex exists.
bool supported(expr::UnaryOpType op, const poplar::Type &type);
bool supported(expr::BinaryOpType op, const poplar::Type &type);

} // namespace cost
} // namespace popops
