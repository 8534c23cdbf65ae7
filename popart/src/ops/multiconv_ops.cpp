// SPDX-License-Identifier: MIT
// MultiConv: independent convolutions that share the tiles (planType parallel) or follow each other
// (serial), through poplin's multi-convolutions; results are those of Conv.
//
// ai.graphcore's MultiConv (all inputs one convolution after the other, lists flattened with their
// lengths) becomes MultiConvolution over pairs x, w, plus additions for biases. Its gradients are
// MultiConvDataGrad over pairs dy, w and MultiConvWeightGrad over pairs dy, x. All three have the
// lists strides, dilations and pads of one convolution after the other, and `groups`; the gradients
// have `sizes` too: the fields of x, or the kernels.
#include "base/Text.hpp"
#include "ops/nn/convolution.hpp"
#include "ops/shared/elementwise.hpp"
#include <algorithm>
#include <poplin/MultiConvolution.hpp>

namespace popart::ops {

namespace {

enum class Kind { Forward, Data, Weights };

const char *const passedOn[] = {
    "availableMemoryProportions", "partialsTypes", "planType",
    "perConvReservedTiles",       "cycleBackOff",  "enableConvDithering"};

// The next n numbers of a flattened list.
class Flat {
public:
  Flat(const OpView &op, const char *name) : all_(op.integers(name, {})) {}
  Shape take(std::size_t n) {
    const auto from = all_.begin() + std::int64_t(at_);
    at_ += n;
    return {from, from + std::int64_t(n)};
  }

private:
  Integers all_;
  std::size_t at_ = 0;
};

std::vector<Convolution> convolutions(const OpView &op, Kind kind) {
  std::vector<Convolution> out;
  Flat strides(op, "strides"), dilations(op, "dilations"), pads(op, "pads"), sizes(op, "sizes");
  const Integers groups = op.integers("groups");
  for (std::size_t i = 0; 2 * i < op.inputs(); ++i) {
    const Shape a = op.in(2 * i).shape(), b = op.in(2 * i + 1).shape();
    const auto dims = a.size() - 2;
    const Shape kernel = kind == Kind::Weights ? sizes.take(dims) : fieldOf(b);
    const Shape field = kind == Kind::Forward ? fieldOf(a)
                        : kind == Kind::Data  ? sizes.take(dims)
                                              : fieldOf(b);
    Window w{field,           kernel,          strides.take(dims), dilations.take(dims),
             pads.take(dims), pads.take(dims), Shape(dims, 0)};
    const std::int64_t in = kind == Kind::Weights ? b[1] / groups[i] : b[1],
                       outs = kind == Kind::Weights ? a[1] / groups[i] : b[0] / groups[i];
    out.push_back({op.in(2 * i).type(), a[0], groups[i], in, outs, w});
  }
  return out;
}

Infos infer(const OpView &op, Kind kind) {
  Infos out;
  for (const auto &c : convolutions(op, kind))
    out.emplace_back(c.type, kind == Kind::Forward ? c.outputShape()
                             : kind == Kind::Data  ? c.inputShape()
                                                   : c.weightShape());
  return out;
}

// Of convolution i: the session's options, then its own.
poplar::OptionFlags optionsOf(lowering::Lowering &l, const OpView &op, std::size_t i, Kind kind) {
  auto options = convOptions(l, op, kind == Kind::Weights ? "TRAINING_WU" : "TRAINING_BWD");
  if (const auto p = op.reals("availableMemoryProportions"); i < p.size())
    options.set("availableMemoryProportion", base::str(p[i]));
  if (const auto t = op.texts("partialsTypes"); i < t.size())
    options.set("partialsType", lowering::partialsType(t[i]));
  if (const auto d = op.integers("enableConvDithering", {}); i < d.size())
    options.set("enableConvDithering", d[i] ? "true" : "false");
  return options;
}
poplar::OptionFlags sharedOptions(const OpView &op) {
  poplar::OptionFlags options;
  if (op.has("planType"))
    options.set("planType", op.text("planType"));
  if (op.has("perConvReservedTiles"))
    options.set("perConvReservedTiles", std::to_string(op.integer("perConvReservedTiles")));
  if (op.has("cycleBackOff"))
    options.set("cycleBackOff", base::str(op.real("cycleBackOff")));
  return options;
}

Tensors lowerConvolutions(lowering::Lowering &l, const OpView &op, Kind kind) {
  std::vector<poplin::multiconv::ConvolutionArgs> args;
  const auto all = convolutions(op, kind);
  for (std::size_t i = 0; i < all.size(); ++i)
    args.push_back(
        {l.tensor(op.in(2 * i)), all[i].grouped(l.tensor(op.in(2 * i + 1))),
         kind == Kind::Data ? poplin::getGradientParams(all[i].params()) : all[i].params(),
         optionsOf(l, op, i, kind)});
  return poplin::multiconv::convolution(l.graph(), args, kind == Kind::Data, l.program(), l.name(),
                                        sharedOptions(op));
}
Tensors lowerWeightGrads(lowering::Lowering &l, const OpView &op) {
  std::vector<poplin::multiconv::CalculateWeightDeltasArgs> args;
  const auto all = convolutions(op, Kind::Weights);
  for (std::size_t i = 0; i < all.size(); ++i)
    args.push_back({l.tensor(op.in(2 * i)), l.tensor(op.in(2 * i + 1)), all[i].params(),
                    optionsOf(l, op, i, Kind::Weights)});
  Tensors out = poplin::multiconv::calculateWeightDeltas(l.graph(), args, l.program(), l.name(),
                                                         sharedOptions(op));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = all[i].flat(out[i]);
  return out;
}

poplar::Tensor create(lowering::Lowering &l, const OpView &op, unsigned input) {
  std::vector<poplin::multiconv::CreateTensorArgs> args;
  const auto all = convolutions(op, Kind::Forward);
  for (std::size_t i = 0; i < all.size(); ++i)
    args.push_back(
        {all[i].params(), optionsOf(l, op, i, Kind::Forward), op.in(2 * i + input % 2).name()});
  const unsigned i = input / 2;
  const auto options = sharedOptions(op);
  return input % 2 ? all[i].flat(poplin::multiconv::createWeights(l.graph(), args, i, options))
                   : poplin::multiconv::createInput(l.graph(), args, i, options);
}

Values grad(GradBuilder &g, const OpView &op) {
  const auto all = convolutions(op, Kind::Forward);
  Values dyw, dyx;
  Integers fields, kernels;
  for (unsigned i = 0; i < all.size(); ++i) {
    const Value dy = g.dy(i) == none ? g.zerosLike(op.out(i)) : g.dy(i);
    dyw.insert(dyw.end(), {dy, op.in(2 * i + 1)});
    dyx.insert(dyx.end(), {dy, op.in(2 * i)});
    fields.insert(fields.end(), all[i].window.field.begin(), all[i].window.field.end());
    kernels.insert(kernels.end(), all[i].window.kernel.begin(), all[i].window.kernel.end());
  }
  auto attributes = op.node().attributes;
  const auto n = unsigned(all.size());
  attributes.set("sizes", fields);
  const Values dx = g.ops("MultiConvDataGrad", dyw, n, attributes);
  attributes.set("sizes", kernels);
  const Values dw = g.ops("MultiConvWeightGrad", dyx, n, attributes);
  Values out;
  for (unsigned i = 0; i < n; ++i)
    out.insert(out.end(), {dx[i], dw[i]});
  return out;
}

// A list of the node for every convolution; `otherwise` where it is left out.
class Lists {
public:
  Lists(const OpView &op, const std::string &name)
      : op_(op), name_(name), flat_(op, name.c_str()),
        lengths_(op.integers(name + "_lengths", {})) {}
  Shape next(std::size_t wanted, std::int64_t otherwise) {
    const std::size_t n = at_ < lengths_.size() ? std::size_t(lengths_[at_]) : 0;
    ++at_;
    if (n == 0)
      return Shape(wanted, otherwise);
    if (n != wanted)
      op_.fail(name_, " of convolution ", at_ - 1, " has ", n, " numbers; it needs ", wanted, ".");
    return flat_.take(n);
  }

private:
  const OpView &op_;
  std::string name_;
  Flat flat_;
  Integers lengths_;
  std::size_t at_ = 0;
};

void requireAll(const OpView &op, const char *name, std::int64_t only) {
  for (auto v : op.integers(name, {}))
    if (v != only)
      op.fail(name, " ", ir::text(op.integers(name)), " are not supported. Leave them out.");
}

// Groups follow from the channels: x has groups * (in channels of w).
std::int64_t groupsOf(const OpView &op, const ValueView &x, const ValueView &w) {
  if (x.rank() < 3 || w.rank() != x.rank() || x.type() != w.type() || w.dim(1) == 0 ||
      x.dim(1) % w.dim(1) || w.dim(0) % (x.dim(1) / w.dim(1)))
    op.fail("weights ", w.info(), " do not fit an input ", x.info(),
            ": they must be [out channels, in channels / groups, kernel...] of the same type.");
  return x.dim(1) / w.dim(1);
}

Values decompose(GraphBuilder &b, const OpView &op) {
  requireAll(op, "inDilations", 1);
  requireAll(op, "outPads", 0);
  Lists strides(op, "strides"), dilations(op, "dilations"), pads(op, "pads");
  Values pairs, biases;
  Integers allStrides, allDilations, allPads, groups;
  std::size_t at = 0;
  for (auto n : op.integers("tensors")) {
    const auto x = op.in(at), w = op.in(at + 1);
    groups.push_back(groupsOf(op, x, w));
    pairs.insert(pairs.end(), {Value(x), Value(w)});
    biases.push_back(n > 2 ? Value(op.in(at + 2)) : none);
    at += std::size_t(n);
    const auto dims = std::size_t(x.rank()) - 2;
    const auto add = [](Integers &to, const Shape &from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    add(allStrides, strides.next(dims, 1));
    add(allDilations, dilations.next(dims, 1));
    add(allPads, pads.next(2 * dims, 0));
  }
  Attributes attributes{
      {"strides", allStrides}, {"dilations", allDilations}, {"pads", allPads}, {"groups", groups}};
  for (const char *name : passedOn)
    if (op.has(name))
      attributes.set(name, op.node().attributes.all().at(name));
  Values out = b.ops("MultiConvolution", pairs, unsigned(groups.size()), attributes);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (biases[i] != none) {
      Shape shape(b.shape(out[i]).size() - 1, 1);
      shape[0] = ir::elementsOf(b.shape(biases[i]));
      out[i] = b.add(out[i], b.reshape(biases[i], shape));
    }
  return out;
}

OpDef internal(const std::string &type, const std::string &doc, Kind kind) {
  OpDef op;
  op.type = type;
  op.domain = "openipu";
  op.doc = doc;
  op.in = {2, any};
  op.out = {1, any};
  op.infer = [kind](const OpView &op) { return infer(op, kind); };
  op.lower = [kind](lowering::Lowering &l, const OpView &op) {
    return kind == Kind::Weights ? lowerWeightGrads(l, op) : lowerConvolutions(l, op, kind);
  };
  op.gradientError = "second derivatives of MultiConv are not there; use Conv";
  op.product = true;
  return op;
}

} // namespace

std::vector<OpDef> multiconvOps() {
  OpDef op;
  op.type = "MultiConv";
  op.domain = "ai.graphcore";
  op.doc = "Independent convolutions that share the tiles.";
  op.in = {2, any};
  op.out = {1, any};
  op.decompose = decompose;
  OpDef forward = internal("MultiConvolution", "Convolutions of pairs x, w.", Kind::Forward);
  forward.create = create;
  forward.grad = grad;
  forward.gradientError.clear();
  return {
      op, forward,
      internal("MultiConvDataGrad", "Gradients of the inputs of a MultiConvolution.", Kind::Data),
      internal("MultiConvWeightGrad", "Gradients of the weights of a MultiConvolution.",
               Kind::Weights)};
}

} // namespace popart::ops
