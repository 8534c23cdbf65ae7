// SPDX-License-Identifier: MIT
// Operators whose result is known when the model is built: Constant, ConstantOfShape, Shape, Size,
// Range, EyeLike, NonZero, Unique, MelWeightMatrix. They become constants at once.
#include "opdef/importing.hpp"
#include "ops/shared/arithmetic.hpp"
#include "ops/shared/hostviews.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace popart::ops {

namespace {

using Make = std::function<Values(GraphBuilder &, const OpView &)>;
OpDef known(const std::string &type, Arity in, const std::string &doc, Make make) {
  OpDef op;
  op.type = type;
  op.in = in;
  op.doc = doc;
  op.decompose = std::move(make);
  return op;
}

const HostTensor &constantInput(const OpView &op, std::size_t i) {
  if (!op.in(i).isConstant())
    throw not_constant(base::str(
        describe(op.graph(), op.node()), ": its input ", i, " (\"", op.in(i).name(),
        "\") must be known when the model is compiled, because the shape of the result follows "
        "from it. Make it a constant or an initializer."));
  return op.in(i).data();
}

HostTensor constantOf(const OpView &op) {
  if (op.has("value"))
    return op.tensor("value");
  if (op.has("value_float"))
    return HostTensor::of<float>({}, {op.real("value_float")});
  if (op.has("value_int"))
    return HostTensor::of<std::int64_t>({}, {op.integer("value_int")});
  if (op.has("value_floats"))
    return HostTensor::of<float>({std::int64_t(op.reals("value_floats").size())},
                                 op.reals("value_floats"));
  if (op.has("value_ints"))
    return HostTensor::of<std::int64_t>({std::int64_t(op.integers("value_ints").size())},
                                        op.integers("value_ints"));
  for (const char *unsupported : {"sparse_value", "value_string", "value_strings"})
    if (op.has(unsupported))
      op.fail("attribute \"", unsupported,
              "\" is not supported: only dense numbers can be constants.");
  op.fail("none of value, value_float, value_floats, value_int, value_ints is given.");
}

Values constantOfShape(GraphBuilder &b, const OpView &op) {
  const Shape shape = constantInput(op, 0).integers();
  for (auto n : shape)
    if (n < 0)
      op.fail("shape ", ir::text(shape), " has a negative dimension.");
  const HostTensor value =
      op.has("value") ? op.tensor("value") : HostTensor::scalar(DataType::FLOAT, 0);
  if (value.elements() != 1)
    op.fail("its value must be one number, not ", value.info(), ".");
  return {b.expand(b.constant(value.reshaped({})), shape)};
}

Values shapeOf(GraphBuilder &b, const OpView &op) {
  const Shape &shape = op.in(0).shape();
  const auto rank = std::int64_t(shape.size());
  const auto place = [rank](std::int64_t i) {
    return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  const auto begin = place(op.integer("start", 0)), end = place(op.integer("end", rank));
  return {b.integers(begin < end ? Shape(shape.begin() + begin, shape.begin() + end) : Shape())};
}

template <class T> std::vector<T> counted(const OpView &op, T start, T limit, T delta) {
  std::vector<T> out;
  const double n = std::ceil((double(limit) - double(start)) / double(delta));
  requireFewNumbers(op, n);
  for (std::int64_t i = 0; double(i) < n; ++i)
    out.push_back(start + T(i) * delta);
  return out;
}

Values range(GraphBuilder &b, const OpView &op) {
  const auto &start = constantInput(op, 0), &limit = constantInput(op, 1),
             &delta = constantInput(op, 2);
  for (std::size_t i = 0; i < 3; ++i)
    if (op.in(i).elements() != 1 || op.in(i).type() != start.type())
      op.fail("start, limit and delta must be one number each, of one type; input ", i, " is ",
              op.in(i).info(), ".");
  op.require(delta.doubles()[0] != 0, "a delta of 0 never reaches the limit.");
  if (isFloatingPoint(start.type())) {
    const auto values = counted(op, start.doubles()[0], limit.doubles()[0], delta.doubles()[0]);
    return {
        b.constant(HostTensor::fromDoubles({start.type(), {std::int64_t(values.size())}}, values))};
  }
  const auto values = counted(op, start.integers()[0], limit.integers()[0], delta.integers()[0]);
  return {
      b.constant(HostTensor::fromIntegers({start.type(), {std::int64_t(values.size())}}, values))};
}

Values eyeLike(GraphBuilder &b, const OpView &op) {
  const auto x = op.in(0);
  if (x.rank() != 2)
    op.fail("its input has shape ", ir::text(x.shape()), "; it must be a matrix.");
  requireFewNumbers(op, double(x.elements()));
  Integers values(std::size_t(x.elements()), 0);
  for (std::int64_t row = 0; row < x.dim(0); ++row)
    if (const auto column = row + op.integer("k", 0); column >= 0 && column < x.dim(1))
      values[std::size_t(row * x.dim(1) + column)] = 1;
  return {b.constant(
      HostTensor::fromIntegers({typeAttribute(op, "dtype", x.type()), x.shape()}, values))};
}

Values nonZero(GraphBuilder &b, const OpView &op) {
  const auto values = constantInput(op, 0).doubles();
  const Shape shape = op.in(0).rank() ? op.in(0).shape() : Shape{1};
  Integers found;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0)
      found.push_back(std::int64_t(i));
  Integers out;
  std::int64_t stride = ir::elementsOf(shape);
  for (auto n : shape) {
    stride /= std::max<std::int64_t>(n, 1);
    for (auto i : found)
      out.push_back(i / stride % n);
  }
  return {b.constant(
      HostTensor::of<std::int64_t>({std::int64_t(shape.size()), std::int64_t(found.size())}, out))};
}

// The slices of a constant along an axis (of a vector: its elements), for comparisons.
class Slices {
public:
  Slices(const HostTensor &x, std::int64_t axis)
      : values_(x.doubles()), own_(rowMajorStrides(x.shape())[std::size_t(axis)]) {
    Shape rest = x.shape();
    rest[std::size_t(axis)] = 1;
    offsets_ = viewOffsets(rest, 0, rowMajorStrides(x.shape()));
    if (!isFloatingPoint(x.type()))
      integers_ = x.integers(); // doubles cannot tell all of them apart
  }
  // Negative: i comes first; 0: they are equal.
  int compare(std::int64_t i, std::int64_t j) const {
    for (auto at : offsets_) {
      const auto a = std::size_t(at + i * own_), b = std::size_t(at + j * own_);
      const bool less = integers_.empty() ? values_[a] < values_[b] : integers_[a] < integers_[b];
      const bool more = integers_.empty() ? values_[b] < values_[a] : integers_[b] < integers_[a];
      if (less || more)
        return less ? -1 : 1;
    }
    return 0;
  }

private:
  std::vector<double> values_;
  Integers integers_, offsets_;
  std::int64_t own_;
};

Values unique(GraphBuilder &b, const OpView &op) {
  HostTensor x = constantInput(op, 0);
  if (!op.has("axis") || x.shape().empty())
    x = x.reshaped({x.elements()});
  const auto rank = std::int64_t(x.shape().size());
  const auto axis = op.axis("axis", 0, rank);
  const std::int64_t n = x.shape()[std::size_t(axis)];
  const Slices slices(x, axis);
  Integers order(std::size_t(n), 0);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto i, auto j) { return slices.compare(i, j) < 0; });
  std::vector<std::pair<std::int64_t, Integers>> groups; // first occurrence, all
  for (auto i : order)
    if (groups.empty() || slices.compare(groups.back().first, i) != 0)
      groups.push_back({i, {i}});
    else
      groups.back().second.push_back(i);
  if (!op.integer("sorted", 1))
    std::sort(groups.begin(), groups.end());
  Integers first, counts, inverse(std::size_t(n), 0);
  for (const auto &[at, members] : groups) {
    for (auto i : members)
      inverse[std::size_t(i)] = std::int64_t(first.size());
    first.push_back(at);
    counts.push_back(std::int64_t(members.size()));
  }
  Shape shape = x.shape();
  shape[std::size_t(axis)] = std::int64_t(first.size());
  Integers strides = rowMajorStrides(x.shape());
  const std::int64_t stride = std::exchange(strides[std::size_t(axis)], 0);
  const std::int64_t inner = rowMajorStrides(shape)[std::size_t(axis)];
  Integers offsets = viewOffsets(shape, 0, strides);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] += first[std::size_t(std::int64_t(i) / inner) % first.size()] * stride;
  return {b.constant(picked(x, shape, offsets)), b.integers(first), b.integers(inverse),
          b.integers(counts)};
}

// Triangles on the mel scale, mel(f) = 2595 log10(1 + f / 700), whose corners are rounded down to
// the bins of a spectrum.
Values melWeightMatrix(GraphBuilder &b, const OpView &op) {
  std::vector<double> given;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto &data = constantInput(op, i);
    if (data.elements() != 1)
      op.fail("input ", i, " is ", data.info(), "; it must be one number.");
    given.push_back(data.doubles()[0]);
  }
  const auto bands = std::int64_t(given[0]), length = std::int64_t(given[1]), bins = length / 2 + 1;
  if (bands < 1 || length < 1 || given[2] <= 0 || given[3] < 0 || given[4] < given[3])
    op.fail("it cannot make ", bands, " bands from ", given[3], " to ", given[4],
            " hertz of a spectrum of ", length, " samples at ", given[2], " hertz.");
  requireFewNumbers(op, double(bands) * double(bins));
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = mel(given[3]), step = (mel(given[4]) - low) / double(bands + 2);
  const auto corner = [&](std::int64_t i) {
    const double hertz = 700 * (std::pow(10, (double(i) * step + low) / 2595) - 1);
    return std::int64_t(std::floor(double(length + 1) * hertz / given[2]));
  };
  std::vector<double> weights(std::size_t(bins * bands), 0);
  for (std::int64_t band = 0; band < bands; ++band) {
    const std::int64_t left = corner(band), middle = corner(band + 1), right = corner(band + 2);
    const auto set = [&](std::int64_t bin, double weight) {
      if (bin < bins)
        weights[std::size_t(bin * bands + band)] = weight;
    };
    for (auto j = left; j <= middle; ++j)
      set(j, middle == left ? 1 : double(j - left) / double(middle - left));
    for (auto j = middle; j < right; ++j)
      set(j, double(right - j) / double(right - middle));
  }
  const DataType type = typeAttribute(op, "output_datatype", DataType::FLOAT);
  return {b.constant(HostTensor::fromDoubles({DataType::FLOAT, {bins, bands}}, weights).as(type))};
}

OpDef withOutputs(OpDef op, Arity out) {
  op.out = out;
  return op;
}

} // namespace

std::vector<OpDef> constantsOps() {
  return {known("Constant", {0, 0}, "A constant.",
                [](GraphBuilder &b, const OpView &op) -> Values {
                  return {b.constant(constantOf(op))};
                }),
          known("ConstantOfShape", {1, 1}, "One number in every element of a given shape.",
                constantOfShape),
          known("Shape", {1, 1}, "The dimensions of a tensor, or some of them.", shapeOf),
          known("Size", {1, 1}, "How many elements a tensor has.",
                [](GraphBuilder &b, const OpView &op) -> Values {
                  return {b.constant(HostTensor::of<std::int64_t>({}, {op.in(0).elements()}))};
                }),
          known("Range", {3, 3}, "Numbers from start to before limit, delta apart.", range),
          known("EyeLike", {1, 1}, "Ones on a diagonal, of the shape of a matrix.", eyeLike),
          known("NonZero", {1, 1}, "Where a constant is not zero.", nonZero),
          withOutputs(known("Unique", {1, 1},
                            "The different elements or slices of a constant, in order.", unique),
                      {1, 4}),
          known("MelWeightMatrix", {5, 5}, "Weights that gather a spectrum into bands of mel.",
                melWeightMatrix)};
}

} // namespace popart::ops
