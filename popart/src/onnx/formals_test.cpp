// SPDX-License-Identifier: MIT
// Calls that leave out what an operator must have, ask for more than it has, or count beyond all
// tensors: refused with the operator's name, before anything looks at what is not there.
#include "base/Text.hpp"
#include <gtest/gtest.h>
#include <limits>
#include <popart/builder.hpp>
#include <popart/error.hpp>

using namespace popart;

namespace {

using Ids = std::vector<TensorId>;
using Attributes = std::map<std::string, any>;
constexpr std::int64_t two62 = std::int64_t(1) << 62;

// What a builder with x FLOAT [2,3] and s, a scalar, says.
std::string answer(const OperatorIdentifier &op, const Ids &inputs,
                   const Attributes &attributes = {}, unsigned outputs = 1) {
  const auto builder = Builder::create();
  builder->addInputTensor("FLOAT", Shape{2, 3}, "x");
  builder->addInputTensor("FLOAT", Shape{}, "s");
  try {
    builder->customOp(op, op.version, inputs, outputs, attributes, "");
  } catch (const internal_error &e) {
    return base::str("internal: ", e.what());
  } catch (const error &e) {
    return e.what();
  }
  return "accepted";
}
OperatorIdentifier aiOnnx(const char *type, int version = 11) {
  return {Domain::ai_onnx, type, OpVersion(version)};
}
OperatorIdentifier graphcore(const char *type) { return {Domain::ai_graphcore, type, 1}; }

} // namespace

TEST(Formals, AskForInputsThatMustBeThere) {
  EXPECT_EQ(answer(aiOnnx("PRelu"), {"x", ""}),
            "PRelu: input 1 (slope) may not be left out. (output \"PRelu:0\")");
  EXPECT_EQ(answer(aiOnnx("PRelu"), {"x"}),
            "PRelu: input 1 (slope) may not be left out. (output \"PRelu:0\")");
  EXPECT_EQ(answer(aiOnnx("Concat"), {"x", "", "x"}, {{"axis", std::int64_t(0)}}),
            "Concat: input 1 (inputs) may not be left out. (output \"Concat:0\")");
  EXPECT_EQ(answer(aiOnnx("Relu"), {"x", "x"}), "Relu: 2 inputs; it takes 1. (output \"Relu:0\")");
  EXPECT_EQ(answer(graphcore("ReplicatedAllReduce"), {""}),
            "ReplicatedAllReduce: 0 inputs; it takes 1 or more. (output "
            "\"ReplicatedAllReduce:0\")");
  EXPECT_EQ(answer(graphcore("ScaledAdd"), {"", "x"}),
            "ScaledAdd: input 0 may not be left out. (output \"ScaledAdd:0\")");
  for (const char *type : {"Softmax", "LogSoftmax", "Hardmax", "Clip", "Pad", "Max", "Min", "Sum",
                           "Mean", "QuantizeLinear", "TopK", "Conv", "LSTM", "Gather", "Slice"})
    for (const Ids &inputs : {Ids{}, Ids{""}, Ids{"", "x"}, Ids{"", ""}, Ids{"", "x", "x"}})
      for (int version : {8, 11, 13})
        EXPECT_EQ(answer(aiOnnx(type, version), inputs).find(type), 0u)
            << type << ' ' << answer(aiOnnx(type, version), inputs);
  for (const char *type : {"DynamicSlice", "DynamicUpdate", "ReduceMedian", "Sort", "Gelu", "Nll",
                           "ReplicatedAllGather", "MultiConv", "LSTM", "GroupedGather"})
    for (const Ids &inputs : {Ids{}, Ids{""}, Ids{"", "x"}, Ids{"", ""}, Ids{"", "x", "x"}})
      EXPECT_EQ(answer(graphcore(type), inputs).find(type), 0u)
          << type << ' ' << answer(graphcore(type), inputs);
}

TEST(Formals, AreNotLessThanRanksNeed) {
  for (const auto &op : {aiOnnx("TopK", 9), aiOnnx("Softmax"), aiOnnx("Gather"), aiOnnx("Split"),
                         aiOnnx("Conv"), aiOnnx("MaxPool"), aiOnnx("LRN"), aiOnnx("Transpose"),
                         graphcore("Sort"), graphcore("ReduceMedian"), graphcore("DynamicSlice"),
                         graphcore("GroupNormalization"), graphcore("Reverse")})
    for (const Ids &inputs : {Ids{"s"}, Ids{"s", "s"}, Ids{"s", "s", "s"}, Ids{"x", "s"}}) {
      const auto why = answer(op, inputs,
                              {{"axis", std::int64_t(0)},
                               {"k", std::int64_t(1)},
                               {"size", std::int64_t(1)},
                               {"num_groups", std::int64_t(1)},
                               {"axes", std::vector<std::int64_t>{0}},
                               {"sizes", std::vector<std::int64_t>{1}},
                               {"dimensions", std::vector<std::int64_t>{0}},
                               {"kernel_shape", std::vector<std::int64_t>{1}}});
      EXPECT_EQ(why.find("internal"), std::string::npos) << why;
    }
}

TEST(Formals, LimitOutputs) {
  EXPECT_EQ(answer(aiOnnx("Split"), {"x"}, {}, 1u << 31),
            "Split: 2147483648 outputs are asked for; a node can have 65536.");
  EXPECT_EQ(answer(aiOnnx("Relu"), {"x"}, {}, 2), "Relu: 2 outputs; it has 0 to 1. (output "
                                                  "\"Relu:0\")");
}

TEST(Formals, RefuseNumbersThatCountNothing) {
  EXPECT_EQ(answer(aiOnnx("LRN"), {"x"}, {{"size", two62}}),
            "LRN: attribute \"size\" is 4611686018427387904; numbers beyond 2147483647 are no "
            "sizes or positions of tensors. (output \"LRN:0\")");
  EXPECT_EQ(answer(aiOnnx("LRN"), {"x"}, {{"size", std::int64_t(0x7fffffff)}}), "accepted");
  for (std::int64_t n : {two62, -two62, std::numeric_limits<std::int64_t>::min()})
    for (const char *name : {"axis", "k", "keepdims", "blocksize"})
      EXPECT_NE(answer(aiOnnx("Softmax"), {"x"}, {{name, n}}), "accepted");
  EXPECT_EQ(answer(graphcore("Slice"), {"x"},
                   {{"starts", std::vector<std::int64_t>{0}},
                    {"ends", std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()}}}),
            "accepted"); // to the end
}

TEST(Formals, PlacesAreCountedFromZero) {
  const auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", Shape{2}, "x");
  const auto y = builder->aiOnnxOpset11().relu({x});
  for (std::int64_t n : {std::int64_t(-1), std::numeric_limits<std::int64_t>::min(), two62}) {
    EXPECT_THROW(builder->pipelineStage(y, n), error);
    EXPECT_THROW(builder->virtualGraph(y, n), error);
    EXPECT_THROW(builder->executionPhase(y, n), error);
    builder->setAttribute(sPipelineStageAttribute, n);
    EXPECT_THROW(builder->aiOnnxOpset11().relu({x}), error);
    builder->clearAttribute(sPipelineStageAttribute);
  }
  builder->pipelineStage(y, 0);
  EXPECT_EQ(builder->getInt64NodeAttribute(sPipelineStageAttribute, {y}), 0);
}
