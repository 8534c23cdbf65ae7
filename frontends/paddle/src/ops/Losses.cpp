// SPDX-License-Identifier: MIT
// Losses of every element or row; programs reduce them themselves.
#include "frontend/Losses.hpp"
#include "core/Call.hpp"

namespace paddleipu {

namespace {

void bce(Call &c) {
  const Value x = c.in("X"), label = c.cast(c.in("Label"), c.m.type(x));
  c.out("Out", frontend::binaryCrossEntropy(c, x, label, true));
}

// Labels of ignore_index count nothing.
void sigmoidCrossEntropy(Call &c) {
  const Value x = c.in("X"), label = c.cast(c.in("Label"), c.m.type(x));
  const Value ignored = c.compared("Equal", label, double(c.integer("ignore_index", -100)));
  Value y = frontend::sigmoidCrossEntropy(c, x, label);
  y = c.m.where(ignored, c.m.scalar(0, y), y);
  if (c.flag("normalize")) {
    const Value counted = c.sum(c.cast(c.m.op("Not", {ignored}), c.m.type(x)));
    y = c.m.div(y, c.m.op("Max", {counted, c.m.scalar(1, counted)}));
  }
  c.out("Out", y);
}

void huber(Call &c) {
  const Value x = c.in("X"), r = c.m.sub(c.cast(c.in("Y"), c.m.type(x)), x);
  c.out("Residual", r);
  c.out("Out", frontend::huber(c, r, c.real("delta", 1)));
}

// target * (log(target) - x), 0 where the target is 0
void kldiv(Call &c) {
  const Value x = c.in("X"), target = c.cast(c.in("Target"), c.m.type(x));
  const Value positive = c.compared("Greater", target, 0), one = c.m.scalar(1, target);
  const Value log = c.m.log(c.m.where(positive, target, one));
  const Value each = c.m.where(positive, c.m.mul(target, c.m.sub(log, x)), c.m.scalar(0, x));
  const auto how = c.text("reduction", "mean");
  const bool perBatch = how == "batchmean";
  const auto reduction = frontend::reductionNamed(c, perBatch ? "sum" : how);
  Value y = frontend::reduced(c, each, reduction);
  if (perBatch)
    y = c.m.div(y, double(c.shapeOf(x)[0]));
  c.out("Loss", reduction == frontend::Reduction::None ? y : c.m.reshape(y, {1}));
}

// max(0, -label * (x1 - x2) + margin)
void marginRank(Call &c) {
  const Value x1 = c.in("X1"), label = c.cast(c.in("Label"), c.m.type(x1));
  const Value y = c.m.add(c.m.mul(c.m.neg(label), c.m.sub(x1, c.in("X2"))), c.real("margin", 0));
  c.out("Out", c.m.op("Relu", {y}));
  c.out("Activated", c.cast(c.compared("Greater", c.m.op("Detach", {y}), 0), c.m.type(x1)));
}

// log(1 + exp(left - right)) - label * (left - right)
void rank(Call &c) {
  const Value left = c.in("Left"), o = c.m.sub(left, c.in("Right"));
  c.out("Out", c.m.sub(c.m.op("Softplus", {o}), c.m.mul(c.cast(c.in("Label"), c.m.type(left)), o)));
}

// Scores [time, batch, classes], labels [batch, length]: the softmax is part of it.
void ctc(Call &c) {
  const Value scores = c.in("Logits"), label = c.cast(c.in("Label"), DataType::INT32);
  if (!c.has("LogitsLength") || !c.has("LabelLength"))
    c.unimplemented("sequences by levels (LoD) are not there: give LogitsLength and LabelLength.");
  if (c.rank(scores) != 3 || c.rank(label) != 2)
    c.fail("Logits must be [time, batch, classes] and Label [batch, length], not ",
           popart::ir::text(c.shapeOf(scores)), " and ", popart::ir::text(c.shapeOf(label)), ".");
  const auto batch = c.shapeOf(scores)[1];
  const auto lengths = [&](const char *slot) {
    return c.flat(c.cast(c.in(slot), DataType::INT32));
  };
  const Value logs = c.m.op("LogSoftmax", {scores}, {{"axis", std::int64_t(2)}});
  Value y = c.m.ops("ai.graphcore.Ctc",
                    {logs, c.cast(label, DataType::UINT32),
                     c.cast(lengths("LogitsLength"), DataType::UINT32),
                     c.cast(lengths("LabelLength"), DataType::UINT32)},
                    2, {{"blank", c.integer("blank", 0)}, {"reduction", std::int64_t(2)}})[0];
  if (c.flag("norm_by_times"))
    y = c.m.div(y, c.cast(lengths("LogitsLength"), c.m.type(y)));
  c.out("Loss", c.m.reshape(y, {batch, 1}));
  c.unused("WarpCTCGrad", c.shapeOf(scores));
}

} // namespace

void addLosses(Registry &r) {
  r.add("bce_loss", bce);
  r.add("sigmoid_cross_entropy_with_logits", sigmoidCrossEntropy);
  r.add("huber_loss", huber);
  r.add("kldiv_loss", kldiv);
  r.add("margin_rank_loss", marginRank);
  r.add("rank_loss", rank);
  r.add("warpctc", ctc);
}

} // namespace paddleipu
