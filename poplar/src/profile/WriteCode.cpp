// SPDX-License-Identifier: MIT
// Which program has how many instructions on which tile: the supervisor's own, and those of
// exchanges. Places that run the same code have it together; the first of them shows it, so the sum
// over programs is the memory of the tile.
#include "analysis/ControlCode.hpp"
#include "analysis/SharedCode.hpp"
#include "profile/WriteTables.hpp"
#include <algorithm>
#include <utility>

namespace poplar::profile {

namespace {

using executable::none;

struct Bytes {
  std::int64_t control = 0, exchange = 0;
  void add(const Bytes &other) {
    control += other.control;
    exchange += other.exchange;
  }
};
struct Change {
  std::uint32_t tile;
  Bytes by;
};

class Code {
public:
  Code(const executable::Image &image, const LoweredPrograms &programs)
      : image_(image), programs_(programs), changes_(programs.programs.size()),
        shown_(image.computeSets.size()) {}

  void add(std::uint32_t step, std::uint32_t phase, std::uint32_t first, std::uint32_t count,
           Bytes bytes) {
    const auto &timed = programs_.timed[step];
    auto &changes = changes_[phase < timed.size() ? timed[phase] : programs_.ofStep[step][0]];
    changes.push_back({first, bytes});
    changes.push_back({first + count, {-bytes.control, -bytes.exchange}});
  }
  void addExchanges(std::uint32_t step) {
    const auto *execute = executable::as<executable::step::Execute>(image_.steps[step]);
    if (execute && std::exchange(shown_[execute->set], 1))
      return;
    const auto &phases = image_.steps[step].cost.phases;
    for (std::uint32_t i = 0; i < phases.size(); ++i)
      addShares(step, i, phases[i].tiles.list());
  }
  void write(pva::Writer::Table table) {
    for (std::uint32_t program = 0; program < changes_.size(); ++program)
      writeRanges(table, program);
  }

private:
  using Shares = std::vector<executable::TileShare>;
  void addShares(std::uint32_t step, std::uint32_t phase, const Shares &shares) {
    for (std::size_t i = 0, end = 0; i < shares.size(); i = end) {
      auto count = shares[i].count;
      for (end = i + 1; end < shares.size() && shares[end].tile == shares[i].tile + count &&
                        shares[end].codeBytes == shares[i].codeBytes;
           ++end)
        count += shares[end].count;
      if (shares[i].codeBytes)
        add(step, phase, shares[i].tile, count, {0, shares[i].codeBytes});
    }
  }
  // Neighbours with equal bytes are one row.
  void writeRanges(pva::Writer::Table &table, std::uint32_t program) {
    auto &changes = changes_[program];
    std::sort(changes.begin(), changes.end(),
              [](const Change &a, const Change &b) { return a.tile < b.tile; });
    Bytes now;
    std::uint32_t since = 0;
    for (std::size_t i = 0, end = 0; i < changes.size(); i = end) {
      Bytes change;
      for (end = i; end < changes.size() && changes[end].tile == changes[i].tile; ++end)
        change.add(changes[end].by);
      if (!change.control && !change.exchange)
        continue;
      if (now.control || now.exchange)
        table.row(program, since, changes[i].tile - since, now.control, now.exchange);
      now.add(change);
      since = changes[i].tile;
    }
  }

  const executable::Image &image_;
  const LoweredPrograms &programs_;
  std::vector<std::vector<Change>> changes_; // by program
  std::vector<std::uint8_t> shown_;          // by compute set
};

} // namespace

void writeCode(pva::Writer &writer, const executable::Image &image, const arch::System &system,
               const LoweredPrograms &programs) {
  const auto reached = analysis::reach(image);
  const auto like = analysis::sharedCode(image);
  const auto size = std::int64_t(system.chip.code.instructionBytes);
  Code code(image, programs);
  analysis::forControlCode(image, system, reached, like,
                           [&](std::uint32_t step, std::uint32_t phase, std::uint32_t first,
                               std::uint32_t count, unsigned instructions) {
                             code.add(step, phase, first, count, {instructions * size, 0});
                           });
  for (auto leaf : reached.leaves)
    if (like[leaf] == none)
      code.addExchanges(leaf);
  code.write(writer.table("program_code"));
}

} // namespace poplar::profile
