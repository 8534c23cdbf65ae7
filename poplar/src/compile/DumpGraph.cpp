// SPDX-License-Identifier: MIT
// A graph as text or file, for people and tools: Graphviz, JSON, the executable format, and tensors
// by their pieces.
#include "Access.hpp"
#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include "compile/Lower.hpp"
#include "executable/Serialise.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "profile/DotGraph.hpp"
#include <nlohmann/json.hpp>
#include <ostream>

namespace poplar {

using base::str;
using nlohmann::json;

namespace {

// The given programs, or one that executes every compute set of the graph.
executable::Image imageOf(const graph::GraphState &state, ArrayRef<program::Program> programs) {
  std::vector<program::Program> list(programs.begin(), programs.end());
  if (list.empty()) {
    program::Sequence all;
    for (unsigned set = 0; set < state.computeSets.size(); ++set)
      all.add(program::Execute(ComputeSet(set)));
    list.push_back(all);
  }
  return compile::lower(state, list);
}

json toJson(const executable::Image &image) {
  json out;
  for (const auto &variable : image.variables)
    out["variables"].push_back({{"name", variable.name},
                                {"type", spelling(variable.type)},
                                {"shape", variable.shape},
                                {"constant", variable.kind != executable::VariableKind::Ordinary}});
  for (const auto &set : image.computeSets) {
    json vertices = json::array();
    for (auto id : set.vertices)
      vertices.push_back({{"type", image.vertexType(id).name}, {"tile", image.vertices[id].tile}});
    out["computeSets"].push_back({{"name", set.name}, {"vertices", vertices}});
  }
  for (const auto &stream : image.streams)
    out["streams"].push_back({{"handle", stream.handle},
                              {"type", spelling(stream.type)},
                              {"elements", stream.elements},
                              {"toDevice", stream.toDevice}});
  return out;
}

} // namespace

void Graph::outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs) const {
  profile::writeVertexGraph(out, imageOf(*Access::graph(*this).state, programs));
}
void Graph::outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs) const {
  profile::writeComputeGraph(out, imageOf(*Access::graph(*this).state, programs));
}

void Graph::serialize(std::ostream &out, SerializationFormat format) const {
  serialize(out, {}, format);
}
void Graph::serialize(std::ostream &out, ArrayRef<program::Program> programs,
                      SerializationFormat format) const {
  auto image = imageOf(*Access::graph(*this).state, programs);
  if (format == SerializationFormat::JSON)
    out << toJson(image).dump(1) << "\n";
  else
    executable::write(image, out);
}

// ---- tensors ----

void Graph::serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                             SerializationFormat format) const {
  json list = json::array();
  for (const auto &tensor : tensors) {
    const auto &view =
        Access::ownView(*Access::graph(*this).state, tensor, "Graph::serializeTensors");
    json runs = json::array();
    tensor::forEachRun(view, [&](const tensor::Run &run) {
      runs.push_back({run.var.value, run.offset, run.count, run.stride});
    });
    list.push_back({{"type", int(view.type)}, {"shape", view.shape}, {"runs", runs}});
  }
  json all{{"format", "openipu tensors 1"}, {"tensors", list}};
  if (format == SerializationFormat::JSON) {
    out << all.dump() << "\n";
  } else {
    auto bytes = json::to_cbor(all);
    out.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
}

static tensor::View readTensor(graph::GraphState &state, const json &entry) {
  auto type = entry.at("type").get<unsigned>();
  if (type >= numTypeIds)
    throw parse_error(str("Graph::deserializeTensors: there is no element type ", type, "."));
  tensor::View flat;
  flat.graph = &state;
  flat.type = TypeId(type);
  std::size_t at = 0;
  for (const auto &run : entry.at("runs")) {
    auto var = run.at(0).get<std::uint32_t>();
    auto offset = run.at(1).get<std::int64_t>(), stride = run.at(3).get<std::int64_t>();
    auto count = run.at(2).get<std::size_t>();
    const auto end = base::checkedSum(at, count);
    if (var >= state.variables.size() || count == 0 || !end ||
        (stride != 0 && count > state.variables[var].elements))
      throw parse_error("Graph::deserializeTensors: a tensor refers to a variable that this graph "
                        "does not have.");
    std::int64_t last = 0;
    if (__builtin_mul_overflow(std::int64_t(count - 1), stride, &last) ||
        __builtin_add_overflow(offset, last, &last) || std::min(offset, last) < 0 ||
        std::max(offset, last) >= std::int64_t(state.variables[var].elements))
      throw parse_error(str("Graph::deserializeTensors: ", count, " elements from ", offset,
                            " on, ", stride, " apart, are not in ",
                            state.describe(tensor::VarId(var)), "."));
    tensor::Piece piece{tensor::VarId(var), offset, {{at, count}}, {}};
    if (count > 1)
      piece.loops = {{count, stride, 0}};
    flat.pieces.push_back(std::move(piece));
    at = *end;
  }
  flat.shape = {at};
  auto shape = entry.at("shape").get<tensor::Shape>();
  if (base::checkedElements(shape) != at)
    throw parse_error(str("Graph::deserializeTensors: shape ", base::list(shape),
                          " does not have the ", at, " elements that are listed."));
  return tensor::reshape(flat, shape);
}

std::vector<Tensor> Graph::deserializeTensors(std::istream &in, SerializationFormat format) {
  auto &state = *Access::graph(*this).state;
  try {
    auto all = format == SerializationFormat::JSON ? json::parse(in) : json::from_cbor(in);
    std::vector<Tensor> out;
    for (const auto &entry : all.at("tensors"))
      out.push_back(Access::tensor(readTensor(state, entry)));
    return out;
  } catch (const json::exception &e) {
    throw parse_error(
        str("Graph::deserializeTensors: the input is not what serializeTensors wrote: ", e.what()));
  }
}

} // namespace poplar
