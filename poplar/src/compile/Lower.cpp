// SPDX-License-Identifier: MIT
#include "compile/Lower.hpp"
#include "Access.hpp"
#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include "codelet/Compile.hpp"
#include "executable/ValidateSteps.hpp"
#include "graph/Introspect.hpp"
#include "poplar/exceptions.hpp"
#include "tensor/Moves.hpp"
#include <sstream>
#include <unordered_map>

namespace poplar::compile {

using base::str;
using executable::Image;
using executable::none;
using executable::Step;
using executable::StepKind;
using graph::GraphState;
using program::Node;
using program::Program;
using tensor::View;

namespace {

// ---- what the programs reach
// -----------------------------------------------------------------------------------

struct Reached {
  std::vector<std::uint8_t> variables, computeSets, functions;
  std::unordered_map<const Node *, std::uint32_t> uses;  // places that a node stands in
  std::unordered_map<const Node *, std::uint32_t> sizes; // nodes below and including it, saturating
};

class Reach {
public:
  explicit Reach(const GraphState &graph) : graph_(graph) {
    out_.variables.resize(graph.variables.size());
    out_.computeSets.resize(graph.computeSets.size());
    out_.functions.resize(graph.functions.size());
  }
  Reached run(const std::vector<Program> &programs) {
    for (const auto &program : programs)
      visit(program);
    for (const auto &access : graph_.hostReads)
      view(access.tensor);
    for (const auto &access : graph_.hostWrites)
      view(access.tensor);
    return std::move(out_);
  }

private:
  std::uint32_t visit(const Program &program) {
    auto *node = Access::node(program);
    if (!node)
      return 0;
    if (++out_.uses[node] > 1)
      return out_.sizes[node];
    if (++depth_ > executable::maxStepDepth)
      throw control_program_error(
          str("Programs are nested more than ", executable::maxStepDepth,
              " deep. Add to one Sequence instead of nesting a new one for every step."));
    requireOwn(*node);
    for (const auto &tensor : node->operands)
      view(tensor);
    if (node->kind == StepKind::Execute)
      computeSet(*node);
    if (node->kind == StepKind::Call)
      function(*node);
    std::uint64_t size = 1;
    for (const auto &child : node->children)
      size += visit(child);
    --depth_;
    return out_.sizes[node] = std::uint32_t(std::min<std::uint64_t>(size, 1u << 30));
  }
  void requireOwn(const Node &node) const {
    if (node.graph == 0 || node.graph == graph_.tag->number)
      return;
    throw control_program_error(
        str("A program uses ",
            node.kind == StepKind::Execute    ? "a compute set"
            : node.kind == StepKind::Call     ? "a function"
            : node.kind == StepKind::HostCall ? "a host function"
            : node.handle.empty()             ? "a function buffer"
                                  : str("the stream or remote buffer \"", node.handle, "\""),
            " of another graph", node.name.empty() ? "." : str(" (at \"", node.name, "\").")));
  }
  void view(const Tensor &tensor) {
    if (!tensor.valid())
      return;
    auto &view = Access::view(tensor);
    if (view.graph && view.graph.get() != &graph_)
      throw control_program_error(
          str("A program uses the tensor ", tensor.getDebugStr(), " of another graph."));
    for (auto *part : {&view, view.metadata.get()})
      for (std::size_t i = 0; part && i < part->pieces.size(); ++i)
        out_.variables[part->pieces[i].var.value] = 1;
  }
  void computeSet(const Node &node) {
    if (node.index >= graph_.computeSets.size())
      throw control_program_error(str("Execute: the compute set does not belong to this graph.",
                                      node.name.empty() ? "" : " (at \"" + node.name + "\")"));
    if (out_.computeSets[node.index])
      return;
    out_.computeSets[node.index] = 1;
    if (auto at = graph_.operations.find(node.index); at != graph_.operations.end())
      for (const auto &operation : at->second)
        visit(operation);
    for (auto id : graph_.computeSets[node.index].vertices) {
      const auto &vertex = graph_.vertices[id];
      for (std::size_t f = 0; f < graph_.typeAt(vertex.type).fields.size(); ++f) {
        const auto &slot = graph_.slots[vertex.firstSlot + f];
        if (slot.kind == executable::SlotKind::Edges)
          for (auto e = slot.first; e < slot.first + slot.count; ++e)
            if (graph_.edges[e].firstRun != none)
              for (std::uint32_t r = 0; r < graph_.edges[e].numRuns; ++r)
                out_.variables[graph_.runs[graph_.edges[e].firstRun + r].var] = 1;
      }
    }
  }
  void function(const Node &node) {
    if (node.index >= graph_.functions.size())
      throw control_program_error("Call: the function does not belong to this graph.");
    if (!out_.functions[node.index]) {
      out_.functions[node.index] = 1;
      visit(graph_.functions[node.index]);
    }
  }
  const GraphState &graph_;
  Reached out_;
  std::uint32_t depth_ = 0;
};

// ---- lowering
// --------------------------------------------------------------------------------------------------

class Lowering {
public:
  Lowering(const GraphState &graph, const std::vector<Program> &programs)
      : graph_(graph), reached_(Reach(graph).run(programs)) {
    image_.replicationFactor = graph.replicationFactor;
    std::ostringstream target;
    graph.device.serialize(target);
    image_.target = target.str();
    lowerVariables();
    lowerVertices();
    image_.streams = graph.streams;
    image_.remoteBuffers = graph.remoteBuffers;
    image_.hostFunctions = graph.hostFunctions;
    functionIndex_.assign(graph.functions.size(), none);
    for (const auto &program : programs)
      image_.programs.push_back(lower(program));
    lowerHostAccess();
  }
  Image take() { return std::move(image_); }

private:
  void lowerVariables() {
    varIndex_.assign(graph_.variables.size(), none);
    for (std::uint32_t id = 0; id < graph_.variables.size(); ++id) {
      if (!reached_.variables[id] || graph_.variables[id].hidden)
        continue;
      varIndex_[id] = image_.variables.size();
      image_.variables.push_back(variable(graph_.variables[id]));
      addBytes(graph_.variables[id]);
    }
  }
  // The host keeps every variable at an address of its own.
  void addBytes(const graph::Variable &variable) {
    constexpr std::uint64_t most = std::uint64_t(1) << 46;
    const auto bytes = base::checkedSum(bytes_, variable.elements * sizeOf(variable.type), most);
    if (!bytes)
      throw graph_memory_allocation_error(
          str("The variables of the programs have more than ", base::thousands(most),
              " bytes, which no host can hold; with \"", variable.name, "\" of shape ",
              base::list(variable.shape), " they do."));
    bytes_ = *bytes;
  }
  executable::Variable variable(const graph::Variable &from) {
    executable::Variable to;
    to.name = from.name;
    to.type = from.type;
    to.kind = from.kind;
    to.shape = from.shape;
    to.elements = from.elements;
    to.mapping = from.mapping.list();
    mappings_.share(to.mapping);
    for (const auto &[begin, bytes] : from.initial)
      to.initial.push_back({begin, bytes});
    return to;
  }
  // A value given to connect() lives on the tile of each vertex that reads it.
  std::uint32_t hiddenConstant(std::uint32_t id, std::uint32_t tile) {
    auto [at, fresh] =
        hidden_.try_emplace((std::uint64_t(id) << 32) | tile, image_.variables.size());
    if (fresh) {
      image_.variables.push_back(variable(graph_.variables[id]));
      image_.variables.back().name = "constant";
      image_.variables.back().mapping = {{0, 1, tile == none ? 0 : tile}};
    }
    return at->second;
  }

  // With the functions that other sources of the graph define.
  std::shared_ptr<const codelet::Module>
  linked(const std::shared_ptr<const codelet::Module> &module) const {
    if (module->needs.empty())
      return module;
    try {
      return std::make_shared<const codelet::Module>(codelet::linkModule(*module, graph_.modules));
    } catch (const codelet::LinkError &error) {
      throw link_error(error.what(), error.output);
    } catch (const codelet::CompileError &error) {
      throw graph_program_compilation_error(error.what());
    }
  }

  void lowerVertices() {
    setIndex_.assign(graph_.computeSets.size(), none);
    std::vector<std::uint32_t> typeIndex(graph_.vertexTypes.size(), none),
        moduleIndex(graph_.modules.size(), none);
    std::size_t vertices = 0;
    for (std::uint32_t set = 0; set < graph_.computeSets.size(); ++set)
      vertices += reached_.computeSets[set] ? graph_.computeSets[set].vertices.size() : 0;
    image_.vertices.reserve(vertices);
    if (vertices == graph_.vertices.size()) { // the usual case: everything is used
      image_.slots.reserve(graph_.slots.size());
      image_.edges.reserve(graph_.edges.size());
      image_.runs.reserve(graph_.runs.size());
    }
    for (std::uint32_t set = 0; set < graph_.computeSets.size(); ++set) {
      if (!reached_.computeSets[set])
        continue;
      setIndex_[set] = image_.computeSets.size();
      image_.computeSets.push_back({graph_.computeSets[set].name, {}});
      image_.computeSets.back().vertices.reserve(graph_.computeSets[set].vertices.size());
      for (auto id : graph_.computeSets[set].vertices) {
        auto vertex = graph_.vertices[id];
        auto &type = typeIndex[vertex.type];
        if (type == none) {
          auto ref = graph_.vertexTypes[vertex.type];
          auto &module = moduleIndex[ref.module];
          if (module == none) {
            module = image_.modules.size();
            image_.modules.push_back(linked(graph_.modules[ref.module]));
          }
          type = image_.vertexTypes.size();
          image_.vertexTypes.push_back({module, ref.type});
        }
        estimate(id, vertex);
        lowerSlots(vertex);
        vertex.type = type;
        vertex.computeSet = setIndex_[set];
        image_.computeSets.back().vertices.push_back(image_.vertices.size());
        image_.vertices.push_back(vertex);
      }
    }
  }
  // A program's estimates are for the IPU Model; hardware takes what its instructions take.
  void estimate(std::uint32_t id, executable::Vertex &vertex) {
    if (!graph_.usesEstimates())
      vertex.cycles = executable::noEstimate;
    if (vertex.cycles != executable::noEstimate)
      return;
    const auto &name = graph_.typeAt(vertex.type).name;
    const PerfEstimateFunc *found = nullptr;
    if (const auto own = graph_.estimators.find(name);
        own != graph_.estimators.end() && graph_.usesEstimates())
      found = &own->second;
    else if (const auto known = graph_.libraryCycles.find(name);
             known != graph_.libraryCycles.end())
      found = &known->second;
    if (!found)
      return;
    const auto estimate = (*found)(graph::introspect(graph_, id), graph_.target);
    vertex.cycles = estimate.cycles;
    vertex.flops = estimate.flops;
  }
  void lowerSlots(executable::Vertex &vertex) {
    const auto &fields = graph_.typeAt(vertex.type).fields;
    auto from = vertex.firstSlot;
    vertex.firstSlot = image_.slots.size();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      auto slot = graph_.slots[from + f];
      if (slot.kind == executable::SlotKind::Value) {
        auto bytes = slot.count * sizeOf(fields[f].type);
        image_.values.resize((image_.values.size() + 7) / 8 * 8);
        image_.values.append(graph_.values, slot.first, bytes);
        slot.first = image_.values.size() - bytes;
      } else if (slot.kind == executable::SlotKind::Edges) {
        auto first = slot.first;
        slot.first = image_.edges.size();
        for (auto e = first; e < first + slot.count; ++e)
          lowerEdge(graph_.edges[e], vertex.tile);
      }
      image_.slots.push_back(slot);
    }
  }
  void lowerEdge(executable::Edge edge, std::uint32_t tile) {
    if (edge.firstRun != none) {
      auto first = edge.firstRun;
      edge.firstRun = image_.runs.size();
      for (auto r = first; r < first + edge.numRuns; ++r) {
        auto run = graph_.runs[r];
        run.var =
            graph_.variables[run.var].hidden ? hiddenConstant(run.var, tile) : varIndex_[run.var];
        image_.runs.push_back(run);
      }
    }
    image_.edges.push_back(edge);
  }

  View operand(const Tensor &tensor) { return operand(Access::view(tensor)); }
  View operand(View view) {
    view.graph = {};
    if (view.metadata)
      view.metadata = std::make_shared<const View>(operand(*view.metadata));
    for (auto &piece : view.pieces)
      piece.var = tensor::VarId(varIndex_[piece.var.value]);
    return view;
  }

  void lowerHostAccess() {
    auto access = [&](const graph::HostHandle &handle, bool read) {
      auto view = operand(handle.tensor);
      auto host = tensor::hostBuffer(view.type, view.shape);
      executable::HostAccess out{handle.handle, view.type, view.numElements(), {}, view};
      out.moves = read ? tensor::movesBetween(view, host) : tensor::movesBetween(host, view);
      return out;
    };
    for (const auto &handle : graph_.hostReads)
      image_.hostReads.push_back(access(handle, true));
    for (const auto &handle : graph_.hostWrites)
      image_.hostWrites.push_back(access(handle, false));
  }

  std::uint32_t add(Step step) {
    image_.steps.push_back(std::move(step));
    return image_.steps.size() - 1;
  }

  // Programs that stand in several places and are not tiny are lowered once, as a function.
  std::uint32_t lower(const Program &program) {
    constexpr std::uint32_t worthAFunction = 16;
    auto *node = Access::node(program);
    if (!node)
      return add(Step(StepKind::Sequence));
    if (reached_.uses[node] < 2 || reached_.sizes[node] < worthAFunction)
      return lowerNode(*node);
    auto [at, fresh] = shared_.try_emplace(node, image_.functions.size());
    auto function = at->second;
    if (fresh) {
      image_.functions.push_back(none);
      auto body = lowerNode(*node);
      image_.functions[function] = body;
    }
    Step call(StepKind::Call);
    call.name = node->name;
    call.debugId = node->debugId;
    call.index = function;
    return add(std::move(call));
  }

  std::uint32_t functionOf(std::uint32_t graphFunction) {
    if (functionIndex_[graphFunction] == none) {
      functionIndex_[graphFunction] = image_.functions.size();
      image_.functions.push_back(none);
      auto body = lower(graph_.functions[graphFunction]);
      image_.functions[functionIndex_[graphFunction]] = body;
    }
    return functionIndex_[graphFunction];
  }

  template <class List>
  std::uint32_t indexOf(const List &list, const std::string &handle, const char *kind) {
    for (std::uint32_t i = 0; i < list.size(); ++i)
      if (list[i].handle == handle)
        return i;
    throw control_program_error(str("Copy: the graph has no ", kind, " \"", handle, "\"."));
  }

  std::uint32_t lowerNode(const Node &node) {
    Step step(node.kind);
    step.name = node.name;
    step.debugId = node.debugId;
    step.index = node.index;
    step.count = node.count;
    step.flag = node.flag;
    step.cases = node.cases;
    step.text = node.text;
    step.attributes = node.attributes;
    step.format = node.format;
    step.plan = node.plan;
    switch (node.kind) {
    case StepKind::CrossReplicaCopy:
      checkReplicas(node);
      [[fallthrough]];
    case StepKind::Copy:
      step.moves = tensor::movesBetween(operand(node.operands[0]), operand(node.operands[1]));
      break;
    case StepKind::HostToDevice:
    case StepKind::DeviceToHost:
    case StepKind::RemoteToDevice:
    case StepKind::DeviceToRemote:
      lowerTransfer(node, step);
      break;
    case StepKind::Execute:
      if (auto at = graph_.operations.find(node.index); at != graph_.operations.end())
        return lowerOperations(node, at->second);
      step.index = setIndex_[node.index];
      if (step.name.empty())
        step.name = image_.computeSets[step.index].name;
      operands(node, step);
      break;
    case StepKind::Call:
      step.index = functionOf(node.index);
      break;
    case StepKind::HostCall:
      checkHostCall(node);
      operands(node, step);
      break;
    default:
      operands(node, step);
    }
    for (const auto &child : node.children)
      step.children.push_back(lower(child));
    return add(std::move(step));
  }
  // A compute set with operators of a library in it: they run one after the other, which nobody can
  // tell, and then its vertices, if there are any.
  std::uint32_t lowerOperations(const Node &node, const std::vector<Program> &operations) {
    Step all(StepKind::Sequence), execute(StepKind::Execute);
    all.name = execute.name = node.name;
    all.debugId = execute.debugId = node.debugId;
    for (const auto &operation : operations)
      all.children.push_back(lowerNode(*Access::node(operation)));
    execute.index = setIndex_[node.index];
    if (execute.name.empty())
      execute.name = image_.computeSets[execute.index].name;
    operands(node, execute);
    if (!image_.computeSets[execute.index].vertices.empty() || !node.operands.empty())
      all.children.push_back(add(std::move(execute)));
    return add(std::move(all));
  }
  void operands(const Node &node, Step &step) {
    for (const auto &tensor : node.operands)
      step.operands.push_back(operand(tensor));
  }
  void lowerTransfer(const Node &node, Step &step) {
    auto device = operand(node.operands[0]);
    auto host = tensor::hostBuffer(device.type, device.shape);
    bool remote = node.kind == StepKind::RemoteToDevice || node.kind == StepKind::DeviceToRemote;
    bool toDevice = node.kind == StepKind::HostToDevice || node.kind == StepKind::RemoteToDevice;
    step.index = remote ? indexOf(graph_.remoteBuffers, node.handle, "remote buffer")
                        : indexOf(graph_.streams, node.handle, "stream");
    step.moves = toDevice ? tensor::movesBetween(host, device) : tensor::movesBetween(device, host);
    if (node.operands.size() > 1)
      step.operands.push_back(operand(node.operands[1]));
  }
  void checkReplicas(const Node &node) const {
    for (auto replica : node.cases)
      if (replica >= std::int64_t(graph_.replicationFactor))
        throw control_program_error(str("CrossReplicaCopy: the map names replica ", replica,
                                        "; the graph has ", graph_.replicationFactor,
                                        " replica(s), from 0 on.",
                                        node.name.empty() ? "" : str(" (at \"", node.name, "\")")));
  }
  void checkHostCall(const Node &node) {
    if (node.index >= graph_.hostFunctions.size())
      throw control_program_error("Call: the host function does not belong to this graph.");
    const auto &function = graph_.hostFunctions[node.index];
    auto outputs = node.operands.size() - node.count;
    if (node.count != function.inputs.size() || outputs != function.outputs.size())
      throw control_program_error(str("Call: host function \"", function.handle, "\" takes ",
                                      function.inputs.size(), " inputs and ",
                                      function.outputs.size(), " outputs; ", node.count, " and ",
                                      outputs, " are given."));
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const auto &[type, elements] =
          i < node.count ? function.inputs[i] : function.outputs[i - node.count];
      auto &view = Access::view(node.operands[i]);
      if (view.type != type || view.numElements() != elements)
        throw control_program_error(str("Call: ", i < node.count ? "input " : "output ",
                                        i < node.count ? i : i - node.count, " of host function \"",
                                        function.handle, "\" is ", elements, " x ", spelling(type),
                                        "; ", node.operands[i].getDebugStr(), " is ",
                                        view.numElements(), " x ", spelling(view.type), "."));
    }
  }

  const GraphState &graph_;
  Reached reached_;
  Image image_;
  std::uint64_t bytes_ = 0; // of variables
  std::vector<std::uint32_t> varIndex_, setIndex_, functionIndex_;
  std::unordered_map<std::uint64_t, std::uint32_t> hidden_;
  std::unordered_map<const Node *, std::uint32_t> shared_;
  executable::ListPool<executable::MappedRange> mappings_;
};

} // namespace

Image lower(const GraphState &graph, const std::vector<Program> &programs) {
  return Lowering(graph, programs).take();
}

} // namespace poplar::compile
