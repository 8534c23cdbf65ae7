// SPDX-License-Identifier: MIT
// Compute sets, vertices, and what is connected to their fields. Every mistake is reported here, at
// the call, with the vertex, the field and both sides of the mismatch.
#include "Access.hpp"
#include "base/Text.hpp"
#include "graph/ConstantMetadata.hpp"
#include "graph/Introspect.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Graph.hpp"
#include "poplar/VertexIntrospector.hpp"
#include "types/Half.hpp"
#include "types/TypeAccess.hpp"
#include "types/Value.hpp"
#include <algorithm>
#include <cstring>
#include <limits>

namespace poplar {

using base::str;
using codelet::Field;
using codelet::FieldDirection;
using codelet::FieldShape;
using executable::Edge;
using executable::none;
using executable::Slot;
using executable::SlotKind;
using graph::GraphState;
using tensor::View;

namespace {

std::string where(const GraphState &state, const FieldRef &ref) {
  auto id = ref.vertex.getId();
  const auto &type = state.vertexType(id);
  auto text =
      str("field \"", type.fields[ref.fieldId].name, ref.indexed ? str("[", ref.index, "]") : "",
          "\" of vertex type \"", type.name, "\"");
  const auto &set = state.computeSets[state.vertices[id].computeSet].name;
  return set.empty() ? text : text + str(" in compute set \"", set, "\"");
}

std::string spelled(const Field &field) {
  auto type = std::string(spelling(field.type));
  auto vector = [&](const std::string &inner) { return "Vector<" + inner + ">"; };
  static const char *names[] = {"", "Input", "Output", "InOut"};
  auto edge = [&](const std::string &inner) {
    return field.direction == FieldDirection::Plain
               ? inner
               : str(names[int(field.direction)], "<", inner, ">");
  };
  switch (field.shape) {
  case FieldShape::Scalar:
    return edge(type);
  case FieldShape::Vector:
    return edge(vector(type));
  case FieldShape::VectorOfVectors:
    return vector(edge(vector(type)));
  default:
    return edge("VectorList<" + type + ">");
  }
}

struct Resolved { // a field of a vertex, resolved and checked
  GraphState &state;
  const FieldRef &ref;
  const Field &field;
  Slot &slot;
};

Resolved resolve(GraphState &state, const FieldRef &ref, const char *call) {
  const auto id = Access::ownVertex<graph_connection_error>(state, ref.vertex, call);
  const auto &type = state.vertexType(id);
  if (ref.fieldId >= type.fields.size())
    throw unknown_field(str(call, ": vertex type \"", type.name, "\" has no field ", ref.fieldId,
                            "; it has ", type.fields.size(), "."));
  return {state, ref, type.fields[ref.fieldId],
          state.slots[state.vertices[id].firstSlot + ref.fieldId]};
}

bool twoDimensional(const Field &field) {
  return field.shape == FieldShape::VectorOfVectors || field.shape == FieldShape::VectorList;
}

bool sameType(TypeId field, TypeId tensor) {
  auto plain = [](TypeId id) { return id == TypeId::SignedChar ? TypeId::Char : id; };
  return plain(field) == plain(tensor);
}

constexpr std::size_t shortSpanLimit = 2047; // an 11-bit element count
constexpr std::size_t maxFieldSize = 1
                                     << 24; // of values or inner vectors: no tile has room for more

void requireFieldSize(std::size_t size, const std::string &where, const char *call) {
  if (size > maxFieldSize)
    throw graph_connection_error(str(call, ": ", where, " cannot have ", size,
                                     " elements; at most ", base::thousands(maxFieldSize),
                                     " are possible."));
}

Edge makeEdge(const Resolved &to, const View &view, const char *call) {
  const auto &field = to.field;
  auto describe = [&] { return to.state.describe(view); };
  if (!sameType(field.type, view.type))
    throw type_error(str(call, ": ", where(to.state, to.ref), " is ", spelled(field), " and ",
                         describe(), " has type ", spelling(view.type), ". Make the types equal."));
  // Vertices read 8-bit floats as F143 with scale 0; any other meaning would be lost on the way.
  if (view.metadata && graph::constantMetadata(*view.metadata) != QuarterMetadata())
    throw tensor_metadata_error(str(call, ": ", where(to.state, to.ref), " is connected to ",
                                    describe(),
                                    ", whose metadata is not F143 with scale 0. Codelets cannot "
                                    "see other formats or scales yet: convert "
                                    "the data first."));
  auto elements = view.numElements();
  if (field.shape == FieldShape::Scalar && elements != 1)
    throw graph_connection_error(str(call, ": ", where(to.state, to.ref), " is ", spelled(field),
                                     " and takes one element; ", describe(), " has ", elements,
                                     ". Index or slice it to one element."));
  if (view.shape.size() > 1)
    throw graph_connection_error(str(call, ": ", where(to.state, to.ref), " is ", spelled(field),
                                     " and takes a tensor of rank 1; ", describe(), " has rank ",
                                     view.shape.size(), ". Call flatten() on it."));
  auto layout = twoDimensional(field) ? field.innerLayout : field.layout;
  if (layout == VectorLayout::SHORT_SPAN && elements > shortSpanLimit)
    throw graph_connection_error(str(call, ": ", where(to.state, to.ref),
                                     " has layout SHORT_SPAN, which holds at most ", shortSpanLimit,
                                     " elements; ", describe(), " has ", elements,
                                     ". Use SPAN or split the data."));
  bool writes = field.direction != FieldDirection::Input;
  auto runs = tensor::runs(view);
  if (writes) {
    for (const auto &run : runs)
      if (to.state.variables[run.var.value].kind != executable::VariableKind::Ordinary)
        throw graph_connection_error(str(call, ": ", where(to.state, to.ref),
                                         " is written by the vertex and cannot be connected to ",
                                         describe(), ", which is constant."));
    if ((runs.size() == 1 && runs[0].stride == 0) ||
        (runs.size() > 1 && tensor::containsAliases(view)))
      throw graph_connection_error(str(call, ": ", where(to.state, to.ref),
                                       " is written by the vertex and ", describe(),
                                       " names some element twice."));
  }
  Edge edge{std::uint32_t(to.state.runs.size()), std::uint32_t(runs.size()),
            std::uint32_t(elements)};
  for (const auto &run : runs)
    if (elements > std::numeric_limits<std::uint32_t>::max() ||
        std::abs(run.stride) > std::numeric_limits<std::int32_t>::max())
      throw graph_connection_error(str(call, ": ", describe(), " is too large for ",
                                       where(to.state, to.ref),
                                       ": a field holds less than 2^32 elements."));
  for (const auto &run : runs)
    to.state.runs.push_back(
        {run.var.value, run.offset, std::uint32_t(run.count), std::int32_t(run.stride)});
  return edge;
}

void requireUnconnected(const Resolved &to, const char *call) {
  if (to.slot.kind != SlotKind::Unset)
    throw graph_connection_error(
        str(call, ": ", where(to.state, to.ref), " is already connected."));
}

void requireEdge(const Resolved &to, const char *call) {
  if (to.field.direction == FieldDirection::Plain)
    throw graph_connection_error(
        str(call, ": ", where(to.state, to.ref), " is a plain ", spelled(to.field),
            ", not an Input, Output or InOut. Give it a value with setInitialValue."));
}

const View &use(const GraphState &state, const FieldRef &ref, const Tensor &tensor,
                const char *call) {
  if (!tensor.valid())
    throw graph_connection_error(
        str(call, ": the tensor for ", where(state, ref), " is not initialised."));
  if (Access::view(tensor).graph.get() != &state)
    throw graph_connection_error(
        str(call, ": the tensor for ", where(state, ref), " belongs to another graph."));
  return Access::view(tensor);
}

void setEdges(const Resolved &to, std::vector<Edge> edges) {
  to.slot.kind = SlotKind::Edges;
  to.slot.first = to.state.edges.size();
  to.slot.count = edges.size();
  to.state.edges.insert(to.state.edges.end(), edges.begin(), edges.end());
}

} // namespace

// ---- handles ----

FieldRef VertexRef::operator[](StringRef fieldName) const {
  auto *state = Access::stateOf(*this);
  if (!state)
    throw unknown_field(graph_ ? "VertexRef: the graph of the vertex no longer exists."
                               : "VertexRef: the vertex is not initialised.");
  const auto &type = state->vertexType(id_);
  auto name = fieldName.cloneAsString();
  for (unsigned i = 0; i < type.fields.size(); ++i)
    if (type.fields[i].name == name)
      return FieldRef(*this, i);
  std::vector<std::string> names;
  for (const auto &field : type.fields)
    names.push_back(field.name);
  throw unknown_field(str("Vertex type \"", type.name, "\" has no field \"", name, "\".",
                          base::didYouMean(name, names), " Its fields are ",
                          base::list(names, ", "), "."));
}

// ---- compute sets and vertices ----

ComputeSet Graph::addComputeSet(const DebugContext &context) {
  auto &state = *Access::graph(*this).state;
  state.computeSets.push_back({context.getPathName(), {}});
  return Access::part<ComputeSet>(state, state.computeSets.size() - 1);
}

static std::uint32_t findType(GraphState &state, const std::string &name) {
  if (auto known = state.vertexTypeIndex.find(name); known != state.vertexTypeIndex.end())
    return known->second;
  auto canonical = codelet::canonicalName(name);
  auto found = state.codelets.find(canonical);
  if (found == state.codelets.end() && state.provide(canonical))
    found = state.codelets.find(canonical);
  if (found == state.codelets.end()) {
    std::vector<std::string> names;
    for (const auto &[codelet, ref] : state.codelets)
      names.push_back(codelet);
    std::sort(names.begin(), names.end());
    auto advice = base::didYouMean(canonical, names);
    throw unknown_vertex_type(str(
        "There is no codelet \"", name, "\" in the graph.",
        advice.empty() ? " Add its source or .gp file with Graph::addCodelets first." : advice));
  }
  std::uint32_t index = 0;
  for (; index < state.vertexTypes.size(); ++index)
    if (state.vertexTypes[index].module == found->second.module &&
        state.vertexTypes[index].type == found->second.type)
      break;
  if (index == state.vertexTypes.size())
    state.vertexTypes.push_back({found->second.module, found->second.type});
  state.vertexTypeIndex.emplace(name, index);
  return index;
}

static void connectValue(Graph &graph, const FieldRef &ref, const void *value, TypeId type);
static void setValues(Graph &graph, const FieldRef &ref, const void *values, std::size_t count,
                      TypeId type, bool broadcast);

VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType) {
  auto &state = *Access::graph(*this).state;
  if (cs.getId() >= state.computeSets.size() || !Access::isOwn(state, cs))
    throw poplar_error(str("Graph::addVertex: the compute set for a vertex of type \"",
                           vertexType.cloneAsString(), "\" does not belong to this graph."));
  executable::Vertex vertex;
  vertex.type = findType(state, vertexType);
  vertex.computeSet = cs.getId();
  vertex.tile = state.needsNoMapping() ? 0 : none;
  vertex.firstSlot = state.slots.size();
  state.slots.resize(state.slots.size() + state.typeAt(vertex.type).fields.size());
  state.computeSets[cs.getId()].vertices.push_back(state.vertices.size());
  state.vertices.push_back(vertex);
  return Access::vertex(state, state.vertices.size() - 1);
}

VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType,
                           ArrayRef<ConnectionDesc> connections) {
  auto vertex = addVertex(cs, vertexType);
  for (const auto &connection : connections) {
    auto field = vertex[connection.field()];
    switch (connection.kind()) {
    case ConnectionDesc::Kind::TensorEdge:
      connect(field, connection.tensors()[0]);
      break;
    case ConnectionDesc::Kind::TensorListEdge:
      connect(field, ArrayRef<Tensor>(connection.tensors()));
      break;
    case ConnectionDesc::Kind::Scalar:
      connectValue(*this, field, connection.scalarValue(), types::idOf(connection.scalarType()));
      break;
    }
  }
  return vertex;
}

// ---- connections ----

void Graph::connect(FieldRef ref, const Tensor &tensor) {
  auto &state = *Access::graph(*this).state;
  auto to = resolve(state, ref, "Graph::connect");
  requireEdge(to, "Graph::connect");
  auto &view = use(state, ref, tensor, "Graph::connect");
  if (ref.indexed) {
    if (!twoDimensional(to.field))
      throw graph_connection_error(str("Graph::connect: ", where(state, ref), " is ",
                                       spelled(to.field), " and has no inner vectors to index."));
    if (to.slot.kind != SlotKind::Edges)
      throw no_size_specified(
          str("Graph::connect: the size of ", where(state, FieldRef(ref.vertex, ref.fieldId)),
              " is not known. Call setFieldSize before connecting its elements one by one."));
    if (ref.index >= to.slot.count)
      throw index_error(str("Graph::connect: ", where(state, ref),
                            " is beyond the field's size of ", to.slot.count, "."));
    auto &edge = state.edges[to.slot.first + ref.index];
    if (edge.firstRun != none)
      throw graph_connection_error(
          str("Graph::connect: ", where(state, ref), " is already connected."));
    auto made = makeEdge(to, view, "Graph::connect");
    state.edges[to.slot.first + ref.index] = made;
    return;
  }
  requireUnconnected(to, "Graph::connect");
  if (!twoDimensional(to.field))
    return setEdges(to, {makeEdge(to, view, "Graph::connect")});
  if (view.shape.size() != 2)
    throw graph_connection_error(str("Graph::connect: ", where(state, ref), " is ",
                                     spelled(to.field),
                                     " and takes a tensor of rank 2 or a list of tensors; ",
                                     state.describe(view), " has rank ", view.shape.size(), "."));
  requireFieldSize(view.shape[0], where(state, ref), "Graph::connect");
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < view.shape[0]; ++i)
    edges.push_back(
        makeEdge(to, tensor::squeeze(tensor::slice(view, i, i + 1, 0), {0}), "Graph::connect"));
  setEdges(to, std::move(edges));
}

void Graph::connect(FieldRef ref, ArrayRef<Tensor> tensors) {
  auto &state = *Access::graph(*this).state;
  auto to = resolve(state, ref, "Graph::connect");
  requireEdge(to, "Graph::connect");
  if (!twoDimensional(to.field) || ref.indexed) {
    if (tensors.empty())
      throw graph_connection_error(
          str("Graph::connect: the list of tensors for ", where(state, ref), " is empty."));
    std::vector<Tensor> flat;
    for (const auto &tensor : tensors)
      flat.push_back(tensor.rank() == 0 ? tensor.reshape({1}) : tensor);
    return connect(ref, concat(flat));
  }
  requireUnconnected(to, "Graph::connect");
  std::vector<Edge> edges;
  for (const auto &tensor : tensors)
    edges.push_back(makeEdge(to, use(state, ref, tensor, "Graph::connect"), "Graph::connect"));
  setEdges(to, std::move(edges));
}

static void connectValue(Graph &graph, const FieldRef &ref, const void *value, TypeId type) {
  auto &state = *Access::graph(graph).state;
  auto to = resolve(state, ref, "Graph::connect");
  if (to.field.direction == FieldDirection::Plain)
    return setValues(graph, ref, value, 1, type, true);
  if (to.field.direction != FieldDirection::Input || twoDimensional(to.field))
    throw graph_connection_error(str("Graph::connect: ", where(state, ref), " is ",
                                     spelled(to.field),
                                     "; a value can be given to an Input only."));
  // One hidden constant per value; lowering copies it to the tile of each vertex that reads it.
  std::string bytes(sizeOf(to.field.type), '\0');
  types::convertElements(type, value, to.field.type, bytes.data(), 1, true);
  std::uint64_t key = 0;
  std::memcpy(&key, bytes.data(), bytes.size());
  auto [at, fresh] = state.hiddenConstants.try_emplace({to.field.type, key});
  if (fresh) {
    graph::Variable variable;
    variable.type = to.field.type;
    variable.kind = executable::VariableKind::Constant;
    variable.shape = {1};
    variable.elements = 1;
    variable.hidden = true;
    variable.initial[0] = bytes;
    at->second = state.addVariable(std::move(variable));
  }
  graph.connect(ref, Access::tensor(tensor::wholeVariable(&state, at->second, to.field.type, {1})));
}
void Graph::connectScalar(FieldRef ref, const void *value, const TypeTraits &traits) {
  connectValue(*this, ref, value, types::idOf(traits.type()));
}

void Graph::setFieldSize(FieldRef ref, std::size_t size) {
  auto &state = *Access::graph(*this).state;
  auto to = resolve(state, ref, "Graph::setFieldSize");
  requireUnconnected(to, "Graph::setFieldSize");
  requireFieldSize(size, where(state, ref), "Graph::setFieldSize");
  if (to.field.direction == FieldDirection::Plain && to.field.shape == FieldShape::Vector) {
    while (state.values.size() % 8)
      state.values.push_back('\0');
    to.slot = {SlotKind::Value, std::uint32_t(state.values.size()), std::uint32_t(size)};
    state.values.resize(state.values.size() + size * sizeOf(to.field.type));
  } else if (twoDimensional(to.field)) {
    setEdges(to, std::vector<Edge>(size, Edge{none, 0, 0}));
  } else {
    throw graph_connection_error(str("Graph::setFieldSize: ", where(state, ref), " is ",
                                     spelled(to.field),
                                     "; its size is that of the tensor connected to it."));
  }
}

std::size_t Graph::getFieldSize(FieldRef ref) const {
  auto &state = *Access::graph(*this).state;
  auto to = resolve(state, ref, "Graph::getFieldSize");
  if (to.slot.kind == SlotKind::Unset)
    throw no_size_specified(str("Graph::getFieldSize: ", where(state, ref), " has no size yet."));
  if (ref.indexed) {
    if (!twoDimensional(to.field) || ref.index >= to.slot.count)
      throw index_error(str("Graph::getFieldSize: ", where(state, ref),
                            " does not exist; the field has ",
                            twoDimensional(to.field) ? to.slot.count : 0, " inner vectors."));
    return state.edges[to.slot.first + ref.index].elements;
  }
  if (to.slot.kind == SlotKind::Edges && !twoDimensional(to.field))
    return state.edges[to.slot.first].elements;
  return to.slot.count;
}

// ---- values of plain fields ----

static void setValues(Graph &graph, const FieldRef &ref, const void *values, std::size_t count,
                      TypeId type, bool broadcast) {
  auto &state = *Access::graph(graph).state;
  auto to = resolve(state, ref, "Graph::setInitialValue");
  if (to.field.direction == FieldDirection::Input && to.field.shape == FieldShape::Scalar &&
      count == 1)
    return connectValue(graph, ref, values, type);
  if (to.field.direction != FieldDirection::Plain)
    throw graph_connection_error(
        str("Graph::setInitialValue: ", where(state, ref), " is ", spelled(to.field),
            ", not a plain field. Connect a tensor and set the tensor's initial value."));
  bool vector = to.field.shape == FieldShape::Vector;
  if (!vector && count != 1)
    throw graph_connection_error(str("Graph::setInitialValue: ", where(state, ref), " is ",
                                     spelled(to.field), " and takes one value, not ", count, "."));
  requireFieldSize(count, where(state, ref), "Graph::setInitialValue");
  if (!values)
    throw graph_connection_error(str("Graph::setInitialValue: the pointer to the values of ",
                                     where(state, ref), " is null."));
  if (vector && broadcast && to.slot.kind == SlotKind::Value && to.slot.count != 1)
    count = to.slot.count; // setFieldSize, then one value for all
  while (state.values.size() % 8)
    state.values.push_back('\0');
  auto first = state.values.size();
  state.values.resize(first + count * sizeOf(to.field.type));
  types::convertElements(type, values, to.field.type, state.values.data() + first, count,
                         broadcast);
  to.slot = {SlotKind::Value, std::uint32_t(first), std::uint32_t(count)};
}
void Graph::setFieldValues(FieldRef ref, const void *values, std::size_t count,
                           const TypeTraits &traits, bool broadcast) {
  setValues(*this, ref, values, count, types::idOf(traits.type()), broadcast);
}

static void setHalfBits(Graph &graph, const FieldRef &ref, const std::uint16_t *values,
                        std::size_t count) {
  auto &state = *Access::graph(graph).state;
  auto to = resolve(state, ref, "Graph::setInitialValueHalf");
  if (to.field.type != TypeId::Half || to.field.direction != FieldDirection::Plain)
    throw type_error(str("Graph::setInitialValueHalf: ", where(state, ref), " is ",
                         spelled(to.field), ", not a plain field of half."));
  while (state.values.size() % 8)
    state.values.push_back('\0');
  to.slot = {SlotKind::Value, std::uint32_t(state.values.size()), std::uint32_t(count)};
  state.values.append(reinterpret_cast<const char *>(values), count * 2);
}
void Graph::setInitialValueHalf(FieldRef field, std::uint16_t value) {
  setHalfBits(*this, field, &value, 1);
}
void Graph::setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> values) {
  setHalfBits(*this, field, values.data(), values.size());
}

// ---- limits and estimates ----

static const Field &fieldOf(GraphState &state, const std::string &type, const std::string &name) {
  const auto &vertexType = state.typeAt(findType(state, type));
  if (auto *field = vertexType.find(name))
    return *field;
  std::vector<std::string> names;
  for (const auto &field : vertexType.fields)
    names.push_back(field.name);
  throw unknown_field(str("Vertex type \"", type, "\" has no field \"", name, "\".",
                          base::didYouMean(name, names)));
}

unsigned Graph::getMaxFieldDim(StringRef vertexType, StringRef fieldName,
                               unsigned dimension) const {
  const auto &field = fieldOf(*Access::graph(*this).state, vertexType, fieldName);
  unsigned rank = field.shape == FieldShape::Scalar ? 0 : twoDimensional(field) ? 2 : 1;
  if (dimension >= rank)
    throw index_error(str("Graph::getMaxFieldDim: field \"", field.name, "\" has ", rank,
                          " dimension(s); there is no dimension ", dimension, "."));
  auto layout = dimension + 1 == rank && rank == 2 ? field.innerLayout : field.layout;
  return layout == VectorLayout::SHORT_SPAN ? shortSpanLimit : std::numeric_limits<unsigned>::max();
}

double Graph::getMaxVertexFieldValue(StringRef vertexType, StringRef fieldName) const {
  const auto &field = fieldOf(*Access::graph(*this).state, vertexType, fieldName);
  return getTarget().getTypeLimitsMaxAs<double>(types::typeOf(field.type));
}

void Graph::setPerfEstimate(const VertexRef &vertex, std::uint64_t cycles, std::uint64_t flops) {
  auto &state = *Access::graph(*this).state;
  auto &entry = state.vertices[Access::ownVertex(state, vertex, "Graph::setPerfEstimate")];
  entry.cycles = cycles;
  entry.flops = flops;
}
void Graph::setPerfEstimate(const VertexRef &vertex, const VertexPerfEstimate &estimate) {
  setPerfEstimate(vertex, estimate.cycles, estimate.flops);
}

VertexPerfEstimate Graph::getPerfEstimate(const VertexRef &vertex) const {
  auto &state = *Access::graph(*this).state;
  const auto &entry = state.vertices[Access::ownVertex(state, vertex, "Graph::getPerfEstimate")];
  if (entry.cycles != executable::noEstimate)
    return {entry.cycles, entry.flops};
  const auto &type = state.vertexType(vertex.getId()).name;
  for (const auto *known : {&state.estimators, &state.libraryCycles})
    if (const auto estimator = known->find(type); estimator != known->end())
      return estimator->second(graph::introspect(state, vertex.getId()), state.target);
  throw missing_perf_estimate(str("A vertex of type \"", type,
                                  "\" has no estimate: its cycles are counted when it runs. Give "
                                  "one with setPerfEstimate."));
}

void Graph::registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator) {
  if (!estimator)
    throw poplar_error(str("Graph::registerPerfEstimator: the estimator for \"",
                           vertexType.cloneAsString(), "\" is an empty function."));
  Access::graph(*this).state->estimators[codelet::canonicalName(vertexType.cloneAsString())] =
      std::move(estimator);
}
void openipu::registerLibraryCycles(Graph &graph, const std::string &vertexName,
                                    PerfEstimateFunc cycles) {
  Access::graph(graph).state->libraryCycles[codelet::canonicalName(vertexName)] = std::move(cycles);
}
std::size_t Graph::getNumVertices() const { return Access::graph(*this).state->vertices.size(); }

} // namespace poplar
