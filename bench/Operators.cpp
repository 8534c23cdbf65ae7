// SPDX-License-Identifier: MIT
// Matrix products, convolutions, element-wise operators, reductions and norms beside oneDNN,
// OpenBLAS, plain loops and torch; and how long many operators take to build and compile.
#include "Operators.hpp"
#include "base/Text.hpp"
#include "Peers.hpp"
#include "Subjects.hpp"
#include <poplin/Convolution.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>

namespace bench {

using namespace poplar;
using namespace poplar::program;

Row against(const std::string &what, double ours, double peer, const std::string &peerName,
            double goal) {
  const double ratio = ours > 0 ? peer / ours : 0;
  return {what,  duration(ours),         duration(peer) + " " + peerName,
          ratio, ">= " + fixed(goal, 2), met(ratio >= goal)};
}

std::vector<Row> matmuls() {
  auto device = attachIpu();
  std::vector<Row> rows;
  const std::vector<std::vector<std::size_t>> shapes{
      {1024, 1024, 1024}, {2048, 2048, 2048}, {16, 1024, 1024}};
  for (const auto &s : shapes) {
    auto product = [&](const Type &type) {
      return runner(device, [&](Graph &graph, Sequence &prog) {
        auto a = poplin::createMatMulInputLHS(graph, type, {s[0], s[2]}, {s[2], s[1]}, "a");
        auto b = poplin::createMatMulInputRHS(graph, type, {s[0], s[2]}, {s[2], s[1]}, "b");
        graph.setInitialValue(a, 1.0f);
        graph.setInitialValue(b, 1.0f);
        poplin::matMul(graph, a, b, prog, "product");
      });
    };
    const unsigned repeats = s[0] == 16 ? 100 : s[0] == 1024 ? 6 : 2;
    const auto name = base::str(s[0], "x", s[1], "x", s[2]);
    auto ours = product(FLOAT);
    auto dnnl = beside(repeats, ours, dnnlMatMul(s[0], s[1], s[2]));
    Beside best = dnnl;
    std::string peer = "oneDNN";
    if (auto gemm = openBlas()) {
      std::vector<float> a(s[0] * s[2], 1), b(s[2] * s[1], 1), c(s[0] * s[1]);
      auto blas =
          beside(repeats, ours, [&] { gemm(s[0], s[1], s[2], a.data(), b.data(), c.data()); });
      if (blas.peer / blas.ours < best.peer / best.ours) {
        best = blas;
        peer = "OpenBLAS";
      }
    }
    rows.push_back(against("matMul " + name + " float", best.ours, best.peer, peer, 0.95));
    auto half = beside(repeats, product(HALF), ours);
    rows.push_back(against("matMul " + name + " half", half.ours, half.peer, "our float", 0.5));
  }
  return rows;
}

namespace {

std::function<void()> convolutionPass(const Device &device, const ConvShape &s, ConvPass pass) {
  return runner(device, [&](Graph &graph, Sequence &prog) {
    const std::size_t side = s.side, kernel = s.kernel, pad = s.pad;
    poplin::ConvParams params(FLOAT, s.batch, {side, side}, {kernel, kernel}, s.in, s.out, 1);
    const unsigned p = unsigned(pad);
    params.inputTransform.paddingLower = params.inputTransform.paddingUpper = {p, p};
    auto x = poplin::createInput(graph, params, "x");
    auto w = poplin::createWeights(graph, params, "w");
    graph.setInitialValue(x, 1.0f);
    graph.setInitialValue(w, 1.0f);
    if (pass == ConvPass::Forward) {
      poplin::convolution(graph, x, w, params, false, prog, "fwd");
      return;
    }
    auto back = poplin::getGradientParams(params);
    auto y = poplin::createInput(graph, back, "y");
    graph.setInitialValue(y, 1.0f);
    if (pass == ConvPass::Data)
      poplin::convolution(graph, y, w, back, true, prog, "data");
    else
      poplin::calculateWeightDeltas(graph, y, x, params, prog, "weights");
  });
}

} // namespace

std::vector<Row> convolutions() {
  auto device = attachIpu();
  struct Case {
    std::string name, key;
    ConvShape shape;
    bool small;
  };
  const std::vector<Case> cases{{"3x3 64->64 at 56x56 b8", "3x3", {8, 64, 64, 56, 3, 1}, false},
                                {"1x1 256->64 at 56x56 b8", "1x1", {8, 256, 64, 56, 1, 0}, false},
                                {"3x3 1->5 at 28x28 b16", "small1", {16, 1, 5, 28, 3, 0}, true},
                                {"5x5 5->12 at 13x13 b16", "small2", {16, 5, 12, 13, 5, 0}, true}};
  const std::vector<std::pair<std::string, ConvPass>> passes{
      {"fwd", ConvPass::Forward}, {"data", ConvPass::Data}, {"weights", ConvPass::Weights}};
  std::vector<Row> rows;
  for (const auto &c : cases)
    for (const auto &[name, pass] : passes) {
      auto ours = convolutionPass(device, c.shape, pass);
      auto dnnl = beside(c.small ? 300 : 5, ours, dnnlConvolution(c.shape, pass));
      auto what = "convolution " + c.name + " " + name;
      if (!c.small) {
        rows.push_back(against(what, dnnl.ours, dnnl.peer, "oneDNN", 0.95));
        continue;
      }
      auto torch = torchSeconds({c.key + "-" + name});
      if (!torch.empty())
        rows.push_back(against(what, dnnl.ours, torch.begin()->second, "torch", 2));
      rows.push_back({what, duration(dnnl.ours), duration(dnnl.peer) + " oneDNN",
                      dnnl.peer / dnnl.ours, "", Row::Met::NoGoal});
    }
  return rows;
}

namespace {

constexpr std::size_t large = (std::size_t(64) << 20) / sizeof(float); // 64 MiB of floats

__attribute__((optimize("O3"))) void plainAdd(const float *__restrict a, const float *__restrict b,
                                              float *__restrict c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

__attribute__((optimize("O3"))) void plainEight(const float *__restrict a,
                                                const float *__restrict b, float *__restrict c,
                                                std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    float x = a[i] * 2 + b[i], y = a[i] - b[i] * 3;
    c[i] = x * y + (x - y) * 0.5f;
  }
}

} // namespace

std::vector<Row> elementWise() {
  auto device = attachIpu();
  using namespace popops::expr;
  std::vector<float> a(large, 1), b(large, 1), c(large);
  auto plain = [&](auto loop) {
    return [&, loop] {
      onThreads(large, [&](std::size_t begin, std::size_t end) {
        loop(a.data() + begin, b.data() + begin, c.data() + begin, end - begin);
      });
    };
  };
  auto mapped = [&](const popops::expr::Expr &e) {
    return runner(device, [&](Graph &graph, Sequence &prog) {
      auto x = ones(graph, FLOAT, {large}), y = ones(graph, FLOAT, {large});
      popops::map(graph, e, {x, y}, prog, "map");
    });
  };
  auto one = mapped(_1 + _2);
  const auto x = _1 * Const(2.f) + _2;
  const auto y = _1 - _2 * Const(3.f);
  auto eight = mapped(x * y + (x - y) * Const(0.5f));
  std::vector<Row> rows;
  auto add = medianPair(5, one, plain(plainAdd));
  rows.push_back(against("add of 64 MiB", add.ours, add.peer, "plain loop", 0.85));
  auto fused = medianPair(5, eight, plain(plainEight));
  rows.push_back(
      against("map of eight operators, 64 MiB", fused.ours, fused.peer, "plain loop", 0.85));
  auto both = medianPair(5, eight, one);
  rows.push_back(
      against("eight operators beside one", both.ours, both.peer, "one operator", 1 / 1.5));
  auto tiny = runner(device, [&](Graph &graph, Sequence &prog) {
    auto t = ones(graph, FLOAT, {16}), u = ones(graph, FLOAT, {16});
    Sequence body;
    popops::addInPlace(graph, t, u, body, "add");
    prog.add(Repeat(10000, body));
  });
  const double step = medianSeconds(5, tiny) / 10000;
  rows.push_back(
      {"add of 16 elements, a step of a loop", duration(step), "", 0, "< 1 us", met(step < 1e-6)});
  return rows;
}

std::vector<Row> rowsAndReductions() {
  auto device = attachIpu();
  std::vector<Row> rows;
  auto compare = [&](const std::string &what, const std::string &key,
                     const std::function<void()> &ours) {
    const double seconds = medianSeconds(15, ours);
    auto torch = torchSeconds({key});
    const double again = medianSeconds(15, ours);
    const double best = std::min(seconds, again);
    if (torch.empty())
      rows.push_back({what, duration(best), "torch is not installed", 0, "", Row::Met::NoGoal});
    else
      rows.push_back(against(what, best, torch.begin()->second, "torch", 1));
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    compare(base::str("reduce [1024,1024,16] over axis ", axis), base::str("reduce", axis),
            runner(device, [&](Graph &graph, Sequence &prog) {
              auto t = ones(graph, FLOAT, {1024, 1024, 16});
              popops::reduce(graph, t, {axis}, popops::Operation::ADD, prog, "reduce");
            }));
  compare("softmax of [4096,768]", "softmax", runner(device, [](Graph &graph, Sequence &prog) {
            auto t = ones(graph, FLOAT, {4096, 768});
            popnn::nonLinearity(graph, popnn::NonLinearityType::SOFTMAX_STABLE, t, prog, "softmax");
          }));
  compare("layer norm of [4096,768]", "layernorm", runner(device, [](Graph &graph, Sequence &prog) {
            auto t = ones(graph, FLOAT, {4096, 768}), g = ones(graph, FLOAT, {768}),
                 b = ones(graph, FLOAT, {768});
            auto s =
                popnn::ln::layerNormStatistics(graph, t, 1e-5f, prog, false, false, FLOAT, "norm");
            popnn::ln::layerNormalise(graph, t, g, b, s.first, s.second, prog, "norm");
          }));
  return rows;
}

std::vector<Row> manyOperators() {
  auto device = attachIpu();
  auto build = [&](unsigned tiles) {
    return seconds([&] {
      Graph whole(device.getTarget());
      std::vector<unsigned> used(tiles);
      for (unsigned i = 0; i < tiles; ++i)
        used[i] = i;
      Graph graph = whole.createVirtualGraph(used);
      Sequence prog;
      for (std::size_t i = 0; i < 1000; ++i) {
        const std::size_t m = 16 + i % 40, k = 32 + i / 10, n = 24 + i;
        auto a = ones(graph, FLOAT, {m, k}), b = ones(graph, FLOAT, {k, n});
        poplin::matMul(graph, a, b, prog, "product");
      }
      Engine engine(whole, prog, OptionFlags{{"debug.allowOutOfMemory", "true"}});
    });
  };
  const double time = build(device.getTarget().getNumTiles()), few = build(64);
  return {{"1,000 matMuls of different shapes, built and compiled", duration(time), "", 0, "< 5 s",
           met(time < 5)},
          {"the same on 64 tiles", duration(few), "", 0, "", Row::Met::NoGoal}};
}

} // namespace bench
