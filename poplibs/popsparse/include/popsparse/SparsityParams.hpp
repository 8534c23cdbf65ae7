// SPDX-License-Identifier: MIT
// What kind of sparsity: single elements, or blocks.
#pragma once
#include <array>
#include <cstddef>
#include <ostream>

namespace popsparse {
namespace dynamic {

enum class SparsityType { Element, Block };    // whether single elements or whole blocks are zero
enum class SparsityStructure { Unstructured }; // zeros may be anywhere

struct SparsityParams {
  SparsityType type;                          // single elements, or blocks
  SparsityStructure structure;                // where zeros may be
  std::array<std::size_t, 2> blockDimensions; // rows, columns

  // Blocks of one element are Element sparsity, whatever type_ says.
  SparsityParams(SparsityType type_ = SparsityType::Element,
                 SparsityStructure structure_ = SparsityStructure::Unstructured,
                 std::array<std::size_t, 2> blockDimensions_ = {{1, 1}})
      : structure(structure_), blockDimensions(blockDimensions_) {
    static_cast<void>(type_);
    type =
        blockDimensions[0] * blockDimensions[1] == 1 ? SparsityType::Element : SparsityType::Block;
  }
};

inline bool operator==(const SparsityParams &a, const SparsityParams &b) {
  return a.structure == b.structure && a.blockDimensions == b.blockDimensions;
}
inline bool operator!=(const SparsityParams &a, const SparsityParams &b) { return !(a == b); }
inline bool operator<(const SparsityParams &a, const SparsityParams &b) {
  return a.blockDimensions < b.blockDimensions;
}
inline std::ostream &operator<<(std::ostream &out, const SparsityParams &p) {
  return out << (p.type == SparsityType::Element ? "element" : "block") << " sparsity, "
             << p.blockDimensions[0] << "x" << p.blockDimensions[1];
}

} // namespace dynamic
} // namespace popsparse
