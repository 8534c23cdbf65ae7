// SPDX-License-Identifier: MIT
#include "conv/Geometry.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace poplin::conv {
namespace {

[[noreturn]] void damaged(const std::string &what) {
  throw std::runtime_error("A convolution in the executable is damaged (" + what +
                           "). Compile it again.");
}

std::uint64_t product(const std::vector<Dim> &dims, std::int64_t Dim::*size) {
  std::uint64_t n = 1;
  for (const auto &d : dims)
    n *= std::uint64_t(d.*size);
  return n;
}

// All combinations of the dimensions' tables, the last dimension fastest.
Table combined(const std::vector<Dim> &dims, const std::int64_t *strides) {
  Table all{1, 1, {0}};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const auto &dim = dims[d];
    Table next;
    next.outputs = all.outputs * dim.output;
    next.kernels = all.kernels * dim.kernel;
    next.offsets.resize(next.outputs * next.kernels);
    std::size_t at = 0;
    for (std::size_t outer = 0; outer < all.outputs; ++outer)
      for (std::int64_t o = 0; o < dim.output; ++o)
        for (std::size_t k1 = 0; k1 < all.kernels; ++k1)
          for (std::int64_t k2 = 0; k2 < dim.kernel; ++k2) {
            auto index = dim.inputIndex(o, k2);
            auto base = all.at(outer, k1);
            next.offsets[at++] =
                index < 0 || base == Table::none ? Table::none : base + index * strides[d];
          }
    all = std::move(next);
  }
  return all;
}

std::vector<std::int64_t> positions(const std::vector<Dim> &dims, const std::int64_t *strides) {
  std::vector<std::int64_t> all{0};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    std::vector<std::int64_t> next;
    for (auto base : all)
      for (std::int64_t o = 0; o < dims[d].output; ++o)
        next.push_back(base + o * strides[d]);
    all = std::move(next);
  }
  return all;
}

} // namespace

std::vector<std::uint64_t> inputShape(const Geometry &g) {
  std::vector<std::uint64_t> shape{g.batch, g.groups * g.in};
  for (const auto &d : g.dims)
    shape.push_back(d.input);
  return shape;
}
std::vector<std::uint64_t> weightShape(const Geometry &g) {
  std::vector<std::uint64_t> shape{g.groups, g.out, g.in};
  for (const auto &d : g.dims)
    shape.push_back(d.kernel);
  return shape;
}
std::vector<std::uint64_t> outputShape(const Geometry &g) {
  std::vector<std::uint64_t> shape{g.batch, g.groups * g.out};
  for (const auto &d : g.dims)
    shape.push_back(d.output);
  return shape;
}

void checkOperand(const openipu::KernelOperand &operand, const std::vector<std::uint64_t> &shape) {
  if (operand.type != poplar::TypeId::Float && operand.type != poplar::TypeId::Half)
    damaged("an operand is neither float nor half");
  if (!std::equal(shape.begin(), shape.end(), operand.shape.begin(), operand.shape.end()))
    damaged(base::str("an operand has shape ", base::list(operand.shape), " instead of ",
                      base::list(shape)));
}

Tables tables(const Geometry &g, const std::vector<std::int64_t> &strides) {
  std::vector<Dim> leading(g.dims.begin(), g.dims.end() - 1);
  return {combined(leading, strides.data()), combined({g.dims.back()}, &strides.back())};
}

void outputOffsets(const Geometry &g, const std::vector<std::int64_t> &strides,
                   std::vector<std::int64_t> &rows, std::vector<std::int64_t> &last) {
  std::vector<Dim> leading(g.dims.begin(), g.dims.end() - 1);
  rows = positions(leading, strides.data());
  last = positions({g.dims.back()}, &strides.back());
}

std::vector<std::uint32_t> order(const Table &table, bool dilated) {
  std::vector<std::uint32_t> order(table.outputs);
  std::iota(order.begin(), order.end(), 0u);
  if (dilated)
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      for (std::size_t k = 0; k < table.kernels; ++k) {
        bool inA = table.at(a, k) >= 0, inB = table.at(b, k) >= 0;
        if (inA != inB)
          return inA;
      }
      return false;
    });
  return order;
}

} // namespace poplin::conv

namespace poplin::kernels {

using conv::damaged;
using conv::product;

std::int64_t Dim::inputIndex(std::int64_t o, std::int64_t k) const {
  auto kept = o - outputPadding, element = k - weights.truncationLower;
  if (kept < 0 || kept >= this->kept || element < 0 || element >= weights.truncated)
    return -1;
  auto tap = element * weights.dilation + weights.paddingLower;
  if (weights.flip)
    tap = weights.transformed - 1 - tap;
  auto at = kept * stride + outputTruncation + tap;
  if (in.flip)
    at = in.transformed - 1 - at;
  at -= in.paddingLower;
  if (at < 0 || at % in.dilation || at / in.dilation >= in.truncated)
    return -1;
  return at / in.dilation + in.truncationLower;
}

void Geometry::put(openipu::AttributeWriter &writer) const {
  writer.put(batch).put(groups).put(in).put(out).put(dims);
}

Geometry::Geometry(openipu::AttributeReader &reader) {
  batch = reader.get<std::uint64_t>();
  groups = reader.get<std::uint64_t>();
  in = reader.get<std::uint64_t>();
  out = reader.get<std::uint64_t>();
  dims = reader.getVector<Dim>();
  if (dims.empty())
    damaged("it has no field");
  for (const auto &d : dims)
    if (d.input < 0 || d.kernel < 0 || d.output < 0 || d.in.dilation < 1 ||
        d.weights.dilation < 1 || d.in.truncationLower < 0 ||
        d.in.truncationLower + d.in.truncated > d.input || d.stride < 1)
      damaged("bad sizes");
}

std::uint64_t Geometry::kernelPositions() const { return product(dims, &Dim::kernel); }
std::uint64_t Geometry::outputPositions() const { return product(dims, &Dim::output); }

} // namespace poplin::kernels
