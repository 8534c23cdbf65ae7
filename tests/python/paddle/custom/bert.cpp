// SPDX-License-Identifier: MIT
// Operators of a BERT: names that the front end knows, and one that PopART has by another name.
#include <paddle/extension.h>

namespace {

using Shape = std::vector<std::int64_t>;
using Types = std::vector<paddle::DataType>;

std::vector<paddle::Tensor> nothing() { return {}; }
std::vector<Shape> same(Shape x) { return {x}; }
Types sameType(paddle::DataType x) { return {x}; }
std::vector<Shape> lossShape(Shape, Shape, int, std::string, bool) { return {{1}}; }
Types lossType(paddle::DataType x, paddle::DataType) { return {x}; }

} // namespace

#define ELEMENTWISE(name)                                                                          \
  PD_BUILD_OP(name)                                                                                \
      .Inputs({"X"})                                                                               \
      .Outputs({"Out"})                                                                            \
      .SetKernelFn(PD_KERNEL(nothing))                                                             \
      .SetInferShapeFn(PD_INFER_SHAPE(same))                                                       \
      .SetInferDtypeFn(PD_INFER_DTYPE(sameType));                                                  \
  PD_BUILD_GRAD_OP(name)                                                                           \
      .Inputs({paddle::Grad("Out")})                                                               \
      .Outputs({paddle::Grad("X")})                                                                \
      .SetKernelFn(PD_KERNEL(nothing));

ELEMENTWISE(checkpointoutput)
ELEMENTWISE(custom_gelu)

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
