// SPDX-License-Identifier: MIT
// Graphs as patterns see and change them.
#include <gtest/gtest.h>
#include <popart/error.hpp>
#include <popart/ir.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/add.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/transpose.hpp>
#include <popart/operators.hpp>
#include <popart/tensornames.hpp>
#include <sstream>

using namespace popart;
using view::Region;
namespace Operators = popart::Onnx::Operators;

TEST(Regions, MeetTurnAndCount) {
  const auto full = Region::getFull({4, 3});
  const Region part({1, 0}, {3, 2});
  EXPECT_EQ(full.nelms(), 12);
  EXPECT_EQ(full.intersect(part), part);
  EXPECT_TRUE(full.contains(part) && !part.contains(full));
  EXPECT_TRUE(part.intersect(Region({3, 0}, {4, 3})).isEmpty());
  EXPECT_EQ(part.transpose({1, 0}), Region({0, 1}, {2, 3}));
  EXPECT_EQ(part.reverse({4, 3}, {1}), Region({1, 1}, {3, 3}));
  EXPECT_TRUE(part.contains({2, 1}) && !part.contains({3, 1}));
  EXPECT_FALSE(Region::getFull({}).isEmpty()); // a scalar has an element
  EXPECT_TRUE(Region::getEmpty(0).isEmpty());
  EXPECT_THROW(Region({1}, {0}), error);
  std::ostringstream text;
  text << part;
  EXPECT_EQ(text.str(), "[1,0]-[3,2]");
}

TEST(PatternGraphs, KnowWhoMakesAndReadsATensor) {
  Ir ir;
  Graph graph(ir, "test");
  graph.getTensors().addStream("a", {DataType::FLOAT, {2, 3}});
  graph.getTensors().addStream("b", {DataType::FLOAT, {3}});
  auto *first = graph.createConnectedOp<AddOp>({{0, "a"}, {1, "b"}}, {{0, "sum"}}, Operators::Add_7,
                                               Op::Settings(graph, "first"));
  auto *second = graph.createConnectedOp<AddOp>({{0, "sum"}, {1, "sum"}}, {{0, "twice"}},
                                                Operators::Add_7, Op::Settings(graph, "second"));
  Tensor *sum = graph.getTensor("sum");
  EXPECT_EQ(sum->info, TensorInfo(DataType::FLOAT, {2, 3})); // as Add infers
  EXPECT_EQ(sum->getProducer(), first);
  EXPECT_EQ(sum->consumers.getTotal(), 2);
  EXPECT_EQ(sum->consumers.getOps(), std::vector<Op *>{second});
  EXPECT_EQ(graph.getOpSchedule(), (std::vector<Op *>{first, second}));
  EXPECT_THROW(second->connectOutTensor(0, "sum"), error); // made by another
  graph.topoCons->insert(second, first);
  EXPECT_THROW(graph.getOpSchedule(), error); // each before the other
  graph.topoCons->remove(second);
  graph.eraseOp(second->id);
  EXPECT_EQ(sum->consumers.getTotal(), 0);
  EXPECT_FALSE(graph.getTensor("twice")->hasProducer());
  EXPECT_THROW(graph.getTensor("thrice"), error);
}

TEST(PatternGraphs, OperatorsOfPopartInferTheirOwnShapes) {
  Ir ir;
  Graph graph(ir, "test");
  graph.getTensors().addStream("table", {DataType::FLOAT16, {10, 4}});
  graph.getTensors().addStream("rows", {DataType::INT32, {7}});
  auto *gather = graph.createConnectedOp<GatherOp>({{0, "table"}, {1, "rows"}}, {{0, "y"}},
                                                   Operators::Gather_1, 0, Op::Settings(graph, ""));
  EXPECT_EQ(gather->outInfo(0), TensorInfo(DataType::FLOAT16, {7, 4}));
  EXPECT_TRUE(static_cast<Op *>(gather)->isConvertibleTo<GatherOp>());
  EXPECT_FALSE(static_cast<Op *>(gather)->isConvertibleTo<AddOp>());
  graph.getTensors().addStream("x", {DataType::FLOAT, {2, 6, 3}});
  graph.getTensors().addStream("each", {DataType::FLOAT, {6}});
  auto *norm = graph.createConnectedOp<GroupNormOp>(
      {{0, "x"}, {1, "each"}, {2, "each"}}, {{0, "n"}, {1, "mean"}, {2, "deviation"}},
      popart::Onnx::AiGraphcore::OpSet1::GroupNormalization, 3, 1e-5f, Op::Settings(graph, ""));
  EXPECT_EQ(norm->outInfo(GroupNormOp::getMeanOutIndex()), TensorInfo(DataType::FLOAT, {6}));
  const auto copy = gather->clone();
  EXPECT_FALSE(copy->hasInput(0)); // described alike, connected to nothing
  EXPECT_EQ(getNonGradId(getGradId("w")), "w");
}

TEST(PatternGraphs, OperatorsSayWhatTheyWereMadeOf) {
  Ir ir;
  Graph graph(ir, "test");
  graph.getTensors().addStream("x", {DataType::FLOAT, {2, 6, 3}});
  const Op::Settings s(graph, "");
  const auto infoOf = [&](Op *op) { return op->outInfo(0); };
  auto *reshape = graph.createConnectedOp<ReshapeOp>({{0, "x"}}, {{0, "r"}}, Operators::Reshape_5,
                                                     Shape{0, -1}, s);
  auto *slice = graph.createConnectedOp<SliceOp>({{0, "x"}}, {{0, "s"}}, Operators::Slice_1,
                                                 Shape{1, 0}, Shape{4, 2}, Shape{1, 2}, s);
  auto *turned = graph.createConnectedOp<TransposeOp>({{0, "x"}}, {{0, "t"}},
                                                      Operators::Transpose_1, Shape{2, 0, 1}, s);
  auto *softmax =
      graph.createConnectedOp<SoftmaxOp>({{0, "x"}}, {{0, "p"}}, Operators::Softmax_1, 2, s);
  EXPECT_EQ(infoOf(reshape), TensorInfo(DataType::FLOAT, {2, 18}));
  EXPECT_EQ(infoOf(slice), TensorInfo(DataType::FLOAT, {2, 3, 2}));
  EXPECT_EQ(infoOf(turned), TensorInfo(DataType::FLOAT, {3, 2, 6}));
  EXPECT_EQ(infoOf(softmax), TensorInfo(DataType::FLOAT, {2, 6, 3}));
  EXPECT_EQ(softmax->getAxis(), 2);
  EXPECT_EQ(slice->getEnds(), (Shape{4, 2}));
  EXPECT_EQ(turned->getPerm(), (Shape{2, 0, 1}));
  const auto addVariable = [&] {
    graph.getTensors().addVarInit("w", {DataType::FLOAT, {}}, nullptr);
  };
  EXPECT_THROW(addVariable(), error);
  EXPECT_THROW(AccumulateOp(AccumulationType::MovingAverage, OptimizerValue(0.9f), s), error);
}
