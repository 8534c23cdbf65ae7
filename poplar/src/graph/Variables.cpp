// SPDX-License-Identifier: MIT
// Variables, constants, their initial values, and clones.
#include "Access.hpp"
#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include "graph/ConstantMetadata.hpp"
#include "graph/LinearMapping.hpp"
#include "HostMemory.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Graph.hpp"
#include "poplar/MetadataCreation.hpp"
#include "types/Half.hpp"
#include "types/TypeAccess.hpp"
#include "types/Value.hpp"
#include <algorithm>
#include <numeric>

namespace poplar {

using base::str;
using executable::VariableKind;
using graph::GraphState;
using graph::VarId;
using tensor::Shape;
using tensor::View;

namespace {

Shape toShape(ArrayRef<std::size_t> shape) { return {shape.begin(), shape.end()}; }

TypeId deviceType(const Type &type, const char *call) {
  if (type == Type())
    throw type_error(str(call, ": the element type is not set."));
  auto id = types::idOf(type);
  if (id == TypeId::Long || id == TypeId::UnsignedLong || id == TypeId::Double)
    throw type_error(str(call, ": type ", type.toString(), " does not exist on the IPU. Use ",
                         id == TypeId::Double ? "FLOAT"
                         : id == TypeId::Long ? "INT or LONGLONG"
                                              : "UNSIGNED_INT or UNSIGNED_LONGLONG",
                         "."));
  return id;
}

std::shared_ptr<const View> metadataOf(const GraphState &state, const Tensor *metadata, TypeId type,
                                       const char *call) {
  if (metadata && metadata->valid()) {
    Access::ownView<tensor_metadata_error>(state, *metadata, str(call, " (metadata)"));
    if (type != TypeId::Quarter)
      throw tensor_metadata_error(
          str(call, ": type ", spelling(type), " takes no metadata; only QUARTER does."));
    return Access::pointer(*metadata);
  }
  return nullptr;
}

Tensor makeVariable(GraphState &state, const Type &type, const Tensor *metadata,
                    ArrayRef<std::size_t> shape, VariableKind kind, const DebugContext &context,
                    const char *call) {
  graph::Variable variable;
  variable.type = deviceType(type, call);
  variable.name = context.getPathName();
  variable.kind = kind;
  variable.shape = toShape(shape);
  variable.elements = tensor::elementsOf(variable.shape, call);
  auto view = tensor::wholeVariable(&state, {}, variable.type, variable.shape);
  view.metadata = metadataOf(state, metadata, variable.type, call);
  auto id = state.addVariable(std::move(variable));
  for (auto &piece : view.pieces)
    piece.var = id;
  return Access::tensor(std::move(view));
}

// Puts element bytes, in the order of the view, into the variables behind it.
void storeInitial(GraphState &state, const View &view, const std::string &bytes) {
  auto size = sizeOf(view.type);
  std::size_t at = 0;
  tensor::forEachRange(view, [&](const tensor::VarRange &range) {
    auto &initial = state.variables[range.var.value].initial;
    auto value = bytes.substr(at * size, (range.end - range.begin) * size);
    at += range.end - range.begin;
    // Cut what an earlier call stored here.
    auto old = initial.lower_bound(range.begin);
    if (old != initial.begin()) {
      auto before = std::prev(old);
      auto end = before->first + before->second.size() / size;
      if (end > range.end)
        initial[range.end] = before->second.substr((range.end - before->first) * size);
      if (end > range.begin)
        before->second.resize((range.begin - before->first) * size);
    }
    for (old = initial.lower_bound(range.begin); old != initial.end() && old->first < range.end;) {
      auto end = old->first + old->second.size() / size;
      if (end > range.end)
        initial[range.end] = old->second.substr((range.end - old->first) * size);
      old = initial.erase(old);
    }
    initial[range.begin] = std::move(value);
  });
}

void requireValues(const void *values, std::size_t count, const char *call) {
  if (!values && count != 0)
    throw tensor_creation_error(
        str(call, ": the pointer to the ", count, " values is null. Give an array of values."));
}

// Constants have their values on the host while the graph is built: what no device could hold is
// refused before.
void requireRoom(const Target &target, TypeId type, const std::vector<std::size_t> &shape,
                 std::size_t elements, const char *call) {
  constexpr std::uint64_t always = std::uint64_t(1)
                                   << 28; // a graph may be too large for its target
  const std::uint64_t bytes = elements * sizeOf(type);
  const std::uint64_t room = std::uint64_t(target.getNumTiles()) * target.getBytesPerTile();
  if (bytes > std::max(always, room))
    throw tensor_creation_error(str(call, ": a constant of shape ", base::list(shape), " takes ",
                                    base::thousands(bytes), " bytes; all tiles of the target have ",
                                    base::thousands(room), ". Make it smaller."));
}

std::string deviceBytes(TypeId type, const View *metadata, const void *values,
                        const TypeTraits &traits, std::size_t n, bool broadcast) {
  std::string bytes(n * sizeOf(type), '\0');
  if (n == 0)
    return bytes;
  if (type == TypeId::Quarter && metadata)
    types::convertToQuarter(types::idOf(traits.type()), values, graph::constantMetadata(*metadata),
                            bytes.data(), n, broadcast);
  else
    types::convertElements(types::idOf(traits.type()), values, type, bytes.data(), n, broadcast);
  return bytes;
}

} // namespace

// ---- variables ----

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape,
                          const DebugContext &context) {
  return makeVariable(*Access::graph(*this).state, type, nullptr, shape, VariableKind::Ordinary,
                      context, "Graph::addVariable");
}
Tensor Graph::addVariable(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                          const DebugContext &context) {
  return makeVariable(*Access::graph(*this).state, type, &metadata, shape, VariableKind::Ordinary,
                      context, "Graph::addVariable");
}
Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape,
                          VariableMappingMethod mapping, const DebugContext &context) {
  return addVariable(type, Tensor(), shape, mapping, context);
}
Tensor Graph::addVariable(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                          VariableMappingMethod mapping, const DebugContext &context) {
  auto out = addVariable(type, metadata, shape, context);
  if (mapping == VariableMappingMethod::LINEAR)
    setTileMapping(out, graph::linearMapping(getTarget(), out.numElements(), out.elementType()));
  return out;
}
Tensor Graph::addExternalVariable(const Type &type, ArrayRef<std::size_t> shape,
                                  StringRef externalName, const DebugContext &context) {
  auto path = context.getPathName();
  return addVariable(type, shape, DebugContext(path.empty() ? externalName.cloneAsString() : path));
}
Tensor Graph::addReplicationIndexConstant(const DebugContext &context) {
  return makeVariable(*Access::graph(*this).state, UNSIGNED_INT, nullptr, {},
                      VariableKind::ReplicationIndex, context,
                      "Graph::addReplicationIndexConstant");
}

// ---- constants ----

Tensor Graph::addConstantValues(const Type &type, const Tensor *metadata,
                                ArrayRef<std::size_t> shape, const void *values, std::size_t count,
                                const TypeTraits &traits, bool broadcast,
                                const DebugContext &context) {
  auto &state = *Access::graph(*this).state;
  auto id = deviceType(type, "Graph::addConstant");
  auto elements = tensor::elementsOf(toShape(shape), "Graph::addConstant");
  if (!broadcast && count != elements)
    throw tensor_creation_error(
        str("Graph::addConstant: shape ", base::list(toShape(shape)), " has ", elements,
            " elements but ", count, " values are given",
            context.getPathName().empty() ? "" : " for \"" + context.getPathName() + "\"",
            ". Give one value per element, or a single value for all."));
  requireValues(values, elements, "Graph::addConstant");
  requireRoom(getTarget(), id, toShape(shape), elements, "Graph::addConstant");
  auto metadataView = metadataOf(state, metadata, id, "Graph::addConstant");
  return withHostMemory<tensor_creation_error>("Graph::addConstant", [&] {
    auto bytes = deviceBytes(id, metadataView.get(), values, traits, elements, broadcast);
    auto out = makeVariable(state, type, metadata, shape, VariableKind::Constant, context,
                            "Graph::addConstant");
    storeInitial(state, Access::view(out), bytes);
    return out;
  });
}
Tensor Graph::addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values,
                          const TypeTraits &traits, bool broadcast, const DebugContext &context) {
  return addConstant(type, Tensor(), shape, values, traits, broadcast, context);
}
Tensor Graph::addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                          const void *values, const TypeTraits &traits, bool broadcast,
                          const DebugContext &context) {
  auto elements = tensor::elementsOf(toShape(shape), "Graph::addConstant");
  return addConstantValues(type, &metadata, shape, values, broadcast ? 1 : elements, traits,
                           broadcast, context);
}

static void requireHalf(const Type &type, const char *call) {
  if (type != HALF)
    throw type_error(
        str(call, ": bit patterns of half need type HALF, not ", type.toString(), "."));
}
Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t value,
                              const DebugContext &context) {
  auto elements = tensor::elementsOf(toShape(shape), "Graph::addConstantHalf");
  requireRoom(getTarget(), TypeId::Half, toShape(shape), elements, "Graph::addConstantHalf");
  return withHostMemory<tensor_creation_error>("Graph::addConstantHalf", [&] {
    return addConstantHalfValues(type, shape, std::vector<std::uint16_t>(elements, value).data(),
                                 context);
  });
}
Tensor Graph::addConstantHalfValues(const Type &type, ArrayRef<std::size_t> shape,
                                    const std::uint16_t *values, const DebugContext &context) {
  requireHalf(type, "Graph::addConstantHalf");
  auto &state = *Access::graph(*this).state;
  requireValues(values, tensor::elementsOf(toShape(shape), "Graph::addConstantHalf"),
                "Graph::addConstantHalf");
  auto out = makeVariable(state, type, nullptr, shape, VariableKind::Constant, context,
                          "Graph::addConstantHalf");
  storeInitial(state, Access::view(out),
               std::string(reinterpret_cast<const char *>(values), out.numElements() * 2));
  return out;
}

// ---- initial values ----

static void requireVariable(const Graph &graph, const Tensor &tensor, const char *call) {
  Access::ownView(*Access::graph(graph).state, tensor, call);
  if (tensor.containsConstant())
    throw poplar_error(
        str(call, ": ", tensor.getDebugStr(), " holds a constant, whose value is fixed."));
}

void Graph::setTensorValues(const Tensor &tensor, const void *values, std::size_t count,
                            const TypeTraits &traits, bool broadcast) {
  requireVariable(*this, tensor, "Graph::setInitialValue");
  auto &view = Access::view(tensor);
  auto elements = view.numElements();
  if (!broadcast && count != elements)
    throw tensor_creation_error(str("Graph::setInitialValue: ", tensor.getDebugStr(), " has ",
                                    elements, " elements but ", count, " values are given."));
  requireValues(values, elements, "Graph::setInitialValue");
  withHostMemory<tensor_creation_error>("Graph::setInitialValue", [&] {
    storeInitial(*Access::graph(*this).state, view,
                 deviceBytes(view.type, view.metadata.get(), values, traits, elements, broadcast));
  });
}
void Graph::setInitialValueHalf(const Tensor &tensor, std::uint16_t value) {
  withHostMemory<tensor_creation_error>("Graph::setInitialValueHalf", [&] {
    setInitialValueHalf(tensor, std::vector<std::uint16_t>(tensor.numElements(), value));
  });
}
void Graph::setInitialValueHalf(const Tensor &tensor, ArrayRef<std::uint16_t> values) {
  requireVariable(*this, tensor, "Graph::setInitialValueHalf");
  requireHalf(tensor.elementType(), "Graph::setInitialValueHalf");
  if (values.size() != tensor.numElements())
    throw tensor_creation_error(str("Graph::setInitialValueHalf: ", tensor.getDebugStr(), " has ",
                                    tensor.numElements(), " elements but ", values.size(),
                                    " values are given."));
  storeInitial(*Access::graph(*this).state, Access::view(tensor),
               std::string(reinterpret_cast<const char *>(values.data()), values.size() * 2));
}

// ---- clones ----

namespace {

// One dense new variable that holds the view's memory in memory order: the same order, the same
// aliases.
View cloneKeepingOrder(GraphState &state, const View &source, TypeId type,
                       const std::string &name) {
  auto ranges = tensor::sortedRanges(source);
  std::vector<std::size_t> start{0}; // of each range in the new variable
  for (auto &range : ranges)
    start.push_back(start.back() + range.end - range.begin);
  graph::Variable variable;
  variable.type = type;
  variable.name = name;
  variable.elements = start.back();
  variable.shape = {start.back()};
  for (std::size_t i = 0; i < ranges.size(); ++i)
    state.variables[ranges[i].var.value].mapping.forEach(
        ranges[i].begin, ranges[i].end, [&](auto begin, auto end, auto tile) {
          if (tile != executable::none)
            variable.mapping.set(start[i] + begin - ranges[i].begin,
                                 start[i] + end - ranges[i].begin, tile);
        });
  auto id = state.addVariable(std::move(variable));
  auto locate = [&](VarId var, std::size_t element) { // element of the new variable, and its range
    auto at = std::upper_bound(ranges.begin(), ranges.end(),
                               tensor::VarRange{var, element, ~std::size_t(0)}) -
              ranges.begin() - 1;
    return std::pair(start[at] + element - ranges[at].begin, at);
  };

  View out = source;
  out.type = type;
  bool withinRanges =
      true; // every piece lies in one range, so its strides hold in the new variable too
  for (auto &piece : out.pieces) {
    auto lowest = piece.offset, highest = piece.offset;
    for (auto &loop : piece.loops)
      (loop.stride < 0 ? lowest : highest) += std::int64_t(loop.extent - 1) * loop.stride;
    auto [first, firstRange] = locate(piece.var, lowest);
    withinRanges = withinRanges && firstRange == locate(piece.var, highest).second;
    piece.offset += std::int64_t(first) - lowest;
    piece.var = id;
  }
  if (withinRanges)
    return out;
  out.pieces.clear();
  out.shape = {source.numElements()};
  std::size_t at = 0;
  tensor::forEachRange(source, [&](const tensor::VarRange &range) {
    auto n = range.end - range.begin;
    tensor::Piece piece{id, std::int64_t(locate(range.var, range.begin).first), {{at, n}}, {}};
    if (n > 1)
      piece.loops = {{n, 1, 0}};
    out.pieces.push_back(piece);
    at += n;
  });
  return tensor::reshape(out, source.shape);
}

View cloneInNewOrder(GraphState &state, const View &source, TypeId type, const std::string &name) {
  graph::Variable variable;
  variable.type = type;
  variable.name = name;
  variable.shape = source.shape;
  variable.elements = source.numElements();
  std::size_t at = 0;
  tensor::forEachRange(source, [&](const tensor::VarRange &range) {
    state.variables[range.var.value].mapping.forEach(
        range.begin, range.end, [&](auto begin, auto end, auto tile) {
          if (tile != executable::none)
            variable.mapping.set(at, at + end - begin, tile);
          at += end - begin;
        });
  });
  auto out = tensor::wholeVariable(source.graph, {}, type, source.shape);
  auto id = state.addVariable(std::move(variable));
  for (auto &piece : out.pieces)
    piece.var = id;
  return out;
}

} // namespace

Tensor Graph::clone(const Type &type, const Tensor &metadata, const Tensor &t,
                    const DebugContext &context, TensorCloneMethod method) {
  auto &state = *Access::graph(*this).state;
  auto &source = Access::ownView(state, t, "Graph::clone");
  auto id = deviceType(type, "Graph::clone");
  auto name = context.getPathName().empty() ? t.getVarStr() + "_clone" : context.getPathName();
  bool newOrder =
      method == TensorCloneMethod::CREATE_NEW_ORDER ||
      (method == TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES && t.containsAliases());
  auto out = newOrder ? cloneInNewOrder(state, source, id, name)
                      : cloneKeepingOrder(state, source, id, name);
  out.metadata = metadata.valid()        ? metadataOf(state, &metadata, id, "Graph::clone")
                 : id == TypeId::Quarter ? source.metadata
                                         : nullptr;
  return Access::tensor(std::move(out));
}
Tensor Graph::clone(const Type &type, const Tensor &t, const DebugContext &context,
                    TensorCloneMethod method) {
  return clone(type, Tensor(), t, context, method);
}
Tensor Graph::clone(const Tensor &metadata, const Tensor &t, const DebugContext &context,
                    TensorCloneMethod method) {
  return clone(t.elementType(), metadata, t, context, method);
}
Tensor Graph::clone(const Tensor &t, const DebugContext &context, TensorCloneMethod method) {
  return clone(t.elementType(), Tensor(), t, context, method);
}

Tensor Graph::cloneN(const Type &type, const Tensor &metadata, const Tensor &t, std::size_t n,
                     const DebugContext &context, TensorCloneMethod method,
                     TensorCloneDuplicationMethod duplication) {
  // Both ways of duplicating give the same elements on the same tiles; they differ in which copies
  // are neighbours in memory.
  (void)duplication;
  constexpr std::size_t mostCopies = 1 << 20;
  if (n > mostCopies)
    throw tensor_creation_error(str("Graph::cloneN: ", n, " copies were asked for; at most ",
                                    base::thousands(mostCopies), " are possible."));
  if (n > 0) {
    auto shape = t.shape();
    shape.insert(shape.begin(), n);
    tensor::elementsOf(shape, "Graph::cloneN");
  }
  std::vector<Tensor> copies;
  for (std::size_t i = 0; i < n; ++i)
    copies.push_back(clone(type, metadata, t, context, method).expand({0}));
  if (copies.empty())
    return addVariable(
        type,
        [&] {
          auto shape = t.shape();
          shape.insert(shape.begin(), 0);
          return shape;
        }(),
        context);
  return concat(copies, 0);
}
Tensor Graph::cloneN(const Type &type, const Tensor &t, std::size_t n, const DebugContext &context,
                     TensorCloneMethod method, TensorCloneDuplicationMethod duplication) {
  return cloneN(type, Tensor(), t, n, context, method, duplication);
}
Tensor Graph::cloneN(const Tensor &metadata, const Tensor &t, std::size_t n,
                     const DebugContext &context, TensorCloneMethod method,
                     TensorCloneDuplicationMethod duplication) {
  return cloneN(t.elementType(), metadata, t, n, context, method, duplication);
}
Tensor Graph::cloneN(const Tensor &t, std::size_t n, const DebugContext &context,
                     TensorCloneMethod method, TensorCloneDuplicationMethod duplication) {
  return cloneN(t.elementType(), Tensor(), t, n, context, method, duplication);
}

static const graph::Variable &ownVariable(const GraphState &state, VariableRef variable,
                                          const char *call) {
  if (variable.id() >= state.variables.size())
    throw index_error(str(call, ": there is no variable ", variable.id(), "; the graph has ",
                          state.variables.size(), "."));
  return state.variables[variable.id()];
}
Tensor Graph::getVariable(VariableRef variable) const {
  auto &state = *Access::graph(*this).state;
  const auto &found = ownVariable(state, variable, "Graph::getVariable");
  return Access::tensor(
      tensor::wholeVariable(&state, VarId(variable.id()), found.type, found.shape));
}
bool Graph::isConstant(VariableRef variable) const {
  return ownVariable(*Access::graph(*this).state, variable, "Graph::isConstant").kind !=
         VariableKind::Ordinary;
}

} // namespace poplar
