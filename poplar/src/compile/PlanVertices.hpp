// SPDX-License-Identifier: MIT
// What the fields of a compute set's vertices need: elements from other tiles, elements for other tiles, and
// copies that make a field contiguous on its tile.
#pragma once
#include "compile/PriceExchange.hpp"

namespace poplar::compile {

class PlanVertices {
public:
  PlanVertices(const executable::Image &image, Placement &placement, unsigned tiles)
      : image_(image), placement_(placement), copyIn_(tiles), copyOut_(tiles) {}

  void scan(std::uint32_t computeSet);
  std::vector<Need> takeInputs() { return std::exchange(inputs_, {}); }
  std::vector<Need> takeOutputs() { return std::exchange(outputs_, {}); }
  CopyLoads takeCopiesIn() { return copyIn_.take(); }
  CopyLoads takeCopiesOut() { return copyOut_.take(); }

private:
  // How the elements of one edge lie, seen from the vertex's tile.
  struct Lie {
    std::uint64_t here = 0, away = 0;   // elements
    std::uint64_t pieces = 0;
    unsigned atom = 8;
    bool ordered = true;                // those here follow each other in memory
    std::uint32_t var = executable::none;
    std::uint64_t next = 0;             // where the following element would have to be
  };
  void edge(std::uint32_t tile, const executable::Edge &edge, codelet::FieldDirection direction);
  void look(std::uint32_t tile, const executable::Run &run, Lie &lie);
  void travel(std::uint32_t tile, const executable::Run &run, codelet::FieldDirection direction);

  const executable::Image &image_;
  Placement &placement_;
  std::vector<Need> inputs_, outputs_;
  ByTile<CopyLoad> copyIn_, copyOut_;
};

} // namespace poplar::compile
