// SPDX-License-Identifier: MIT
// Builds small images by hand for the tests of the passes.
#pragma once
#include "analysis/Placement.hpp"
#include "arch/System.hpp"
#include "base/Arithmetic.hpp"
#include "executable/Image.hpp"
#include <numeric>

namespace poplar::compile::testing {

using namespace executable;
using codelet::FieldDirection;

struct TestField {
  std::string name;
  FieldDirection direction = FieldDirection::Input;
  codelet::FieldShape shape = codelet::FieldShape::Vector;
};
using TestEdge = std::vector<Run>;
using TestSlot = std::vector<TestEdge>; // one edge, or one per inner vector; empty: left unset

class TestImage {
public:
  Image image;

  TestImage() { image.modules.push_back(module_); }

  // Mapped to tile 0, or split into equal parts over `tiles`.
  std::uint32_t variable(const std::string &name, std::uint64_t elements,
                         std::vector<std::uint32_t> tiles = {0}, TypeId type = TypeId::Float) {
    Variable var;
    var.name = name;
    var.type = type;
    var.shape = {elements};
    var.elements = elements;
    auto part = base::ceilDiv(elements, tiles.size());
    for (std::size_t i = 0; i != tiles.size() && i * part < elements; ++i)
      var.mapping.push_back({i * part, std::min(elements, (i + 1) * part), tiles[i]});
    image.variables.push_back(var);
    return std::uint32_t(image.variables.size() - 1);
  }

  std::uint32_t vertexType(const std::string &name, const std::vector<TestField> &fields,
                           codelet::VertexKind kind = codelet::VertexKind::Vertex) {
    codelet::VertexType type;
    type.name = name;
    type.kind = kind;
    type.codeBytes = 100;
    for (const auto &field : fields) {
      codelet::Field f;
      f.name = field.name;
      f.direction = field.direction;
      f.shape = field.shape;
      f.deviceBytes = 8;
      f.deviceInnerBytes = field.shape == codelet::FieldShape::VectorOfVectors ? 8 : 0;
      type.fields.push_back(f);
      type.deviceBytes += f.deviceBytes;
    }
    module_->types.push_back(type);
    image.vertexTypes.push_back({0, std::uint32_t(module_->types.size() - 1)});
    return std::uint32_t(image.vertexTypes.size() - 1);
  }

  std::uint32_t computeSet(const std::string &name) {
    image.computeSets.push_back({name, {}});
    return std::uint32_t(image.computeSets.size() - 1);
  }

  std::uint32_t vertex(std::uint32_t cs, std::uint32_t type, std::uint32_t tile,
                       const std::vector<TestSlot> &slots, std::uint64_t cycles = noEstimate) {
    Vertex v{type, cs, tile, std::uint32_t(image.slots.size()), cycles, 0};
    for (const auto &slot : slots) {
      image.slots.push_back({slot.empty() ? SlotKind::Unset : SlotKind::Edges,
                             std::uint32_t(image.edges.size()), std::uint32_t(slot.size())});
      for (const auto &edge : slot)
        addEdge(edge);
    }
    image.vertices.push_back(v);
    auto id = std::uint32_t(image.vertices.size() - 1);
    image.computeSets[cs].vertices.push_back(id);
    return id;
  }

  template <class Kind> std::uint32_t put(Kind kind) {
    image.steps.emplace_back().kind = std::move(kind);
    return lastStep();
  }
  std::uint32_t lastStep() const { return std::uint32_t(image.steps.size() - 1); }

  std::uint32_t execute(std::uint32_t cs) { return put(step::Execute{cs}); }
  std::uint32_t sequence(std::vector<std::uint32_t> parts) {
    return put(step::Sequence{std::move(parts)});
  }
  std::uint32_t repeat(std::uint64_t count, std::uint32_t body) {
    return put(step::Repeat{count, body});
  }
  std::uint32_t branch(std::uint32_t predicate, std::uint32_t yes, std::uint32_t no) {
    return put(step::If{view(predicate), yes, no});
  }
  std::uint32_t copy(std::uint32_t from, std::int64_t fromOffset, std::uint32_t to,
                     std::int64_t toOffset, std::vector<MoveLoop> loops) {
    return put(step::Copy{{{from, to, fromOffset, toOffset,
                            std::uint8_t(sizeOf(image.variables[to].type)), std::move(loops)}}});
  }
  // All elements, in order.
  std::uint32_t copy(std::uint32_t from, std::uint32_t to) {
    return copy(from, 0, to, 0, {{image.variables[from].elements, 1, 1}});
  }
  std::uint32_t print(std::uint32_t var) { return put(step::Print{view(var)}); }

  tensor::View view(std::uint32_t var) const {
    const auto &v = image.variables[var];
    return tensor::wholeVariable(nullptr, tensor::VarId(var), v.type, v.shape);
  }
  // A slot of one contiguous edge.
  static TestSlot span(std::uint32_t var, std::int64_t begin, std::int64_t end) {
    return {{{var, begin, std::uint32_t(end - begin), 1}}};
  }

private:
  void addEdge(const TestEdge &edge) {
    std::uint32_t elements = 0;
    for (const auto &run : edge)
      elements += run.count;
    image.edges.push_back({std::uint32_t(image.runs.size()), std::uint32_t(edge.size()), elements});
    image.runs.insert(image.runs.end(), edge.begin(), edge.end());
  }
  std::shared_ptr<codelet::Module> module_ = std::make_shared<codelet::Module>();
};

inline std::vector<std::uint32_t> firstTiles(std::uint32_t n) {
  std::vector<std::uint32_t> tiles(n);
  std::iota(tiles.begin(), tiles.end(), 0u);
  return tiles;
}

} // namespace poplar::compile::testing
