// SPDX-License-Identifier: MIT
// Entries at indices, choices, and order.
#include "core/Call.hpp"
#include "frontend/Indices.hpp"

namespace paddleipu {

namespace {

Value indices(Call &c, const char *slot) { return c.cast(c.in(slot), DataType::INT32); }
Value withoutLast(const Call &c, Value v) {
  Shape shape = c.shapeOf(v);
  if (shape.empty() || shape.back() != 1)
    c.fail("the last dimension of its indices, of shape ", popart::ir::text(shape), ", must be 1.");
  shape.pop_back();
  return c.m.reshape(v, shape);
}

void gather(Call &c) {
  const Value x = c.in("X");
  const auto axis =
      c.positive(c.has("Axis") ? c.constants("Axis").at(0) : c.integer("axis", 0), c.rank(x));
  const auto extent = c.rank(x) ? c.shapeOf(x)[std::size_t(axis)] : 1;
  const Value at = frontend::checkedIndices(c, c.flat(c.in("Index")), extent, c.type());
  c.out("Out", c.m.op("Gather", {x, at}, {{"axis", axis}}));
}

// Rows of a table; that of padding_idx is zero, and not trained.
void lookup(Call &c, bool last) {
  const Value table = c.in("W");
  const Value given = frontend::checkedIndices(c, c.in("Ids"), c.shapeOf(table)[0], c.type());
  const Value ids = last ? withoutLast(c, given) : given;
  Value rows = c.m.op("Gather", {table, ids}, {{"axis", std::int64_t(0)}});
  const auto padding = c.integer("padding_idx", -1);
  if (padding >= 0) {
    const Value isPadding = c.compared("Equal", ids, double(padding));
    Shape shape = c.shapeOf(ids);
    shape.push_back(1);
    rows = c.m.where(c.m.reshape(isPadding, shape), c.m.scalar(0, rows), rows);
  }
  c.out("Out", rows, 0, c.typeIn("W"));
}

void oneHot(Call &c, bool last) {
  const Value given = frontend::hotIndices(c, c.in("X"));
  const Value ids = last ? withoutLast(c, given) : given;
  const auto depth = c.has("depth_tensor") ? c.constants("depth_tensor").at(0) : c.integer("depth");
  const Value values =
      c.m.constant(HostTensor::fromDoubles({DataType::FLOAT, {2}}, std::vector<double>{0, 1}));
  c.out("Out", c.m.op("OneHot", {ids, values}, {{"axis", std::int64_t(-1)}, {"depth", depth}}), 0,
        VarType::FP32);
}

void where(Call &c) {
  const Value x = c.in("X"), y = c.cast(c.in("Y"), c.m.type(x));
  c.out("Out", c.m.where(c.cast(c.in("Condition"), DataType::BOOL), x, y));
}

void sorted(Call &c, std::int64_t k, std::int64_t axis, bool largest) {
  const Value x = c.in("X");
  const auto n = c.shapeOf(x)[std::size_t(axis)];
  if (k < 1 || k > n)
    c.fail("k is ", k, "; dimension ", axis, " has ", n, " elements.");
  const auto made =
      c.m.ops("TopK", {x}, 2, {{"axis", axis}, {"k", k}, {"largest", std::int64_t(largest)}});
  c.out("Out", made[0]);
  c.out("Indices", c.cast(made[1], DataType::INT32), 0, VarType::INT64);
}
void argsort(Call &c) {
  const auto rank = c.rank(c.in("X"));
  const auto axis = c.axis("axis", -1, rank);
  sorted(c, c.shapeOf(c.in("X"))[std::size_t(axis)], axis, c.flag("descending"));
}
std::int64_t kOf(Call &c) { return c.has("K") ? c.constants("K").at(0) : c.integer("k", 1); }

// How many of the rows have their label among the indices.
void accuracy(Call &c) {
  const Value found = indices(c, "Indices");
  const Value label = c.m.reshape(indices(c, "Label"), {c.shapeOf(found)[0], 1});
  const Value hits = c.cast(c.m.op("Equal", {found, label}), DataType::INT32);
  const Value correct = c.m.reshape(c.sum(hits), {1});
  const auto rows = double(c.shapeOf(found)[0]);
  c.out("Accuracy", c.m.div(c.cast(correct, DataType::FLOAT), rows), 0, VarType::FP32);
  c.out("Correct", correct, 0, VarType::INT32);
  c.out("Total", c.full({1}, rows, DataType::INT32), 0, VarType::INT32);
}

} // namespace

void addLookups(Registry &r) {
  r.add("gather", gather);
  r.add("lookup_table", [](Call &c) { lookup(c, true); });
  r.add("lookup_table_v2", [](Call &c) { lookup(c, false); });
  r.add("one_hot", [](Call &c) { oneHot(c, true); });
  r.add("one_hot_v2", [](Call &c) { oneHot(c, false); });
  r.add("where", where);
  r.add("top_k", [](Call &c) { sorted(c, kOf(c), std::int64_t(c.rank(c.in("X"))) - 1, true); });
  r.add("top_k_v2", [](Call &c) {
    sorted(c, kOf(c), c.axis("axis", -1, c.rank(c.in("X"))), c.flag("largest", true));
  });
  r.add("argsort", argsort);
  r.add("accuracy", accuracy);
}

} // namespace paddleipu
