// SPDX-License-Identifier: MIT
// Random calls on graphs, tensors and programs.
#include "Calls.hpp"

using namespace poplar;
using namespace poplar::program;
using calls::Calls;

namespace {

const std::vector<calls::Choice> tensorCalls = {
    {"slice", [](Calls &c) { c.keep(c.tensor().slice(c.size(), c.size(), c.dim())); }},
    {"slice of lists", [](Calls &c) { c.keep(c.tensor().slice(c.sizes(), c.sizes())); }},
    {"slices",
     [](Calls &c) {
       std::vector<Interval> list(c.below(4));
       for (auto &one : list)
         one = {c.size(), c.size()};
       for (const auto &t : c.tensor().slices(ArrayRef<Interval>(list), c.dim()))
         c.keep(t);
     }},
    {"index", [](Calls &c) { c.keep(c.tensor().index(c.sizes())); }},
    {"operator[]", [](Calls &c) { c.keep(c.tensor()[c.size()]); }},
    {"reshape", [](Calls &c) { c.keep(c.tensor().reshape(c.sizes())); }},
    {"reshapePartial",
     [](Calls &c) { c.keep(c.tensor().reshapePartial(c.dim(), c.dim(), c.sizes())); }},
    {"flatten", [](Calls &c) { c.keep(c.tensor().flatten()); }},
    {"flatten of dimensions", [](Calls &c) { c.keep(c.tensor().flatten(c.dim(), c.dim())); }},
    {"dimShuffle", [](Calls &c) { c.keep(c.tensor().dimShuffle(c.numbers<unsigned>())); }},
    {"dimShufflePartial",
     [](Calls &c) {
       c.keep(c.tensor().dimShufflePartial(c.numbers<unsigned>(3), c.numbers<unsigned>(3)));
     }},
    {"dimRoll", [](Calls &c) { c.keep(c.tensor().dimRoll(c.dim(), c.dim())); }},
    {"transpose", [](Calls &c) { c.keep(c.tensor().transpose()); }},
    {"expand", [](Calls &c) { c.keep(c.tensor().expand(c.sizes(3))); }},
    {"squeeze", [](Calls &c) { c.keep(c.tensor().squeeze(c.sizes(3))); }},
    {"broadcast", [](Calls &c) { c.keep(c.tensor().broadcast(c.number(), c.dim())); }},
    {"upsample",
     [](Calls &c) { c.keep(c.tensor().upsample(c.number(), c.dim(), UpsampleMethod::REPEAT)); }},
    {"subSample", [](Calls &c) { c.keep(c.tensor().subSample(c.number(), c.dim())); }},
    {"reverse", [](Calls &c) { c.keep(c.tensor().reverse(c.dim())); }},
    {"reinterpret", [](Calls &c) { c.keep(c.tensor().reinterpret(c.type())); }},
    {"concat", [](Calls &c) { c.keep(concat(c.someTensors(), c.dim())); }},
    {"append", [](Calls &c) { c.keep(append(c.tensor(), c.tensor(), c.dim())); }},
    {"questions",
     [](Calls &c) {
       const auto &t = c.tensor();
       t.containsAliases();
       t.isContiguous();
       t.containsConstant();
       t.intersectsWith(c.tensor());
       t.getDebugStr();
       t.dim(c.dim());
       if (Calls::isSmall(t)) {
         t.getVarRegions();
         t.getContiguousRegions();
         t.hash();
       }
       float value;
       t.getConstantValue(&value);
     }},
};

Graph::TileToTensorMapping mapping(Calls &c) {
  Graph::TileToTensorMapping out(c.below(6));
  for (auto &tile : out)
    if (c.oneIn(2))
      tile.push_back({c.below(4), c.size()});
  return out;
}

const std::vector<calls::Choice> graphCalls = {
    {"addVariable", [](Calls &c) { c.keep(c.graph.addVariable(c.type(), c.sizes())); }},
    {"addVariable mapped",
     [](Calls &c) {
       c.keep(c.graph.addVariable(c.type(), c.sizes(), VariableMappingMethod::LINEAR));
     }},
    {"a usual variable", [](Calls &c) { c.keep(c.variable()); }},
    {"addConstant",
     [](Calls &c) { c.keep(c.graph.addConstant<float>(c.type(), c.smallShape(), 1.5f)); }},
    {"addConstant of values",
     [](Calls &c) {
       const std::vector<float> values(c.below(5));
       c.keep(c.graph.addConstant(c.type(), c.sizes(3), ArrayRef<float>(values)));
     }},
    {"clone", [](Calls &c) { c.keep(c.graph.clone(c.type(), c.tensor())); }},
    {"cloneN",
     [](Calls &c) {
       auto n = c.size();
       c.keep(c.graph.cloneN(c.tensor(), n));
     }},
    {"setTileMapping", [](Calls &c) { c.graph.setTileMapping(c.tensor(), unsigned(c.below(5))); }},
    {"setTileMapping by tile", [](Calls &c) { c.graph.setTileMapping(c.tensor(), mapping(c)); }},
    {"getTileMapping",
     [](Calls &c) {
       if (const auto &t = c.tensor(); !t.valid() || Calls::isSmall(t))
         c.graph.getTileMapping(t, c.oneIn(2));
     }},
    {"setInitialValue",
     [](Calls &c) {
       if (const auto &t = c.tensor(); !t.valid() || Calls::isSmall(t))
         c.graph.setInitialValue(t, 1);
     }},
    {"setInitialValue of values",
     [](Calls &c) { c.graph.setInitialValue(c.tensor(), std::vector<float>(c.below(5))); }},
    {"addHostToDeviceFIFO",
     [](Calls &c) {
       const auto handle = "in" + std::to_string(c.below(20));
       auto stream = c.graph.addHostToDeviceFIFO(handle, c.type(), c.size());
       c.step.add(Copy(stream, c.tensor()));
     }},
    {"addRemoteBuffer",
     [](Calls &c) {
       const auto handle = "store" + std::to_string(c.below(20));
       auto buffer = c.graph.addRemoteBuffer(handle, c.type(), c.size(), c.size());
       c.step.add(Copy(c.tensor(), buffer, c.tensor()));
     }},
    {"createHostRead",
     [](Calls &c) {
       if (const auto &t = c.tensor(); !t.valid() || Calls::isSmall(t))
         c.graph.createHostRead("r" + std::to_string(c.below(30)), t);
     }},
    {"createHostWrite",
     [](Calls &c) {
       if (const auto &t = c.tensor(); !t.valid() || Calls::isSmall(t))
         c.graph.createHostWrite("w" + std::to_string(c.below(30)), t);
     }},
    {"getSortedContiguousRegions",
     [](Calls &c) {
       if (const auto &t = c.tensor(); !t.valid() || Calls::isSmall(t))
         c.graph.getSortedContiguousRegions(t, {{c.size(), c.size()}}, c.oneIn(2));
     }},
    {"rearranger",
     [](Calls &c) {
       if (const auto &t = c.tensor(); !t.valid() || Calls::isSmall(t)) {
         auto rearranger = c.oneIn(4) ? TensorRearranger() : c.graph.getSimplifyingRearranger(t);
         c.keep(rearranger.rearrange(t));
         c.keep(rearranger.undoRearrangement(c.tensor()));
       }
     }},
    {"createVirtualGraph", [](Calls &c) { c.graph.createVirtualGraph(c.numbers<unsigned>()); }},
    {"createVirtualGraph of a range",
     [](Calls &c) {
       auto part = c.graph.createVirtualGraph(c.number(), c.number());
       part.setTileMapping(c.tensor(), c.number());
     }},
    {"getVariable", [](Calls &c) { c.graph.getVariable(VariableRef(c.number())); }},
    {"addVertex",
     [](Calls &c) {
       c.graph.addVertex(ComputeSet(c.number()), "Nothing" + std::to_string(c.below(3)));
     }},
    {"addFunctionBuffer",
     [](Calls &c) {
       c.graph.addFunctionBuffer(Function(c.number()), FunctionBufferMappingType::REMOTE);
     }},
};

Program someProgram(Calls &c) {
  return c.oneIn(3) ? Program() : c.oneIn(2) ? Program(Sequence()) : Program(Execute(c.set));
}

const std::vector<calls::Choice> programCalls = {
    {"Copy",
     [](Calls &c) {
       const auto &a = c.tensor(), &b = c.tensor();
       c.step.add(Copy(a, b));
     }},
    {"Repeat", [](Calls &c) { c.step.add(Repeat(unsigned(c.below(4)), someProgram(c))); }},
    {"RepeatWhileFalse",
     [](Calls &c) { RepeatWhileFalse(someProgram(c), c.tensor(), someProgram(c)); }},
    {"If", [](Calls &c) { c.step.add(If(c.tensor(), someProgram(c), someProgram(c))); }},
    {"Switch",
     [](Calls &c) {
       Switch choose(c.tensor());
       for (auto n = c.below(4); n > 0; --n)
         choose.add(int(c.below(4)), someProgram(c));
       c.step.add(choose);
     }},
    {"Call", [](Calls &c) { Call(Function(c.number())); }},
    {"Call of a host function",
     [](Calls &c) { Call(HostFunction(c.number()), c.someTensors(), c.someTensors()); }},
    {"WriteUndef",
     [](Calls &c) {
       if (const auto &t = c.tensor(); !t.valid() || Calls::isSmall(t))
         c.step.add(WriteUndef(t));
     }},
    {"AbortOnCondition", [](Calls &c) { AbortOnCondition(c.tensor(), "no"); }},
    {"CrossReplicaCopy",
     [](Calls &c) {
       std::map<unsigned, unsigned> replicas;
       for (auto n = c.below(3); n > 0; --n)
         replicas[c.number()] = c.number();
       CrossReplicaCopy(c.tensor(), c.tensor(), replicas);
     }},
};

} // namespace

TEST(RandomCalls, AreTakenOrRefusedInTheWordsOfTheInterface) {
  auto all = tensorCalls;
  for (int i = 0; i < 2; ++i) // graphs grow more slowly than views of them
    for (const auto *more : {&graphCalls, &programCalls})
      all.insert(all.end(), more->begin(), more->end());
  calls::run(all, 100, [](const std::exception &error) {
    return dynamic_cast<const poplar_error *>(&error) != nullptr;
  });
}
