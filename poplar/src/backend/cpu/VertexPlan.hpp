// SPDX-License-Identifier: MIT
// How the vertices of one compute set lie in host memory: grouped by type so that one call runs
// many, fields that are one aligned run of the arena bound by address, all others by an aligned
// scratch area that is gathered before and scattered after. Nothing here depends on a replica:
// addresses are offsets from the start of an arena.
#pragma once
#include "backend/cpu/Arena.hpp"
#include "backend/cpu/StridedMove.hpp"
#include "codelet/Module.hpp"
#include "executable/Image.hpp"
#include <memory>
#include <span>
#include <vector>

namespace poplar::backend::cpu {

// The modules whose layouts and code are used: the image's own, or their checked forms in the same
// order.
using Modules = std::vector<std::shared_ptr<const codelet::Module>>;

struct VertexBatch {
  std::uint32_t module, type; // in Modules
  std::uint32_t first, count; // in VertexPlan::order
};

class VertexPlan {
public:
  VertexPlan(const executable::Image &image, std::uint32_t computeSet, const Modules &modules,
             bool checked);

  const std::vector<VertexBatch> &batches() const { return batches_; }
  const std::vector<std::uint32_t> &order() const { return order_; } // vertices, by batch
  const std::vector<std::uint32_t> &position() const {
    return position_;
  } // order()[i] is the set's vertex position()[i]
  std::uint32_t computeSet() const { return computeSet_; }
  std::uint64_t storageBytes() const;
  std::uint64_t scratchBytes() const { return scratchBytes_; }
  const MoveList &gather() const { return gather_; }
  const MoveList &scatter() const { return scatter_; }

  // Checked mode: what vertex order()[i] may touch, itself first. `storage` as built.
  std::span<const codelet::FieldCheck> operands(const std::byte *storage, std::size_t i) const;
  // Outputs of vertices that could not be compiled for checked mode count as written once they ran.
  void markUnchecked(Arena &arena) const;

  // Writes every vertex as at load: values, and the addresses of fields. storage: storageBytes(),
  // 64-byte aligned. vertices: one address per entry of order().
  void build(std::byte *storage, Arena &arena, std::vector<void *> &vertices) const;

private:
  friend class VertexWriter;
  void group();
  void measure();
  void planVertex(const executable::Vertex &vertex, const codelet::VertexType &type, bool checked);
  void planEdge(const codelet::Field &field, const executable::Edge &edge, bool fenced);
  std::vector<std::uint32_t> findShared() const;
  bool isChecked(std::uint32_t module) const {
    return checked_ && !modules_[module]->checkedImage.empty();
  }

  const executable::Image *image_;
  std::uint32_t computeSet_;
  Modules modules_;
  bool checked_;
  std::vector<VertexBatch> batches_;
  std::vector<std::uint32_t> order_, position_;
  std::vector<std::int64_t>
      edgeOffsets_; // where each edge lives from the start of the arena, in visiting order
  // Checked mode:
  std::vector<std::uint32_t> shared_;     // edges that other vertices write as well
  std::vector<bool> edgeFenced_;          // room on both sides of the edge is nobody's
  std::vector<std::uint64_t> firstCheck_; // by vertex in order(), and the end
  struct Range {
    std::int64_t offset;
    std::uint64_t bytes;
  };
  std::vector<Range> unchecked_; // outputs of vertices without checks
  std::uint64_t storageBytes_ = 0, scratchBytes_ = 0, checks_ = 0;
  std::vector<RawMove> in_, out_; // while planning
  MoveList gather_, scatter_;
};

} // namespace poplar::backend::cpu
