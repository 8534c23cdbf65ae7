// SPDX-License-Identifier: MIT
// PopART's own operators as users see and make them.
#include "base/Text.hpp"
#include "custom/custom.hpp"
#include <onnx/defs/schema.h>
#include <popart/op/accumulate.hpp>
#include <popart/op/adamvarupdate.hpp>
#include <popart/op/add.hpp>
#include <popart/op/clip.hpp>
#include <popart/op/collectives/replicatedallgather.hpp>
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/op/collectives/replicatedreducescatter.hpp>
#include <popart/op/detach.hpp>
#include <popart/op/div.hpp>
#include <popart/op/dropout.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/sgd0varupdate.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/subtract.hpp>
#include <popart/op/transpose.hpp>

namespace popart {
namespace {

constexpr int opsetOfNames = 11; // the newest that has a vendor's name for each version

// As far as the vendor has a name: what only rewrites make counts as ai.graphcore's.
OperatorIdentifier identifierOf(const ops::OpDef &def) {
  if (!def.domain.empty())
    return {def.domain == "openipu" ? Domain::ai_graphcore : def.domain, def.type, 1};
  const auto *schema = onnx::OpSchemaRegistry::Schema(def.type, opsetOfNames, "");
  return {Domain::ai_onnx, def.type, OpVersion(schema ? schema->SinceVersion() : 1)};
}

std::string textOf(const any &value) {
  std::string out;
  const auto list = [&](const auto *all) {
    if (all)
      out = base::list(*all);
  };
  const auto one = [&](const auto *v) {
    if (v)
      out = base::str(*v);
  };
  one(value.get<std::int64_t>());
  one(value.get<float>());
  one(value.get<std::string>());
  list(value.get<std::vector<std::int64_t>>());
  list(value.get<std::vector<float>>());
  list(value.get<std::vector<std::string>>());
  return out;
}

} // namespace

namespace custom {

ir::Attributes attributesOf(const BuiltinOp &op) {
  ir::Attributes out;
  for (const auto &[name, value] : op.attributes().all()) {
    if (const auto *v = value.get<std::int64_t>())
      out.set(name, *v);
    else if (const auto *v = value.get<float>())
      out.set(name, *v);
    else if (const auto *v = value.get<std::string>())
      out.set(name, *v);
    else if (const auto *v = value.get<std::vector<std::int64_t>>())
      out.set(name, *v);
    else if (const auto *v = value.get<std::vector<float>>())
      out.set(name, *v);
    else if (const auto *v = value.get<std::vector<std::string>>())
      out.set(name, *v);
    else
      throw error("{}: its attribute \"{}\" has a type that nodes cannot carry.", op.debugName(),
                  name);
  }
  return out;
}

ir::HostTensor dataOf(const Tensor &tensor) {
  const auto *bytes = static_cast<const char *>(tensor.tensorData()->data());
  return {tensor.info, std::vector<char>(bytes, bytes + tensor.info.nbytes())};
}

namespace {

using Make = SharedOp (*)(const OperatorIdentifier &, const Op::Settings &, const Attributes &);
using Ints = Attributes::Ints;

template <class OP>
SharedOp plain(const OperatorIdentifier &id, const Op::Settings &s, const Attributes &) {
  return std::make_shared<OP>(id, s);
}
template <class OP>
SharedOp described(const OperatorIdentifier &id, const Op::Settings &s, const Attributes &a) {
  return std::make_shared<OP>(id, s, a);
}
SharedOp softmax(const OperatorIdentifier &id, const Op::Settings &s, const Attributes &a) {
  return std::make_shared<SoftmaxOp>(id, a.getAttribute<Attributes::Int>("axis", -1), s);
}
SharedOp transpose(const OperatorIdentifier &id, const Op::Settings &s, const Attributes &a) {
  return std::make_shared<TransposeOp>(id, a.getAttribute<Ints>("perm", Ints()), s);
}
// Of a shape or bounds that are computed there are no attributes.
SharedOp reshape(const OperatorIdentifier &id, const Op::Settings &s, const Attributes &a) {
  if (!a.hasAttribute("shape"))
    return described<PlainOp>(id, s, a);
  return std::make_shared<ReshapeOp>(id, a.getAttribute<Ints>("shape"), s);
}
SharedOp slice(const OperatorIdentifier &id, const Op::Settings &s, const Attributes &a) {
  if (!a.hasAttribute("starts") || !a.hasAttribute("ends") || a.hasAttribute("steps"))
    return described<PlainOp>(id, s, a);
  return std::make_shared<SliceOp>(id, a.getAttribute<Ints>("starts"), a.getAttribute<Ints>("ends"),
                                   a.getAttribute<Ints>("axes", Ints()), s);
}

// Classes of operators that their attributes describe; nullptr: others.
Make makerOf(const std::string &type) {
  static const std::map<std::string, Make> makers = {
      {"Accumulate", described<AccumulateOp>},
      {"AdamVarUpdate", described<AdamVarUpdateOp>},
      {"Add", plain<AddOp>},
      {"Clip", plain<ClipOp>},
      {"Detach", plain<DetachOp>},
      {"Div", plain<DivOp>},
      {"Identity", plain<IdentityOp>},
      {"Mul", plain<MulOp>},
      {"ReplicatedAllGather", described<ReplicatedAllGatherOp>},
      {"ReplicatedAllReduce", described<ReplicatedAllReduceOp>},
      {"ReplicatedAllReduceInplace", described<ReplicatedAllReduceInplaceOp>},
      {"ReplicatedReduceScatter", described<ReplicatedReduceScatterOp>},
      {"Reshape", reshape},
      {"SGD0VarUpdate", described<SGD0VarUpdateOp>},
      {"Slice", slice},
      {"Softmax", softmax},
      {"Sub", plain<SubtractOp>},
      {"Transpose", transpose}};
  const auto maker = makers.find(type);
  return maker == makers.end() ? nullptr : maker->second;
}

} // namespace

std::optional<ir::Node> nodeOfBuiltin(const Op &op, const ir::Values &inputs) {
  const auto *own = dynamic_cast<const BuiltinOp *>(&op);
  if (!own || opxOf(op.opid))
    return std::nullopt;
  ir::Node node;
  node.def = ops::findOp(own->domain(), own->type());
  node.attributes = attributesOf(*own);
  node.inputs = inputs;
  if (!node.def || node.def->domain == "openipu")
    throw error("{}: {} is none that a program can make.", op.debugName(), own->type());
  return node;
}

SharedOp builtin(const ir::Node &node) {
  const auto id = identifierOf(*node.def);
  const auto settings = settingsOf(node);
  const auto attributes = attributesOf(node);
  const auto &extra = node.settings.extra;
  const auto &type = node.def->type;
  const auto integer = [&](const char *name, std::int64_t otherwise) {
    return attributes.getAttribute<Attributes::Int>(name, otherwise);
  };
  nonstd::optional<float> proportion;
  if (auto p = extra.find<float>("__available_memory_proportion"))
    proportion = *p;
  if (const auto make = makerOf(type))
    return make(id, settings, attributes);
  if (type == "Gather")
    return std::make_shared<GatherOp>(id, integer("axis", 0), settings, proportion);
  if (type == "MatMul") {
    MatMulBaseOp::SerialiseSettings serialise;
    using Mode = MatMulBaseOp::SerialiseSettings::Mode;
    const auto mode = extra.find<std::string>("__serialize_matmul_mode").value_or("none");
    serialise.mode = mode == "input_channels"    ? Mode::InputChannels
                     : mode == "reducing_dim"    ? Mode::ReducingDim
                     : mode == "output_channels" ? Mode::OutputChannels
                                                 : Mode::None;
    serialise.factor = extra.find<std::int64_t>("__serialize_matmul_factor").value_or(0);
    serialise.keep_precision = extra.find<std::int64_t>("__serialize_matmul_prec").value_or(0) != 0;
    return std::make_shared<MatMulOp>(id, settings, proportion, serialise);
  }
  if (type == "Dropout" && attributes.hasAttribute("ratio"))
    return std::make_shared<DropoutOp>(id, attributes.getAttribute<float>("ratio"), settings);
  if (type == "GroupNormalization")
    return std::make_shared<GroupNormOp>(
        id, integer("num_groups", 1), attributes.getAttribute<float>("epsilon", 1e-5f), settings);
  return std::make_shared<PlainOp>(id, settings, attributes);
}

} // namespace custom

// What the operator itself says of its outputs, asked in a graph of its own.
void BuiltinOp::setup() {
  const auto *def = ops::findOp(domain_, type_);
  if (!def)
    throw error("{}: PopART has no operator {}.{}.", debugName(), domain_, type_);
  ir::Graph scratch;
  ir::Node node;
  node.def = def;
  node.attributes = custom::attributesOf(*this);
  node.inputs.assign(std::size_t(input->maxIndex()) + 1, ir::none);
  for (const auto &[i, tensor] : input->tensorMap())
    node.inputs[std::size_t(i)] = tensor->hasTensorData() // some read values
                                      ? scratch.addConstant(tensor->id, custom::dataOf(*tensor))
                                      : scratch.addStream(tensor->id, tensor->info);
  const auto outputs = std::max(unsigned(output->maxIndex() + 1), std::max(def->out.min, 1u));
  const auto made = ops::GraphBuilder(scratch).append(node, outputs);
  for (unsigned i = 0; i < outputs && i < made.size(); ++i)
    if (made[i] != ir::none)
      outInfo(int(i)) = scratch[made[i]].info;
}
void BuiltinOp::appendAttributes(OpSerialiserBase &os) const {
  for (const auto &[name, value] : attributes_.all())
    os.appendAttribute(name, textOf(value));
}

void ElementWiseBinaryOp::setup() {
  const auto &a = inInfo(getArg0InIndex()), &b = inInfo(getArg1InIndex());
  Shape shape(std::max(a.shape().size(), b.shape().size()));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto at = [&](const Shape &s) { return i < s.size() ? s[s.size() - 1 - i] : 1; };
    const auto x = at(a.shape()), y = at(b.shape());
    if (x != y && x != 1 && y != 1)
      throw error("{}: {} and {} do not broadcast.", debugName(), a, b);
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  outInfo(getOutIndex()) = TensorInfo(a.dataType(), shape);
}

std::string LossOp::reductionTypeToString(ReductionType reduction) {
  static const char *const names[] = {"Sum", "Mean", "NoReduction"};
  return names[static_cast<int>(reduction)];
}
ReductionType LossOp::reductionTypeFromString(const std::string &text) {
  for (const auto type : {ReductionType::Sum, ReductionType::Mean, ReductionType::NoReduction})
    if (reductionTypeToString(type) == text)
      return type;
  throw error("A loss cannot be reduced as \"{}\"; it can be Sum, Mean or NoReduction.", text);
}

namespace {
Attributes withAttribute(const std::string &name, const any &value) {
  Attributes out;
  out.setAttribute(name, value);
  return out;
}
} // namespace
L1Op::L1Op(const OperatorIdentifier &i, float lambda, ReductionType reduction, const Settings &s)
    : LossOp(i, "ai.graphcore", "L1", s, reduction, withAttribute("lambda", lambda)),
      lambda_(lambda) {
  attributes_.setAttribute("reduction", reductionTypeToString(reduction));
}
AccumulateOp::AccumulateOp(AccumulationType, const OptimizerValue &, const Settings &s)
    : VarUpdateWithUpdaterOp(OperatorIdentifier(Domain::ai_graphcore, "Accumulate", 1), "openipu",
                             "Accumulate", s) {
  throw error("{}: optimisers make the operators that accumulate, and count on them. Compute the "
              "average with operators of its own.",
              debugName());
}
GatherOp::GatherOp(const OperatorIdentifier &i, std::int64_t axis, const Settings &s,
                   const nonstd::optional<float> &proportion, bool zeroOutOfRange)
    : BuiltinOp(i, "ai.onnx", "Gather", s, withAttribute("axis", axis)), axis_(axis),
      proportion_(proportion), zeroOutOfRange_(zeroOutOfRange) {
  if (zeroOutOfRange)
    throw error("{}: indices out of range are an error, not zeros.", debugName());
}
GroupNormOp::GroupNormOp(const OperatorIdentifier &i, std::int64_t groups, float epsilon,
                         const Settings &s)
    : BuiltinOp(i, "ai.graphcore", "GroupNormalization", s, withAttribute("num_groups", groups)),
      groups_(groups), epsilon_(epsilon) {
  attributes_.setAttribute("epsilon", epsilon);
}
DropoutOp::DropoutOp(const OperatorIdentifier &i, float ratio, const Settings &s)
    : BuiltinOp(i, "ai.onnx", "Dropout", s, withAttribute("ratio", ratio)), ratio_(ratio) {}

} // namespace popart
