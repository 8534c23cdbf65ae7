// SPDX-License-Identifier: MIT
#include "ops/nn/convolution.hpp"

#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {

std::vector<unsigned> positive(const Shape &signedPads) {
  std::vector<unsigned> out;
  for (auto p : signedPads)
    out.push_back(p > 0 ? unsigned(p) : 0u);
  return out;
}
std::vector<unsigned> negative(Shape signedPads) {
  for (auto &p : signedPads)
    p = -p;
  return positive(signedPads);
}
std::vector<std::size_t> sizes(const Shape &s) { return {s.begin(), s.end()}; }

std::int64_t groupsOf(const OpView &op, std::int64_t outChannels) {
  const std::int64_t groups = op.integer("group", 1);
  if (groups < 1 || outChannels % groups)
    op.fail("group is ", groups, "; it must divide the ", outChannels,
            " channels of the weights' first dimension.");
  return groups;
}

} // namespace

Shape Convolution::weightShape() const {
  return withField(groups * outPerGroup, inPerGroup, window.kernel);
}

poplin::ConvParams Convolution::params() const {
  const auto dims = window.dims();
  poplin::ConvParams::InputTransform in(dims), kernel(dims);
  in.truncationLower = negative(window.lower);
  in.truncationUpper = negative(window.upper);
  in.paddingLower = positive(window.lower);
  in.paddingUpper = positive(window.upper);
  kernel.dilation.assign(window.dilations.begin(), window.dilations.end());
  poplin::ConvParams::OutputTransform out(dims);
  out.stride.assign(window.strides.begin(), window.strides.end());
  const auto device = lowering::deviceType(type);
  return {device,
          device,
          std::size_t(batch),
          sizes(window.field),
          sizes(window.kernel),
          std::size_t(inPerGroup),
          std::size_t(outPerGroup),
          std::size_t(groups),
          in,
          kernel,
          out};
}

poplar::Tensor Convolution::grouped(const poplar::Tensor &weights) const {
  auto shape = sizes(weightShape());
  shape[0] = std::size_t(outPerGroup);
  shape.insert(shape.begin(), std::size_t(groups));
  return weights.reshape(shape);
}
poplar::Tensor Convolution::flat(const poplar::Tensor &weights) const {
  return weights.reshape(sizes(weightShape()));
}

Attributes Convolution::attributes() const {
  auto out = window.attributes();
  out.set("group", groups);
  return out;
}

void requireConvTypes(const OpView &op) {
  requireSameTypes(op);
  requireFloat(op);
}
void requireBias(const OpView &op, std::int64_t channels) {
  if (op.hasIn(2) && op.in(2).shape() != Shape{channels})
    op.fail("its bias is ", op.in(2).info(), "; it must have one element for each of the ",
            channels, " output channels.");
}

Convolution forwardOf(const OpView &op) {
  requireSpatial(op);
  const Shape x = op.in(0).shape(), w = op.in(1).shape();
  if (w.size() != x.size())
    op.fail("weights ", op.in(1).info(), " do not fit an input ", op.in(0).info(),
            ": they must be [out channels, in channels / group, kernel...].");
  const std::int64_t groups = groupsOf(op, w[0]);
  if (w[1] * groups != x[1])
    op.fail("weights ", op.in(1).info(), " with group ", groups, " take ", w[1] * groups,
            " channels; the input ", op.in(0).info(), " has ", x[1], ".");
  const Shape kernel = fieldOf(w);
  if (const Shape asked = op.integers("kernel_shape", {}); !asked.empty() && asked != kernel)
    op.fail("kernel_shape ", ir::text(asked), " differs from that of the weights ", op.in(1).info(),
            ".");
  return {op.in(0).type(), x[0], groups, w[1], w[0] / groups, windowOf(op, fieldOf(x), kernel)};
}

Convolution forwardOfDataGrad(const OpView &op) {
  const Shape dy = op.in(0).shape(), w = op.in(1).shape();
  const std::int64_t groups = groupsOf(op, w[0]);
  return {op.in(0).type(), dy[0],
          groups,          w[1],
          w[0] / groups,   windowOf(op, op.integers("field"), fieldOf(w))};
}
Convolution forwardOfWeightGrad(const OpView &op) {
  const Shape dy = op.in(0).shape(), x = op.in(1).shape();
  const std::int64_t groups = groupsOf(op, dy[1]);
  return {op.in(0).type(), x[0],           groups,
          x[1] / groups,   dy[1] / groups, windowOf(op, fieldOf(x), op.integers("kernel"))};
}

poplar::OptionFlags convOptions(const lowering::Lowering &l, const OpView &op, const char *pass) {
  auto options = l.convOptions(op);
  if (l.options().training && !ir::isOfForward(op.node()))
    options.set("pass", pass);
  return options;
}

poplar::Tensor emptyOutput(lowering::Lowering &l, const OpView &op) {
  return l.graph().addVariable(lowering::deviceType(op.out(0).type()), op.out(0).info().shape_szt(),
                               poplar::VariableMappingMethod::LINEAR, l.name());
}

} // namespace popart::ops
