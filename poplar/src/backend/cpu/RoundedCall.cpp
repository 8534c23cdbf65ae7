// SPDX-License-Identifier: MIT
#include "backend/cpu/RoundedCall.hpp"
#include "base/Half.hpp"
#include "base/Stochastic.hpp"
#include "base/Threads.hpp"
#include <algorithm>

namespace poplar::backend::cpu {

namespace {

constexpr std::size_t grain = 16384;

// body(first element of a row, where the row begins, its length, its stride), rows on threads.
template <class Body> void forRows(const KernelOperand &t, Body body) {
  const std::size_t row = t.shape.empty() ? 1 : t.shape.back();
  const std::int64_t stride = t.shape.empty() ? 1 : t.strides.back();
  base::parallelFor(t.elements / row, grain / row + 1,
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (auto r = begin; r < end; ++r) {
                        std::int64_t at = 0;
                        auto rest = r;
                        for (auto d = t.shape.size(); d-- > 1; rest /= t.shape[d - 1])
                          at += std::int64_t(rest % t.shape[d - 1]) * t.strides[d - 1];
                        body(r * row, t.as<std::uint16_t>() + at, row, stride);
                      }
                    });
}

} // namespace

RoundedCall::RoundedCall(const Kernel &kernel, const KernelArgs &args,
                         const std::vector<bool> &reads)
    : kernel_(kernel), args_(args) {
  operands_.assign(args.outputs.begin(), args.outputs.end());
  operands_.insert(operands_.end(), args.inputs.begin(), args.inputs.end());
  for (std::size_t o = 0; o < args.outputs.size(); ++o) {
    auto &t = operands_[o];
    if (t.type != TypeId::Half || !t.elements || t.unread)
      continue;
    auto result = std::make_unique<Result>();
    result->output = o;
    result->read = o < reads.size() && reads[o];
    result->values.resize(t.elements);
    result->strides.resize(t.shape.size());
    std::int64_t stride = 1;
    for (auto d = t.shape.size(); d-- > 0; stride *= std::int64_t(t.shape[d]))
      result->strides[d] = stride;
    t.type = TypeId::Float;
    t.data = reinterpret_cast<std::byte *>(result->values.data());
    t.strides = result->strides;
    t.contiguous = true;
    results_.push_back(std::move(result));
  }
  const std::span<const KernelOperand> all(operands_);
  args_.outputs = all.first(args.outputs.size());
  args_.inputs = all.subspan(args.outputs.size());
  args_.prepared = nullptr;
  if (kernel.prepare)
    args_.prepared = kernel.prepare(args_);
}

RoundedCall::~RoundedCall() {
  if (kernel_.release && args_.prepared)
    kernel_.release(args_.prepared);
}

void RoundedCall::run(const KernelArgs &args) {
  args_.generation = args.generation;
  args_.key = args.key;
  args_.rounding = args.rounding;
  for (const auto &result : results_)
    if (result->read)
      forRows(args.outputs[result->output], [&](std::size_t first, const std::uint16_t *from,
                                                std::size_t n, std::int64_t stride) {
        for (std::size_t i = 0; i < n; ++i)
          result->values[first + i] = base::halfToFloat(from[std::int64_t(i) * stride]);
      });
  kernel_.run(args_);
  for (const auto &result : results_) {
    base::limitToHalf(result->values.data(), result->values.size(), args.rounding.overflow);
    forRows(args.outputs[result->output],
            [&](std::size_t first, std::uint16_t *to, std::size_t n, std::int64_t stride) {
              base::stochasticHalves(result->values.data() + first, to, stride, n,
                                     base::mix(args.rounding.key + result->output), first);
            });
  }
}

} // namespace poplar::backend::cpu
