// SPDX-License-Identifier: MIT
// Bodies that become nodes of the graph they stand in: branches whose condition is known, and
// iterations of loops whose number the body must know.
#include "base/Text.hpp"
#include "onnx/attributes.hpp"
#include "onnx/import.hpp"
#include "onnx/sequences.hpp"

namespace popart::onnxmodel {

using ir::none;
using ir::Value;
using ir::Values;
using onnx::NodeProto;

std::vector<Importer::Followed> Importer::inlineGraph(const onnx::GraphProto &graph,
                                                      const std::map<TensorId, Followed> &names,
                                                      const std::string &prefix) {
  scopes_.push_back({{}, scopes_.back().prefix + prefix, false});
  std::vector<Followed> made;
  try {
    for (const auto &[id, what] : names)
      scopes_.back().bind(id, what);
    addGraphContents(graph);
    for (const auto &output : graph.output())
      made.push_back(follow(output.name()));
  } catch (...) {
    scopes_.pop_back();
    throw;
  }
  scopes_.pop_back();
  return made;
}

// Bodies in bodies and functions of functions multiply.
void Importer::countCopies(std::int64_t nodes) {
  constexpr std::int64_t most = 1 << 18;
  root_->copies += std::clamp<std::int64_t>(nodes, 1, most + 1); // a turn without nodes is one too
  if (root_->copies > most)
    throw error(base::str("The functions and unrolled loops of the model come to more than ", most,
                          " nodes when they are written out."));
}

// The condition is known: the branch's nodes stand where the If stood.
Values Importer::inlineBranch(const NodeProto &node, bool condition) {
  const auto &graph = graphAttribute(node, condition ? "then_branch" : "else_branch");
  const std::size_t firstNew = graph_.size();
  const auto made = inlineGraph(graph, {}, labelOf(node) + "/");
  builder_.settings = factsOf(node, reader_).settings;
  return publishFollowed(node, made, firstNew);
}

// One of two bodies when the program runs, which give and read tensors.
Values Importer::importIf(const NodeProto &node, const ops::OpDef &def) {
  try {
    return importOperator(node, def);
  } catch (const no_tensor &e) {
    throw ops::not_constant(base::str("If: its condition (input 0, \"", node.input(0),
                                      "\") must be known when the model is compiled, for its "
                                      "branches have sequences: ",
                                      e.what()));
  }
}

// How often a loop runs that is written out.
std::int64_t Importer::knownTrip(const NodeProto &node) {
  constexpr std::int64_t longest = 256;
  const bool given = node.input_size() && !node.input(0).empty();
  const ops::ValueView trip(graph_, given ? resolve(node.input(0)) : none);
  if (!trip.isConstant() || trip.elements() != 1)
    throw ops::not_constant(base::str("Loop: its trip (input 0, \"", given ? node.input(0) : "",
                                      "\") must be known when the model is compiled. Make it a "
                                      "constant or an initializer."));
  const auto count = trip.data().integers()[0];
  if (count > longest)
    throw ops::not_constant(base::str("Loop: it runs ", count, " times; at most ", longest,
                                      " iterations are written out."));
  return count;
}

// As a loop if its body can be imported without knowing the number of the iteration, and it carries
// nothing but tensors.
Values Importer::importLoop(const NodeProto &node, const ops::OpDef &def) {
  for (int i = 2; i < node.input_size(); ++i)
    if (findOther(node.input(i)))
      return unroll(node, knownTrip(node));
  try {
    return importOperator(node, def);
  } catch (const ops::not_constant &) {
    std::int64_t trip = 0;
    try {
      trip = knownTrip(node);
    } catch (const ops::not_constant &) {
    }
    if (!trip)
      throw;
    return unroll(node, trip);
  }
}

Values Importer::unroll(const NodeProto &node, std::int64_t trip) {
  const auto &body = graphAttribute(node, "body");
  const std::size_t firstNew = graph_.size();
  Value condition = node.input_size() > 1 && !node.input(1).empty()
                        ? resolve(node.input(1))
                        : graph_.addConstant(labelOf(node) + "/condition",
                                             ir::HostTensor::scalar(DataType::BOOL, 1));
  std::vector<Followed> carried;
  for (int i = 2; i < node.input_size(); ++i)
    carried.push_back(node.input(i).empty() ? Followed{{resolve(node.input(i))}} // which fails
                                            : follow(node.input(i)));
  const auto own = ownInputs(body, carried.size() + 2);
  if (body.output_size() <= int(carried.size()))
    throw error(base::str("Loop: its body \"", body.name(), "\" has ", body.input_size(),
                          " inputs and ", body.output_size(), " outputs for ", carried.size(),
                          " carried values."));
  std::vector<Values> stacked(std::size_t(body.output_size()) - 1 - carried.size());
  for (std::int64_t i = 0; i < trip; ++i) {
    const ops::ValueView known(graph_, condition);
    if (!known.isConstant() || known.elements() != 1)
      throw ops::not_constant(base::str(
          "Loop: its condition (input 1, \"", known.name(),
          "\") must be known when the model is compiled, for its body needs the number of the "
          "iteration."));
    if (!known.data().integers().front())
      break;
    countCopies(body.node_size());
    const std::string prefix = base::str(labelOf(node), '/', i, '/');
    const Value number =
        graph_.addConstant(prefix + "iteration", ir::HostTensor::of<std::int64_t>({}, {i}));
    std::map<TensorId, Followed> names{{body.input(own[0]).name(), {{number}}},
                                       {body.input(own[1]).name(), {{condition}}}};
    for (std::size_t k = 0; k < carried.size(); ++k)
      names[body.input(own[k + 2]).name()] = carried[k];
    const auto made = inlineGraph(body, names, prefix);
    condition = made[0].items.at(0);
    carried.assign(made.begin() + 1, made.begin() + 1 + std::ptrdiff_t(carried.size()));
    for (std::size_t k = 0; k < stacked.size(); ++k)
      stacked[k].push_back(made[1 + carried.size() + k].items.at(0));
  }
  builder_.settings = factsOf(node, reader_).settings;
  builder_.prefix = scopes_.back().prefix + labelOf(node) + "/";
  for (const auto &entries : stacked) {
    Values rows;
    for (Value v : entries) {
      Shape shape = graph_[v].info.shape();
      shape.insert(shape.begin(), 1);
      rows.push_back(builder_.reshape(v, shape));
    }
    if (rows.empty())
      throw error("Loop: an output that stacks no iterations has no shape.");
    carried.push_back({{builder_.op("Concat", rows, {{"axis", std::int64_t(0)}})}});
  }
  return publishFollowed(node, carried, firstNew);
}

} // namespace popart::onnxmodel
