// SPDX-License-Identifier: MIT
// What lies in the tiles: programs whose memory is published by category.
#include "base/Text.hpp"
#include "Program.hpp"
#include "Row.hpp"
#include <algorithm>
#include <map>
#include <poplar/Engine.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/Lstm.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

namespace calibration {
namespace {

using namespace poplar;
using namespace poplar::program;

// Bytes over all tiles by category, and what comes and goes at its peak.
struct Memory {
  double total = 0, temporary = 0, cycles = 0;
  std::map<std::string, double> category, most; // on all tiles, on the one that has most of it

  Memory(const Graph &graph, const Program &program) {
    Engine engine(graph, program);
    const auto report = engine.getReport(false);
    for (const auto &tile : report.compilation().tiles()) {
      const auto memory = tile.memory();
      total += double(memory.total().includingGaps());
      temporary += double(memory.notAlwaysLiveBytes());
      for (const auto &name : memory.category().names()) {
        const auto bytes = double(memory.category().find(name).total());
        category[name] += bytes;
        most[name] = std::max(most[name], bytes);
      }
    }
  }
};

constexpr double mebi = 1024 * 1024;
constexpr std::size_t batch = 16, in = 4096, out = 1024;

// y = x w + b as Keras' Dense, with x and y streamed.
struct Dense {
  Graph graph{deviceOf("ipu2").getTarget()};
  Sequence layer, all;
  double parameters = 0;

  Dense() {
    const std::vector<std::size_t> a{batch, in}, b{in, out};
    const auto x = poplin::createMatMulInputLHS(graph, FLOAT, a, b, "x");
    const auto w = poplin::createMatMulInputRHS(graph, FLOAT, a, b, "kernel");
    const auto bias = graph.addVariable(FLOAT, {out}, "bias");
    poputil::mapTensorLinearly(graph, bias);
    parameters = 4.0 * double(w.numElements() + bias.numElements());
    const auto weights = poplar::concat(w.flatten(), bias);
    const auto y = poplin::matMul(graph, x, w, layer, "dense");
    popops::addInPlace(graph, y, bias.expand({0}).broadcast(batch, 0), layer, "bias");
    const auto read = graph.addHostToDeviceFIFO("x", FLOAT, x.numElements());
    graph.createHostWrite("weights", weights); // so that they stay
    const auto write = graph.addDeviceToHostFIFO("y", FLOAT, y.numElements());
    all = Sequence{Copy(read, x), layer, Copy(y, write)};
  }
};

// A sum of two vectors that come from the host, on GC2.
Memory sumOfVectors() {
  Graph graph(deviceOf("ipu1").getTarget());
  const auto a = graph.addVariable(FLOAT, {2}, "a"), b = graph.clone(a, "b");
  poputil::mapTensorLinearly(graph, a);
  poputil::mapTensorLinearly(graph, b);
  Sequence program{Copy(graph.addHostToDeviceFIFO("a", FLOAT, 2), a),
                   Copy(graph.addHostToDeviceFIFO("b", FLOAT, 2), b)};
  const auto sum = popops::add(graph, a, b, program, "sum");
  program.add(Copy(sum, graph.addDeviceToHostFIFO("sum", FLOAT, 2)));
  return {graph, program};
}

struct Layer {
  std::size_t batch, steps, hidden;
};

// What the fullest tile needs for a layer's inference, inputs and outputs of all steps on the chip.
double lstm(const Layer &layer) {
  Graph graph(deviceOf("ipu2").getTarget());
  const popnn::lstm::LstmParams params(HALF, layer.batch, layer.steps,
                                       {layer.hidden, layer.hidden});
  const OptionFlags options{{"inferenceOnly", "true"}};
  const auto in = popnn::lstm::createInput(graph, params, "x", options);
  const auto weights = popnn::lstm::createWeights(graph, params, "weights", options);
  const auto first = popnn::lstm::createInitialState(graph, params, "state", options);
  Sequence program;
  popnn::lstm::zeroInitialState(graph, first, program, "zero");
  const auto out =
      popnn::lstm::lstmFwd(graph, params, first, in, weights, nullptr, program, "layer", options);
  graph.createHostWrite("x", in);
  graph.createHostWrite("w", weights.inputWeights);
  graph.createHostWrite("u", weights.outputWeights);
  graph.createHostWrite("b", weights.biases);
  graph.createHostRead("y", out.first);
  return fullestTile(Engine(graph, program).getReport(false));
}

// That they ran is published; neither device nor type is. Mk2 and half here.
void addLayers(Rows &rows) {
  for (const Layer &layer : std::vector<Layer>{
           {256, 25, 1024}, {128, 50, 1536}, {64, 25, 2048}, {1024, 150, 256}, {1024, 25, 512}})
    rows.push_back(
        {base::str("LSTM b", layer.batch, " h", layer.hidden), "tile memory",
         base::str("LSTM b", layer.batch, " s", layer.steps, " h", layer.hidden, ", half, Mk2"), 1,
         Unit::OfATile, "EX",
         [layer] {
           return Figure{lstm(layer), ""};
         },
         Role::Fits});
}

} // namespace

void addMemoryRows(Rows &rows) {
  const auto dense = lazily([] {
    const Dense d;
    auto memory = Memory(d.graph, d.all);
    memory.cycles = compiledCycles(d.graph, d.layer);
    memory.category["parameters"] = d.parameters;
    return memory;
  });
  const auto add = [&](const char *id, const char *what, double published, Unit unit,
                       std::function<double()> value) {
    rows.push_back({id, "tile memory", what, published, unit, "EX", [value] {
                      return Figure{value(), ""};
                    }});
    rows.back().run = std::string(id).substr(0, 2);
  };
  const auto mib = Unit::Mebibytes;
  add("K2 total", "dense layer 4096 to 1024, float, Mk2, all tiles", 32.8, mib,
      [=] { return dense().total / mebi; });
  rows.back().setting("lean plans");
  add("K2 parameters", "of them parameters", 16.1, mib,
      [=] { return dense().category.at("parameters") / mebi; });
  add("K2 temporary", "the most that comes and goes", 9.8, mib,
      [=] { return dense().temporary / mebi; });
  rows.back().setting("lean plans");
  add("K2 vertex code", "code of vertices", 3.4, mib,
      [=] { return dense().category.at("vertexCode") / mebi; });
  add("K2 states", "states of vertices", 178 / 1024.0, mib,
      [=] { return dense().category.at("vertexInstanceState") / mebi; });
  add("K2 exchange", "code of exchanges of the layer", 360 / 1024.0, mib,
      [=] { return dense().category.at("internalExchangeCode") / mebi; });
  add("K2 cycles", "cycles of the layer", 8700, Unit::Cycles, [=] { return dense().cycles; });
  const auto sum = lazily(sumOfVectors);
  add("K5 stack", "sum of two vectors, GC2: stacks of a tile", 3168, Unit::Bytes,
      [=] { return sum().most.at("stack"); });
  rows.back().setting("stack of the supervisor");
  add("K5 host", "code of streams of a tile", 289, Unit::Bytes,
      [=] { return sum().most.at("hostExchangeCode"); });
  rows.back().setting("the runtime's code for the host");
  add("K5 control", "control code of a tile", 700, Unit::Bytes,
      [=] { return sum().most.at("controlCode"); });
  rows.back().setting("the runtime's control code");
  addLayers(rows);
}

} // namespace calibration
