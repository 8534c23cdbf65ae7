// SPDX-License-Identifier: MIT
// NonMaxSuppression: of the boxes of every batch element and class, again and again the one with
// the highest score that overlaps none chosen before it. ONNX's result has as many rows as there
// were boxes to choose, which only the data say; here it has as many as there can be, batch *
// classes * min(max_output_boxes_per_class, boxes). ONNX's rows come first, the others are -1.
//
// A Scan with one box of every batch element and class per iteration; the first of equal scores.
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include "ops/shared/loops.hpp"
#include <algorithm>
#include <limits>
#include <numeric>

namespace popart::ops {

namespace {

constexpr double out = std::numeric_limits<float>::lowest(); // the score of what cannot be chosen

struct Boxes {
  Value top, left, bottom, right; // [B,1,N], or of the chosen boxes [B,C,1]
  Value area(GraphBuilder &b) const { return b.mul(b.sub(bottom, top), b.sub(right, left)); }
};

Boxes boxesOf(GraphBuilder &b, const OpView &op) {
  const std::int64_t batch = op.in(0).dim(0), n = op.in(0).dim(1);
  auto v =
      b.ops("Split", {op.in(0)}, 4, {{"axis", std::int64_t(2)}, {"split", Integers{1, 1, 1, 1}}});
  for (auto &part : v)
    part = b.reshape(part, {batch, 1, n});
  if (op.integer("center_point_box", 0)) { // x, y, width, height
    const Value w = b.mul(v[2], 0.5), h = b.mul(v[3], 0.5);
    return {b.sub(v[1], h), b.sub(v[0], w), b.add(v[1], h), b.add(v[0], w)};
  }
  return {b.op("Min", {v[0], v[2]}), b.op("Min", {v[1], v[3]}), b.op("Max", {v[0], v[2]}),
          b.op("Max", {v[1], v[3]})};
}

Value counted(GraphBuilder &b, std::int64_t n, const Shape &shape) {
  Integers numbers(std::size_t(n), 0);
  std::iota(numbers.begin(), numbers.end(), 0);
  return b.constant(HostTensor::fromIntegers({DataType::INT32, shape}, numbers));
}

// How much two boxes have in common, in parts of what both cover.
Value overlap(GraphBuilder &b, const Boxes &x, const Boxes &y) {
  const auto length = [&](Value low, Value low2, Value high, Value high2) {
    const Value d = b.sub(b.op("Min", {high, high2}), b.op("Max", {low, low2}));
    return b.op("Max", {d, b.scalar(0, d)});
  };
  const Value common =
      b.mul(length(x.top, y.top, x.bottom, y.bottom), length(x.left, y.left, x.right, y.right));
  const Value all = b.sub(b.add(x.area(b), y.area(b)), common);
  return b.div(common, b.op("Max", {all, b.scalar(std::numeric_limits<float>::min(), all)}));
}

// The indices of the boxes chosen [rounds,B,C,1], -1 where there was none left.
Value chosen(GraphBuilder &b, const Boxes &boxes, Value scores, Value most, std::int64_t rounds) {
  auto graph = std::make_shared<ir::Graph>();
  graph->name = "NonMaxSuppressionRound";
  GraphBuilder body(*graph);
  const auto input = [&](const char *name, Value like, const Shape &shape) {
    const Value v = graph->add({name, {b.type(like), shape}, ir::Kind::Computed, {}});
    graph->inputs.push_back(v);
    return v;
  };
  ScanParts scan;
  scan.states = {scores};
  scan.scanned = {counted(b, rounds, {rounds})};
  scan.outer = {boxes.top, boxes.left, boxes.bottom, boxes.right, most};
  scan.inputAxes = scan.inputBackwards = scan.outputAxes = scan.outputBackwards = {0};

  const Shape shape = b.shape(scores);
  const Value s = input("scores", scores, shape);
  input("round", scan.scanned[0], {});
  Boxes all;
  for (const auto &[part, name] : {std::pair(&Boxes::top, "top"),
                                   {&Boxes::left, "left"},
                                   {&Boxes::bottom, "bottom"},
                                   {&Boxes::right, "right"}})
    all.*part = input(name, boxes.*part, b.shape(boxes.*part));
  const Value limit = input("limit", most, {});
  const Integers last{2};
  const Attributes keep{{"axis", std::int64_t(2)}, {"keepdims", std::int64_t(1)}};
  const Value best = body.op("ArgMax", {s}, keep);
  const Value score = body.op("ReduceMax", {s}, {{"axes", last}, {"keepdims", std::int64_t(1)}});
  const Value isBest = body.op("Equal", {best, counted(body, shape[2], {1, 1, shape[2]})});
  Boxes one;
  for (auto part : {&Boxes::top, &Boxes::left, &Boxes::bottom, &Boxes::right})
    one.*part = body.reduceSum(body.where(isBest, all.*part, body.scalar(0, s)), last, true);
  const Value goes = body.op("Or", {isBest, body.op("Greater", {overlap(body, all, one), limit})});
  graph->outputs = {
      body.where(goes, body.scalar(out, s), s),
      body.where(body.op("Greater", {score, body.scalar(out, s)}), best, body.scalar(-1, best))};
  scan.body = graph;
  return appendScan(b, scan)[1];
}

// Rows with a box before those without, in order.
Value usedFirst(GraphBuilder &b, Value rows, Value isUsed, std::int64_t n) {
  const Value place = counted(b, n, {n});
  const auto order = b.ops("TopK", {b.where(isUsed, place, b.add(place, double(n)))}, 2,
                           {{"axis", std::int64_t(0)}, {"k", n}, {"largest", std::int64_t(0)}});
  return b.op("Gather", {rows, order[1]}, {{"axis", std::int64_t(0)}});
}

void check(const OpView &op) {
  requireFloat(op);
  const Shape &boxes = op.in(0).shape(), &scores = op.in(1).shape();
  if (boxes.size() != 3 || scores.size() != 3 || boxes[2] != 4 || boxes[0] != scores[0] ||
      boxes[1] != scores[2] || op.in(1).type() != op.in(0).type())
    op.fail("boxes ", op.in(0).info(), " and scores ", op.in(1).info(),
            " must be [batch, boxes, 4] and [batch, classes, boxes], of one type.");
  for (std::size_t i : {3, 4})
    if (op.hasIn(i) && op.in(i).elements() != 1)
      op.fail(i == 3 ? "iou_threshold" : "score_threshold", " is ", op.in(i).info(),
              "; it must be one number.");
}

Values decompose(GraphBuilder &b, const OpView &op) {
  check(op);
  const std::int64_t batch = op.in(0).dim(0), boxes = op.in(0).dim(1), classes = op.in(1).dim(1);
  const std::int64_t each =
      std::clamp<std::int64_t>(op.integer("max_output_boxes_per_class", 0), 0, boxes);
  const std::int64_t n = batch * classes * each;
  if (n == 0)
    return {b.constant(HostTensor::filled({DataType::INT32, {0, 3}}, 0))};
  Value scores = op.in(1);
  if (op.hasIn(4))
    scores =
        b.where(b.op("Less", {scores, b.reshape(op.in(4), {})}), b.scalar(out, scores), scores);
  const Value most = op.hasIn(3) ? b.reshape(op.in(3), {}) : b.scalar(0, scores);
  const Value picked =
      b.reshape(b.transpose(chosen(b, boxesOf(b, op), scores, most, each), {1, 2, 0, 3}), {n});
  const Value filler = b.scalar(-1, picked),
              isUsed = b.op("GreaterOrEqual", {picked, b.scalar(0, picked)});
  Integers ofBatch, ofClass;
  for (std::int64_t i = 0; i < n; ++i) {
    ofBatch.push_back(i / (classes * each));
    ofClass.push_back(i / each % classes);
  }
  Values columns;
  for (const auto &list : {ofBatch, ofClass}) {
    const Value column = b.constant(HostTensor::fromIntegers({DataType::INT32, {n}}, list));
    columns.push_back(b.reshape(b.where(isUsed, column, filler), {n, 1}));
  }
  columns.push_back(b.reshape(picked, {n, 1}));
  const Value rows = b.op("Concat", columns, {{"axis", std::int64_t(1)}});
  return {batch * classes == 1 ? rows : usedFirst(b, rows, isUsed, n)};
}

} // namespace

OpDef nonmaxsuppressionOp() {
  OpDef op;
  op.type = "NonMaxSuppression";
  op.doc = "The best boxes of every class that do not overlap, as rows of indices; rows beyond the "
           "last box are -1.";
  op.in = {2, 5};
  op.canonical = [](Importing &i) { i.integerFromInput(2, "max_output_boxes_per_class"); };
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
