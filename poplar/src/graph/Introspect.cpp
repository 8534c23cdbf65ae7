// SPDX-License-Identifier: MIT
#include "graph/Introspect.hpp"
#include "types/Introspection.hpp"

namespace poplar::graph {

using codelet::FieldShape;
using executable::none;

namespace {

layout::Vector shown(VectorLayout layout) {
  switch (layout) {
  case VectorLayout::SPAN:
    return layout::Vector::Span;
  case VectorLayout::SHORT_SPAN:
    return layout::Vector::ShortSpan;
  case VectorLayout::ONE_PTR:
    return layout::Vector::OnePtr;
  case VectorLayout::SCALED_PTR32:
    return layout::Vector::ScaledPtr32;
  case VectorLayout::SCALED_PTR64:
    return layout::Vector::ScaledPtr64;
  case VectorLayout::SCALED_PTR128:
  case VectorLayout::COMPACT_PTR:
    return layout::Vector::ScaledPtr128;
  default:
    return layout::Vector::NotAVector;
  }
}

layout::VectorList shown(VectorListLayout layout) {
  switch (layout) {
  case VectorListLayout::ONE_PTR:
    return layout::VectorList::OnePtr;
  case VectorListLayout::SCALED_PTR32:
    return layout::VectorList::ScaledPtr32;
  case VectorListLayout::SCALED_PTR64:
    return layout::VectorList::ScaledPtr64;
  case VectorListLayout::SCALED_PTR128:
    return layout::VectorList::ScaledPtr128;
  case VectorListLayout::DELTAN:
    return layout::VectorList::DeltaN;
  case VectorListLayout::DELTANELEMENTS:
  case VectorListLayout::COMPACT_DELTAN:
    return layout::VectorList::DeltaNElements;
  default:
    return layout::VectorList::NotAVector;
  }
}

// The bytes behind an edge when all of them are constant.
std::optional<std::string> constantBytes(const GraphState &state, const executable::Edge &edge) {
  std::string out;
  for (auto r = edge.firstRun; edge.firstRun != none && r < edge.firstRun + edge.numRuns; ++r) {
    const auto &run = state.runs[r];
    const auto &variable = state.variables[run.var];
    if (variable.kind != executable::VariableKind::Constant || variable.initial.empty())
      return std::nullopt;
    auto size = sizeOf(variable.type);
    const auto &bytes = variable.initial.begin()->second; // constants are stored whole
    for (std::uint32_t i = 0; i < run.count; ++i)
      out.append(bytes, (run.offset + std::int64_t(i) * run.stride) * size, size);
  }
  return out;
}

types::FieldInfo show(const GraphState &state, const codelet::Field &field,
                      const executable::Slot &slot) {
  types::FieldInfo out;
  out.type = field.type;
  out.rank = field.shape == FieldShape::Scalar ? 0 : field.shape == FieldShape::Vector ? 1 : 2;
  out.outer = shown(field.layout);
  out.inner = shown(field.innerLayout);
  out.list = shown(field.listLayout);
  if (slot.kind == executable::SlotKind::Value) {
    out.sizes = {slot.count};
    out.values = {state.values.substr(slot.first, slot.count * sizeOf(field.type))};
  } else if (slot.kind == executable::SlotKind::Edges) {
    for (auto e = slot.first; e < slot.first + slot.count; ++e) {
      out.sizes.push_back(state.edges[e].elements);
      out.values.push_back(constantBytes(state, state.edges[e]));
    }
  } else if (out.rank < 2) { // never set: a plain field is zero
    out.sizes = {out.rank == 0 ? 1u : 0u};
    out.values = {std::string(out.sizes[0] * sizeOf(field.type), '\0')};
  }
  return out;
}

} // namespace

VertexIntrospector introspect(const GraphState &state, std::uint32_t vertex) {
  const auto &type = state.vertexType(vertex);
  types::VertexInfo info;
  info.vertexType = type.name;
  for (std::size_t f = 0; f < type.fields.size(); ++f)
    info.fields[type.fields[f].name] =
        show(state, type.fields[f], state.slots[state.vertices[vertex].firstSlot + f]);
  return types::IntrospectorAccess::make(std::move(info));
}

} // namespace poplar::graph
