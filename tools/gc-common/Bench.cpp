// SPDX-License-Identifier: MIT
#include "Bench.hpp"
#include "base/Text.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>

namespace gctest {
namespace {

using base::str;

poplar::Device attached(unsigned id) {
  const auto domain = machine::activeDomain();
  const auto ipus = domain.numbersOf(gctool::groupOf(domain, id));
  auto device = poplar::DeviceManager().getDevice(id);
  if (!device.attach())
    throw machine::Error(str("device ", id, " is in use", gctool::whoHolds(ipus),
                             ". Test another one, or wait until that process ends."));
  return device;
}

} // namespace

Bench::Bench(unsigned id) : device_(attached(id)), graph_(device_.getTarget()) {}

unsigned Bench::deviceWith(unsigned ipu0, unsigned ipu1) {
  const auto domain = machine::activeDomain();
  for (const auto &group : domain.groups()) {
    const auto has = [&](unsigned ipu) {
      return ipu >= group.first && ipu < group.first + group.size;
    };
    if (has(ipu0) && has(ipu1))
      return group.id;
  }
  throw machine::Error(str("partition ", domain.partition.name, " has no device with IPUs ", ipu0,
                           " and ", ipu1, ". gc-info -l lists the devices."));
}

poplar::Tensor Bench::rows(const poplar::Type &type, unsigned tiles, std::size_t elements,
                           unsigned firstTile, const char *name) {
  const auto all = graph_.addVariable(type, {tiles, elements}, name);
  for (unsigned tile = 0; tile < tiles; ++tile)
    graph_.setTileMapping(all[tile], firstTile + tile);
  return all;
}

unsigned Bench::addProgram(poplar::program::Sequence program) {
  const auto cycles = poplar::cycleCount(graph_, program, 0, "cycles");
  graph_.createHostRead(str("cycles", programs_.size()), cycles);
  programs_.push_back(std::move(program));
  return unsigned(programs_.size() - 1);
}

poplar::Engine &Bench::load() {
  engine_ = std::make_unique<poplar::Engine>(graph_, programs_);
  engine_->load(device_);
  return *engine_;
}

double Bench::run(unsigned program) {
  engine_->run(program);
  std::uint32_t words[2] = {};
  engine_->readTensor(str("cycles", program), words, words + 2);
  const auto cycles = (std::uint64_t(words[1]) << 32) | words[0];
  return double(cycles) / target().getTileClockFrequency();
}

gctool::Outcome failure(bool json, gctool::Json report, const std::string &error) {
  report["error"] = error;
  report["result"] = "fail";
  return {json ? gctool::textOf(report) : "o " + error + "\no Result - Fail\n", false};
}

std::string number(double value, int digits) { return machine::decimals(value, digits); }

} // namespace gctest
