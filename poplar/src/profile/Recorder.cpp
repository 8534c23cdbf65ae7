// SPDX-License-Identifier: MIT
#include "profile/Recorder.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <regex>

namespace poplar::profile {

namespace step = executable::step;

// One block in the tile's buffer: two 64-bit time stamps and a 32-bit id (docs/profile.md,
// "Blocks").
static constexpr std::uint64_t blockRecordBytes = 20;

static bool isStreamCopy(const executable::Step &step) {
  return shownOf(step) == executable::steps::Shown::StreamCopy;
}

Recorder::Recorder(const executable::Image &image, RecorderOptions options)
    : image_(&image), options_(std::move(options)), totals_(image.steps.size()),
      watched_(image.steps.size()), runsByProgram_(image.programs.size()) {
  watchMatching(options_.blocksFilter, "profiler.blocks.filter", true);
  watchMatching(options_.programsFilter, "profiler.programs.filter", false);
  watchFlushes();
  if (options_.externalExchange)
    watchStreamCopies();
}

void Recorder::watchMatching(const std::string &filter, const char *option, bool blocks) {
  if (filter.empty())
    return;
  try {
    const std::regex expression(filter);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      const auto &step = image_->steps[i];
      if (executable::is<step::Block>(step) == blocks && !step.name.empty() &&
          std::regex_search(step.name, expression))
        watched_[i] |= keep;
    }
  } catch (const std::regex_error &e) {
    throw invalid_option(base::str("Option ", option, ": \"", filter,
                                   "\" is not a regular expression: ", e.what(), "."));
  }
}

void Recorder::watchStreamCopies() {
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (isStreamCopy(image_->steps[i]))
      watched_[i] |= streams;
}

// Steps at which the block buffer leaves the device; only of interest when there are blocks.
void Recorder::watchFlushes() {
  const bool any =
      std::any_of(watched_.begin(), watched_.end(), [](auto bits) { return bits & keep; });
  for (std::size_t i = 0; any && options_.implicitFlush && i < watched_.size(); ++i)
    if (const auto &step = image_->steps[i];
        meetsTheHost(step) || shownOf(step) == executable::steps::Shown::Repeat)
      watched_[i] |= flushes;
}

std::uint32_t Recorder::group(std::vector<std::uint32_t> steps) {
  const bool watched = std::ranges::any_of(steps, [&](auto step) { return watched_[step] != 0; });
  groups_.push_back({std::move(steps), {}, watched});
  return std::uint32_t(groups_.size() - 1);
}

void Recorder::costs(std::uint32_t group, std::vector<const executable::Cost *> costs) {
  groups_[group].costs = std::move(costs);
}

const std::vector<Recorder::Total> &Recorder::totals() const {
  for (const auto &group : groups_) {
    for (std::size_t i = 0; group.times && i < group.steps.size(); ++i) {
      auto &total = totals_[group.steps[i]];
      total.executions += group.times;
      total.cycles += group.times * group.costs[i]->cycles();
      total.cost = group.costs[i];
    }
    group.times = 0;
  }
  return totals_;
}

void Recorder::beginRun(std::uint32_t program, const std::string &name, std::uint64_t cycle) {
  if (!enabled_)
    return;
  running_ = true;
  open_.clear();
  keepsRun_ = runsByProgram_.at(program)++ < options_.maxRuns;
  tracing_ = keepsRun_ && options_.trace;
  if (keepsRun_)
    runs_.push_back({program, name, cycle, cycle, events_.size(), events_.size()});
}

void Recorder::endRun(std::uint64_t cycle) {
  if (!running_)
    return;
  flushBlocks(cycle);
  if (keepsRun_) {
    runs_.back().endCycle = cycle;
    runs_.back().endEvent = events_.size();
  }
  running_ = tracing_ = keepsRun_ = false;
}

void Recorder::recordLeaf(std::uint32_t step, std::uint64_t startCycle, std::uint64_t cycles) {
  if (tracing_) {
    if (events_.size() < options_.maxEvents)
      events_.push_back({step, startCycle, cycles});
    else
      ++droppedEvents_;
  }
  // The control cycles of a container lie within the block that enter() opened.
  const bool container = !isLeaf(image_->steps[step]);
  if (watched_[step] & streams)
    keepStreamCopy(step, startCycle, startCycle + cycles);
  else if ((watched_[step] & keep) && !container)
    keepBlock(step, startCycle, startCycle + cycles);
  if ((watched_[step] & flushes) && !container)
    flushBlocks(startCycle + cycles);
}

void Recorder::closeBlock(std::uint32_t step, std::uint64_t cycle) {
  if (open_.empty() || open_.back().step != step)
    return; // profiling was switched on inside the block
  keepBlock(step, open_.back().cycle, cycle);
  open_.pop_back();
}

void Recorder::keepBlock(std::uint32_t step, std::uint64_t from, std::uint64_t to) {
  if (bufferUsed_ + blockRecordBytes > options_.blockBufferBytes ||
      blocks_.size() >= options_.maxEvents)
    return lose(from, to);
  bufferUsed_ += blockRecordBytes;
  blocks_.push_back({step, from, to, isStreamCopy(image_->steps[step]), false, false});
}

// The tiles that take part keep these stamps themselves, not the buffer of blocks.
void Recorder::keepStreamCopy(std::uint32_t step, std::uint64_t from, std::uint64_t to) {
  if (blocks_.size() >= options_.maxEvents)
    return lose(from, to);
  blocks_.push_back({step, from, to, true, false, false, true});
}

// One overflow stands for all that is lost until the next flush.
void Recorder::lose(std::uint64_t from, std::uint64_t to) {
  ++droppedBlocks_;
  if (blocks_.empty() || !blocks_.back().overflow) {
    blocks_.push_back({executable::none, from, to, false, true, false});
    return;
  }
  auto &gap = blocks_.back();
  gap.cyclesFrom = std::min(gap.cyclesFrom, from);
  gap.cyclesTo = std::max(gap.cyclesTo, to);
}

void Recorder::flushBlocks(std::uint64_t cycle) {
  if (bufferUsed_ > 0 && blocks_.size() < options_.maxEvents)
    blocks_.push_back({executable::none, cycle, cycle, false, false, true});
  bufferUsed_ = 0;
}

void Recorder::measured(std::uint32_t vertex, std::uint64_t cycles) { measured_[vertex] = cycles; }

std::uint64_t Recorder::vertexCycles(std::uint32_t vertex) const {
  const auto found = measured_.find(vertex);
  const auto estimate = image_->vertices[vertex].cycles;
  return found != measured_.end()             ? found->second
         : estimate == executable::noEstimate ? 0
                                              : estimate;
}

void Recorder::reset() {
  totals(); // those of groups are forgotten too
  std::fill(totals_.begin(), totals_.end(), Total());
  std::fill(runsByProgram_.begin(), runsByProgram_.end(), 0);
  runs_.clear();
  events_.clear();
  blocks_.clear();
  open_.clear();
  droppedEvents_ = droppedBlocks_ = bufferUsed_ = 0;
  running_ = tracing_ = keepsRun_ = false;
}

} // namespace poplar::profile
