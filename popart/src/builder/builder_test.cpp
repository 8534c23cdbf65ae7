// SPDX-License-Identifier: MIT
// Forms of the Builder's calls that only C++ has.
#include "sessions.hpp"
#include <onnx/onnx_pb.h>

using namespace popart;
using namespace popart::testing;

TEST(Builders, GiveCustomOperatorsOutputsByName) {
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {2}, "x");
  const OperatorIdentifier relu(Domain::ai_onnx, "Relu", 6, 1, 1);
  builder->customOp(relu, 10, {x}, std::vector<TensorId>{"mine"}, {});
  EXPECT_EQ(builder->getTensorShape("mine"), Shape{2});
  EXPECT_EQ(messageOf([&] { builder->customOp(relu, 10, {x}, std::vector<TensorId>{"x"}, {}); }),
            "Relu: there is a tensor \"x\" already.");
  EXPECT_EQ(builder->aiOnnxOpset6().relu({"mine"}), "Relu:0"); // as if nothing had happened
}

TEST(Builders, TakeConstantsThatSayThatTheyAreDense) {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset11();
  const float values[] = {1, 2};
  const ConstVoidData data(values, TensorInfo(DataType::FLOAT, {2}));
  EXPECT_EQ(builder->getTensorShape(onnx.constant(data, false, "name")), Shape{2});
  EXPECT_EQ(onnx.constant(data, "name"), "Constant:0/1"); // a name is no truth value
  EXPECT_EQ(messageOf([&] { onnx.constant(data, true); }),
            "constant: is_value_sparse is true, but there are no sparse tensors here. Give the "
            "whole array, and false.");
  const auto y = onnx.identity({onnx.constant(data)});
  builder->addNodeAttribute("note", data, {y});
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(builder->getModelProto()));
  EXPECT_EQ(TensorInfo(model.graph().node().rbegin()->attribute(0).t()), data.info);
}

TEST(TensorInfos, AreReadFromOnnx) {
  onnx::TypeProto type;
  EXPECT_EQ(messageOf([&] { TensorInfo info(type); }),
            "TensorInfo: the type is not one of tensors.");
  type.mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT16);
  type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(3);
  EXPECT_EQ(TensorInfo(type), TensorInfo(DataType::FLOAT16, {3}));
  EXPECT_EQ(TensorInfo(type).getDataTypeInfo()->lcasename(), "float16");
  EXPECT_EQ(TensorInfo(type).getDataTypeInfo()->nbytes(), 2);
  type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_param("N");
  EXPECT_EQ(messageOf([&] { TensorInfo info(type); }),
            "TensorInfo: dimension 1 is \"N\", not a number.");
}
