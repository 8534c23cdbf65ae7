// SPDX-License-Identifier: MIT
// What programs know of the operator Polynomial, and of others that only have a description.
#include "degree.h"
#include <paddle/extension.h>

namespace {

using Shape = std::vector<std::int64_t>;

std::vector<paddle::Tensor> forward(const paddle::Tensor &x, const std::vector<float> &c) {
  auto y = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "polynomial", ([&] {
                               for (std::int64_t i = 0; i < x.numel(); ++i)
                                 y.data<data_t>()[i] = x.data<data_t>()[i] * data_t(c[0]);
                             }));
  return {y};
}
std::vector<paddle::Tensor> backward(const paddle::Tensor &x, const paddle::Tensor &) {
  return {x};
}
std::vector<paddle::Tensor> nothing() { return {}; }

std::vector<Shape> sameShape(const Shape &x, const std::vector<float> &coefficients) {
  PD_CHECK(coefficients.size() <= LARGEST_DEGREE + 1, "It is for ", LARGEST_DEGREE, " at most.");
  return {x};
}
std::vector<paddle::DataType> sameType(paddle::DataType x) { return {x}; }

// Two outputs of several inputs, with attributes of every type.
std::vector<Shape> joinedShapes(Shape x, const std::vector<Shape> &others, bool flag, int axis,
                                float, std::int64_t, const std::string &text,
                                std::vector<int> shape, const std::vector<float> &,
                                const std::vector<std::int64_t> &longs,
                                const std::vector<std::string> &texts) {
  auto joined = x;
  for (const auto &other : others)
    joined[std::size_t(axis)] += other[std::size_t(axis)];
  Shape second(shape.begin(), shape.end());
  second.push_back(longs.back());
  second.push_back(std::int64_t(text.size() + texts.size()) + flag);
  return {joined, second};
}
std::vector<paddle::DataType> joinedTypes(paddle::DataType x, std::vector<paddle::DataType> many) {
  return {x, many.back()};
}

} // namespace

PD_BUILD_OP(custom_polynomial)
    .Inputs({"X"})
    .Outputs({"Out"})
    .Attrs({"coefficients: std::vector<float>"})
    .SetKernelFn(PD_KERNEL(forward))
    .SetInferShapeFn(PD_INFER_SHAPE(sameShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(sameType));
PD_BUILD_GRAD_OP(custom_polynomial)
    .Inputs({"X", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(backward));

PD_BUILD_OP(custom_joined)
    .Inputs({"X", paddle::Vec("Others")})
    .Outputs({"Joined", "Second"})
    .Attrs({"flag: bool", "axis: int", "factor: float", "long: int64_t", "text: std::string",
            "shape: std::vector<int>", "factors: std::vector<float>", "longs: std::vector<int64_t>",
            "texts: std::vector<std::string>"})
    .SetKernelFn(PD_KERNEL(nothing))
    .SetInferShapeFn(PD_INFER_SHAPE(joinedShapes))
    .SetInferDtypeFn(PD_INFER_DTYPE(joinedTypes));

PD_BUILD_OP(custom_same).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(nothing));

// Known to the front end by this name; here with names of its own for the inputs.
std::vector<Shape> lossShape(Shape, Shape, int, std::string, bool) { return {{1}}; }
std::vector<paddle::DataType> lossType(paddle::DataType x, paddle::DataType) { return {x}; }
PD_BUILD_OP(custom_nll_loss)
    .Inputs({"X", "Y"})
    .Outputs({"Out"})
    .Attrs({"reduction: int", "ignoreIndex: std::string", "inputIsLogProbability: bool"})
    .SetKernelFn(PD_KERNEL(nothing))
    .SetInferShapeFn(PD_INFER_SHAPE(lossShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(lossType));
PD_BUILD_GRAD_OP(custom_nll_loss)
    .Inputs({"X", "Y", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(nothing));
