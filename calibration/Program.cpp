// SPDX-License-Identifier: MIT
#include "Program.hpp"
#include <algorithm>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <stdexcept>

namespace calibration {

using namespace poplar;
using Type = pva::Program::Type;

Device deviceOf(const std::string &chip, unsigned ipus) {
  IPUModel model(chip.c_str());
  model.numIPUs = ipus;
  return model.createDevice();
}

double fullestTile(const pva::Report &report) {
  std::uint64_t most = 0;
  for (const auto &tile : report.compilation().tiles())
    most = std::max(most, tile.memory().total().includingGaps());
  return double(most) / double(report.compilation().target().bytesPerTile());
}

Profile::Profile(const pva::Report &report) {
  const auto execution = report.execution();
  all_ = double(execution.totalCycles());
  clock_ = report.compilation().target().clockFrequency();
  watts_ = execution.energy().averageWatts();
  tile_ = fullestTile(report);
  for (const auto &total : execution.totals()) {
    byType_[total.program()->type()] += double(total.cycles());
    byName_[total.program()->name()] += double(total.cycles());
  }
}

double Profile::cycles(Type type) const {
  const auto at = byType_.find(type);
  return at == byType_.end() ? 0 : at->second;
}

double Profile::named(const std::string &end) const {
  double sum = 0;
  for (const auto &[name, cycles] : byName_)
    if (name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
      sum += cycles;
  return sum;
}

// What a row repeats ran on hardware.
static void mustFit(double tile) {
  if (tile > 1)
    throw std::runtime_error("needs " + std::to_string(tile) + " of a tile's memory");
}

Profile run(const Device &device, const Graph &graph, const program::Program &program,
            const std::map<std::string, std::size_t> &streamBytes) {
  Engine engine(graph, program);
  engine.load(device);
  std::map<std::string, std::vector<char>> memory;
  for (const auto &[name, bytes] : streamBytes) {
    auto &buffer = memory[name];
    buffer.resize(bytes);
    engine.connectStream(name, buffer.data());
  }
  engine.run();
  Profile profile(engine.getReport());
  mustFit(profile.tile());
  return profile;
}

static double cyclesOf(const pva::Program &program) {
  double sum = double(program.cycles());
  for (const auto &child : program.children())
    sum += cyclesOf(*child);
  if (program.type() == Type::Switch)
    throw std::logic_error("a program whose data decide must be run");
  return program.type() == Type::Repeat ? sum * double(program.count()) : sum;
}

double compiledCycles(const Graph &graph, const program::Program &program) {
  Engine engine(graph, program);
  const auto report = engine.getReport(false);
  mustFit(fullestTile(report));
  double sum = 0;
  for (const auto &root : report.compilation().programs())
    sum += cyclesOf(*root);
  return sum;
}

} // namespace calibration
