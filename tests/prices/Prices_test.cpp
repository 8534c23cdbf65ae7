// SPDX-License-Identifier: MIT
// A chip is one file: what every operator costs follows the workers, the copies and the matrix unit
// that a text describes.
#include "openipu/KernelNames.hpp"
#include "openipu/ProgramCost.hpp"
#include "Prices.hpp"
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <poplar/Engine.hpp>
#include <poplar/Target.hpp>
#include <set>

namespace prices {

std::vector<Stretch> stretchesOf(const Case &which, const std::string &chipText) {
  const auto path = testing::TempDir() + "operator_prices.chip";
  std::ofstream(path) << chipText;
  constexpr unsigned tiles = 32;
  const auto target = poplar::Target::createIPUTarget(which.ipus, tiles, path);
  poplar::Graph graph(target, poplar::replication_factor(which.replicas));
  poplar::program::Sequence prog;
  Build build{graph, prog};
  which.build(build);
  const auto executable = poplar::compileGraph(graph, {prog}, {{"debug.allowOutOfMemory", "true"}});
  std::vector<Stretch> found;
  for (const auto &step : openipu::programCost(executable, 0).steps)
    for (const auto &phase : step.phases)
      if (phase.kind == pva::CycleKind::Compute || phase.kind == pva::CycleKind::Rearrange)
        found.push_back({step.kernel, phase.name, phase.cycles});
  return found;
}

namespace {

const std::string usual = "base = ipu21\n";

Cases allCases() {
  auto all = elementCases();
  for (auto &one : layerCases())
    all.push_back(std::move(one));
  return all;
}

// Cycles by what they are for; several of a kind in order.
std::map<std::string, std::vector<unsigned long long>> byText(const std::vector<Stretch> &all) {
  std::map<std::string, std::vector<unsigned long long>> out;
  for (const auto &s : all)
    out[s.text()].push_back(s.cycles);
  return out;
}

// What costs the same on both chips. A planner may choose otherwise on the second: then only what
// both do can be compared.
std::set<std::string> unmoved(const Case &which, const std::string &changes) {
  const auto one = byText(stretchesOf(which, usual)),
             other = byText(stretchesOf(which, usual + changes));
  EXPECT_FALSE(one.empty()) << which.name;
  std::set<std::string> out;
  for (const auto &[text, cycles] : one) {
    const auto found = other.find(text);
    if (found == other.end())
      continue;
    const auto &others = found->second;
    for (std::size_t i = 0; i < std::min(cycles.size(), others.size()); ++i)
      if (cycles.size() == others.size() && cycles[i] == others[i])
        out.insert(text);
  }
  return out;
}

using Texts = std::set<std::string>;

Texts unmoved(const std::string &changes) {
  Texts all;
  for (const auto &which : allCases())
    all.merge(unmoved(which, changes));
  return all;
}

// Data that are put in order on a tile: piece by piece, at the rate of copies.
const Texts copies = {"compute set/copy",
                      "poplin.convolution/PreArrange",
                      "poplin.weightGradient.quarter/PreArrange",
                      "poplin.weightGradient/PreArrange",
                      "popops.map/copy-in",
                      "popops.map/pack",
                      "popops.rearrange/Transpose",
                      "popops.rearrange/copy-in",
                      "popops.rearrange/pack"};
// One thread works, and the formulas are in cycles of the tile.
const Texts alone = {"popnn.loss/CalcAccuracy",
                     "popnn.loss/EncodeOneHot",
                     "popnn.softmaxLossGradient/EncodeOneHot",
                     "popops.encodeOneHot/OneHotEncode",
                     "popops.loopCounter/Count",
                     "popops.sequenceSlice/Slice"};
// Convolutions and products that do without the matrix unit.
const Texts vectorCases = {"outer products", "horizontal multiplications",
                           "vertical multiplications"};

Texts without(Texts all, const Texts &those) {
  for (const auto &text : those)
    all.erase(text);
  return all;
}

} // namespace

TEST(OperatorPrices, EveryOperatorIsWalked) {
  Texts walked;
  for (const auto &which : allCases())
    for (const auto &s : stretchesOf(which, usual))
      walked.insert(s.kernel);
  for (const auto &kernel : openipu::kernelNames())
    EXPECT_TRUE(walked.contains(kernel) || kernel == "popops.checkIndices") // the host's alone
        << kernel;
}

TEST(OperatorPrices, FollowTheWorkers) {
  EXPECT_EQ(without(without(unmoved("workers = 8\n"), copies), alone), Texts{});
}

TEST(OperatorPrices, OfCopiesFollowTheRatesOfCopies) {
  const auto same = unmoved("copy.bytesPerCycle = 32\ncopy.start = 50\ncopy.piece = 20\n"
                            "copy.straight = 60\ncopy.gather4 = 1\n"
                            "copy.gather2 = 2\n");
  for (const auto &text : copies)
    EXPECT_FALSE(same.contains(text)) << text;
}

TEST(OperatorPrices, OfProductsFollowTheMatrixUnit) {
  const std::string other = "amp.halfInputsPerCycle = 2\namp.quarterInputsPerCycle = 4\n"
                            "amp.halfFirst = 44\namp.floatFirst = 60\namp.quarterFirst = 50\n";
  for (const auto &which : allCases())
    for (const auto &text : unmoved(which, other))
      EXPECT_TRUE(text.find("Convolve") == text.npos || vectorCases.contains(which.name))
          << which.name << ": " << text;
}

// SLIC and VMAC are the chip's, whatever its architecture is called.
TEST(OperatorPrices, InstructionsThatAChipLacksAreNotUsed) {
  for (const auto &which : layerCases()) {
    const std::string name = which.name;
    if (name == "windows of four") {
      EXPECT_ANY_THROW(stretchesOf(which, usual + "amp.slic = no\n"));
    }
    if (name == "vertical multiplications") {
      EXPECT_ANY_THROW(stretchesOf(which, usual + "vmac = no\n"));
      EXPECT_NO_THROW(stretchesOf(which, "base = ipu1\nvmac = yes\n"));
    }
  }
}

} // namespace prices
