// SPDX-License-Identifier: MIT
// poplin::gemm on the operands where they are.
#include "poplin/kernels/MatMul.hpp"
#include "base/Half.hpp"
#include "matmul/OfQuarters.hpp"
#include "openipu/Kernel.hpp"
#include "poplin/Gemm.hpp"

namespace poplin {
namespace {

using kernels::MatMulOf;
using openipu::TypeId;

GemmMatrix matrix(const openipu::KernelOperand &t) {
  return {t.data, t.type, t.strides[1], t.strides[2], t.strides[0]};
}

float scalar(const openipu::KernelOperand &t) {
  return t.type == TypeId::Half ? base::halfToFloat(*t.as<const std::uint16_t>())
                                : *t.as<const float>();
}

class MatMulKernel {
public:
  explicit MatMulKernel(const openipu::KernelArgs &args)
      : attributes_(MatMulOf::read(args.attributes)) {}
  void run(const openipu::KernelArgs &args);

private:
  MatMulOf attributes_;
  KeptMatrix kept_; // of B, while it is steady
  std::uint64_t generation_ = 0;
};

void MatMulKernel::run(const openipu::KernelArgs &args) {
  Gemm g;
  g.a = matrix(args.inputs[0]), g.b = matrix(args.inputs[1]), g.c = matrix(args.outputs[0]);
  auto a = args.inputs[0].shape;
  g.groups = a[0], g.m = a[1], g.k = a[2], g.n = args.inputs[1].shape[2];
  g.alpha = attributes_.scaleIsTensor ? scalar(args.inputs[2]) : attributes_.scale;
  g.beta = attributes_.accumulate ? 1 : 0;
  g.finish.activation = attributes_.activation;
  if (!attributes_.scaleIsTensor)
    for (const auto &extra : args.inputs.subspan(2))
      g.finish.add.push_back(matrix(extra));
  if (args.inputs[1].steady)
    g.kept = &kept_;
  if (generation_ != args.generation)
    kept_.forget();
  generation_ = args.generation;
  gemm(g);
}

bool givesFloats(std::string_view attributes) { return !MatMulOf::read(attributes).nearest; }
const openipu::Registered registered{openipu::stateful<MatMulKernel>(kernels::matMul, givesFloats)};
const openipu::Registered registeredQuarter{
    openipu::stateful<OfQuarters<MatMulKernel>>(kernels::matMulOfQuarters, givesFloats)};
const openipu::Overwriting overwriting{kernels::matMul, kernels::matMulMayOverwrite};

} // namespace
} // namespace poplin
