// SPDX-License-Identifier: MIT
// What ran: the trace of single executions, blocks, totals and energy.
#include "arch/Energy.hpp"
#include "profile/Power.hpp"
#include "profile/WriteTables.hpp"
#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

namespace poplar::profile {

using executable::none;
using executable::PhaseKind;
using pva::Writer;

namespace {

constexpr const Writer::Null null;

// Activity of one program on one IPU, relative to its start.
struct OnIpu {
  std::uint64_t tiles = 0, least = 0, most = 0;
};

std::vector<OnIpu> activity(const executable::Phase &phase, const Layout &layout) {
  std::vector<OnIpu> result(layout.ipus);
  for (const auto &share : phase.tiles)
    for (auto tile = share.tile, end = share.tile + share.count; tile < end;) {
      auto index = std::min(tile / layout.tilesPerIpu, layout.ipus - 1);
      auto &ipu = result[index];
      auto next = index + 1 == layout.ipus ? end : std::min(end, (index + 1) * layout.tilesPerIpu);
      ipu.least = ipu.tiles == 0 ? share.cycles : std::min(ipu.least, share.cycles);
      ipu.most = std::max(ipu.most, share.cycles);
      ipu.tiles += next - tile;
      tile = next;
    }
  return result;
}

class Trace {
public:
  Trace(Writer &writer, const LoweredPrograms &programs, const Recorder &recorder,
        const Layout &layout)
      : programs_(programs), recorder_(recorder), layout_(layout),
        activity_(programs.programs.size()), steps_(writer.table("steps")),
        byIpu_(writer.table("steps_by_ipu")), runs_(writer.table("runs")) {}
  void write() {
    for (std::size_t i = 0; i < recorder_.runs().size(); ++i) {
      const auto &run = recorder_.runs()[i];
      const auto first = numSteps_;
      for (auto e = run.firstEvent; e < run.endEvent; ++e)
        writeEvent(recorder_.events()[e]);
      runs_.row(i, run.name, programs_.entries[run.program], run.startCycle, run.endCycle, first,
                numSteps_ - first);
    }
  }

private:
  void writeEvent(const Recorder::Event &event) {
    auto cycle = event.startCycle;
    for (auto id : programs_.timed[event.step]) {
      writeStep(id, cycle);
      cycle += programs_.programs[id].phase->cycles;
    }
  }
  void writeStep(std::uint32_t id, std::uint64_t base) {
    const auto &program = programs_.programs[id];
    if (program.computeSet == none)
      steps_.row(numSteps_, pva::toString(program.type), id, null);
    else
      steps_.row(numSteps_, pva::toString(program.type), id, program.computeSet);
    if (activity_[id].empty())
      activity_[id] = activity(*program.phase, layout_);
    for (std::uint32_t ipu = 0; ipu < layout_.ipus; ++ipu) {
      const auto &a = activity_[id][ipu];
      byIpu_.row(numSteps_, ipu, program.phase->cycles, a.tiles, base, base, base, base + a.least,
                 base + a.most);
    }
    ++numSteps_;
  }

  const LoweredPrograms &programs_;
  const Recorder &recorder_;
  const Layout layout_;
  std::vector<std::vector<OnIpu>> activity_; // by program, filled when first needed
  Writer::Table steps_, byIpu_, runs_;
  std::uint64_t numSteps_ = 0;
};

struct TileSpan {
  std::uint32_t first, count;
};
using Tiles = std::shared_ptr<const std::vector<TileSpan>>;
struct BlockRow {
  std::uint32_t program;
  std::uint64_t from, to;
  const Recorder::Block *block;
  Tiles tiles; // many blocks of one program share it
};

// Which tiles have a block. The records of Block programs are taken by one tile of every IPU that
// works in it, those of stream copies by the tiles that take part.
class BlockTiles {
public:
  BlockTiles(const LoweredPrograms &programs, const Recorder &recorder, const Layout &layout)
      : programs_(programs), layout_(layout),
        tile_(std::min(recorder.options().blockTile, layout.tilesPerIpu - 1)),
        recorded_(layout.ipus) {}

  Tiles of(const Recorder::Block &block) {
    if (block.onItsTiles)
      return cached(block.step, [&] { return ofStreamCopy(block.step); });
    if (block.step == none) { // what is emptied or full is the buffer of those that recorded
      auto tiles = on(recorded_);
      if (block.flush)
        recorded_.assign(layout_.ipus, false);
      return tiles;
    }
    const auto tiles = cached(block.step, [&] { return on(ipusOf(block.step)); });
    for (const auto &span : *tiles)
      recorded_[span.first / layout_.tilesPerIpu] = true;
    return tiles;
  }

private:
  template <class Make> Tiles cached(std::uint32_t step, Make make) {
    auto &tiles = ofStep_[step];
    if (!tiles)
      tiles = make();
    return tiles;
  }
  Tiles on(const std::vector<bool> &ipus) const {
    std::vector<TileSpan> spans;
    for (std::uint32_t ipu = 0; ipu < layout_.ipus; ++ipu)
      if (ipus[ipu])
        spans.push_back({ipu * layout_.tilesPerIpu + tile_, 1});
    return std::make_shared<std::vector<TileSpan>>(std::move(spans));
  }
  // All IPUs if no tile does anything.
  std::vector<bool> ipusOf(std::uint32_t step) const {
    std::vector<bool> ipus(layout_.ipus), seen(programs_.programs.size());
    auto stack = programs_.ofStep[step];
    while (!stack.empty()) {
      const auto id = stack.back();
      stack.pop_back();
      if (seen[id])
        continue;
      seen[id] = true;
      const auto &program = programs_.programs[id];
      if (program.phase) {
        const auto active = activity(*program.phase, layout_);
        for (std::uint32_t ipu = 0; ipu < layout_.ipus; ++ipu)
          ipus[ipu] = ipus[ipu] || active[ipu].tiles > 0;
      }
      stack.insert(stack.end(), program.children.begin(), program.children.end());
    }
    if (std::find(ipus.begin(), ipus.end(), true) == ipus.end())
      ipus.assign(layout_.ipus, true);
    return ipus;
  }
  Tiles ofStreamCopy(std::uint32_t step) const {
    std::vector<TileSpan> spans;
    for (auto id : programs_.timed[step])
      if (const auto &phase = *programs_.programs[id].phase; phase.kind == PhaseKind::HostExchange)
        for (const auto &share : phase.tiles)
          spans.push_back({share.tile, share.count});
    std::sort(spans.begin(), spans.end(),
              [](const TileSpan &a, const TileSpan &b) { return a.first < b.first; });
    std::vector<TileSpan> joined;
    for (const auto &span : spans)
      if (!joined.empty() && span.first <= joined.back().first + joined.back().count)
        joined.back().count =
            std::max(joined.back().count, span.first + span.count - joined.back().first);
      else
        joined.push_back(span);
    return std::make_shared<std::vector<TileSpan>>(std::move(joined));
  }

  const LoweredPrograms &programs_;
  const Layout &layout_;
  const std::uint32_t tile_;   // of each IPU
  std::vector<bool> recorded_; // IPUs with a block since the last flush
  std::map<std::uint32_t, Tiles> ofStep_;
};

// A stream copy shows each of its phases as a block, and a flush its begin, middle and end.
std::vector<BlockRow> blockRows(const LoweredPrograms &programs, const Recorder &recorder,
                                const Layout &layout) {
  std::vector<BlockRow> rows;
  BlockTiles tilesOf(programs, recorder, layout);
  const auto flush = std::uint32_t(programs.programs.size()), overflow = flush + 1;
  for (const auto &block : recorder.blocks()) {
    const auto tiles = tilesOf.of(block);
    if (!block.streamCopy) {
      const auto program = block.flush      ? flush
                           : block.overflow ? overflow
                                            : programs.ofStep[block.step][0];
      rows.insert(rows.end(), block.flush ? 3 : 1,
                  BlockRow{program, block.cyclesFrom, block.cyclesTo, &block, tiles});
      continue;
    }
    auto cycle = block.cyclesFrom;
    for (auto id : programs.timed[block.step]) {
      const auto end = cycle + programs.programs[id].phase->cycles;
      rows.push_back({id, cycle, end, &block, tiles});
      cycle = end;
    }
  }
  // By start, outer blocks before inner ones. A flush is of what came before it, and must not part
  // a stream copy that begins at the same cycle.
  const auto order = [](const BlockRow &row) {
    return std::tuple(row.from, !row.block->flush, ~row.to);
  };
  std::ranges::stable_sort(rows, {}, order);
  return rows;
}

void writeBlocks(Writer &writer, const LoweredPrograms &programs, const Recorder &recorder,
                 const Layout &layout) {
  auto table = writer.table("blocks");
  std::uint64_t id = 0;
  for (const auto &row : blockRows(programs, recorder, layout))
    for (const auto &span : *row.tiles)
      table.row(id++, span.first, row.program, row.from, row.to, row.block->streamCopy,
                row.block->overflow, row.block->flush, span.count);
}

void writeEnergy(Writer &writer, const arch::EnergyMeter &meter) {
  auto table = writer.table("energy");
  for (unsigned kind = 0; kind < arch::stepKinds; ++kind)
    if (const auto joules = meter.joules(arch::StepKind(kind)); joules > 0)
      table.row(arch::toString(arch::StepKind(kind)), joules);
}

} // namespace

void writeTrace(Writer &writer, const LoweredPrograms &programs, const Recorder &recorder,
                const Layout &layout) {
  Trace(writer, programs, recorder, layout).write();
  writeBlocks(writer, programs, recorder, layout);
}

void writeTotals(Writer &writer, const LoweredPrograms &programs, const Recorder &recorder,
                 const arch::System &system, const Layout &layout) {
  auto table = writer.table("totals");
  arch::EnergyMeter energy(system);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> executed; // program, executions
  std::uint64_t cycles = 0;
  for (std::size_t step = 0; step < recorder.totals().size(); ++step) {
    const auto &total = recorder.totals()[step];
    cycles += total.cycles;
    for (auto id : programs.timed[step])
      if (total.executions > 0)
        executed.emplace_back(id, total.executions);
  }
  std::sort(executed.begin(), executed.end());
  for (const auto &[id, executions] : executed) {
    const auto &program = programs.programs[id];
    const auto sum = executions * program.phase->cycles;
    table.row(id, executions, sum);
    energy.add(energyKind(*program.phase, program.isCopy, system.chip), sum,
               activeShare(*program.phase, layout.tiles()));
  }
  writer.table("execution").row(cycles, recorder.droppedEvents(), recorder.droppedBlocks());
  writeEnergy(writer, energy);
}

} // namespace poplar::profile
