// SPDX-License-Identifier: MIT
// Models that nobody would write: one operator of the registry with a random number of inputs (none
// among them), ranks 0 to 4 and attributes of the worst values, sometimes within a body or before
// another operator. What becomes of them is a graph or a popart::error. The choices come from
// bytes, so that a fuzzer can make them too.
#pragma once
#include "onnx/tensors.hpp"
#include "opdef/opdef.hpp"
#include <array>
#include <limits>
#include <onnx/defs/schema.h>
#include <random>
#include <string_view>

namespace popart::testing {

// Numbers from bytes, one after the other; zeros when they are used up.
class Choices {
public:
  explicit Choices(std::string_view bytes) : left_(bytes) {}
  unsigned below(std::size_t n) {
    unsigned drawn = 0;
    for (std::size_t range = n; range > 1; range = (range + 255) / 256)
      drawn = drawn << 8 | byte();
    return n ? drawn % unsigned(n) : 0;
  }
  bool oneIn(unsigned n) { return below(n) == n - 1; }
  template <class List> auto of(const List &list) {
    return *std::next(std::begin(list), below(std::size(list)));
  }

  static std::string randomBytes(unsigned seed, std::size_t size = 256) {
    std::mt19937 generator(seed);
    std::string out(size, 0);
    for (char &c : out)
      c = static_cast<char>(generator());
    return out;
  }

private:
  unsigned char byte() {
    if (left_.empty())
      return 0;
    const auto c = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return c;
  }
  std::string_view left_;
};

// ONNX has schemas; these have not: the attributes that operators of ai.graphcore look at.
struct AttributeName {
  std::string name;
  onnx::AttributeProto::AttributeType type;
};
inline std::vector<AttributeName> graphcoreAttributes(const std::string &type) {
  struct Row {
    std::string ops;
    onnx::AttributeProto::AttributeType type;
    std::string name;
  };
  using A = onnx::AttributeProto;
  static const std::vector<Row> table = {
      {" L1 ", A::FLOAT, "lambda"},
      {" L1 Nll IdentityLoss Ctc ScatterReduce GroupedScatterReduce ", A::STRING, "reduction"},
      {" Nll ", A::INT, "ignoreIndex"},
      {" Nll ", A::INT, "inputIsLogProbability"},
      {" Ctc CtcBeamSearchDecoder ", A::INT, "blank"},
      {" Ctc ", A::STRING, "outDataType"},
      {" CtcBeamSearchDecoder ", A::INT, "beam_width"},
      {" CtcBeamSearchDecoder ", A::INT, "top_paths"},
      {" GroupNormalization ", A::INT, "num_groups"},
      {" GroupNormalization BatchNormalization ", A::FLOAT, "epsilon"},
      {" BatchNormalization ", A::FLOAT, "momentum"},
      {" Scale NormalizeImage ", A::FLOAT, "scale"},
      {" ScaledAdd ", A::FLOAT, "scale0"},
      {" Slice ", A::INTS, "starts"},
      {" Slice ", A::INTS, "ends"},
      {" Slice ReduceMedian DynamicSlice DynamicUpdate DynamicZero DynamicAdd ", A::INTS, "axes"},
      {" DynamicSlice DynamicUpdate DynamicZero DynamicAdd ", A::INTS, "sizes"},
      {" Subsample ", A::INTS, "strides"},
      {" Reverse ", A::INTS, "dimensions"},
      {" DepthToSpace ", A::INT, "blocksize"},
      {" DepthToSpace ", A::STRING, "mode"},
      {" ReduceMedian ", A::INT, "keepdims"},
      {" Sort ScatterReduce GroupedScatterReduce GroupedGather ", A::INT, "axis"},
      {" ScatterReduce GroupedScatterReduce ", A::INT, "axis_size"},
      {" GroupedScatterReduce GroupedGather ", A::INT, "group_size"},
      {" ScatterReduce GroupedScatterReduce ", A::INT, "enable_index_broadcast"},
      {" Reshape ShapedDropout Init ", A::INTS, "shape"},
      {" ShapedDropout ", A::FLOAT, "ratio"},
      {" LSTM ", A::INT, "outputFullSequence"},
      {" SplineBasis ", A::INT, "degree"},
      {" TensorRemap ", A::INT, "remap_type"},
      {" IncrementMod ", A::FLOAT, "increment"},
      {" IncrementMod ", A::FLOAT, "modulus"},
      {" PrintTensor ", A::INT, "summariseThreshold"},
      {" PrintTensor ", A::INT, "edgeItems"},
      {" PrintTensor ", A::INT, "maxLineWidth"},
      {" PrintTensor ", A::INT, "digits"},
      {" PrintTensor ", A::INT, "floatFormat"},
      {" PrintTensor ", A::STRING, "title"},
      {" Init ", A::INT, "data_type"},
      {" Init ", A::INT, "init_type"},
      {" Init ", A::INT, "batch_axis"},
      {" ReplicatedAllReduce ReplicatedReduceScatter ReplicatedAllGather ", A::INT, "collectiveOp"},
      {" ReplicatedAllReduce ReplicatedReduceScatter ReplicatedAllGather ", A::INTS,
       "collectiveCommGroup"},
      {" MultiConv ", A::INTS, "tensors"},
      {" MultiConv ", A::INTS, "dilations"},
      {" MultiConv ", A::INTS, "dilations_lengths"},
      {" MultiConv ", A::INTS, "inDilations"},
      {" MultiConv ", A::INTS, "inDilations_lengths"},
      {" MultiConv ", A::INTS, "pads"},
      {" MultiConv ", A::INTS, "pads_lengths"},
      {" MultiConv ", A::INTS, "outPads"},
      {" MultiConv ", A::INTS, "outPads_lengths"},
      {" MultiConv ", A::INTS, "strides"},
      {" MultiConv ", A::INTS, "strides_lengths"},
      {" MultiConv ", A::FLOATS, "availableMemoryProportions"},
      {" MultiConv ", A::STRINGS, "partialsTypes"},
  };
  std::vector<AttributeName> out;
  for (const auto &row : table)
    if (row.ops.find(" " + type + " ") != std::string::npos)
      out.push_back({row.name, row.type});
  return out;
}

class RandomModel {
public:
  explicit RandomModel(Choices choices) : choose_(choices) { make(); }
  const onnx::ModelProto &proto() const { return model_; }
  const onnx::NodeProto &node() const { return node_; }

private:
  using A = onnx::AttributeProto;

  void make() {
    const auto &op = anyOp();
    std::int64_t opset = choose_.of(std::array{13, 6, 11, 8, 9, 10, 12, 15, 17});
    if (!onnx::OpSchemaRegistry::Schema(op.type, int(opset), ""))
      opset = 17;
    model_.set_ir_version(7);
    for (const auto &[domain, version] :
         {std::pair<std::string, std::int64_t>{"", opset}, {"ai.graphcore", 1}}) {
      auto *import = model_.add_opset_import();
      import->set_domain(domain);
      import->set_version(version);
    }
    model_.mutable_graph()->set_name("g");
    tame_ = choose_.oneIn(2);
    base_ = tame_ ? tameShape() : shape(); // most tensors have it: some get past the first check
    for (int i = 0; i < 5; ++i)
      addTensor();
    makeNode(op, int(opset));
    place();
  }

  // Operators of the registry that models may use.
  const ops::OpDef &anyOp() {
    static const auto usable = [] {
      std::vector<const ops::OpDef *> out;
      for (const auto &op : ops::allOps())
        if (op.domain != "openipu")
          out.push_back(&op);
      return out;
    }();
    return *usable[choose_.below(usable.size())];
  }

  std::int64_t integer() {
    static constexpr std::int64_t two31 = std::int64_t(1) << 31, two62 = std::int64_t(1) << 62;
    static constexpr std::array<std::int64_t, 8> nasty{-2,
                                                       two31,
                                                       two31 - 1,
                                                       -two31,
                                                       two62,
                                                       std::numeric_limits<std::int64_t>::min(),
                                                       std::numeric_limits<std::int64_t>::max(),
                                                       1 << 20};
    static constexpr std::array<std::int64_t, 6> usual{1, 0, 2, -1, 3, 4};
    if (tame_ && !choose_.oneIn(16))
      return 1 + choose_.below(2);
    return choose_.oneIn(4) ? choose_.of(nasty) : choose_.of(usual);
  }
  float real() {
    static const std::array values{
        1.f, 0.f, 0.5f, -1.f, 1e30f, std::nanf(""), std::numeric_limits<float>::infinity(), 3.f};
    if (tame_ && !choose_.oneIn(16))
      return 0.5f;
    return choose_.of(values);
  }
  std::string text() {
    static const std::array values{"",
                                   "constant",
                                   "reflect",
                                   "edge",
                                   "SAME_UPPER",
                                   "SAME_LOWER",
                                   "VALID",
                                   "NOTSET",
                                   "linear",
                                   "nearest",
                                   "cubic",
                                   "bilinear",
                                   "forward",
                                   "reverse",
                                   "bidirectional",
                                   "align_corners",
                                   "tf_crop_and_resize",
                                   "pytorch_half_pixel",
                                   "mean",
                                   "sum",
                                   "none",
                                   "max",
                                   "avg",
                                   "DCR",
                                   "CRD",
                                   "Sum",
                                   "Mean",
                                   "NoReduction",
                                   "FLOAT",
                                   "FLOAT16",
                                   "ij,jk->ik",
                                   "ii->i",
                                   "...,->",
                                   "i,,j->",
                                   "Tanh",
                                   "Relu",
                                   "LEFT",
                                   "bicubic",
                                   "nearest",
                                   "add",
                                   "mul"};
    return choose_.of(values);
  }
  // Of images, sequences, and the weights of recurrent layers with two hidden units.
  Shape tameShape() {
    static const std::array shapes{Shape{2, 2, 2, 2}, Shape{2, 2, 2}, Shape{2, 4, 2, 2},
                                   Shape{2, 2},       Shape{2},       Shape{}};
    return choose_.of(shapes);
  }
  Shape tameOther() {
    static const std::array shapes{Shape{1, 8, 2}, Shape{1, 16},   Shape{2}, Shape{4},
                                   Shape{1, 2, 2}, Shape{1, 6, 2}, Shape{}};
    return choose_.of(shapes);
  }
  Shape shape() {
    if (tame_ && !choose_.oneIn(16))
      return choose_.oneIn(4) ? tameOther() : base_;
    static constexpr std::array<std::int64_t, 6> extents{2, 1, 3, 4, 5, 0};
    Shape out(choose_.below(5));
    for (auto &d : out)
      d = choose_.oneIn(5) ? choose_.of(extents) : 1 + choose_.below(4);
    return out;
  }

  void addTensor() {
    static constexpr std::array types{DataType::FLOAT,   DataType::FLOAT, DataType::FLOAT,
                                      DataType::FLOAT16, DataType::INT32, DataType::INT64,
                                      DataType::BOOL,    DataType::UINT8, DataType::INT8};
    const Shape dims = choose_.oneIn(2) ? shape() : base_;
    const auto type = choose_.oneIn(tame_ ? 6 : 2) ? choose_.of(types) : DataType::FLOAT;
    names_.push_back("t" + std::to_string(names_.size()));
    auto &graph = *model_.mutable_graph();
    auto *input = graph.add_input();
    input->set_name(names_.back());
    input->mutable_type()->mutable_tensor_type()->set_elem_type(onnxmodel::typeToOnnx(type));
    for (auto d : dims)
      input->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(d);
    input->mutable_type()->mutable_tensor_type()->mutable_shape();
  }
  // A constant with numbers that operators take as axes, sizes and limits.
  std::string addConstant() {
    const bool isReal = choose_.oneIn(4);
    const Shape dims = choose_.oneIn(4) ? shape() : Shape(choose_.below(2), 1 + choose_.below(4));
    names_.push_back("c" + std::to_string(names_.size()));
    auto *tensor = model_.mutable_graph()->add_initializer();
    tensor->set_name(names_.back());
    tensor->set_data_type(isReal ? onnx::TensorProto::FLOAT : onnx::TensorProto::INT64);
    std::int64_t elements = 1;
    for (auto d : dims) {
      tensor->add_dims(d);
      elements *= d;
    }
    for (; elements > 0; --elements)
      isReal ? tensor->add_float_data(real()) : tensor->add_int64_data(integer());
    return names_.back();
  }
  std::string input() {
    if (choose_.oneIn(tame_ ? 64 : 12))
      return {};
    if (choose_.oneIn(tame_ ? 6 : 3))
      return addConstant();
    return choose_.of(names_);
  }

  void makeNode(const ops::OpDef &op, int opset) {
    node_.set_domain(op.domain);
    node_.set_op_type(op.type);
    const auto *schema = onnx::OpSchemaRegistry::Schema(op.type, opset, op.domain);
    auto inputs = schema ? unsigned(schema->min_input()) : op.in.min;
    const auto most = schema ? unsigned(schema->max_input()) : op.in.max;
    if (choose_.oneIn(2))
      inputs += choose_.below(std::min(most - inputs, 5u) + 1);
    if (choose_.oneIn(tame_ ? 64 : 8))
      inputs = choose_.below(6);
    for (unsigned i = 0; i < inputs; ++i)
      node_.add_input(input());
    auto outputs = schema ? unsigned(std::max(schema->min_output(), 1)) : std::max(op.out.min, 1u);
    if (choose_.oneIn(8))
      outputs = choose_.below(4);
    for (unsigned i = 0; i < outputs; ++i)
      node_.add_output(choose_.oneIn(16) ? "" : "y" + std::to_string(i));
    if (schema)
      for (const auto &[name, attribute] : schema->attributes())
        addAttribute(name, static_cast<A::AttributeType>(attribute.type), attribute.required);
    else
      for (const auto &attribute : graphcoreAttributes(op.type))
        addAttribute(attribute.name, attribute.type, true);
    if (choose_.oneIn(8))
      addAttribute("__pipeline_stage", A::INT, true);
    if (choose_.oneIn(8))
      addAttribute("__ipu_number", A::INT, true);
  }

  void addAttribute(const std::string &name, A::AttributeType type, bool required) {
    if (tame_ ? choose_.oneIn(64) || (!required && !choose_.oneIn(3))
              : choose_.oneIn(required ? 8 : 2))
      return;
    static const std::array kinds{A::INT, A::FLOAT, A::STRING, A::INTS, A::FLOATS, A::STRINGS};
    if (choose_.oneIn(32))
      type = choose_.of(kinds);
    auto &a = *node_.add_attribute();
    a.set_name(name);
    a.set_type(type);
    const auto rank = unsigned(base_.size());
    const unsigned field = rank > 2 ? rank - 2 : 1; // spatial dimensions
    const unsigned length = tame_              ? (name == "pads" ? 2 : 1) * field
                            : choose_.oneIn(2) ? rank
                                               : choose_.below(5);
    switch (type) {
    case A::INT:
      a.set_i(integer());
      break;
    case A::FLOAT:
      a.set_f(real());
      break;
    case A::STRING:
      a.set_s(text());
      break;
    case A::INTS:
      for (unsigned i = 0; i < length; ++i)
        a.add_ints(integer());
      break;
    case A::FLOATS:
      for (unsigned i = 0; i < length; ++i)
        a.add_floats(real());
      break;
    case A::STRINGS:
      for (unsigned i = 0; i < length; ++i)
        a.add_strings(text());
      break;
    case A::TENSOR:
      addConstant();
      *a.mutable_t() = model_.graph().initializer(model_.graph().initializer_size() - 1);
      break;
    case A::GRAPH:
      makeBody(*a.mutable_g());
      break;
    default:
      node_.mutable_attribute()->RemoveLast();
    }
  }

  // A body as If, Loop or Call would have it: it hands on what it gets.
  void makeBody(onnx::GraphProto &body) {
    body.set_name("body");
    const unsigned inputs = node_.op_type() == "If" ? 0 : unsigned(node_.input_size());
    for (unsigned i = 0; i < inputs; ++i)
      body.add_input()->set_name("b" + std::to_string(i));
    const int outputs = node_.output_size() + (node_.op_type() == "Loop" ? 1 : 0);
    for (int i = 0; i < outputs; ++i) {
      auto &inner = *body.add_node();
      inner.set_op_type(choose_.oneIn(4) ? "Relu" : "Identity");
      inner.add_input(i + 1 < int(inputs) ? "b" + std::to_string(i + 1) : choose_.of(names_));
      inner.add_output("o" + std::to_string(i));
      body.add_output()->set_name(inner.output(0));
    }
  }

  // Alone, before another operator, or within a branch.
  void place() {
    auto &graph = *model_.mutable_graph();
    *graph.add_node() = node_;
    std::vector<std::string> made;
    for (const auto &id : node_.output())
      if (!id.empty())
        made.push_back(id);
    if (!made.empty() && choose_.oneIn(2)) {
      static const std::array types{"Identity", "Relu", "Neg", "Cast", "Mul", "Transpose"};
      auto &next = *graph.add_node();
      next.set_op_type(choose_.of(types));
      next.add_input(made.front());
      if (next.op_type() == "Mul")
        next.add_input(choose_.of(names_));
      if (next.op_type() == "Cast") {
        auto &to = *next.add_attribute();
        to.set_name("to");
        to.set_type(A::INT);
        to.set_i(onnx::TensorProto::FLOAT);
      }
      next.add_output("z");
      made.push_back("z");
    }
    for (const auto &id : made) {
      auto *output = graph.add_output();
      output->set_name(id);
      output->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
      output->mutable_type()->mutable_tensor_type()->mutable_shape();
    }
  }

  Choices choose_;
  onnx::ModelProto model_;
  onnx::NodeProto node_;
  bool tame_ = false; // hardly anything is wrong with it
  Shape base_;
  std::vector<std::string> names_;
};

} // namespace popart::testing
