// SPDX-License-Identifier: MIT
// GridSample: elements of a picture at coordinates between -1 and 1, interpolated. Written with
// lookups of whole pixels (all channels) and arithmetic, through which gradients reach both the
// picture and the coordinates.
//
// Along each axis a coordinate becomes taps, pixels with weights: one (nearest), two (bilinear) or
// four (bicubic). What lies outside is zero, the nearest border, or mirrored.
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {

struct Tap {
  Value pixel, weight; // INT32 within the picture; of the coordinates' type, or none for 1
};

struct Options {
  std::string mode, padding;
  bool corners; // -1 and 1 are the centres of the outermost pixels, else their outer edges
};

Options optionsOf(const OpView &op) {
  const Options o{op.text("mode", "bilinear"), op.text("padding_mode", "zeros"),
                  op.integer("align_corners", 0) != 0};
  if (o.mode != "bilinear" && o.mode != "nearest" && o.mode != "bicubic")
    op.fail("mode \"", o.mode, "\" must be bilinear, nearest or bicubic.");
  if (o.padding != "zeros" && o.padding != "border" && o.padding != "reflection")
    op.fail("padding_mode \"", o.padding, "\" must be zeros, border or reflection.");
  return o;
}

Value inside(GraphBuilder &b, Value pixel, std::int64_t size) {
  return b.op("Min", {b.op("Max", {pixel, b.scalar(0, pixel)}), b.scalar(double(size - 1), pixel)});
}
// Mirrored at the centres of the outermost pixels, or at their outer edges.
Value mirrored(GraphBuilder &b, Value pixel, std::int64_t size, bool corners) {
  const std::int64_t period = 2 * (corners ? size - 1 : size);
  if (period == 0)
    return b.mul(pixel, 0);
  const Value turns = b.op("Floor", {b.mul(pixel, 1.0 / double(period))});
  const Value rest = b.sub(pixel, b.mul(turns, double(period)));
  return b.op("Min", {rest, b.sub(double(corners ? period : period - 1), rest)});
}

Tap tapOf(GraphBuilder &b, const Options &o, Value pixel, Value weight, std::int64_t size) {
  const Value placed = o.padding == "reflection" ? mirrored(b, pixel, size, o.corners) : pixel;
  const Value there = inside(b, placed, size);
  if (o.padding == "zeros") {
    const Value zero = b.scalar(0, pixel);
    weight =
        b.where(b.op("Equal", {there, pixel}), weight == none ? b.scalar(1, pixel) : weight, zero);
  }
  return {b.cast(there, DataType::INT32), weight};
}

// Keys' cubic with a = -0.75, for distances 0 <= t <= 1 and 1 <= t <= 2.
Value cubicNear(GraphBuilder &b, Value t) {
  return b.add(b.mul(b.square(t), b.add(b.mul(t, 1.25), -2.25)), 1);
}
Value cubicFar(GraphBuilder &b, Value t) {
  return b.add(b.mul(t, b.add(b.mul(t, b.add(b.mul(t, -0.75), 3.75)), -6)), 3);
}

std::vector<Tap> taps(GraphBuilder &b, const Options &o, Value grid, std::int64_t size) {
  const double half = double(size) / 2;
  const Value at = o.corners ? b.mul(b.add(grid, 1), double(size - 1) / 2)
                             : b.add(b.mul(grid, half), half - 0.5);
  if (o.mode == "nearest")
    return {tapOf(b, o, b.op("Round", {at}), none, size)};
  const Value first = b.op("Floor", {at}), t = b.sub(at, first), u = b.sub(1, t);
  if (o.mode == "bilinear")
    return {tapOf(b, o, first, u, size), tapOf(b, o, b.add(first, 1), t, size)};
  return {tapOf(b, o, b.add(first, -1), cubicFar(b, b.add(t, 1)), size),
          tapOf(b, o, first, cubicNear(b, t), size),
          tapOf(b, o, b.add(first, 1), cubicNear(b, u), size),
          tapOf(b, o, b.add(first, 2), cubicFar(b, b.add(u, 1)), size)};
}

void check(const OpView &op) {
  requireFloat(op);
  requireFloat(op, 1);
  const Shape x = op.in(0).shape(), grid = op.in(1).shape();
  if (x.size() != 4 || grid.size() != 4 || grid[3] != 2 || grid[0] != x[0])
    op.fail("X ", op.in(0).info(), " and grid ", op.in(1).info(),
            " must be [batch, channels, height, width] and [batch, height, width, 2].");
}

// Pixels of all channels at [batch, rows, columns].
Value lookup(GraphBuilder &b, Value table, Value y, Value x, const Shape &picture) {
  std::vector<std::int64_t> starts;
  for (std::int64_t n = 0; n < picture[0]; ++n)
    starts.push_back(n * picture[2] * picture[3]);
  const Value start =
      b.constant(HostTensor::fromIntegers({DataType::INT32, {picture[0], 1, 1}}, starts));
  const Value place = b.add(b.add(b.mul(y, double(picture[3])), x), start);
  return b.op("Gather", {table, place}, {{"axis", std::int64_t(0)}});
}

Values decompose(GraphBuilder &b, const OpView &op) {
  check(op);
  const Options o = optionsOf(op);
  const Shape picture = op.in(0).shape(), grid = op.in(1).shape();
  const Shape points{grid[0], grid[1], grid[2]};
  const auto parts =
      b.ops("Split", {op.in(1)}, 2, {{"axis", std::int64_t(3)}, {"split", Integers{1, 1}}});
  const auto xs = taps(b, o, b.reshape(parts[0], points), picture[3]),
             ys = taps(b, o, b.reshape(parts[1], points), picture[2]);
  const Value table = b.reshape(b.transpose(op.in(0), {0, 2, 3, 1}),
                                {picture[0] * picture[2] * picture[3], picture[1]});
  Values terms;
  for (const Tap &y : ys)
    for (const Tap &x : xs) {
      Value term = lookup(b, table, y.pixel, x.pixel, picture);
      if (y.weight != none) {
        const Value weight = b.cast(b.mul(y.weight, x.weight), op.in(0).type());
        term = b.mul(term, b.reshape(weight, {grid[0], grid[1], grid[2], 1}));
      }
      terms.push_back(term);
    }
  const Value sum = terms.size() == 1 ? terms[0] : b.op("Sum", terms);
  return {b.transpose(sum, {0, 3, 1, 2})};
}

} // namespace

OpDef gridsampleOp() {
  OpDef op;
  op.type = "GridSample";
  op.doc = "Elements of a picture at given coordinates, interpolated.";
  op.in = {2, 2};
  op.canonical = [](Importing &i) { // their names since version 20
    const auto mode = i.op.text("mode", "bilinear");
    if (mode == "linear" || mode == "cubic")
      i.node.attributes.set("mode", "bi" + mode);
  };
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
