// SPDX-License-Identifier: MIT
#include "onnx/newer.hpp"

#include "opdef/importing.hpp"
#include <algorithm>
#include <map>

namespace popart::onnxmodel {

using ops::GraphBuilder;
using ops::Importing;
using ops::OpDef;
using ops::OpView;

namespace {

struct Change {
  std::int64_t since;
  std::vector<std::string> attributes;
};

// Operators whose form changed. Those that only take more types are not here.
const std::map<std::string, Change> &changes() {
  static const std::vector<std::string> reduction{"keepdims", "noop_with_empty_axes"};
  static const std::vector<std::string> window{"auto_pad",     "ceil_mode", "dilations",
                                               "kernel_shape", "pads",      "strides"};
  const auto with = [](std::vector<std::string> list, const char *one) {
    list.push_back(one);
    return list;
  };
  static const std::map<std::string, Change> all{
      {"AveragePool", {19, with(window, "count_include_pad")}},
      {"BitwiseAnd", {18, {}}},
      {"BitwiseNot", {18, {}}},
      {"BitwiseOr", {18, {}}},
      {"BitwiseXor", {18, {}}},
      {"Cast", {19, {"round_mode", "saturate", "to"}}},
      {"CastLike", {19, {"round_mode", "saturate"}}},
      {"DFT", {20, {"inverse", "onesided"}}},
      {"DequantizeLinear", {19, {"axis", "block_size", "output_dtype"}}},
      {"Gelu", {20, {"approximate"}}},
      {"GroupNormalization", {18, {"epsilon", "num_groups", "stash_type"}}},
      {"LpPool", {18, with(window, "p")}},
      {"Mish", {18, {}}},
      {"Pad", {18, {"mode"}}},
      {"QuantizeLinear", {19, {"axis", "block_size", "output_dtype", "precision", "saturate"}}},
      {"RMSNormalization", {23, {"axis", "epsilon", "stash_type"}}},
      {"ReduceL1", {18, reduction}},
      {"ReduceL2", {18, reduction}},
      {"ReduceLogSum", {18, reduction}},
      {"ReduceLogSumExp", {18, reduction}},
      {"ReduceMax", {18, reduction}},
      {"ReduceMean", {18, reduction}},
      {"ReduceMin", {18, reduction}},
      {"ReduceProd", {18, reduction}},
      {"ReduceSumSquare", {18, reduction}},
      {"Resize",
       {18,
        {"antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
         "extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode"}}},
      {"Split", {18, {"axis", "num_outputs"}}}};
  return all;
}

bool isOnnx(const onnx::NodeProto &node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

void requireFloatStatistics(const OpView &op) {
  if (const auto stash = op.integer("stash_type", 1); stash != 1)
    op.fail("stash_type is ", stash, "; statistics are computed as FLOAT (1) only.");
}

OpDef operatorOf(const std::string &type, unsigned inputs) {
  OpDef op;
  op.type = type;
  op.in = {inputs, inputs};
  return op;
}

OpDef mish() {
  OpDef op = operatorOf("Mish", 1);
  op.doc = "x tanh(softplus(x)) of every element.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> ir::Values {
    return {b.mul(op.in(0), b.op("Tanh", {b.op("Softplus", {op.in(0)})}))};
  };
  return op;
}

OpDef gelu() {
  OpDef op = operatorOf("Gelu", 1);
  op.doc = "Gauss error linear unit, exact or approximated with tanh.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> ir::Values {
    const auto how = op.text("approximate", "none");
    if (how != "none" && how != "tanh")
      op.fail("approximate is \"", how, "\"; it must be \"none\" or \"tanh\".");
    return {b.op(how == "none" ? "GeluErf" : "Gelu", {op.in(0)})};
  };
  return op;
}

OpDef bitwise(const std::string &type, unsigned inputs) {
  OpDef op = operatorOf(type, inputs);
  op.doc = "The operator of ai.graphcore.";
  op.decompose = [type](GraphBuilder &b, const OpView &op) -> ir::Values {
    ir::Values x;
    for (unsigned i = 0; i < op.inputs(); ++i)
      x.push_back(op.in(i));
    return {b.op(type, x)};
  };
  return op;
}

// Scale and bias are per channel since version 21, and were per group before.
OpDef groupNormalization() {
  OpDef op = operatorOf("GroupNormalization", 3);
  op.doc = "Normalisation over groups of channels, with scale and bias.";
  op.canonical = [](Importing &i) {
    if (i.version < 21)
      i.node.attributes.set("per_group", std::int64_t(1));
  };
  op.decompose = [](GraphBuilder &b, const OpView &op) -> ir::Values {
    requireFloatStatistics(op);
    const auto x = op.in(0);
    const auto groups = op.integer("num_groups");
    if (x.rank() < 2 || groups < 1 || x.dim(1) % groups)
      op.fail("the channels of ", ir::text(x.shape()), " do not divide into ", groups, " groups.");
    const auto parameter = [&](unsigned i) -> ir::Value {
      if (!op.has("per_group"))
        return op.in(i);
      if (op.in(i).shape() != Shape{groups})
        op.fail(i == 1 ? "scale" : "bias", " is ", op.in(i).info(), "; before version 21 it has ",
                "one value for each of the ", groups, " groups.");
      const ir::Value column = b.reshape(op.in(i), {groups, 1});
      return b.reshape(b.expand(column, {groups, x.dim(1) / groups}), {x.dim(1)});
    };
    return {b.ops("GroupNormalization", {x, parameter(1), parameter(2)}, 3,
                  {{"num_groups", groups},
                   {"epsilon", op.real("epsilon", 1e-5f)},
                   {"contiguous_groups", std::int64_t(1)}})[0]};
  };
  return op;
}

OpDef rmsNormalization() {
  OpDef op = operatorOf("RMSNormalization", 2);
  op.doc = "Dimensions from an axis on divided by the root of their mean square, times a scale.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> ir::Values {
    requireFloatStatistics(op);
    const auto type = op.in(0).type();
    ir::Integers axes;
    for (auto d = op.axis("axis", -1, op.in(0).rank()); d < op.in(0).rank(); ++d)
      axes.push_back(d);
    const ir::Value x = b.cast(op.in(0), DataType::FLOAT);
    const ir::Value mean = b.op("ReduceMean", {b.square(x)}, {{"axes", axes}});
    const ir::Value normal = b.div(x, b.sqrt(b.add(mean, double(op.real("epsilon", 1e-5f)))));
    return {b.mul(b.cast(normal, type), op.in(1))};
  };
  return op;
}

} // namespace

bool isNewer(const onnx::NodeProto &node, std::int64_t version) {
  const auto it = changes().find(node.op_type());
  return isOnnx(node) && it != changes().end() && version >= it->second.since;
}

void checkNewer(const onnx::NodeProto &node) {
  const auto &known = changes().at(node.op_type()).attributes;
  for (const auto &a : node.attribute())
    if (a.name().rfind("__", 0) != 0 &&
        std::find(known.begin(), known.end(), a.name()) == known.end())
      throw error("{}: ONNX has no attribute \"{}\" for it.", node.op_type(), a.name());
}

const OpDef *definitionOf(const onnx::NodeProto &node, std::int64_t version) {
  static const std::map<std::string, OpDef> written = [] {
    std::map<std::string, OpDef> out;
    for (auto &op :
         {mish(), gelu(), groupNormalization(), rmsNormalization(), bitwise("BitwiseNot", 1),
          bitwise("BitwiseAnd", 2), bitwise("BitwiseOr", 2), bitwise("BitwiseXor", 2)})
      out.emplace(op.type, op);
    return out;
  }();
  const auto it = written.find(node.op_type());
  return it != written.end() && isNewer(node, version) ? &it->second
                                                       : ops::findOp(node.domain(), node.op_type());
}

} // namespace popart::onnxmodel
