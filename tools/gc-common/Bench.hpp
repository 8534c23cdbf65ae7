// SPDX-License-Identifier: MIT
// A device under test: attached, with a graph on it and a program whose simulated time is taken.
#pragma once
#include "Tool.hpp"
#include <memory>
#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace gctest {

class Bench {
public:
  explicit Bench(unsigned id); // Error, with its holder, if the device is in use
  // The smallest device that has both IPUs. Error if there is none.
  static unsigned deviceWith(unsigned ipu0, unsigned ipu1);

  const poplar::Target &target() const { return device_.getTarget(); }
  poplar::Graph &graph() { return graph_; }
  unsigned ipus() const { return target().getNumIPUs(); }
  unsigned tilesPerIpu() const { return target().getTilesPerIPU(); }
  // Rows of so many elements, one row on each tile from firstTile on.
  poplar::Tensor rows(const poplar::Type &type, unsigned tiles, std::size_t elements,
                      unsigned firstTile, const char *name);

  unsigned addProgram(poplar::program::Sequence program); // timed; for run()
  poplar::Engine &load();                                 // compiles; nothing is added after that
  double run(unsigned program);                           // simulated seconds

private:
  poplar::Device device_;
  poplar::Graph graph_;
  std::vector<poplar::program::Program> programs_;
  std::unique_ptr<poplar::Engine> engine_;
};

// What a test that an error ended prints, with exit status 1.
gctool::Outcome failure(bool json, gctool::Json report, const std::string &error);

// 12.34
std::string number(double value, int digits = 2);

} // namespace gctest
