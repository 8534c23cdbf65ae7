// SPDX-License-Identifier: MIT
// With a lane per image (or position) if batch is innermost in both, else on channels-last data;
// with a lane per channel where each is a group of its own.
#include "poplin/kernels/Convolution.hpp"
#include "conv/Channels.hpp"
#include "conv/Depthwise.hpp"
#include "conv/Images.hpp"
#include "matmul/OfQuarters.hpp"
#include <memory>

namespace poplin {
namespace {

struct ConvolutionKernel {
  std::unique_ptr<conv::ImagesForward> images;
  std::unique_ptr<conv::DepthwiseForward> depthwise;
  std::unique_ptr<conv::ChannelsForward> channels;

  explicit ConvolutionKernel(const openipu::KernelArgs &args) {
    const auto attributes = kernels::ConvolutionOf::read(args.attributes);
    const auto &g = attributes.geometry;
    const auto activation = attributes.activation;
    conv::checkOperand(args.inputs[0], conv::inputShape(g));
    conv::checkOperand(args.inputs[1], conv::weightShape(g));
    conv::checkOperand(args.outputs[0], conv::outputShape(g));
    for (const auto &extra : args.inputs.subspan(2))
      conv::checkOperand(extra, conv::outputShape(g));
    if (conv::ImagesForward::possible(g, args))
      images = std::make_unique<conv::ImagesForward>(g, args, activation);
    else if (conv::isDepthwise(g))
      depthwise = std::make_unique<conv::DepthwiseForward>(g, args, activation);
    else
      channels = std::make_unique<conv::ChannelsForward>(g, args, activation);
  }
  void run(const openipu::KernelArgs &args) {
    images ? images->run(args) : depthwise ? depthwise->run(args) : channels->run(args);
  }
};

bool givesFloats(std::string_view attributes) {
  return !kernels::ConvolutionOf::read(attributes).nearest;
}
const openipu::Registered registered{
    openipu::stateful<ConvolutionKernel>(kernels::convolution, givesFloats)};
const openipu::Registered registeredQuarter{
    openipu::stateful<OfQuarters<ConvolutionKernel>>(kernels::convolutionOfQuarters, givesFloats)};
const openipu::Overwriting overwriting{kernels::convolution, kernels::convolutionMayOverwrite};

} // namespace
} // namespace poplin
