// SPDX-License-Identifier: MIT
// First what lies on a tile all the time, then the tide of what lives for a while: variables come
// and go with the liveness steps, and a step's own buffers stand on top of them.
#include "compile/LayOutMemory.hpp"
#include "analysis/ControlCode.hpp"
#include "analysis/Reach.hpp"
#include "analysis/SharedCode.hpp"
#include "base/Arithmetic.hpp"
#include "compile/ByTile.hpp"
#include "compile/DescribeOutOfMemory.hpp"
#include <algorithm>

namespace poplar::compile {

using namespace analysis;
using namespace executable;

namespace {

constexpr std::uint64_t regionAlignment = 8; // loads and stores are up to 64 bits wide

std::uint64_t aligned(std::uint64_t bytes, std::uint64_t to) { return base::roundUp(bytes, to); }

class Layout {
public:
  Layout(Image &image, const arch::System &system)
      : image_(image), system_(system), chip_(system.chip), reached_(reach(image)),
        like_(sharedCode(image)), tiles_(image.memory.tiles), bytes_(unsigned(tiles_.size())),
        superstep_(unsigned(tiles_.size())) {
    tiles_.resize(system.tiles() / image.replicationFactor);
  }

  void addCode() {
    const auto control = controlInstructions(image_, system_, reached_, like_);
    auto stacks = std::uint64_t(chip_.workers) * chip_.code.workerStackBytes +
                  chip_.code.supervisorStackBytes;
    for (std::uint32_t tile = 0; tile != tiles_.size(); ++tile) {
      add(tile, MemoryCategory::ControlCode,
          control[tile] * chip_.code.instructionBytes + chip_.code.runtimeControlBytes);
      add(tile, MemoryCategory::HostExchangeCode, chip_.code.runtimeHostBytes);
      add(tile, MemoryCategory::Stack, stacks);
    }
  }

  void addVertices() {
    std::vector<std::uint64_t> placed; // tile and type of every vertex, for the code
    std::vector<bool> own(image_.computeSets.size(), false);
    for (auto step : reached_.order)
      if (const auto *execute = as<step::Execute>(image_.steps[step]);
          execute && like_[step] == none)
        own[execute->set] = true;
    for (std::uint32_t cs = 0; cs != image_.computeSets.size(); ++cs)
      if (own[cs])
        for (auto vertex : image_.computeSets[cs].vertices) {
          const auto &v = image_.vertices[vertex];
          addState(vertex, v);
          auto key = std::uint64_t(v.tile) << 32 | v.type;
          if (placed.empty() || placed.back() != key)
            placed.push_back(key);
        }
    std::sort(placed.begin(), placed.end());
    placed.erase(std::unique(placed.begin(), placed.end()), placed.end());
    for (auto key : placed) {
      auto ref = image_.vertexTypes[std::uint32_t(key)];
      add(std::uint32_t(key >> 32), MemoryCategory::VertexCode,
          image_.modules[ref.module]->types[ref.type].codeBytes);
    }
    for (std::uint32_t type = 0; type != stateByType_.size(); ++type)
      if (stateByType_[type]) {
        auto ref = image_.vertexTypes[type];
        image_.memory.vertexBytesByType[image_.modules[ref.module]->types[ref.type].name] +=
            stateByType_[type];
      }
  }

  void addVariables() {
    for (std::uint32_t var = 0; var != image_.variables.size(); ++var) {
      const auto &v = image_.variables[var];
      if (!reached_.variables[var])
        continue;
      auto category =
          v.kind == VariableKind::Ordinary ? MemoryCategory::Variable : MemoryCategory::Constant;
      for (const auto &[tile, bytes] : shares(var)) {
        if (v.alwaysLive)
          add(tile, category, bytes);
        tiles_[tile].gaps += aligned(bytes, regionAlignment) - bytes;
      }
    }
  }

  void sealAlwaysLive() {
    for (auto &tile : tiles_)
      for (auto bytes : tile.category)
        tile.alwaysLive += bytes;
  }

  void followTide() {
    live_.assign(tiles_.size(), 0);
    peaks_.assign(tiles_.size(), {});
    auto come = image_.memory.spans, gone = come; // in the order in which they do
    std::ranges::stable_sort(come, {}, &LiveSpan::first);
    std::ranges::stable_sort(gone, {}, &LiveSpan::end);
    auto next = come.begin(), last = gone.begin();
    ByTile<Needs> touched(unsigned(tiles_.size()));
    for (std::uint32_t i = 0; i != image_.memory.steps.size(); ++i) {
      const auto &step = image_.memory.steps[i];
      for (; last != gone.end() && last->end() == i; ++last)
        for (const auto &[tile, bytes] : shares(last->var))
          live_[tile] -= bytes;
      for (; next != come.end() && next->first == i; ++next)
        for (const auto &[tile, bytes] : shares(next->var)) {
          live_[tile] += bytes;
          touched[tile];
        }
      addBuffers(image_.steps[step.step], touched);
      for (auto var : step.early)
        for (const auto &[tile, bytes] : shares(var))
          touched[tile].early += bytes;
      for (auto var : step.late)
        for (const auto &[tile, bytes] : shares(var))
          touched[tile].late += bytes;
      for (const auto &[tile, needs] : touched.entries())
        raise(tile, needs, step.step);
      touched.clear();
    }
    for (std::uint32_t tile = 0; tile != tiles_.size(); ++tile) {
      add(tile, MemoryCategory::Variable, peaks_[tile].variables);
      add(tile, MemoryCategory::Message, peaks_[tile].buffers.messages);
      add(tile, MemoryCategory::Rearrangement, peaks_[tile].buffers.copies);
    }
  }

private:
  // What a step needs beside its variables: arrived and departing messages; fields put together,
  // spans packed, an operator's temporaries.
  struct Buffers {
    std::uint64_t messages = 0, copies = 0;
    std::uint64_t bytes() const { return messages + copies; }
  };
  // In the order of a step: operands are put together, vertices run, results go where they belong.
  // Variables that are only copied from, or to, are there for one of the copies alone.
  struct Needs {
    Buffers before, during, after;
    std::uint64_t early = 0, late = 0; // of variables
  };
  struct Peak {
    std::uint64_t variables = 0;
    Buffers buffers;
  };

  void add(std::uint32_t tile, MemoryCategory category, std::uint64_t bytes) {
    tiles_[tile].category[unsigned(category)] += bytes;
  }

  // A variable's bytes by tile.
  std::vector<ByTile<std::uint64_t>::Entry> shares(std::uint32_t var) {
    const auto &v = image_.variables[var];
    for (const auto &range : v.mapping)
      bytes_[range.tile] += (range.end - range.begin) * sizeOf(v.type);
    return bytes_.take();
  }

  void addState(std::uint32_t vertex, const Vertex &v) {
    const auto &type = image_.vertexType(vertex);
    add(v.tile, MemoryCategory::VertexInstanceState, type.deviceBytes);
    stateByType_.resize(image_.vertexTypes.size());
    stateByType_[v.type] += type.deviceBytes;
    for (std::size_t f = 0; f != type.fields.size(); ++f) {
      const auto &field = type.fields[f];
      const auto &slot = image_.slots[v.firstSlot + f];
      if (slot.kind == SlotKind::Edges && field.deviceInnerBytes)
        add(v.tile,
            field.shape == codelet::FieldShape::VectorList ? MemoryCategory::VectorListDescriptor
                                                           : MemoryCategory::VertexFieldData,
            (field.shape == codelet::FieldShape::Vector ? image_.edges[slot.first].elements
                                                        : slot.count) *
                std::uint64_t(field.deviceInnerBytes));
      else if (slot.kind == SlotKind::Value && field.shape != codelet::FieldShape::Scalar)
        add(v.tile, MemoryCategory::VertexFieldData, aligned(slot.count * sizeOf(field.type), 4));
    }
  }

  void addBuffers(const Step &step, ByTile<Needs> &out) {
    const auto *kernel = as<step::Kernel>(step);
    if (kernel && kernel->plan)
      addPlannedBuffers(*kernel->plan, step.cost.phases, out);
    else if (is<step::Copy>(step))
      addCopyBuffers(step, out);
    else
      addVertexBuffers(step, out);
  }

  // Spans that are packed leave from one buffer and arrive in another; others go from variable to
  // variable.
  static void addCopyBuffers(const Step &step, ByTile<Needs> &out) {
    const auto &phases = step.cost.phases;
    if (std::none_of(phases.begin(), phases.end(),
                     [](const Phase &phase) { return phase.name == "pack"; }))
      return;
    for (const auto &phase : phases)
      for (const auto &share : phase.tiles) {
        if (phase.name == "pack")
          out[share.tile].during.copies += share.bytesIn;
        else if (phase.name.ends_with("exchange"))
          out[share.tile].during.messages += share.bytesIn;
      }
  }

  // Around vertices: arrived messages, fields put together and results that leave are there at
  // once while the vertices run. What is packed for the way in has left by then; what arrives for
  // unpacking comes when all else has gone.
  static void addVertexBuffers(const Step &step, ByTile<Needs> &out) {
    for (const auto &phase : step.cost.phases) {
      const bool in = phase.name.ends_with("exchange-in"), put = phase.name == "copy-in";
      const bool sent = phase.name.ends_with("exchange-out"), left = phase.name == "copy-out";
      if (in || put || sent || left)
        for (const auto &share : phase.tiles) {
          auto &needs = out[share.tile];
          for (auto *at : {&needs.during, in || put ? &needs.before : &needs.after}) {
            at->messages += in ? share.bytesIn : sent ? share.bytesOut : 0;
            at->copies += put || left ? share.bytesIn : 0;
          }
        }
    }
    for (const auto &phase : step.cost.phases)
      if (const bool packed = phase.name == "pack"; packed || phase.name == "unpack")
        for (const auto &share : phase.tiles) {
          auto &copies = (packed ? out[share.tile].before : out[share.tile].after).copies;
          copies = std::max(copies, share.bytesIn);
        }
  }

  // The supersteps of an operator come one after the other, and each may be done several times:
  // the largest counts, once.
  void addPlannedBuffers(const openipu::Plan &plan, const std::vector<Phase> &phases,
                         ByTile<Needs> &out) {
    auto phase = phases.begin();
    for (std::uint32_t i = 0; i != plan.steps.size(); ++i) {
      for (const auto &work : plan.steps[i].tiles)
        if (work.tempBytes || work.bytesIn)
          for (auto tile = work.tile; tile != work.tile + work.count; ++tile)
            superstep_[tile] = {(work.bytesIn + 3) / 4 * 4, work.tempBytes};
      for (; phase != phases.end() && phase->superstep == i; ++phase)
        addNeeds(*phase);
      for (const auto &[tile, buffers] : superstep_.entries())
        if (out[tile].during.bytes() < buffers.bytes())
          out[tile].during = buffers;
      superstep_.clear();
    }
  }

  // What operands bring along that lie elsewhere, on top of the operator's own messages.
  void addNeeds(const Phase &phase) {
    const bool in = phase.name == "exchange-in" || phase.name == "global-exchange-in";
    if (in || phase.name == "copy-in")
      for (const auto &share : phase.tiles)
        (in ? superstep_[share.tile].messages : superstep_[share.tile].copies) += share.bytesIn;
  }

  void raise(std::uint32_t tile, const Needs &needs, std::uint32_t step) {
    raise(tile, live_[tile] - needs.late, needs.before, step);
    raise(tile, live_[tile] - needs.early - needs.late, needs.during, step);
    raise(tile, live_[tile] - needs.early, needs.after, step);
  }
  void raise(std::uint32_t tile, std::uint64_t variables, const Buffers &buffers,
             std::uint32_t step) {
    auto bytes = variables + buffers.bytes();
    if (bytes <= tiles_[tile].peakNotAlwaysLive)
      return;
    tiles_[tile].peakNotAlwaysLive = bytes;
    tiles_[tile].peakStep = step;
    peaks_[tile] = {variables, buffers};
  }

  Image &image_;
  const arch::System &system_;
  const arch::Chip &chip_;
  Reach reached_;
  std::vector<std::uint32_t> like_; // by step: whose code it runs
  std::vector<TileMemory> &tiles_;
  ByTile<std::uint64_t> bytes_; // scratch
  ByTile<Buffers> superstep_;   // scratch
  std::vector<std::uint64_t> stateByType_;
  std::vector<std::uint64_t> live_; // by tile: bytes of variables alive at the step looked at
  std::vector<Peak> peaks_;
};

} // namespace

void layOutMemory(Image &image, const arch::System &system, bool allowOutOfMemory) {
  Layout layout(image, system);
  layout.addCode();
  layout.addVertices();
  layout.addVariables();
  layout.sealAlwaysLive();
  layout.followTide();
  auto limit = system.chip.bytesPerTile;
  for (const auto &tile : image.memory.tiles)
    image.memory.outOfMemory = image.memory.outOfMemory || tile.total() + tile.gaps > limit;
  if (image.memory.outOfMemory)
    image.memory.outOfMemoryText = describeOutOfMemory(image, limit, allowOutOfMemory);
}

} // namespace poplar::compile
