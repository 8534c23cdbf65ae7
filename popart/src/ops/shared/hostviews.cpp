// SPDX-License-Identifier: MIT
#include "ops/shared/hostviews.hpp"

namespace popart::ops {

Integers rowMajorStrides(const Shape &shape) {
  Integers out(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;)
    out[i - 1] = out[i] * shape[i];
  return out;
}

Integers viewOffsets(const Shape &shape, std::int64_t start, const Integers &strides) {
  const std::int64_t n = ir::elementsOf(shape);
  Integers out, index(shape.size(), 0);
  out.reserve(static_cast<std::size_t>(n));
  std::int64_t at = start;
  for (std::int64_t k = 0; k < n; ++k) {
    out.push_back(at);
    for (std::size_t d = shape.size(); d-- > 0;) {
      at += strides[d];
      if (++index[d] < shape[d])
        break;
      at -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return out;
}

HostTensor picked(const HostTensor &x, const Shape &shape, const Integers &offsets,
                  const HostTensor &fill) {
  const std::size_t size = bytesOf(x.type());
  std::vector<char> bytes(offsets.size() * size, 0);
  const char *from = static_cast<const char *>(x.data());
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] >= 0)
      std::memcpy(&bytes[i * size], from + static_cast<std::size_t>(offsets[i]) * size, size);
    else if (fill)
      std::memcpy(&bytes[i * size], fill.data(), size);
  return HostTensor({x.type(), shape}, std::move(bytes));
}

HostTensor joined(const std::vector<HostTensor> &parts, std::int64_t axis) {
  const auto d = static_cast<std::size_t>(axis);
  Shape shape = parts.front().shape();
  std::int64_t outer = 1;
  for (std::size_t i = 0; i < d; ++i)
    outer *= shape[i];
  shape[d] = 0;
  for (const auto &part : parts)
    shape[d] += part.shape()[d];
  std::vector<char> bytes;
  bytes.reserve(static_cast<std::size_t>(TensorInfo(parts.front().type(), shape).nbytes()));
  for (std::int64_t o = 0; o < outer; ++o)
    for (const auto &part : parts) {
      const std::size_t run = part.bytes() / static_cast<std::size_t>(outer);
      const char *from = static_cast<const char *>(part.data()) + static_cast<std::size_t>(o) * run;
      bytes.insert(bytes.end(), from, from + run);
    }
  return HostTensor({parts.front().type(), shape}, std::move(bytes));
}

HostTensor replaced(const HostTensor &x, const HostTensor &with, const Integers &offsets) {
  const std::size_t size = bytesOf(x.type());
  std::vector<char> bytes(x.bytes());
  if (!bytes.empty())
    std::memcpy(bytes.data(), x.data(), bytes.size());
  for (std::size_t i = 0; i < offsets.size(); ++i)
    std::memcpy(&bytes[static_cast<std::size_t>(offsets[i]) * size],
                static_cast<const char *>(with.data()) + i * size, size);
  return HostTensor(x.info(), std::move(bytes));
}

bool smallEnoughToFold(const Shape &shape) { return ir::elementsOf(shape) <= 1 << 20; }

Integers constantIndices(const OpView &op, std::size_t input, std::int64_t size) {
  Integers out = op.in(input).data().integers();
  for (auto &i : out) {
    if (i < -size || i >= size)
      op.fail("index ", i, " of \"", op.in(input).name(), "\" is outside [", -size, ", ", size - 1,
              "], the range of a dimension of ", size, ".");
    i += i < 0 ? size : 0;
  }
  return out;
}

Integers constantVectors(const OpView &op) {
  const Shape &x = op.in(0).shape();
  const auto entries = static_cast<std::size_t>(op.in(1).dim(-1));
  const Integers strides = rowMajorStrides(x), at = op.in(1).data().integers();
  Integers out;
  for (std::size_t i = 0; i < at.size(); i += entries) {
    std::int64_t start = 0;
    for (std::size_t d = 0; d < entries; ++d) {
      const std::int64_t index = at[i + d];
      if (index < -x[d] || index >= x[d])
        op.fail("index ", index, " is outside dimension ", d, " of ", ir::text(x), ".");
      start += (index < 0 ? index + x[d] : index) * strides[d];
    }
    for (std::int64_t k = 0; k < strides[entries - 1]; ++k)
      out.push_back(start + k);
  }
  return out;
}

} // namespace popart::ops
