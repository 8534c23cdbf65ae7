// SPDX-License-Identifier: MIT
// A program on a simulated machine, run as a user runs it; what it cost is read from its profile.
#pragma once
#include <map>
#include <poplar/Device.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <pva/pva.hpp>
#include <string>

namespace calibration {

poplar::Device deviceOf(const std::string &chip, unsigned ipus = 1);

// What the fullest tile needs of what it has.
double fullestTile(const pva::Report &report);

// Cycles of everything that ran, by kind of step and by name.
class Profile {
public:
  explicit Profile(const pva::Report &report);
  double cycles() const { return all_; }
  double cycles(pva::Program::Type type) const;
  double named(const std::string &end) const; // steps whose name ends so
  double seconds() const { return all_ / clock_; }
  double seconds(double cycles) const { return cycles / clock_; }
  double watts() const { return watts_; } // on average, all IPUs
  double tile() const { return tile_; }   // what the fullest needs of its memory

private:
  double all_ = 0, clock_ = 1, watts_ = 0, tile_ = 0;
  std::map<pva::Program::Type, double> byType_;
  std::map<std::string, double> byName_;
};

// Runs once. Streams are joined to memory of their size first.
Profile run(const poplar::Device &device, const poplar::Graph &graph,
            const poplar::program::Program &program,
            const std::map<std::string, std::size_t> &streamBytes = {});
// The same without data, for programs whose costs are all known once they are compiled: the profile
// of the compiled programs, loops as often as they turn.
double compiledCycles(const poplar::Graph &graph, const poplar::program::Program &program);

} // namespace calibration
