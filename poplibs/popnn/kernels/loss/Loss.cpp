// SPDX-License-Identifier: MIT
// One pass.
#include "popnn/kernels/Loss.hpp"
#include "poplin/Rows.hpp"
#include "popops/EncodingConstants.hpp"
#include <cmath>

namespace popnn {
namespace {

namespace rows = poplin::rows;
using kernels::LossKind;
using openipu::KernelArgs;

std::size_t largest(const float *x, std::size_t n) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (x[i] > x[best])
      best = i;
  return best;
}

class LossKernel {
public:
  explicit LossKernel(const KernelArgs &args) {
    const auto attributes = kernels::LossOf::read(args.attributes);
    kind_ = attributes.kind;
    hasLoss_ = attributes.hasLoss;
    hasScales_ = attributes.hasScales;
    counts_ = attributes.counts;
    right_.resize(args.inputs[0].shape[0]);
  }

  void run(const KernelArgs &args) {
    rows::Data y(args.inputs[0]);
    if (hasScales_) {
      deltasScale_ = rows::table(args.inputs[2], 8)[0];
      scaling_ = rows::table(args.inputs[3], 9)[0];
    }
    eps_ = y.half ? EPS_LOG_N_HALF : EPS_LOG_N_FLOAT;
    auto classes = args.inputs[0].shape[1];
    auto body = [&](std::size_t begin, std::size_t end, unsigned) {
      for (auto b = begin; b < end; ++b)
        row(args, y, b, classes);
    };
    base::parallelFor(right_.size(), std::max<std::size_t>(1, 4096 / (classes + 1)),
                      std::ref(body));
    if (counts_)
      *args.out<std::uint32_t>(args.outputs.size() - 1) +=
          std::uint32_t(std::count(right_.begin(), right_.end(), 1));
  }

private:
  void row(const KernelArgs &args, const rows::Data &y, std::size_t b, std::size_t n) {
    const auto &outputs = args.inputs[0], &expected = args.inputs[1];
    const float *in = rows::read(y, std::int64_t(b) * outputs.strides[0], outputs.strides[1], n, 0);
    auto label = expected.as<std::uint32_t>()[std::int64_t(b) * expected.strides[0]];
    if (counts_)
      right_[b] = n > 0 && label != MASKED_LABEL_CODE && largest(in, n) == label;
    if (!hasLoss_)
      return;
    const auto &deltas = args.outputs[1], &losses = args.outputs[0];
    rows::Data d(deltas);
    auto at = std::int64_t(b) * deltas.strides[0];
    float *out = rows::target(d, at, deltas.strides[1], n, 1);
    float loss = 0;
    if (label == MASKED_LABEL_CODE)
      std::fill(out, out + n, 0.0f);
    else
      loss = transform(in, out, n, label);
    rows::write(d, at, deltas.strides[1], n, out);
    rows::Data(losses).store(std::int64_t(b) * losses.strides[0], 1, 1, &loss);
  }

  float transform(const float *in, float *out, std::size_t n, std::uint32_t label) const {
    float scale = deltasScale_ / scaling_, p = 0;
    double squares = 0;
    if (label < n)
      p = in[label] / scaling_;
    if (kind_ == LossKind::SumSquared)
      for (std::size_t i = 0; i < n; ++i) {
        double delta = double(in[i]) / double(scaling_) - (i == label ? 1.0 : 0.0);
        squares += delta * delta;
      }
    float own = label < n ? (in[label] - scaling_) * scale : 0;
    for (std::size_t i = 0; i < n; ++i)
      out[i] = in[i] * scale;
    if (label < n)
      out[label] = own;
    if (kind_ == LossKind::SumSquared)
      return float(0.5 * squares);
    return label < n ? -std::log(p + eps_) : 0.0f;
  }

  LossKind kind_;
  bool hasLoss_, hasScales_, counts_;
  float deltasScale_ = 1, scaling_ = 1, eps_ = 0;
  std::vector<std::uint8_t> right_;
};

const openipu::Registered registered{openipu::stateful<LossKernel>(kernels::loss)};

} // namespace
} // namespace popnn
