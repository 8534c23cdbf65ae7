// SPDX-License-Identifier: MIT
// Det: determinants of square matrices [..., n, n] by elimination with the largest pivot of each
// column, one step after the other; written with other operators, so it differentiates.
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {

constexpr std::int64_t largest = 32; // every row is a step of the graph

Value cut(GraphBuilder &b, Value x, std::int64_t axis, std::int64_t from, std::int64_t to) {
  return b.op("Slice", {x},
              {{"axes", Integers{axis}}, {"starts", Integers{from}}, {"ends", Integers{to}}});
}

// One step on a [batch, n, n]: multiplies det by the pivot, returns what is left, [n - 1, n - 1].
Value eliminate(GraphBuilder &b, Value a, Value &det) {
  const auto n = b.shape(a)[1];
  const Value column = cut(b, a, 2, 0, 1);
  const Value choice = b.op("Hardmax", {b.op("Abs", {column})}, {{"axis", std::int64_t(1)}});
  const Value row = b.reduceSum(b.mul(choice, a), {1}, true); // the row of the pivot
  const Value pivot = cut(b, row, 2, 0, 1), zero = b.scalar(0, a), one = b.scalar(1, a);
  const Value swap = b.add(b.mul(cut(b, choice, 1, 0, 1), 2.0), -1.0); // -1 if rows change places
  det = b.mul(det, b.reshape(b.mul(swap, pivot), b.shape(det)));
  const Value divisor = b.where(b.op("Equal", {pivot, zero}), one, pivot);
  // The pivot's row becomes zero, and the first row takes its place.
  const Value left = b.sub(a, b.mul(b.div(column, divisor), row));
  const Value moved = b.add(b.mul(b.sub(1.0, choice), left), b.mul(choice, cut(b, left, 1, 0, 1)));
  return cut(b, cut(b, moved, 1, 1, n), 2, 1, n);
}

Values decompose(GraphBuilder &b, const OpView &op) {
  requireFloat(op);
  const Shape shape = op.in(0).shape();
  if (shape.size() < 2 || shape.back() != shape[shape.size() - 2])
    op.fail("input \"", op.in(0).name(), "\" is ", op.in(0).info(),
            "; its last two dimensions must be equal.");
  const auto n = shape.back();
  if (n < 1 || n > largest)
    op.fail("matrices of ", n, " rows; determinants are computed for 1 to ", largest, " rows.");
  const Shape lead(shape.begin(), shape.end() - 2);
  const auto batch = ir::elementsOf(lead);
  Value a = b.reshape(op.in(0), {batch, n, n});
  Value det = b.expand(b.scalar(1, a), {batch});
  for (std::int64_t i = 1; i < n; ++i)
    a = eliminate(b, a, det);
  return {b.reshape(b.mul(det, b.reshape(a, {batch})), lead)};
}

} // namespace

OpDef detOp() {
  OpDef op;
  op.type = "Det";
  op.doc = "Determinants of square matrices.";
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
