// SPDX-License-Identifier: MIT
#include "backend/cpu/VertexRunner.hpp"
#include "backend/cpu/FloatTraps.hpp"
#include "base/Mix.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "codelet/Checks.hpp"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

namespace poplar::backend::cpu {
namespace {

// A modelled cycle takes the host about half a nanosecond; waking the pool takes tens of
// microseconds.
constexpr std::uint64_t cyclesPerChunk = 50'000, cyclesWorthThreads = 200'000;
constexpr std::uint32_t countedPerChunk = 64;
constexpr std::size_t storageAlign = 64;

// ---- text printed by vertices ----

void printToHost(const char *text, std::size_t size, void *host) {
  if (host)
    static_cast<Host *>(host)->vertexText({text, size});
}

void printToBuffer(const char *text, std::size_t size, void *buffer) {
  static_cast<std::string *>(buffer)->append(text, size);
}

// Collects the text of chunks and writes it in the order of the vertices.
class OrderedText {
public:
  ~OrderedText() {
    for (const auto &[begin, text] : texts_)
      codelet::printText(text);
  }
  void keep(std::size_t begin, std::string text) {
    if (text.empty())
      return;
    std::lock_guard lock(mutex_);
    texts_.emplace(begin, std::move(text));
  }

private:
  std::mutex mutex_;
  std::map<std::size_t, std::string> texts_;
};

// A chunk that runs beside others keeps its text until its turn.
class BufferScope {
public:
  BufferScope(OrderedText &all, std::size_t begin)
      : all_(all), begin_(begin), before_(codelet::setPrintTarget({printToBuffer, &text_})) {}
  ~BufferScope() {
    codelet::setPrintTarget(before_);
    all_.keep(begin_, std::move(text_));
  }

private:
  OrderedText &all_;
  std::size_t begin_;
  std::string text_;
  codelet::PrintTarget before_;
};

// Only ipu_builtins.h offers random numbers, and it leaves its name for them in the preprocessed
// source.
bool mayAskForRandomNumbers(const codelet::Module &module) {
  return module.preprocessedSource.find("urand") != std::string::npos;
}

// poplar/codelet/Builtins.hpp names the two halves of the counter once each.
bool asksForCycles(const codelet::Module &module) {
  constexpr std::string_view name = "__builtin_ipu_get_scount_";
  const auto &text = module.preprocessedSource;
  unsigned found = 0;
  for (auto at = text.find(name); at != text.npos && found < 3; at = text.find(name, at + 1))
    ++found;
  return found > 2;
}

} // namespace

PrintScope::PrintScope(Host *host) : before_(codelet::setPrintTarget({printToHost, host})) {}
PrintScope::~PrintScope() { codelet::setPrintTarget(before_); }

// ---- binding ----

VertexRunner::VertexRunner(const executable::Image &image, const VertexPlan &plan,
                           const LoadedModules &modules, codelet::Variant variant)
    : image_(image), plan_(plan), modules_(modules), variant_(variant) {}

void VertexRunner::reset(Arena &arena) {
  arena_ = &arena;
  if (!storage_)
    storage_ = std::make_unique<std::byte[]>(plan_.storageBytes() + storageAlign);
  auto at = reinterpret_cast<std::uintptr_t>(storage_.get());
  aligned_ = storage_.get() + (storageAlign - at % storageAlign) % storageAlign;
  plan_.build(aligned_, arena, vertices_);
  batches_.clear();
  for (const auto &batch : plan_.batches()) {
    auto &module = *modules_[batch.module];
    // A codelet that does not compile for checked mode is there in its plain form.
    const auto variant = module.module().checkedImage.empty() ? codelet::Variant::Fast : variant_;
    auto &added = batches_.emplace_back(
        Batch{module.entry(batch.type, variant), module.code(variant),
              vertices_.data() + batch.first, batch.count, batch.count,
              module.module().mutableStatics, mayAskForRandomNumbers(module.module())});
    if (variant == codelet::Variant::Fast && asksForCycles(module.module())) {
      added.timed = true;
      added.counted = module.entry(batch.type, codelet::Variant::Counted);
      added.countedCode = module.code(codelet::Variant::Counted);
    }
  }
  std::vector<std::uint64_t> cycles(plan_.order().size());
  for (std::size_t i = 0; i < cycles.size(); ++i)
    cycles[plan_.position()[i]] = image_.vertices[plan_.order()[i]].cycles;
  setWork(cycles);
}

void VertexRunner::setWork(const std::vector<std::uint64_t> &cycles) {
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    const auto &planned = plan_.batches()[b];
    std::uint64_t work = 0;
    for (auto i = planned.first; i < planned.first + planned.count; ++i)
      if (auto vertex = cycles[plan_.position()[i]]; vertex != executable::noEstimate)
        work += vertex;
    auto &batch = batches_[b];
    batch.grain =
        batch.sequential || work < cyclesWorthThreads
            ? batch.count
            : std::uint32_t(std::max<std::uint64_t>(1, cyclesPerChunk * batch.count / work));
  }
  simple_ = batches_.size() == 1 && batches_[0].grain >= batches_[0].count && !batches_[0].random &&
            !batches_[0].timed && !arena_->shadow() && plan_.gather().empty() &&
            plan_.scatter().empty();
}

// ---- running ----

void VertexRunner::seedVertex(const Batch &batch, std::size_t i) const {
  if (batch.random)
    codelet::seedRandom(base::mix(seed_ + base::mix(executions_) +
                                  static_cast<std::size_t>(batch.vertices - vertices_.data()) + i));
}

std::size_t VertexRunner::indexOf(const codelet::VertexCall &call) const {
  return call.now ? std::size_t(call.now - vertices_.data()) : plan_.order().size();
}

std::string_view VertexRunner::computeSet() const {
  return image_.computeSets[plan_.computeSet()].name;
}

std::uint32_t VertexRunner::tile(const codelet::VertexCall &call) const {
  const auto index = indexOf(call);
  return index < plan_.order().size() ? image_.vertices[plan_.order()[index]].tile : 0;
}

std::span<const codelet::FieldCheck> VertexRunner::operands(const codelet::VertexCall &call) const {
  const auto index = indexOf(call);
  if (index >= plan_.order().size())
    return {};
  return plan_.operands(aligned_, index);
}

void VertexRunner::name(const codelet::VertexCall &call, codelet::PlainText &to) const {
  const auto index = indexOf(call);
  if (index >= plan_.order().size()) {
    to << "A vertex";
    return;
  }
  const auto id = plan_.order()[index];
  const auto &vertex = image_.vertices[id];
  const auto ref = image_.vertexTypes[vertex.type];
  const auto &module = *image_.modules[ref.module];
  to << "Vertex " << id << " of type " << module.types[ref.type].name << " (" << module.sourceName
     << ") on tile " << vertex.tile;
}

void VertexRunner::fail(const codelet::VertexCall &call) const {
  codelet::PlainText text;
  if (call.violation) {
    name(call, text);
    throw VertexFault(base::str(text.view(), ": ", *call.violation), 0, tile(call));
  }
  codelet::describeFault(call, text);
  const auto line = codelet::sourceLine(call.codeAtFault); // of checked code
  throw VertexFault(base::str(text.view(), line.empty() ? "" : " It happened at " + line + "."),
                    call.signal, tile(call));
}

bool VertexRunner::guarded(const Batch &batch, const RunMode &mode, const void *entry,
                           codelet::CodeRange code, std::size_t begin, std::size_t n,
                           std::uint64_t *bundles, std::uint64_t *sums) {
  codelet::VertexCall call{.names = this, .code = code, .stop = mode.stop, .operands = {}};
  if (mode.cycles)
    call.cycles = *mode.cycles;
  if (n == 1) // counting entries do not tell
    call.now = batch.vertices + begin;
  bool result = false;
  try {
    result = codelet::callGuarded(call, entry, batch.vertices + begin, n,
                                  bundles ? static_cast<void *>(bundles) : &call.now, sums);
  } catch (const codelet::TrapError &) {
    throw;
  } catch (...) {
    codelet::PlainText vertex;
    name(call, vertex);
    throw codelet::TrapError(base::str(
        vertex.view(), " threw an exception. Catch it in compute(): a tile has no exceptions."));
  }
  if (call.failed()) [[unlikely]]
    fail(call);
  return result;
}

bool VertexRunner::runChunk(const Batch &batch, std::size_t begin, std::size_t end,
                            const RunMode &mode, bool returning) {
  FloatTraps traps(mode.trapped);
  bool result = true;
  if (batch.random || batch.timed)
    for (auto i = begin; i < end; ++i) {
      seedVertex(batch, i);
      const bool one = batch.timed ? runTimed(batch, mode, i)
                                   : call(batch, mode, batch.entry.runReturning, i, 1);
      result = one && result;
    }
  else if (returning)
    result = call(batch, mode, batch.entry.runReturning, begin, end - begin);
  else
    call(batch, mode, batch.entry.run, begin, end - begin);
  traps.check();
  return result;
}

bool VertexRunner::runTimed(const Batch &batch, const RunMode &mode, std::size_t i) {
  std::uint64_t bundles = 0, sum = 0;
  return guarded(batch, mode, reinterpret_cast<const void *>(batch.counted.runCounted),
                 batch.countedCode, i, 1, &bundles, &sum);
}

bool VertexRunner::runBatch(const Batch &batch, const RunMode &mode, bool returning) {
  if (!mode.threads || batch.grain >= batch.count || base::numThreads() == 1)
    return runChunk(batch, 0, batch.count, mode, returning);
  OrderedText text;
  std::atomic<bool> result = true;
  base::parallelFor(batch.count, batch.grain, [&](std::size_t begin, std::size_t end, unsigned) {
    BufferScope buffer(text, begin);
    if (!runChunk(batch, begin, end, mode, returning))
      result = false;
  });
  return result;
}

bool VertexRunner::runAll(const RunMode &mode, bool returning) {
  auto move = [&](const MoveList &moves) {
    if (moves.empty())
      return;
    moves.run(arena_->data(), arena_->data());
    if (arena_->shadow())
      moves.run(arena_->shadow(), arena_->shadow());
  };
  ++executions_;
  move(plan_.gather());
  bool result = true;
  for (const auto &batch : batches_)
    result = runBatch(batch, mode, returning) && result;
  if (arena_->shadow())
    plan_.markUnchecked(*arena_);
  move(plan_.scatter());
  return result;
}

bool VertexRunner::countBatch(std::size_t index, const RunMode &mode, unsigned contexts, bool known,
                              std::vector<std::uint64_t> &cycles) {
  const auto &planned = plan_.batches()[index];
  const auto &batch = batches_[index];
  auto &module = *modules_[planned.module];
  auto counted = module.entry(planned.type, codelet::Variant::Counted);
  const auto code = module.code(codelet::Variant::Counted);
  // A vertex is counted in bundles of its own thread; a MultiVertex holds all contexts for its
  // slowest worker, and a supervisor's C++ issues an instruction in as many cycles as a worker's.
  const auto &type = module.module().types[planned.type];
  const std::uint64_t perBundle = type.kind == codelet::VertexKind::Vertex ? 1 : contexts;
  if (known && !type.dependsOnData)
    return runBatch(batch, mode, true);
  auto count = [&](std::uint32_t i) {
    seedVertex(batch, i);
    auto &to = cycles[plan_.position()[planned.first + i]];
    to = image_.vertices[plan_.order()[planned.first + i]].cycles;
    if (to != executable::noEstimate)
      return call(batch, mode, batch.entry.runReturning, i, 1);
    std::uint64_t bundles = 0, sum = 0;
    const bool result = guarded(batch, mode, reinterpret_cast<const void *>(counted.runCounted),
                                code, i, 1, &bundles, &sum);
    to = bundles * perBundle;
    return result;
  };
  OrderedText text;
  std::atomic<bool> result = true;
  base::parallelFor(batch.count, mode.threads && !batch.sequential ? countedPerChunk : batch.count,
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      BufferScope buffer(text, begin);
                      FloatTraps traps(mode.trapped);
                      for (auto i = begin; i < end; ++i)
                        if (!count(std::uint32_t(i)))
                          result = false;
                      traps.check();
                    });
  return result;
}

bool VertexRunner::runCounted(const RunMode &mode, unsigned contexts,
                              std::vector<std::uint64_t> &cycles) {
  ++executions_;
  const bool known = !cycles.empty();
  cycles.resize(plan_.order().size());
  plan_.gather().run(arena_->data(), arena_->data());
  bool result = true;
  for (std::size_t b = 0; b < batches_.size(); ++b)
    result = countBatch(b, mode, contexts, known, cycles) && result;
  plan_.scatter().run(arena_->data(), arena_->data());
  return result;
}

} // namespace poplar::backend::cpu
