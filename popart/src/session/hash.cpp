// SPDX-License-Identifier: MIT
#include "session/hash.hpp"

#include "base/Environment.hpp"
#include "base/Text.hpp"
#include "ir/held.hpp"
#include "opdef/opdef.hpp"
#include "session/optionchecks.hpp"
#include "session/optionkeys.hpp"
#include <bit>
#include <cstring>
#include <fstream>
#include <poplar/Graph.hpp>
#include <sstream>

namespace popart::session {

void Hasher::number(std::uint64_t w) {
  a_ = (std::rotl(a_, 29) ^ w) * 0x9e3779b97f4a7c15ull;
  b_ = (b_ ^ std::rotl(w, 17)) * 0xc2b2ae3d27d4eb4full + a_;
}
void Hasher::bytes(const void *data, std::size_t size) {
  number(size);
  const auto *p = static_cast<const unsigned char *>(data);
  for (; size >= 8; p += 8, size -= 8) {
    std::uint64_t w;
    std::memcpy(&w, p, 8);
    number(w);
  }
  std::uint64_t rest = 0;
  if (size) // where nothing is left there may be no memory either
    std::memcpy(&rest, p, size);
  number(rest);
}
std::string Hasher::hex() const {
  const auto mix = [](std::uint64_t x) {
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185ull;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44dull;
    return x ^ (x >> 33);
  };
  const auto digits = [](std::uint64_t x) {
    std::string text(16, '0');
    for (int i = 15; i >= 0; --i, x >>= 4)
      text[std::size_t(i)] = "0123456789abcdef"[x & 15];
    return text;
  };
  return digits(mix(a_ + b_)) + digits(mix(b_ ^ std::rotl(a_, 32)));
}

namespace {

// ---- the ir

class IrHasher {
public:
  // Held constants get their values when the engine is loaded, from the ir if there is one.
  IrHasher(Hasher &hasher, bool heldToo) : h_(hasher), heldToo_(heldToo) {}

  void graph(const ir::Graph &graph, bool isMain) {
    h_.text(graph.name);
    for (std::uint32_t i = 0; i < graph.size(); ++i)
      value(graph[ir::Value{i}], isMain);
    for (const auto *all : {&graph.inputs, &graph.outputs})
      values(*all);
    for (const auto *all : {&graph.nodes, &graph.rule}) {
      h_.number(all->size());
      for (const auto &n : *all)
        node(n);
    }
  }

private:
  void info(const TensorInfo &info) {
    h_.choice(info.dataType());
    h_.bytes(info.shape().data(), info.shape().size() * sizeof(std::int64_t));
  }
  void value(const ir::ValueData &value, bool isMain) {
    h_.text(value.name);
    info(value.info);
    h_.choice(value.kind);
    h_.number(value.shardOf.value);
    h_.number(value.offChip);
    h_.choice(value.role);
    h_.number(value.weight.value);
    h_.text(value.slot);
    h_.number(value.gathers);
    if (value.kind == ir::Kind::Constant && (heldToo_ || !(isMain && ir::isHeld(value))))
      h_.bytes(value.data.data(), value.data ? value.data.bytes() : 0);
  }
  void values(const ir::Values &values) {
    h_.number(values.size());
    for (ir::Value v : values)
      h_.number(v.value);
  }
  void optional(const std::optional<std::int64_t> &value) {
    h_.number(value.has_value());
    h_.number(static_cast<std::uint64_t>(value.value_or(0)));
  }
  void attributes(const ir::Attributes &attributes) {
    h_.number(attributes.all().size());
    for (const auto &[name, value] : attributes.all()) {
      h_.text(name);
      h_.number(value.index());
      std::visit([&](const auto &v) { attribute(v); }, value);
    }
  }
  void attribute(std::int64_t v) { h_.number(static_cast<std::uint64_t>(v)); }
  void attribute(float v) { h_.real(v); }
  void attribute(const std::string &v) { h_.text(v); }
  void attribute(const ir::Integers &v) { h_.bytes(v.data(), v.size() * sizeof v[0]); }
  void attribute(const std::vector<float> &v) { h_.bytes(v.data(), v.size() * sizeof v[0]); }
  void attribute(const std::vector<std::string> &v) {
    h_.number(v.size());
    for (const auto &text : v)
      h_.text(text);
  }
  void attribute(const ir::HostTensor &v) {
    info(v.info());
    h_.bytes(v.data(), v ? v.bytes() : 0);
  }
  void node(const ir::Node &node) {
    h_.text(node.def->domain);
    h_.text(node.def->type);
    values(node.inputs);
    values(node.outputs);
    attributes(node.attributes);
    const auto &s = node.settings;
    optional(s.virtualGraph);
    optional(s.pipelineStage);
    optional(s.executionPhase);
    h_.choice(s.recompute);
    h_.real(s.schedulePriority);
    h_.text(s.name);
    attributes(s.extra);
    h_.choice(node.pass);
    h_.number(node.bodies.size());
    for (const auto &body : node.bodies)
      graph(*body, false);
  }

  Hasher &h_;
  bool heldToo_;
};

} // namespace

// ---- what is said beside it

void add(Hasher &h, const DataFlow &flow) {
  h.number(static_cast<std::uint64_t>(flow.batchesPerStep()));
  for (const auto &[id, art] : flow.getAnchorReturnTypeMap()) {
    h.text(id);
    h.choice(art.id());
    h.number(art.id() == AnchorReturnTypeId::EveryN ? static_cast<std::uint64_t>(art.rp()) : 0);
    h.choice(art.tileSet());
    h.choice(art.exchangeStrategy());
  }
}

// Options that lowering reads or that change what programs do. What only changed the ir is in it.
void add(Hasher &h, const SessionOptions &o) {
  addProgramOptions(h, o);
  for (const auto &file : o.customCodelets) { // whose contents may change
    std::ifstream in(file, std::ios::binary);
    h.text(file);
    h.text(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  h.number(checksIndices(o)); // which the environment may say
  for (const char *skipped : {"OPENIPU_POPLAR_SKIP_PASSES", "OPENIPU_POPART_SKIP_PASSES"})
    h.text(base::textFromEnvironment(skipped)); // passes
}

void add(Hasher &h, const Patterns &patterns) {
  for (const auto &[name, info] : PreAliasPatternManager::registered()) { // brought by libraries
    h.text(name);
    h.number(patterns.isPatternEnabled(name));
  }
  for (const auto &[name, on] : patterns.getSettings()) {
    h.text(name);
    h.number(on);
  }
  h.number(patterns.isInPlaceEnabled());
}

static void add(Hasher &h, const ir::ModelSettings &settings) {
  for (const auto &[id, s] : settings.inputs) {
    h.text(id);
    h.text(base::str(int(s.tileSet()), ' ', int(s.exchangeStrategy()), ' ',
                     int(s.replicatedStreamMode())));
  }
  for (const auto &[id, s] : settings.variables) {
    h.text(id);
    h.text(
        base::str(s.getSharedVariableDomain(), ' ', s.getStride(), ' ', int(s.getRetrievalMode())));
  }
}

void add(Hasher &h, const ir::Graph &graph, const ir::ModelSettings &settings) {
  IrHasher(h, true).graph(graph, true);
  add(h, settings);
}

static void add(Hasher &h, const lowering::Model &model) {
  IrHasher(h, false).graph(model.graph, true);
  for (const auto &call : model.calls)
    for (auto n : {call.function, call.begin, call.end})
      h.number(n);
  add(h, model.flow);
  for (const auto &[id, value] : model.anchors) {
    h.text(id);
    h.number(value.value);
  }
  for (ir::Value v : model.hyperParameters)
    h.number(v.value);
  for (std::int64_t n :
       {model.accumulationFactor, model.replicas, std::int64_t(model.ipusPerReplica), model.stages,
        std::int64_t(model.training)})
    h.number(static_cast<std::uint64_t>(n));
}

void add(Hasher &h, const poplar::Target &target) {
  base::TextStream whole; // every field of chip and system, and the options
  target.serialize(whole);
  h.text(whole.str());
}

std::string hashOf(const HashInput &input) {
  Hasher h;
  h.text(std::string(poplar::packageHash()));
  h.text(std::string(poplar::versionString()));
  add(h, input.prepared.model);
  add(h, input.options);
  add(h, input.patterns);
  h.text(input.optimizer ? input.optimizer->structure() : "");
  h.text(input.loss);
  add(h, input.target);
  return h.hex();
}

} // namespace popart::session
