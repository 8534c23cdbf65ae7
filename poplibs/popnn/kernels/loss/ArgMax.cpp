// SPDX-License-Identifier: MIT
#include "popnn/kernels/ArgMax.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include <algorithm>
#include <numeric>

namespace popnn {
namespace {

using openipu::KernelArgs;
using openipu::TypeId;

// Halves are compared through integers of the same order: no conversion needed.
struct HalfOrder {
  std::uint16_t bits;
  int key() const { return bits & 0x8000 ? -int(bits & 0x7fff) : int(bits); }
  bool isNan() const { return (bits & 0x7fff) > 0x7c00; }
  friend bool operator>(HalfOrder a, HalfOrder b) {
    return !a.isNan() && !b.isNan() && a.key() > b.key();
  }
  friend bool operator<(HalfOrder a, HalfOrder b) { return b > a; }
};

bool isNan(HalfOrder x) { return x.isNan(); }
template <class T> bool isNan(T x) { return x != x; }

template <class Body> void forType(TypeId type, const Body &body) {
  if (type == TypeId::Float)
    body(float{});
  else if (type == TypeId::Half)
    body(HalfOrder{});
  else if (type == TypeId::Int)
    body(std::int32_t{});
  else
    body(std::uint32_t{});
}

template <bool greatest, class T>
std::size_t best(const T *row, std::int64_t stride, std::size_t n) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    T x = row[std::int64_t(i) * stride], y = row[std::int64_t(at) * stride];
    if (isNan(x))
      return i;
    if (greatest ? x > y : x < y)
      at = i;
  }
  return at;
}

// Outputs: [values], indices.
template <bool greatest> void argBest(const KernelArgs &args) {
  const auto &in = args.inputs[0];
  const auto &indices = args.outputs[args.outputs.size() - 1];
  auto body = [&](std::size_t begin, std::size_t end, unsigned) {
    forType(in.type, [&](auto kind) {
      using T = decltype(kind);
      for (auto b = begin; b < end; ++b) {
        const T *row = in.as<const T>() + std::int64_t(b) * in.strides[0];
        auto at = best<greatest>(row, in.strides[1], in.shape[1]);
        indices.as<std::uint32_t>()[std::int64_t(b) * indices.strides[0]] = std::uint32_t(at);
        if (args.outputs.size() == 2)
          args.out<T>(0)[std::int64_t(b) * args.outputs[0].strides[0]] =
              row[std::int64_t(at) * in.strides[1]];
      }
    });
  };
  base::parallelFor(in.shape[0], std::max<std::size_t>(1, 16384 / (in.shape[1] + 1)),
                    std::ref(body));
}

// Outputs: values [batch][K], indices [batch][K].
void topKRows(const KernelArgs &args) {
  const auto &in = args.inputs[0], &values = args.outputs[0], &indices = args.outputs[1];
  auto k = values.shape[1];
  auto body = [&](std::size_t begin, std::size_t end, unsigned) {
    thread_local std::vector<std::uint32_t> order;
    forType(in.type, [&](auto kind) {
      using T = decltype(kind);
      for (auto b = begin; b < end; ++b) {
        const T *row = in.as<const T>() + std::int64_t(b) * in.strides[0];
        order.resize(in.shape[1]);
        std::iota(order.begin(), order.end(), 0u);
        auto before = [&](std::uint32_t i, std::uint32_t j) {
          T x = row[std::int64_t(i) * in.strides[1]], y = row[std::int64_t(j) * in.strides[1]];
          return x > y || (!(y > x) && i < j);
        };
        std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(k), order.end(), before);
        for (std::size_t i = 0; i < k; ++i) {
          auto column = std::int64_t(i);
          values.as<T>()[std::int64_t(b) * values.strides[0] + column * values.strides[1]] =
              row[std::int64_t(order[i]) * in.strides[1]];
          indices.as<std::uint32_t>()[std::int64_t(b) * indices.strides[0] +
                                      column * indices.strides[1]] = order[i];
        }
      }
    });
  };
  base::parallelFor(in.shape[0], std::max<std::size_t>(1, 4096 / (in.shape[1] + 1)),
                    std::ref(body));
}

const openipu::Registered registeredMax{{.name = kernels::argMax, .run = argBest<true>}};
const openipu::Registered registeredMin{{.name = kernels::argMin, .run = argBest<false>}};
const openipu::Registered registeredTopK{
    {.name = kernels::topK, .run = topKRows, .nans = openipu::movedNans}};

} // namespace
} // namespace popnn
