// SPDX-License-Identifier: MIT
#include "popnn/kernels/SoftmaxLoss.hpp"
#include "poplin/Rows.hpp"
#include "softmax/SoftmaxLoops.hpp"

namespace popnn {
namespace {

namespace rows = poplin::rows;
using openipu::KernelArgs;

class SoftmaxLossKernel {
public:
  explicit SoftmaxLossKernel(const KernelArgs &args) {
    const auto attributes = kernels::SoftmaxLossOf::read(args.attributes);
    logarithms_ = attributes.logarithms;
    known_ = attributes.scale;
  }

  void run(const KernelArgs &args) {
    const auto &x = args.inputs[0], &to = args.outputs[0], &labels = args.inputs[1];
    const bool scaled = args.inputs.size() > 2;
    const float *scale = scaled ? rows::table(args.inputs[2], 8) : &known_;
    const std::size_t step = scaled && args.inputs[2].elements > 1 ? 1 : 0, n = x.shape[1];
    rows::Data in(x), out(to);
    auto body = [&](std::size_t begin, std::size_t end, unsigned) {
      for (auto r = begin; r < end; ++r) {
        const auto row = std::int64_t(r), at = row * to.strides[0];
        const float *from = rows::read(in, row * x.strides[0], x.strides[1], n, 0);
        float *dx = rows::target(out, at, to.strides[1], n, 1);
        softmaxLossGradientRow(logarithms_, from, dx, n, scale[r * step],
                               labels.as<const std::uint32_t>()[row * labels.strides[0]]);
        rows::write(out, at, to.strides[1], n, dx);
      }
    };
    base::parallelFor(x.shape[0], std::max<std::size_t>(1, 8192 / (n + 1)), std::ref(body));
  }

private:
  bool logarithms_;
  float known_;
};
const openipu::Registered registered{
    openipu::stateful<SoftmaxLossKernel>(kernels::softmaxLossGradient)};
const openipu::Overwriting inPlace{kernels::softmaxLossGradient, kernels::softmaxLossMayOverwrite};

} // namespace
} // namespace popnn
