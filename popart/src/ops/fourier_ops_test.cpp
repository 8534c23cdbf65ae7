// SPDX-License-Identifier: MIT
#include "indices.hpp"
#include "model.hpp"
#include <complex>
#include <numbers>
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

using I = ir::Integers;
using std::int64_t;
using Complexes = std::vector<std::complex<double>>;

Complexes transformed(const Complexes &x, bool inverse) {
  Complexes out(x.size());
  const double n = double(x.size()), turn = 2 * std::numbers::pi * (inverse ? 1 : -1) / n;
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t j = 0; j < x.size(); ++j)
      out[k] += x[j] * std::polar(1.0, turn * double(j * k % x.size()));
    out[k] /= inverse ? n : 1;
  }
  return out;
}

// x [..., parts] along an axis: `length` elements of it, the first `kept` results.
Doubles wanted(const Doubles &x, const Shape &shape, std::size_t axis, int64_t length, int64_t kept,
               bool inverse) {
  Shape out = shape, others = shape;
  out[axis] = kept;
  out.back() = 2;
  others[axis] = others.back() = 1;
  Doubles y(std::size_t(ir::elementsOf(out)));
  forEach(others, [&](Shape at) {
    Complexes row;
    for (int64_t j = 0; j < length; ++j) {
      double part[2] = {0, 0};
      at[axis] = j;
      for (int64_t p = 0; p < shape.back() && j < shape[axis]; ++p) {
        at.back() = p;
        part[p] = x[offset(shape, at)];
      }
      row.emplace_back(part[0], part[1]);
    }
    const auto made = transformed(row, inverse);
    for (int64_t k = 0; k < kept; ++k)
      for (int64_t p = 0; p < 2; ++p) {
        at[axis] = k;
        at.back() = p;
        y[offset(out, at)] = p ? made[std::size_t(k)].imag() : made[std::size_t(k)].real();
      }
  });
  return y;
}

std::string messageOf(const std::function<void()> &f) {
  try {
    f();
  } catch (const error &e) {
    return e.what();
  }
  return "accepted";
}

} // namespace

TEST(DftOp, IsTheSumOfRotationsAlongAnyAxis) {
  struct Case {
    Shape shape;
    int64_t axis, length; // 0: as it is
    bool inverse = false, oneSided = false;
  };
  for (const auto &[shape, axis, length, inverse, oneSided] : std::vector<Case>{
           {{2, 5, 3, 1}, 1, 0},
           {{2, 5, 3, 2}, 2, 0},
           {{3, 4, 2}, 0, 0},
           {{2, 7, 2}, -2, 0, true},
           {{2, 8, 1}, 1, 0, false, true},
           {{2, 7, 1}, 1, 0, false, true},
           {{2, 6, 2}, 1, 4},
           {{2, 6, 2}, 1, 9, true},
           {{2, 1, 1}, 1, 0},
           {{2, 360, 1}, 1, 0, false, true},
           {{2, 360, 2}, 1, 0, true},
           {{1, 131, 2}, 1, 0},     // a prime
           {{1, 1, 4096, 1}, 2, 0}, // split twice
       }) {
    Model m;
    const Value x = m.randomInput(shape);
    const auto at = std::size_t(axis < 0 ? axis + int64_t(shape.size()) : axis);
    const int64_t n = length ? length : shape[at], kept = oneSided ? n / 2 + 1 : n;
    ir::Attributes attributes{
        {"axis", axis}, {"inverse", int64_t(inverse)}, {"onesided", int64_t(oneSided)}};
    Values inputs{x};
    if (length)
      inputs.push_back(m.constant({}, {double(length)}, DataType::INT64));
    const Value y = m.imported("DFT", inputs, attributes, 17)[0];
    SCOPED_TRACE(ir::text(shape));
    Shape out = shape;
    out[at] = kept;
    out.back() = 2;
    EXPECT_EQ(m.graph[y].info.shape(), out);
    expectNear(m.run(y), wanted(m.fed(x), shape, at, n, kept, inverse), 1e-4,
               n > 1000 ? 2e-3 : 1e-4);
    if (n < 10)
      m.checkGradients(y, {x});
  }
}

// A direct product of 4096 samples would be 4096 * 8192 numbers in a row.
TEST(DftOp, SplitsLongSignals) {
  Model m;
  m.imported("DFT", {m.randomInput({1, 4096, 1})}, {}, 17);
  for (const auto &node : m.graph.nodes)
    if (node.def->type == "MatMul") {
      EXPECT_LE(m.graph[node.inputs[1]].info.nelms(), 4 * 64 * 64);
    }
}

TEST(DftOp, RefusesWhatHasNoMeaning) {
  Model m;
  const Value real = m.randomInput({2, 5, 1}), complex = m.randomInput({2, 5, 2});
  EXPECT_EQ(messageOf([&] {
              m.b.op("DFT", {complex}, {{"onesided", int64_t(1)}});
            }),
            "DFT: onesided is for real signals and not for the inverse, whose results are not the "
            "conjugates of each other.");
  EXPECT_EQ(messageOf([&] {
              m.b.op("DFT", {real}, {{"axis", int64_t(2)}});
            }),
            "DFT: axis 2 is that of real and imaginary parts.");
  EXPECT_EQ(messageOf([&] {
              m.b.op("DFT", {m.randomInput({2, 5, 3})});
            }),
            "DFT: input \"input/2\" is FLOAT [2,5,3]; its last dimension must be 1 (real) or 2 "
            "(real and imaginary part).");
}

TEST(StftOp, TransformsFramesUnderAWindow) {
  for (const bool window : {false, true})
    for (const bool oneSided : {false, true})
      for (const int64_t parts : {1, 2}) {
        if (oneSided && parts == 2)
          continue;
        Model m;
        constexpr int64_t samples = 23, length = 6, step = 4,
                          frames = (samples - length) / step + 1;
        const Value x = m.randomInput({2, samples, parts});
        const Value w = window ? m.randomInput({length}) : ir::none;
        const auto number = [&](int64_t n) { return m.constant({}, {double(n)}, DataType::INT64); };
        const Value y = m.imported("STFT", {x, number(step), w, window ? ir::none : number(length)},
                                   {{"onesided", int64_t(oneSided)}}, 17)[0];
        const Shape shape{2, frames, length, parts};
        Doubles cut(std::size_t(ir::elementsOf(shape)));
        const auto signal = m.fed(x), weights = window ? m.fed(w) : Doubles(length, 1);
        forEach(shape, [&](const Shape &at) {
          cut[offset(shape, at)] =
              signal[offset({2, samples, parts}, {at[0], at[1] * step + at[2], at[3]})] *
              weights[std::size_t(at[2])];
        });
        const int64_t kept = oneSided ? length / 2 + 1 : length;
        EXPECT_EQ(m.graph[y].info.shape(), (Shape{2, frames, kept, 2}));
        expectNear(m.run(y), wanted(cut, shape, 2, length, kept, false), 1e-4, 1e-5);
        m.checkGradients(y, window ? Values{x, w} : Values{x});
      }
}
