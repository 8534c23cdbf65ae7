// SPDX-License-Identifier: MIT
// DFT and STFT: products with constant matrices of sines and cosines. Lengths with a suitable
// divisor are split in two, the sums over the parts of an index one after the other:
//   X[k1 + n1 k2] = sum_j2 w(n, j2 k1) [sum_j1 x[j1 n2 + j2] w(n1, j1 k1)] w(n2, j2 k2)
// Differentiated through their parts. Halves are computed as floats.
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include <cmath>
#include <numbers>

namespace popart::ops {

namespace {

struct Complex {
  Value re, im; // im may be `none`: zero
};

// Rotations by turn * i * j / n for i < rows, j < columns, times `scale`.
struct Rotations {
  Rotations(std::int64_t n, std::int64_t rows, std::int64_t columns, double turn, double scale) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        const double angle = turn * double(i * j % n) / double(n);
        re.push_back(scale * std::cos(angle));
        im.push_back(scale * std::sin(angle));
      }
  }
  std::vector<double> re, im;
};

class Transform {
public:
  Transform(GraphBuilder &b, const OpView &op, bool inverse)
      : b_(b), op_(op), inverse_(inverse), turn_(2 * std::numbers::pi * (inverse ? 1 : -1)) {}

  // [rows, n] -> the first `kept` of the n results.
  Complex run(const Complex &x, std::int64_t kept) {
    const std::int64_t n = b_.shape(x.re)[1];
    const std::int64_t n1 = divisor(n);
    if (n <= directly || n1 < 4)
      return direct(x, n, kept);
    const Complex all = split(x, n1, n / n1);
    return {first(all.re, kept), first(all.im, kept)};
  }

private:
  static constexpr std::int64_t directly = 128; // products up to here are not worth splitting

  // The largest divisor of n up to its root.
  static std::int64_t divisor(std::int64_t n) {
    auto d = std::int64_t(std::sqrt(double(n)));
    while (n % d)
      --d;
    return d;
  }
  Value matrix(std::int64_t rows, std::int64_t columns, const std::vector<double> &values) {
    return b_.constant(HostTensor::fromDoubles({DataType::FLOAT, {rows, columns}}, values));
  }
  Value first(Value v, std::int64_t kept) {
    const std::int64_t n = b_.shape(v)[1];
    return kept == n ? v
                     : b_.ops("Split", {v}, 2,
                              {{"axis", std::int64_t(1)}, {"split", Integers{kept, n - kept}}})[0];
  }

  // (re | im) times one matrix that gives (re | im).
  Complex direct(const Complex &x, std::int64_t n, std::int64_t kept) {
    const bool real = x.im == none;
    requireFewNumbers(op_, double(n) * double(kept) * (real ? 2 : 4));
    const Rotations w(n, n, kept, turn_, inverse_ ? 1 / double(n) : 1);
    std::vector<double> values;
    for (std::int64_t j = 0; j < n; ++j)
      for (const auto *part : {&w.re, &w.im})
        values.insert(values.end(), part->begin() + j * kept, part->begin() + (j + 1) * kept);
    for (std::int64_t j = 0; j < n && !real; ++j) {
      for (std::int64_t k = 0; k < kept; ++k)
        values.push_back(-w.im[std::size_t(j * kept + k)]);
      values.insert(values.end(), w.re.begin() + j * kept, w.re.begin() + (j + 1) * kept);
    }
    const Value in = real ? x.re : b_.op("Concat", {x.re, x.im}, {{"axis", std::int64_t(1)}});
    const Value out = b_.matmul(in, matrix(real ? n : 2 * n, 2 * kept, values));
    const auto parts =
        b_.ops("Split", {out}, 2, {{"axis", std::int64_t(1)}, {"split", Integers{kept, kept}}});
    return {parts[0], parts[1]};
  }

  // [r,a,b] -> [r,b,a] of what is given as [., .] or so.
  Complex turned(const Complex &x, const Shape &shape, const Shape &to) {
    const auto one = [&](Value v) {
      return v == none ? none : b_.reshape(b_.transpose(b_.reshape(v, shape), {0, 2, 1}), to);
    };
    return {one(x.re), one(x.im)};
  }
  Complex split(const Complex &x, std::int64_t n1, std::int64_t n2) {
    const std::int64_t rows = b_.shape(x.re)[0], n = n1 * n2;
    Complex y = run(turned(x, {rows, n1, n2}, {rows * n2, n1}), n1); // [r, j2, k1]
    const Rotations w(n, n2, n1, turn_, 1);
    const Value c = matrix(n2, n1, w.re), s = matrix(n2, n1, w.im);
    y = {b_.reshape(y.re, {rows, n2, n1}), b_.reshape(y.im, {rows, n2, n1})};
    y = {b_.sub(b_.mul(y.re, c), b_.mul(y.im, s)), b_.add(b_.mul(y.re, s), b_.mul(y.im, c))};
    y = run(turned(y, {rows, n2, n1}, {rows * n1, n2}), n2); // [r, k1, k2]
    return turned(y, {rows, n1, n2}, {rows, n});
  }

  GraphBuilder &b_;
  const OpView &op_;
  const bool inverse_;
  const double turn_;
};

// The length along an axis made `length`, by zeros at the end or by leaving out.
Value resized(GraphBuilder &b, Value x, std::int64_t axis, std::int64_t length) {
  Shape shape = b.shape(x);
  auto &n = shape[std::size_t(axis)];
  if (length < n)
    return b.ops("Split", {x}, 2, {{"axis", axis}, {"split", Integers{length, n - length}}})[0];
  if (length == n)
    return x;
  n = length - n;
  return b.op("Concat", {x, b.constant(HostTensor::filled({b.type(x), shape}, 0))},
              {{"axis", axis}});
}

// x [..., 1 or 2] transformed along an axis.
Value transformed(GraphBuilder &b, const OpView &op, Value x, std::int64_t axis, bool inverse,
                  bool oneSided) {
  const DataType type = b.type(x);
  const auto rank = std::int64_t(b.shape(x).size()), parts = b.shape(x).back();
  if (parts != 1 && parts != 2)
    op.fail("input \"", op.in(0).name(), "\" is ", op.in(0).info(),
            "; its last dimension must be 1 (real) or 2 (real and imaginary part).");
  if (oneSided && (parts == 2 || inverse))
    op.fail("onesided is for real signals and not for the inverse, whose results are not the "
            "conjugates of each other.");
  Integers order; // parts, all others, the axis
  order.push_back(rank - 1);
  for (std::int64_t d = 0; d + 1 < rank; ++d)
    if (d != axis)
      order.push_back(d);
  order.push_back(axis);
  Shape shape;
  for (auto d : order)
    shape.push_back(b.shape(x)[std::size_t(d)]);
  const std::int64_t n = shape.back(), kept = oneSided ? n / 2 + 1 : n;
  const std::int64_t rows = ir::elementsOf(shape) / std::max<std::int64_t>(n * parts, 1);
  if (n == 0 || rows == 0)
    op.fail("input \"", op.in(0).name(), "\" is ", op.in(0).info(), ": there is no signal.");
  const Value flat = b.reshape(b.transpose(b.cast(x, DataType::FLOAT), order), {parts * rows, n});
  Complex in{flat, none};
  if (parts == 2) {
    const auto both =
        b.ops("Split", {flat}, 2, {{"axis", std::int64_t(0)}, {"split", Integers{rows, rows}}});
    in = {both[0], both[1]};
  }
  const Complex y = Transform(b, op, inverse).run(in, kept);
  shape.front() = 2;
  shape.back() = kept;
  Integers back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    back[std::size_t(order[i])] = std::int64_t(i);
  const Value both = b.op("Concat", {y.re, y.im}, {{"axis", std::int64_t(0)}});
  return b.cast(b.transpose(b.reshape(both, shape), back), type);
}

Values dft(GraphBuilder &b, const OpView &op) {
  requireFloat(op);
  const auto rank = op.in(0).rank();
  const auto axis = op.axis("axis", 1, rank);
  if (axis == rank - 1)
    op.fail("axis ", op.integer("axis", 1), " is that of real and imaginary parts.");
  const auto length = op.integer("dft_length", op.in(0).dim(axis));
  if (length < 1)
    op.fail("dft_length is ", length, "; it must be at least 1.");
  return {transformed(b, op, resized(b, op.in(0), axis, length), axis,
                      op.integer("inverse", 0) != 0, op.integer("onesided", 0) != 0)};
}

Values stft(GraphBuilder &b, const OpView &op) {
  requireFloat(op);
  if (op.in(0).rank() != 3)
    op.fail("the signal is ", op.in(0).info(), "; it must be [batch, length, 1 or 2].");
  if (op.hasIn(2) && (op.in(2).rank() != 1 || op.in(2).type() != op.in(0).type()))
    op.fail("the window is ", op.in(2).info(), "; it must be a vector of the signal's type.");
  if (!op.has("frame_length") && !op.hasIn(2))
    op.fail("one of window and frame_length must be given.");
  const auto length = op.has("frame_length") ? op.integer("frame_length") : op.in(2).dim(0);
  const auto step = op.integer("frame_step"), samples = op.in(0).dim(1);
  if (op.hasIn(2) && op.in(2).dim(0) != length)
    op.fail("the window has ", op.in(2).dim(0), " elements, but frame_length is ", length, ".");
  if (length < 1 || length > samples || step < 1)
    op.fail("frames of ", length, " samples, ", step, " apart, do not lie in a signal of ", samples,
            ".");
  const std::int64_t frames = (samples - length) / step + 1;
  Integers places;
  requireFewNumbers(op, double(frames) * double(length));
  for (std::int64_t f = 0; f < frames; ++f)
    for (std::int64_t i = 0; i < length; ++i)
      places.push_back(f * step + i);
  Value x = b.op(
      "Gather",
      {op.in(0), b.constant(HostTensor::fromIntegers({DataType::INT32, {frames, length}}, places))},
      {{"axis", std::int64_t(1)}});
  if (op.hasIn(2))
    x = b.mul(x, b.reshape(op.in(2), {length, 1}));
  return {transformed(b, op, x, 2, false, op.integer("onesided", 1) != 0)};
}

} // namespace

std::vector<OpDef> fourierOps() {
  OpDef whole;
  whole.type = "DFT";
  whole.doc = "The discrete Fourier transform along an axis, or its inverse.";
  whole.in = {1, 3};
  whole.canonical = [](Importing &i) {
    i.integerFromInput(2, "axis"); // since version 20, an attribute before
    i.integerFromInput(1, "dft_length");
    if (i.version >= 20 && !i.op.has("axis"))
      i.node.attributes.set("axis", std::int64_t(-2));
  };
  whole.decompose = dft;
  OpDef frames;
  frames.type = "STFT";
  frames.doc = "Discrete Fourier transforms of the frames of a signal.";
  frames.in = {1, 4};
  frames.canonical = [](Importing &i) {
    i.integerFromInput(3, "frame_length");
    i.integerFromInput(1, "frame_step");
  };
  frames.decompose = stft;
  return {whole, frames};
}

} // namespace popart::ops
