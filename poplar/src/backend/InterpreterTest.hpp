// SPDX-License-Identifier: MIT
// For tests: small images built by hand, and a host that records what a program asks of it.
#pragma once
#include "arch/System.hpp"
#include "backend/Interpreter.hpp"
#include "codelet/TestVertex.hpp"
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

namespace poplar::backend::testing {

using namespace executable;

struct TestHost : Host {
  std::map<std::uint32_t, std::vector<std::vector<std::byte>>>
      inputs; // by stream, one after the other
  std::map<std::uint32_t, std::vector<std::vector<std::byte>>> outputs;
  std::map<std::pair<std::uint32_t, unsigned>, std::vector<std::byte>> remotes;
  std::string tensors, vertices;
  std::uint64_t bytes = 0; // of one output transfer or remote buffer

  const std::byte *beginRead(std::uint32_t stream, unsigned) override {
    return inputs[stream].at(reads_[stream]++).data();
  }
  void endRead(std::uint32_t stream, unsigned) override { // they are the host's again
    std::ranges::fill(inputs[stream][reads_[stream] - 1], std::byte(0x5a));
  }
  std::byte *beginWrite(std::uint32_t stream, unsigned) override {
    return outputs[stream].emplace_back(bytes).data();
  }
  void endWrite(std::uint32_t, unsigned) override {}
  std::byte *remoteBuffer(std::uint32_t buffer, unsigned replica) override {
    auto &memory = remotes[{buffer, replica}];
    memory.resize(bytes);
    return memory.data();
  }
  void callFunction(std::uint32_t, unsigned replica, std::span<const void *const> in,
                    std::span<void *const> out) override {
    int value;
    std::memcpy(&value, in[0], sizeof value);
    value = value * 10 + int(replica);
    std::memcpy(out[0], &value, sizeof value);
  }
  void tensorText(std::string_view text) override { tensors += text; }
  void vertexText(std::string_view text) override { vertices += text; }

private:
  std::map<std::uint32_t, std::size_t> reads_;
};

// One argument of a vertex: an edge from runs, or a plain value.
struct Argument {
  std::vector<std::vector<Run>> edges; // one, or one per inner vector
  std::string value;
  bool isValue = false;
};
inline Argument span(std::uint32_t var, std::int64_t begin, std::int64_t end) {
  return {{{{var, begin, std::uint32_t(end - begin), 1}}}, {}};
}
inline Argument strided(std::uint32_t var, std::int64_t begin, std::uint32_t count,
                        std::int32_t stride) {
  return {{{{var, begin, count, stride}}}, {}};
}
template <class T> Argument plain(std::vector<T> values) {
  return {{},
          std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)),
          true};
}

class Builder {
public:
  Image image;

  explicit Builder(const std::string &codelets = "") {
    if (!codelets.empty())
      image.modules.push_back(codelet::test::compileText(codelet::test::prologue() + codelets));
    image.replicationFactor = 1;
  }

  std::uint32_t variable(std::uint64_t elements, TypeId type = TypeId::Int) {
    Variable var;
    var.name = base::str("v", image.variables.size());
    var.type = type;
    var.shape = {elements};
    var.elements = elements;
    var.mapping = {{0, elements, 0}};
    var.arenaOffset = image.arenaBytes;
    image.arenaBytes += (var.bytes() + 127) / 64 * 64;
    image.variables.push_back(var);
    return std::uint32_t(image.variables.size() - 1);
  }
  template <class T> std::uint32_t values(std::vector<T> values, TypeId type) {
    auto var = variable(values.size(), type);
    image.variables[var].initial = {
        {0, std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T))}};
    return var;
  }
  std::uint32_t ints(std::vector<int> v) { return values(std::move(v), TypeId::Int); }

  tensor::View view(std::uint32_t var) const {
    const auto &v = image.variables[var];
    return tensor::wholeVariable(nullptr, tensor::VarId(var), v.type, v.shape);
  }

  std::uint32_t computeSet(const std::string &name = "cs") {
    image.computeSets.push_back({name, {}});
    return std::uint32_t(image.computeSets.size() - 1);
  }
  void vertex(std::uint32_t cs, const std::string &typeName, const std::vector<Argument> &arguments,
              std::uint64_t cycles = 100) {
    const auto type = std::uint32_t(codelet::test::typeIndex(*image.modules[0], typeName));
    Vertex v{std::uint32_t(image.vertexTypes.size()), cs,     0,
             std::uint32_t(image.slots.size()),       cycles, 0};
    for (std::uint32_t i = 0; i < image.vertexTypes.size(); ++i)
      if (image.vertexTypes[i].type == type)
        v.type = i;
    if (v.type == image.vertexTypes.size())
      image.vertexTypes.push_back({0, type});
    const auto &fields = image.modules[0]->types[type].fields;
    for (std::size_t f = 0; f < fields.size(); ++f)
      slot(arguments[f], sizeOf(fields[f].type));
    image.computeSets[cs].vertices.push_back(std::uint32_t(image.vertices.size()));
    image.vertices.push_back(v);
  }

  template <class Kind> std::uint32_t put(Kind kind) {
    image.steps.emplace_back().kind = std::move(kind);
    return last();
  }
  std::uint32_t last() const { return std::uint32_t(image.steps.size() - 1); }
  std::uint32_t sequence(std::vector<std::uint32_t> parts) {
    return put(step::Sequence{std::move(parts)});
  }
  std::uint32_t execute(std::uint32_t cs) {
    auto &s = image.steps[put(step::Execute{cs})];
    s.cost.phases = {{PhaseKind::Compute, image.computeSets[cs].name, 100, 0, 0, {}}};
    for (auto v : image.computeSets[cs].vertices)
      s.cost.measured = s.cost.measured && image.vertices[v].cycles != noEstimate;
    return last();
  }
  std::vector<Move> moves(std::uint32_t from, std::int64_t fromOffset, std::uint32_t to,
                          std::int64_t toOffset, std::uint64_t n) const {
    const auto type = image.variables[to == none ? from : to].type;
    return {{from, to, fromOffset, toOffset, std::uint8_t(sizeOf(type)), {{n, 1, 1}}}};
  }
  // A step that moves something.
  template <class Kind> std::uint32_t moving(Kind kind) {
    put(std::move(kind));
    image.steps.back().cost.phases = {{PhaseKind::Exchange, "copy", 7, 0, 0, {}}};
    return last();
  }
  std::uint32_t copy(std::uint32_t from, std::int64_t fromOffset, std::uint32_t to,
                     std::int64_t toOffset, std::uint64_t n) {
    return moving(step::Copy{moves(from, fromOffset, to, toOffset, n)});
  }
  std::vector<Move> fromHost(std::uint32_t var) const {
    return moves(none, 0, var, 0, image.variables[var].elements);
  }
  std::vector<Move> toHost(std::uint32_t var) const {
    return moves(var, 0, none, 0, image.variables[var].elements);
  }
  std::uint32_t repeat(std::uint64_t n, std::uint32_t body) { return put(step::Repeat{n, body}); }

private:
  void slot(const Argument &argument, std::size_t size) {
    if (argument.isValue) {
      image.slots.push_back({SlotKind::Value, std::uint32_t(image.values.size()),
                             std::uint32_t(argument.value.size() / size)});
      image.values += argument.value;
      return;
    }
    image.slots.push_back(
        {SlotKind::Edges, std::uint32_t(image.edges.size()), std::uint32_t(argument.edges.size())});
    for (const auto &runs : argument.edges) {
      std::uint32_t elements = 0;
      for (const auto &run : runs)
        elements += run.count;
      image.edges.push_back(
          {std::uint32_t(image.runs.size()), std::uint32_t(runs.size()), elements});
      image.runs.insert(image.runs.end(), runs.begin(), runs.end());
    }
  }
};

template <class T> std::vector<std::byte> bytesOf(const std::vector<T> &values) {
  std::vector<std::byte> out(values.size() * sizeof(T));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

// The last step added is the program.
class Loaded {
public:
  explicit Loaded(Builder &builder, RunOptions options = {}, const std::string &backend = "cpu",
                  profile::RecorderOptions recording = {})
      : image_([&] {
          builder.image.programs = {builder.last()};
          return std::make_shared<const Image>(builder.image);
        }()),
        recorder(*image_, std::move(recording)),
        interpreter(image_, arch::systemOf(arch::chipByName("ipu2"), image_->replicationFactor),
                    findBackend(backend), options, host, recorder) {
    interpreter.load();
  }
  void run() { interpreter.run(0); }
  HostView view(std::uint32_t var) {
    const auto &v = image_->variables[var];
    return interpreter.view(tensor::wholeVariable(nullptr, tensor::VarId(var), v.type, v.shape));
  }
  template <class T> std::vector<T> read(std::uint32_t var, unsigned replica = 0) {
    std::vector<T> out(image_->variables[var].elements);
    interpreter.read(view(var), replica, reinterpret_cast<std::byte *>(out.data()));
    return out;
  }
  std::vector<int> ints(std::uint32_t var, unsigned replica = 0) { return read<int>(var, replica); }

private:
  std::shared_ptr<const Image> image_;

public:
  TestHost host;
  profile::Recorder recorder;
  Interpreter interpreter;
};

} // namespace poplar::backend::testing
