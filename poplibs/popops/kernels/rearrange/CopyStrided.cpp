// SPDX-License-Identifier: MIT
#include "rearrange/CopyStrided.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <base/Threads.hpp>
#include <cstring>
#include <vector>

namespace popops::strided {

namespace {

using openipu::KernelOperand;

constexpr std::size_t side = 32; // of a block: its lines of both tensors stay in the first cache

struct Dim {
  std::size_t size;
  std::int64_t in, out;
};

std::vector<Dim> dimsByOutput(const KernelOperand &in, const KernelOperand &out) {
  std::vector<Dim> dims;
  for (std::size_t d = 0; d < in.shape.size(); ++d)
    if (in.shape[d] != 1)
      dims.push_back({in.shape[d], in.strides[d], out.strides[d]});
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim &a, const Dim &b) { return std::abs(a.out) > std::abs(b.out); });
  std::vector<Dim> merged;
  for (const auto &dim : dims) {
    auto size = std::int64_t(dim.size);
    bool joins =
        !merged.empty() && merged.back().in == dim.in * size && merged.back().out == dim.out * size;
    if (!joins)
      merged.push_back(dim);
    else
      merged.back() = {merged.back().size * dim.size, dim.in, dim.out};
  }
  while (merged.size() < 2)
    merged.insert(merged.begin(), Dim{1, 0, 0});
  return merged;
}

// The dimension along which the input's memory runs becomes the last but one.
void bringInputNear(std::vector<Dim> &dims) {
  auto best = dims.end() - 2;
  for (auto dim = dims.begin(); dim != dims.end() - 1; ++dim)
    if (dim->size > 1 && dim->in != 0 && (best->in == 0 || std::abs(dim->in) < std::abs(best->in)))
      best = dim;
  std::rotate(best, best + 1, dims.end() - 1);
}

template <class T> void copyMatrix(const T *in, T *out, const Dim &rows, const Dim &columns) {
  if (columns.in == 1 && columns.out == 1) {
    for (std::size_t r = 0; r < rows.size; ++r)
      std::memcpy(out + std::int64_t(r) * rows.out, in + std::int64_t(r) * rows.in,
                  columns.size * sizeof(T));
    return;
  }
  for (std::size_t r0 = 0; r0 < rows.size; r0 += side)
    for (std::size_t c0 = 0; c0 < columns.size; c0 += side)
      for (std::size_t r = r0; r < std::min(r0 + side, rows.size); ++r)
        for (std::size_t c = c0; c < std::min(c0 + side, columns.size); ++c)
          out[std::int64_t(r) * rows.out + std::int64_t(c) * columns.out] =
              in[std::int64_t(r) * rows.in + std::int64_t(c) * columns.in];
}

template <class T> void copyAs(const KernelOperand &in, const KernelOperand &out) {
  auto dims = dimsByOutput(in, out);
  bringInputNear(dims);
  Dim columns = dims.back(), rows = dims[dims.size() - 2];
  dims.resize(dims.size() - 2);
  std::size_t outer = 1, bands = base::ceilDiv(rows.size, side);
  for (const auto &dim : dims)
    outer *= dim.size;
  base::parallelFor(outer * bands, 1 + 32768 / (side * columns.size + 1),
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (std::size_t task = begin; task < end; ++task) {
                        std::size_t index = task / bands, row = task % bands * side;
                        std::int64_t from = std::int64_t(row) * rows.in;
                        std::int64_t to = std::int64_t(row) * rows.out;
                        for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
                          from += std::int64_t(index % dim->size) * dim->in;
                          to += std::int64_t(index % dim->size) * dim->out;
                          index /= dim->size;
                        }
                        Dim band{std::min(side, rows.size - row), rows.in, rows.out};
                        copyMatrix(in.as<const T>() + from, out.as<T>() + to, band, columns);
                      }
                    });
}

} // namespace

void copy(const KernelOperand &in, const KernelOperand &out) {
  if (in.elements == 0)
    return;
  switch (poplar::sizeOf(in.type)) {
  case 1:
    return copyAs<std::uint8_t>(in, out);
  case 2:
    return copyAs<std::uint16_t>(in, out);
  case 4:
    return copyAs<std::uint32_t>(in, out);
  default:
    return copyAs<std::uint64_t>(in, out);
  }
}

} // namespace popops::strided
