// SPDX-License-Identifier: MIT
// Weights that no step writes are arranged once and kept by the kernels; results must follow them
// when the host, a stream or a program writes new ones.
#include "base/Text.hpp"
#include "conv/Reference_test.hpp"
#include "poplin/Convolution.hpp"
#include "poplin/MatMul.hpp"

using namespace poplin;

namespace {

// y = f(x, w); programs: compute, w from a stream, w from another variable.
struct Layer {
  poplar::Tensor x, w, y;
  std::function<Doubles(const Doubles &x, const Doubles &w)> reference;
  std::string what;
};

std::vector<float> floats(const Doubles &values) { return {values.begin(), values.end()}; }

void check(Session &s, const Layer &l) {
  SCOPED_TRACE(l.what);
  auto other = s.graph.clone(l.w);
  for (auto &[name, t] : std::vector<std::pair<const char *, poplar::Tensor>>{
           {"x", l.x}, {"w", l.w}, {"other", other}})
    s.graph.createHostWrite(name, t);
  s.graph.createHostRead("y", l.y);
  auto stream = s.graph.addHostToDeviceFIFO("stream", poplar::FLOAT, l.w.numElements());
  poplar::Engine engine(
      s.graph, {s.prog, poplar::program::Copy(stream, l.w), poplar::program::Copy(other, l.w)});
  engine.load(s.device);
  auto write = [&](const char *name, const Doubles &values) {
    auto f = floats(values);
    engine.writeTensor(name, f.data(), f.data() + f.size());
  };
  auto expect = [&](const Doubles &w) {
    const auto x = s.random(l.x.numElements());
    write("x", x);
    for (int run = 0; run < 2; ++run) {
      engine.run(0);
      std::vector<float> y(l.y.numElements());
      engine.readTensor("y", y.data(), y.data() + y.size());
      expectClose(Doubles(y.begin(), y.end()),
                  l.reference(Session::stored(poplar::FLOAT, x), Session::stored(poplar::FLOAT, w)),
                  1e-4, 1e-4);
    }
  };
  auto draw = [&] { return s.random(l.w.numElements()); };
  const auto first = draw(), second = draw(), third = draw(), fourth = draw();
  write("w", first);
  expect(first);
  write("w", second);
  expect(second);
  auto streamed = floats(third);
  engine.connectStream("stream", streamed.data());
  engine.run(1);
  expect(third);
  write("other", fourth);
  engine.run(2);
  expect(fourth);
}

} // namespace

TEST(KeptWeights, OfProductsFollowWhatIsWritten) {
  for (std::size_t m : {1, 3, 20, 70})
    for (bool turned : {false, true}) {
      const std::size_t k = 300, n = 70;
      Session s;
      auto x = s.graph.addVariable(poplar::FLOAT, {m, k}, poplar::VariableMappingMethod::LINEAR);
      auto w = s.graph.addVariable(poplar::FLOAT, turned ? Shape{n, k} : Shape{k, n},
                                   poplar::VariableMappingMethod::LINEAR);
      auto y = matMul(s.graph, x, turned ? w.transpose() : w, s.prog);
      check(s, {x, w, y,
                [=](const Doubles &a, const Doubles &b) {
                  Doubles c(m * n);
                  for (std::size_t i = 0; i < m * n; ++i)
                    for (std::size_t l = 0; l < k; ++l)
                      c[i] += a[i / n * k + l] * (turned ? b[i % n * k + l] : b[l * n + i % n]);
                  return c;
                },
                base::str(m, " rows", turned ? ", turned" : "")});
    }
}

TEST(KeptWeights, OfConvolutionsFollowWhatIsWritten) {
  for (auto [batch, in, out, groups] : {std::tuple{1, 20, 64, 1}, std::tuple{2, 5, 7, 1},
                                        std::tuple{16, 3, 4, 1}, std::tuple{1, 1, 1, 90}}) {
    ConvParams p(poplar::FLOAT, batch, {6, 5}, {3, 3}, in, out, groups);
    Session s;
    auto x = createInput(s.graph, p), w = createWeights(s.graph, p);
    auto y = convolution(s.graph, x, w, p, false, s.prog);
    const auto outputs = y.numElements();
    check(s, {x, w, y,
              [=](const Doubles &a, const Doubles &b) {
                return convReference(p, a, b, Doubles(outputs)).y;
              },
              base::str(batch, " images, ", in, " to ", out, " channels, ", groups, " groups")});
  }
}
