// SPDX-License-Identifier: MIT
// A ring of the last `size` tensors that were added.
#pragma once
#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <vector>

namespace popops {

class CircBuf {
public:
  CircBuf(poplar::Graph &graph, const poplar::Type &dataType, unsigned size,
          const std::vector<std::size_t> &shape, const poplar::DebugContext &debugContext = {});

  // The tensor that was added i additions before the last one; 0 is the last one. i < size().
  poplar::Tensor prev(unsigned i, poplar::program::Sequence &seq,
                      const poplar::DebugContext &debugContext = {});
  // Replaces the oldest.
  void add(poplar::Tensor t, poplar::program::Sequence &seq,
           const poplar::DebugContext &debugContext = {});
  // Where the last one is: UNSIGNED_INT [1].
  poplar::Tensor getIndex() const;
  unsigned size() const { return size_; }
  // Of one entry.
  poplar::Graph::TileToTensorMapping getTileMapping();

private:
  poplar::Graph &graph_;
  unsigned size_;
  std::vector<std::size_t> shape_;
  poplar::Tensor index_;
  poplar::Tensor entries_; // [size, elements of one entry]
};

} // namespace popops
