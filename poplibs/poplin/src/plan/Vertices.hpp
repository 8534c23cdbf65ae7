// SPDX-License-Identifier: MIT
// Cycles of the vertices of a convolution on one tile of a chip, by the counts of their loops. Tile
// cycles: supervisor, plus the slowest worker's bundles times the workers.
#pragma once
#include "arch/MatrixUnit.hpp"
#include <cstdint>

namespace poplin::vertex {

// One tile's share. Outputs are `rows` rows (batch and all field dimensions but the innermost) of
// `width` elements; kernel elements are taken `height` rows at a time.
struct Work {
  using Input = arch::AmpInput;
  Input input = Input::Float;
  bool floatPartials = true;
  unsigned convUnits = 16, loadCycles = 64;             // AMP: load of one set of weights
  unsigned convGroups = 1, outGroups = 1, inGroups = 1; // loop counts
  unsigned convGroupsPerGroup = 1, inChansPerGroup = 1, outChansPerGroup = 1;
  std::uint64_t rows = 1, width = 1;
  unsigned kernelOuter = 1, kernelInner = 1, height = 1;
  unsigned stride = 1; // innermost output dimension
  unsigned chains = 0; // SLIC: of the unit, for one pass; 0: all that the partials leave
  double valid = 1;    // part of the outputs that a kernel element meets inside the input
};

std::uint64_t amp1x1(const arch::Chip &chip, const Work &work);
std::uint64_t ampNx1(const arch::Chip &chip, const Work &work);
std::uint64_t slic(const arch::Chip &chip, const Work &work);
std::uint64_t hmac(const arch::Chip &chip, const Work &work);
std::uint64_t vmac(const arch::Chip &chip, const Work &work);
std::uint64_t outerProduct(const arch::Chip &chip, const Work &work);

// Sum of `partials` partial results for each of `outputs` elements. `single`: they lie in one
// block; `fast`: in interleaved memory, as two loads per cycle need.
struct ReduceWork {
  bool floatPartials = true, floatOutput = true, single = true, fast = false;
  std::uint64_t outputs = 0;
  unsigned partials = 1;
};
std::uint64_t reduceAdd(const arch::Chip &chip, const ReduceWork &work);

// Conversion between half and float.
std::uint64_t cast(const arch::Chip &chip, std::uint64_t elements);
// In place sum of two tensors.
std::uint64_t addInPlace(const arch::Chip &chip, std::uint64_t elements, bool isHalf);
// One slice of `elements` along an outer dimension.
std::uint64_t dynamicSlice(const arch::Chip &chip, std::uint64_t bytes);
// Copy within the tile: piece by piece, or atom by atom when pieces are small.
std::uint64_t rearrange(const arch::Chip &chip, std::uint64_t pieces, std::uint64_t bytes,
                        unsigned atomBytes);

} // namespace poplin::vertex
