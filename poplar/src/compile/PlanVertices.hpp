// SPDX-License-Identifier: MIT
// What the fields of a compute set's vertices need: elements from other tiles, elements for other
// tiles, and copies that make a field contiguous on its tile.
#pragma once
#include "compile/PriceExchange.hpp"
#include <span>
#include <unordered_set>

namespace poplar::compile {

class PlanVertices {
public:
  PlanVertices(const executable::Image &image, Placement &placement, const arch::System &replica)
      : image_(image), placement_(placement), chip_(replica.chip), copyIn_(replica.tiles()),
        copyOut_(replica.tiles()) {}

  void scan(std::uint32_t computeSet);
  std::vector<Need> takeInputs() { return std::exchange(inputs_, {}); }
  std::vector<Need> takeOutputs() { return std::exchange(outputs_, {}); }
  CopyLoads takeCopiesIn() { return copyIn_.take(); }
  CopyLoads takeCopiesOut() { return copyOut_.take(); }
  std::vector<std::uint32_t> takeInPlace(); // variables that a vertex uses where they lie, sorted

private:
  // How the elements of one edge lie, seen from the vertex's tile.
  struct Lie {
    std::uint64_t here = 0, away = 0; // elements
    bool ordered = true;              // those here follow each other in memory
    std::uint32_t var = executable::none;
    std::uint64_t next = 0; // the element that would have to follow
  };
  void edge(std::uint32_t tile, const executable::Edge &edge, codelet::FieldDirection direction);
  void look(std::uint32_t tile, const executable::Run &run, Lie &lie);
  void travel(std::uint32_t tile, const executable::Run &run, codelet::FieldDirection direction);
  void copy(std::uint32_t tile, const executable::Run &run, codelet::FieldDirection direction,
            bool again);
  static std::uint64_t keyOf(std::uint32_t tile, std::span<const executable::Run> runs);
  CopyLoad loadOf(const executable::Run &run);

  const executable::Image &image_;
  Placement &placement_;
  const arch::Chip &chip_;
  std::vector<Need> inputs_, outputs_;
  std::vector<std::uint32_t> inPlace_;
  ByTile<CopyLoad> copyIn_, copyOut_;
  std::unordered_set<std::uint64_t>
      gathered_; // tile and field: vertices that read the same share a copy
};

} // namespace poplar::compile
