// SPDX-License-Identifier: MIT
// Operators that only the host computes, and kernels that do what they must not.
#include <algorithm>
#include <numeric>
#include <paddle/extension.h>

namespace {

using Shape = std::vector<std::int64_t>;
using Tensors = std::vector<paddle::Tensor>;
using Types = std::vector<paddle::DataType>;

// x * y + shift, of every type of numbers.
Tensors product(const paddle::Tensor &x, const paddle::Tensor &y, float shift) {
  auto out = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_AND_INTEGRAL_TYPES(
      x.dtype(), "product", ([&] {
        std::transform(x.data<data_t>(), x.data<data_t>() + x.numel(), y.data<data_t>(),
                       out.data<data_t>(),
                       [&](data_t a, data_t b) { return data_t(a * b + data_t(shift)); });
      }));
  return {out};
}
Tensors productGradient(const paddle::Tensor &x, const paddle::Tensor &y,
                        const paddle::Tensor &grad, float) {
  return {product(y, grad, 0)[0], product(x, grad, 0)[0]};
}
std::vector<Shape> first(Shape x, Shape, float) { return {x}; }
Types firstType(paddle::DataType x, paddle::DataType) { return {x}; }

// The sum and the number of elements of all inputs.
Tensors counted(const paddle::Tensor &x, const Tensors &others, const std::string &what) {
  paddle::Tensor sum({1}, paddle::DataType::FLOAT32), count({1}, paddle::DataType::INT64);
  sum.data<float>()[0] = what == "negative" ? -1.F : 0.F;
  count.data<std::int64_t>()[0] = 0;
  auto all = others;
  all.push_back(x);
  for (const auto &one : all) {
    sum.data<float>()[0] =
        std::accumulate(one.data<float>(), one.data<float>() + one.numel(), sum.data<float>()[0]);
    count.data<std::int64_t>()[0] += one.numel();
  }
  return {sum, count};
}
std::vector<Shape> countedShapes(Shape, std::vector<Shape>, std::string) { return {{1}, {1}}; }
Types countedTypes(paddle::DataType x, Types) { return {x, paddle::DataType::INT64}; }

// 2 x and 3 x; the gradient knows of both.
Tensors twice(const paddle::Tensor &x) {
  auto a = paddle::empty_like(x), b = paddle::empty_like(x);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    a.data<float>()[i] = 2 * x.data<float>()[i];
    b.data<float>()[i] = 3 * x.data<float>()[i];
  }
  return {a, b};
}
Tensors twiceGradient(const paddle::Tensor &a, const paddle::Tensor &b) {
  auto x = paddle::empty_like(a);
  for (std::int64_t i = 0; i < x.numel(); ++i)
    x.data<float>()[i] = 2 * a.data<float>()[i] + 3 * b.data<float>()[i];
  return {x};
}
std::vector<Shape> both(Shape x) { return {x, x}; }
Types bothTypes(paddle::DataType x) { return {x, x}; }

Tensors none(const paddle::Tensor &) { return {}; }
Tensors flat(const paddle::Tensor &x) { return {paddle::Tensor({x.numel()}, x.dtype())}; }
Tensors empty(const paddle::Tensor &) { return {paddle::Tensor()}; }
Tensors large(const paddle::Tensor &x) {
  auto out = paddle::empty_like(x);
  std::fill_n(out.data<std::int64_t>(), out.numel(), std::int64_t(1) << 40);
  return {out};
}
Tensors refuses(const paddle::Tensor &x) {
  PD_CHECK(x.data<float>()[0] >= 0, "It is for numbers from 0, not ", x.data<float>()[0], ".");
  return {x};
}
Tensors throws(const paddle::Tensor &) { throw 3; }
void inPlace(const paddle::Tensor &) {}

} // namespace

PD_BUILD_OP(host_product)
    .Inputs({"X", "Y"})
    .Outputs({"Out"})
    .Attrs({"shift: float"})
    .SetKernelFn(PD_KERNEL(product))
    .SetInferShapeFn(PD_INFER_SHAPE(first))
    .SetInferDtypeFn(PD_INFER_DTYPE(firstType));
PD_BUILD_GRAD_OP(host_product)
    .Inputs({"X", "Y", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X"), paddle::Grad("Y")})
    .Attrs({"shift: float"})
    .SetKernelFn(PD_KERNEL(productGradient));

PD_BUILD_OP(host_counted)
    .Inputs({"X", paddle::Vec("Others")})
    .Outputs({"Sum", "Count"})
    .Attrs({"what: std::string"})
    .SetKernelFn(PD_KERNEL(counted))
    .SetInferShapeFn(PD_INFER_SHAPE(countedShapes))
    .SetInferDtypeFn(PD_INFER_DTYPE(countedTypes));

PD_BUILD_OP(host_twice)
    .Inputs({"X"})
    .Outputs({"A", "B"})
    .SetKernelFn(PD_KERNEL(twice))
    .SetInferShapeFn(PD_INFER_SHAPE(both))
    .SetInferDtypeFn(PD_INFER_DTYPE(bothTypes));
PD_BUILD_GRAD_OP(host_twice)
    .Inputs({paddle::Grad("A"), paddle::Grad("B")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(twiceGradient));

#define SAME(name, kernel) PD_BUILD_OP(name).Inputs({"X"}).Outputs({"Out"}) kernel;
SAME(host_without, )
SAME(host_none, .SetKernelFn(PD_KERNEL(none)))
SAME(host_flat, .SetKernelFn(PD_KERNEL(flat)))
SAME(host_empty, .SetKernelFn(PD_KERNEL(empty)))
SAME(host_large, .SetKernelFn(PD_KERNEL(large)))
SAME(host_refuses, .SetKernelFn(PD_KERNEL(refuses)))
SAME(host_throws, .SetKernelFn(PD_KERNEL(throws)))
SAME(host_in_place, .SetKernelFn(PD_KERNEL(inPlace)))
