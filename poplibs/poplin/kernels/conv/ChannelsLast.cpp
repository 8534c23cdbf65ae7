// SPDX-License-Identifier: MIT
#include "base/Arithmetic.hpp"
#include "base/Threads.hpp"
#include "conv/Channels.hpp"
#include <algorithm>

namespace poplin::conv {

namespace {

// The dimensions of the field, dense, channels innermost.
std::vector<std::int64_t> denseStrides(std::span<const std::size_t> shape, std::int64_t channels) {
  std::vector<std::int64_t> strides(shape.size() - 2);
  auto stride = channels;
  for (auto d = strides.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::int64_t(shape[d + 2]);
  }
  return strides;
}

} // namespace

ChannelsLast::ChannelsLast(const openipu::KernelOperand &t, std::size_t groups, std::size_t padTo)
    : groups_(groups), perGroup_(groups ? t.shape[1] / groups : 0),
      padded_(base::roundUp(perGroup_, padTo)) {
  direct_ = t.type == poplar::TypeId::Float && (t.strides[1] == 1 || t.shape[1] <= 1) &&
            padded_ == perGroup_ && *std::min_element(t.strides.begin(), t.strides.end()) >= 0;
  group = std::int64_t(padded_);
  if (direct_) {
    batch = t.strides[0];
    field.assign(t.strides.begin() + 2, t.strides.end());
    return;
  }
  auto channels = std::int64_t(groups_ * padded_);
  field = denseStrides(t.shape, channels);
  batch = field.empty() ? channels : field[0] * std::int64_t(t.shape[2]);
}

const float *ChannelsLast::fetch(const openipu::KernelOperand &t, Slot slot) const {
  if (direct_)
    return t.as<const float>();
  auto channels = groups_ * padded_, rank = t.shape.size();
  auto size = std::size_t(batch) * t.shape[0];
  float *copy = scratch(slot, size + 64);
  // A matrix of channels and of the dimension that is nearest to contiguous, for all others.
  std::size_t inner = rank - 1;
  if (t.strides[0] == 1)
    inner = 0;
  auto strideOf = [&](std::size_t d) { return d == 0 ? batch : field[d - 2]; };
  std::size_t outer = 1;
  for (std::size_t d = 0; d < rank; ++d)
    if (d != 1 && d != inner)
      outer *= t.shape[d];
  auto grain =
      std::max<std::size_t>(1, 16384 / std::max<std::size_t>(1, t.shape[inner] * channels));
  base::parallelFor(outer, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i) {
      std::int64_t from = 0, to = 0;
      auto rest = i;
      for (auto d = rank; d-- > 0;)
        if (d != 1 && d != inner) {
          auto index = std::int64_t(rest % t.shape[d]);
          rest /= t.shape[d];
          from += index * t.strides[d], to += index * strideOf(d);
        }
      for (std::size_t group = 0; group < groups_; ++group) {
        Strided source{t.data, t.type, t.strides[inner], t.strides[1]};
        source.data = Strided{t.data, t.type, 1, t.strides[1]}.at(from, group * perGroup_).data;
        float *target = copy + to + group * padded_;
        pack(source, t.shape[inner], perGroup_, target, std::size_t(strideOf(inner)));
        for (std::size_t r = 0; padded_ != perGroup_ && r < t.shape[inner]; ++r)
          std::fill(target + r * strideOf(inner) + perGroup_,
                    target + r * strideOf(inner) + padded_, 0.f);
      }
    }
  });
  return copy;
}

std::vector<std::int64_t> kernelOffsets(const Geometry &g, const openipu::KernelOperand &weights) {
  std::vector<std::int64_t> all{0};
  for (std::size_t d = 0; d < g.dims.size(); ++d) {
    std::vector<std::int64_t> next;
    for (auto base : all)
      for (std::int64_t k = 0; k < g.dims[d].kernel; ++k)
        next.push_back(base + k * weights.strides[3 + d]);
    all = std::move(next);
  }
  return all;
}

} // namespace poplin::conv
