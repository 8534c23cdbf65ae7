// SPDX-License-Identifier: MIT
#include "pva/Execution.hpp"
#include "base/Text.hpp"
#include "Data.hpp"
#include "pva/Error.hpp"
#include <algorithm>

namespace pva {

using detail::TileRange;

static const detail::StepOnIpu &at(const detail::Data &data, std::uint32_t step,
                                   std::uint32_t ipu) {
  return data.stepsByIpu[std::size_t(step) * data.target.ipusPerReplica() + ipu];
}

// The tile ranges of the step's program, cut to one IPU.
template <class Visit>
static void onIpu(const detail::Data &data, std::uint32_t step, std::uint32_t ipu, Visit visit) {
  const auto begin = ipu * data.target.tilesPerIpu, end = begin + data.target.tilesPerIpu;
  for (const auto &range : data.programs[data.steps[step]].tiles) {
    const auto first = std::max(begin, range.first),
               last = std::min(end, range.first + range.count);
    if (first < last)
      visit(range, last - first);
  }
}

static double balance(const detail::Data &data, std::uint32_t step, std::uint32_t ipu,
                      double tiles) {
  std::uint64_t slowest = 0;
  double sum = 0;
  onIpu(data, step, ipu, [&](const TileRange &range, std::uint32_t count) {
    slowest = std::max(slowest, range.cycles);
    sum += double(range.cycles) * count;
  });
  return slowest > 0 && tiles > 0 ? sum / (double(slowest) * tiles) : 0;
}

static std::uint64_t sumOnIpu(const detail::Data &data, std::uint32_t step, std::uint32_t ipu,
                              std::uint64_t TileRange::*field) {
  std::uint64_t sum = 0;
  onIpu(data, step, ipu,
        [&](const TileRange &range, std::uint32_t count) { sum += range.*field * count; });
  return sum;
}

std::uint64_t ExecutionStepOnIpu::cycles() const { return at(*data_, step_, ipu_).cycles; }
std::uint64_t ExecutionStepOnIpu::activeTiles() const {
  return at(*data_, step_, ipu_).activeTiles;
}
ActiveCycles ExecutionStepOnIpu::activeCycles() const {
  const auto &s = at(*data_, step_, ipu_);
  return ActiveCycles(CycleRange(s.fromMin, s.fromMax), CycleRange(s.toMin, s.toMax));
}
double ExecutionStepOnIpu::tileBalance() const {
  return balance(*data_, step_, ipu_, data_->target.tilesPerIpu);
}
double ExecutionStepOnIpu::activeTileBalance() const {
  return balance(*data_, step_, ipu_, double(activeTiles()));
}
std::uint64_t ExecutionStepOnIpu::dataIn() const {
  return sumOnIpu(*data_, step_, ipu_, &TileRange::bytesIn);
}
std::uint64_t ExecutionStepOnIpu::dataOut() const {
  return sumOnIpu(*data_, step_, ipu_, &TileRange::bytesOut);
}

ProgramRef ExecutionStep::program() const { return data_->program(data_->steps[index_]); }
std::vector<ExecutionStepOnIpu> ExecutionStep::ipus() const {
  std::vector<ExecutionStepOnIpu> result;
  for (std::uint32_t ipu = 0; ipu < data_->target.ipusPerReplica(); ++ipu)
    result.emplace_back(data_, index_, ipu);
  return result;
}
ExecutionStepOnIpu ExecutionStep::ipu(std::uint64_t index) const {
  if (index >= data_->target.ipusPerReplica())
    throw Error(base::str("There is no IPU ", index, " in this profile of ",
                          data_->target.ipusPerReplica(), "."));
  return ExecutionStepOnIpu(data_, index_, std::uint32_t(index));
}
NumberByTile ExecutionStep::cyclesByTile() const { return program()->estimatedCyclesByTile(); }
std::vector<ComputeSet> ExecutionStep::computeSets() const {
  std::vector<ComputeSet> result;
  const auto computeSet = data_->programs[data_->steps[index_]].computeSet;
  if (computeSet != detail::none)
    result.emplace_back(data_, computeSet);
  return result;
}

std::string Run::name() const { return data_->runs[index_].name; }
ProgramRef Run::program() const { return data_->program(data_->runs[index_].program); }
std::vector<ExecutionStep> Run::steps() const {
  const auto &run = data_->runs[index_];
  std::vector<ExecutionStep> result;
  for (std::uint32_t i = 0; i < run.numSteps; ++i)
    result.emplace_back(data_, run.firstStep + i);
  return result;
}
std::uint64_t Run::cycles() const {
  const auto &run = data_->runs[index_];
  return run.to - std::min(run.from, run.to);
}
Microseconds Run::microseconds() const {
  const auto &run = data_->runs[index_];
  const double perCycle = data_->target.clockHz ? 1e6 / double(data_->target.clockHz) : 0;
  return Microseconds(double(run.from) * perCycle, double(run.to) * perCycle);
}

ProgramRef Block::program() const { return data_->program(data_->blocks[index_].program); }
std::uint64_t Block::cyclesFrom() const { return data_->blocks[index_].from; }
std::uint64_t Block::cyclesTo() const { return data_->blocks[index_].to; }
std::uint64_t Block::numTiles() const { return data_->blocks[index_].numTiles; }
bool Block::isCommon() const { return !isStreamCopy() && !isBlockFlush() && !isOverflow(); }
bool Block::isOverflow() const { return data_->blocks[index_].overflow; }
bool Block::isBlockFlush() const { return data_->blocks[index_].flush; }
bool Block::isStreamCopy() const { return data_->blocks[index_].streamCopy; }

std::vector<ExecutionStep> ExecutionReport::steps() const {
  std::vector<ExecutionStep> result;
  for (std::uint32_t i = 0; i < data_->steps.size(); ++i)
    result.emplace_back(data_, i);
  return result;
}
std::vector<Run> ExecutionReport::runs() const {
  std::vector<Run> result;
  for (std::uint32_t i = 0; i < data_->runs.size(); ++i)
    result.emplace_back(data_, i);
  return result;
}
std::vector<Block> ExecutionReport::blocks() const {
  std::vector<Block> result;
  for (std::uint32_t i = 0; i < data_->blocks.size(); ++i)
    for (std::uint32_t t = 0; t < data_->blocks[i].numTiles; ++t)
      result.emplace_back(data_, i, data_->blocks[i].tile + t);
  return result;
}
std::vector<Block> ExecutionReport::blocks(std::uint64_t tile) const {
  std::vector<Block> result;
  for (std::uint32_t i = 0; i < data_->blocks.size(); ++i)
    if (tile >= data_->blocks[i].tile && tile - data_->blocks[i].tile < data_->blocks[i].numTiles)
      result.emplace_back(data_, i, std::uint32_t(tile));
  return result;
}
std::vector<Block> ExecutionReport::blockRecords() const {
  std::vector<Block> result;
  for (std::uint32_t i = 0; i < data_->blocks.size(); ++i)
    result.emplace_back(data_, i, data_->blocks[i].tile);
  return result;
}
std::vector<ProgramTotal> ExecutionReport::totals() const {
  std::vector<ProgramTotal> result;
  for (const auto &total : data_->totals)
    result.emplace_back(data_->program(total.program), total.executions, total.cycles);
  return result;
}
std::uint64_t ExecutionReport::totalCycles() const { return data_->totalCycles; }
std::vector<ProgramRuns> ExecutionReport::programsRun() const {
  std::vector<ProgramRuns> result;
  for (std::size_t i = 0; i < data_->entries.size(); ++i)
    if (data_->runsOfEntry[i] > 0)
      result.emplace_back(data_->program(data_->entries[i]), data_->runsOfEntry[i]);
  return result;
}
std::uint64_t ExecutionReport::droppedSteps() const { return data_->droppedSteps; }
std::uint64_t ExecutionReport::droppedBlocks() const { return data_->droppedBlocks; }
Energy ExecutionReport::energy() const {
  const double hz = double(data_->target.clockHz);
  return Energy(data_->joules, hz > 0 ? double(data_->totalCycles) / hz : 0);
}

} // namespace pva
