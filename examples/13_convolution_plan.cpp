// SPDX-License-Identifier: MIT
// A convolution, how the planner spreads it over the tiles, and how that changes when it shall take
// as little memory as can be. The result is checked against a plain loop.
#include "Example.hpp"
#include <poplar/Engine.hpp>
#include <poplin/codelets.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/ConvParams.hpp>
#include <popops/codelets.hpp>

using namespace poplar;
using namespace poplar::program;

const std::size_t batch = 2, in = 16, out = 32, side = 14, kernel = 3;

static std::vector<float> plainLoop(const std::vector<float> &x, const std::vector<float> &w) {
  std::vector<float> y(batch * out * side * side);
  auto at = [&](std::size_t b, std::size_t c, long i, long j) {
    const long n = long(side);
    return i < 0 || j < 0 || i >= n || j >= n ? 0 : x[((b * in + c) * side + i) * side + j];
  };
  for (std::size_t b = 0, k = 0; b < batch; ++b)
    for (std::size_t o = 0; o < out; ++o)
      for (long i = 0; i < long(side); ++i)
        for (long j = 0; j < long(side); ++j, ++k)
          for (std::size_t c = 0; c < in; ++c)
            for (long u = 0; u < 3; ++u)
              for (long v = 0; v < 3; ++v)
                y[k] += at(b, c, i + u - 1, j + v - 1) * w[((o * in + c) * 3 + u) * 3 + v];
  return y;
}

int main() {
  Device device = attachIpu();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);

  poplin::ConvParams params(FLOAT, batch, {side, side}, {kernel, kernel}, in, out, 1);
  params.inputTransform.paddingLower = params.inputTransform.paddingUpper = {1, 1};

  for (const char *proportion : {"0.6", "0"}) {
    const OptionFlags options{{"availableMemoryProportion", proportion}};
    const poplin::PlanCosts costs = poplin::reportPlanEstimatedCosts(graph, params, options);
    std::cout << "---- availableMemoryProportion " << proportion << ": " << costs.cycles
              << " cycles, " << costs.memory << " bytes a tile for temporaries\n";
    poplin::reportPlanInfo(std::cout, graph, params, options);
  }

  Sequence prog;
  Tensor x = poplin::createInput(graph, params, "x"), w = poplin::createWeights(graph, params, "w");
  Tensor y = poplin::convolution(graph, x, w, params, false, prog, "conv");
  graph.createHostWrite("x", x);
  graph.createHostWrite("w", w);
  graph.createHostRead("y", y);

  std::vector<float> xs(x.numElements()), ws(w.numElements()), ys(y.numElements());
  for (std::size_t i = 0; i < xs.size(); ++i)
    xs[i] = float(i % 17) / 17 - 0.4f;
  for (std::size_t i = 0; i < ws.size(); ++i)
    ws[i] = float(i % 13) / 13 - 0.5f;
  Engine engine(graph, prog);
  engine.load(device);
  engine.writeTensor("x", xs.data(), xs.data() + xs.size());
  engine.writeTensor("w", ws.data(), ws.data() + ws.size());
  engine.run();
  engine.readTensor("y", ys.data(), ys.data() + ys.size());
  return verdict(isNear(ys, plainLoop(xs, ws), 1e-4f), "the convolution equals the plain loop");
}
