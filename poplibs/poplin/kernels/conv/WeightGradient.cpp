// SPDX-License-Identifier: MIT
// Every kernel position sums products of inputs and output gradients that meet there.
#include "base/Half.hpp"
#include "conv/Channels.hpp"
#include "conv/Depthwise.hpp"
#include "conv/Images.hpp"
#include "matmul/OfQuarters.hpp"
#include "poplin/kernels/Convolution.hpp"
#include <memory>

namespace poplin {
namespace {

struct WeightGradientKernel {
  kernels::WeightGradientOf attributes;
  std::unique_ptr<conv::ImagesWeightGradient> images;
  std::unique_ptr<conv::DepthwiseWeightGradient> depthwise;
  std::unique_ptr<conv::ChannelsWeightGradient> channels;

  explicit WeightGradientKernel(const openipu::KernelArgs &args) {
    attributes = kernels::WeightGradientOf::read(args.attributes);
    const auto &g = attributes.geometry;
    conv::checkOperand(args.inputs[0], conv::outputShape(g));
    conv::checkOperand(args.inputs[1], conv::inputShape(g));
    conv::checkOperand(args.outputs[0], conv::weightShape(g));
    if (conv::ImagesWeightGradient::possible(g, args))
      images = std::make_unique<conv::ImagesWeightGradient>(g, args);
    else if (conv::isDepthwise(g))
      depthwise = std::make_unique<conv::DepthwiseWeightGradient>(g, args);
    else
      channels = std::make_unique<conv::ChannelsWeightGradient>(g, args);
  }
  float scale(const openipu::KernelArgs &args) const {
    if (!attributes.scaleIsTensor)
      return attributes.scale;
    const auto &t = args.inputs[2];
    return t.type == poplar::TypeId::Half ? base::halfToFloat(*t.as<const std::uint16_t>())
                                          : *t.as<const float>();
  }
  void run(const openipu::KernelArgs &args) {
    float alpha = scale(args), beta = attributes.accumulate ? 1 : 0;
    images      ? images->run(args, alpha, beta)
    : depthwise ? depthwise->run(args, alpha, beta)
                : channels->run(args, alpha, beta);
  }
};

bool givesFloats(std::string_view attributes) {
  return !kernels::WeightGradientOf::read(attributes).nearest;
}
const openipu::Registered registered{
    openipu::stateful<WeightGradientKernel>(kernels::weightGradient, givesFloats)};
const openipu::Registered registeredQuarter{openipu::stateful<OfQuarters<WeightGradientKernel>>(
    kernels::weightGradientOfQuarters, givesFloats)};

} // namespace
} // namespace poplin
