// SPDX-License-Identifier: MIT
// Two walks over the programs. The first (Reach) says which variables, compute sets and functions
// there are and in how many places each program node stands; the second (Lowering) numbers them and
// writes steps. What makes it hard: programs are shared nodes of a graph without cycles, which as a
// tree may be of exponential size, so no walk may visit a node once per place, and what stands in
// several places and is large becomes a function. And nothing but the order of construction may
// decide a number: the same input must give the same bytes.
//
//   Sequence s{a, b}; Sequence all{s, Repeat(3, s)};   with a large s
//   programs: [call f0, repeat 3 {call f0}]      functions: f0 = [a, b]
#include "compile/Lower.hpp"
#include "Access.hpp"
#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include "codelet/Compile.hpp"
#include "executable/Fields.hpp"
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
using graph::GraphState;
using program::Node;
using program::Program;
using program::Tree;
using tensor::View;
namespace step = executable::step;
namespace steps = executable::steps;

namespace {

// ---- what the programs reach ----

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
    Contents contents{{}, *this, *node};
    executable::describe(*node, contents);
    --depth_;
    return out_.sizes[node] = std::uint32_t(std::min<std::uint64_t>(contents.size, 1u << 30));
  }
  struct Contents : steps::AllViews<Contents> {
    Reach &reach;
    const Node &node;
    std::uint64_t size = 1;

    Contents(AllViews<Contents>, Reach &r, const Node &n) : reach(r), node(n) {}
    void view(const Tensor &tensor) { reach.view(tensor); }
    void moves(const Tree::Moves &data, steps::Arrives = {}) {
      reach.view(data.from);
      reach.view(data.to);
    }
    void computeSet(std::uint32_t set) { reach.computeSet(set, node); }
    void function(std::uint32_t function) { reach.function(function); }
    void part(const Program &program) { size += reach.visit(program); }
  };
  void requireOwn(const Node &node) const {
    if (node.graph == 0 || node.graph == graph_.tag->number)
      return;
    const auto what =
        std::visit(executable::Overloaded{
                       [](const steps::Execute<Tree> &) { return std::string("a compute set"); },
                       [](const steps::Call<Tree> &) { return std::string("a function"); },
                       [](const steps::HostCall<Tree> &) { return std::string("a host function"); },
                       []<steps::Direction way>(const steps::StreamCopy<Tree, way> &s) {
                         return str("the stream or remote buffer \"", s.stream, '"');
                       },
                       []<steps::Direction way>(const steps::RemoteCopy<Tree, way> &s) {
                         return str("the stream or remote buffer \"", s.buffer, '"');
                       },
                       [](const auto &) { return std::string("a function buffer"); }},
                   node.kind);
    throw control_program_error(str("A program uses ", what, " of another graph",
                                    node.name.empty() ? "." : str(" (at \"", node.name, "\").")));
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
  void computeSet(std::uint32_t set, const Node &node) {
    if (set >= graph_.computeSets.size())
      throw control_program_error(str("Execute: the compute set does not belong to this graph.",
                                      node.name.empty() ? "" : " (at \"" + node.name + "\")"));
    if (out_.computeSets[set])
      return;
    out_.computeSets[set] = 1;
    if (auto at = graph_.operations.find(set); at != graph_.operations.end())
      for (const auto &operation : at->second)
        visit(operation);
    for (auto id : graph_.computeSets[set].vertices) {
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
  void function(std::uint32_t function) {
    if (function >= graph_.functions.size())
      throw control_program_error("Call: the function does not belong to this graph.");
    if (!out_.functions[function]) {
      out_.functions[function] = 1;
      visit(graph_.functions[function]);
    }
  }
  const GraphState &graph_;
  Reached out_;
  std::uint32_t depth_ = 0;
};

// ---- lowering ----

class Lowering {
public:
  Lowering(const GraphState &graph, const std::vector<Program> &programs)
      : graph_(graph), reached_(Reach(graph).run(programs)) {
    image_.replicationFactor = graph.replicationFactor;
    base::TextStream target;
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
      return add({});
    if (reached_.uses[node] < 2 || reached_.sizes[node] < worthAFunction)
      return lowerNode(*node);
    auto [at, fresh] = shared_.try_emplace(node, image_.functions.size());
    auto function = at->second;
    if (fresh) {
      image_.functions.push_back(none);
      auto body = lowerNode(*node);
      image_.functions[function] = body;
    }
    return add({node->name, node->debugId, step::Call{function}, {}});
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

  // The members of a node in the order in which its kind describes them, each in its flat form.
  struct Flatten : steps::AllMembers<Flatten> {
    Lowering &lowering;
    executable::Fields out;

    explicit Flatten(Lowering &l) : lowering(l) {}
    void part(const Program &program) { out.parts.push_back(lowering.lower(program)); }
    void view(const Tensor &tensor) { out.views.push_back(lowering.operand(tensor)); }
    void moves(const Tree::Moves &data, steps::Arrives = {}) { out.moves = lowering.moves(data); }
    void any(const auto &number) { out.numbers.push_back(std::uint64_t(number)); }
    void computeSet(std::uint32_t set) { any(lowering.setIndex_[set]); }
    void function(std::uint32_t function) { any(lowering.functionOf(function)); }
    void stream(const std::string &handle) {
      any(lowering.indexOf(lowering.graph_.streams, handle, "stream"));
    }
    void remoteBuffer(const std::string &handle) {
      any(lowering.indexOf(lowering.graph_.remoteBuffers, handle, "remote buffer"));
    }
    void text(const std::string &text) { out.texts.push_back(text); }
    void length(const auto &list) { any(list.size()); }
    void present(const auto &value) { any(bool(value)); }
  };

  std::uint32_t lowerNode(const Node &node) {
    const auto *execute = std::get_if<steps::Execute<Tree>>(&node.kind);
    if (execute)
      if (auto at = graph_.operations.find(execute->set); at != graph_.operations.end())
        return lowerOperations(node, *execute, at->second);
    std::visit([&](const auto &kind) { check(node, kind); }, node.kind);
    Step out{node.name, node.debugId, {}, {}};
    Flatten flatten(*this);
    executable::describe(node, flatten);
    executable::take(std::move(flatten.out), node.kind.index(), out);
    if (execute && out.name.empty())
      out.name = image_.computeSets[setIndex_[execute->set]].name;
    if (const auto *kernel = std::get_if<steps::Kernel<Tree>>(&node.kind))
      executable::as<step::Kernel>(out)->plan = kernel->plan;
    return add(std::move(out));
  }
  // A compute set with operators of a library in it: they run one after the other, which nobody can
  // tell, and then its vertices, if there are any.
  std::uint32_t lowerOperations(const Node &node, const steps::Execute<Tree> &from,
                                const std::vector<Program> &operations) {
    step::Sequence all;
    for (const auto &operation : operations)
      all.parts.push_back(lowerNode(*Access::node(operation)));
    step::Execute execute{setIndex_[from.set], {}};
    if (from.verdict)
      execute.verdict = operand(*from.verdict);
    const auto &set = image_.computeSets[execute.set];
    if (!set.vertices.empty() || from.verdict)
      all.parts.push_back(
          add({node.name.empty() ? set.name : node.name, node.debugId, std::move(execute), {}}));
    return add({node.name, node.debugId, std::move(all), {}});
  }
  // A side that is not on the device is a buffer of the host.
  std::vector<executable::Move> moves(const Tree::Moves &data) {
    if (data.from.valid() && data.to.valid())
      return tensor::movesBetween(operand(data.from), operand(data.to));
    const auto device = operand(data.to.valid() ? data.to : data.from);
    const auto host = tensor::hostBuffer(device.type, device.shape);
    return data.to.valid() ? tensor::movesBetween(host, device)
                           : tensor::movesBetween(device, host);
  }

  // What only the whole graph tells.
  void check(const Node &, const auto &) const {}
  void check(const Node &node, const steps::CrossReplicaCopy<Tree> &copy) const {
    for (const auto &pair : copy.pairs)
      for (auto replica : {pair.from, pair.to})
        if (replica >= graph_.replicationFactor)
          throw control_program_error(
              str("CrossReplicaCopy: the map names replica ", replica, "; the graph has ",
                  graph_.replicationFactor, " replica(s), from 0 on.",
                  node.name.empty() ? "" : str(" (at \"", node.name, "\")")));
  }
  void check(const Node &, const steps::HostCall<Tree> &call) const {
    if (call.target >= graph_.hostFunctions.size())
      throw control_program_error("Call: the host function does not belong to this graph.");
    const auto &function = graph_.hostFunctions[call.target];
    if (call.inputs.size() != function.inputs.size() ||
        call.outputs.size() != function.outputs.size())
      throw control_program_error(str("Call: host function \"", function.handle, "\" takes ",
                                      function.inputs.size(), " inputs and ",
                                      function.outputs.size(), " outputs; ", call.inputs.size(),
                                      " and ", call.outputs.size(), " are given."));
    checkArguments(call.inputs, function.inputs, "input ", function.handle);
    checkArguments(call.outputs, function.outputs, "output ", function.handle);
  }
  static void checkArguments(const std::vector<Tensor> &given,
                             const std::vector<std::pair<TypeId, std::uint64_t>> &wanted,
                             const char *what, const std::string &function) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto &[type, elements] = wanted[i];
      const auto &view = Access::view(given[i]);
      if (view.type != type || view.numElements() != elements)
        throw control_program_error(str("Call: ", what, i, " of host function \"", function,
                                        "\" is ", elements, " x ", spelling(type), "; ",
                                        given[i].getDebugStr(), " is ", view.numElements(), " x ",
                                        spelling(view.type), "."));
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
