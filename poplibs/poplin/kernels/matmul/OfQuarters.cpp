// SPDX-License-Identifier: MIT
#include "matmul/OfQuarters.hpp"
#include "base/Threads.hpp"
#include "openipu/QuarterFormat.hpp"
#include <array>
#include <stdexcept>

namespace poplin {

using openipu::KernelArgs;
using openipu::KernelOperand;
using openipu::TypeId;

Decoded::Decoded(const KernelArgs &args) : args_(args) {
  std::size_t quarters = 0;
  for (const auto &t : args.inputs)
    quarters += t.type == TypeId::Quarter;
  if (args.inputs.size() < 2 * quarters)
    throw std::runtime_error("A product of 8-bit floats lacks their metadata: the executable is "
                             "damaged. Compile it again.");
  inputs_.assign(args.inputs.begin(), args.inputs.end() - std::ptrdiff_t(quarters));
  values_.resize(inputs_.size());
  strides_.resize(inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    auto &t = inputs_[i];
    if (t.type != TypeId::Quarter)
      continue;
    values_[i].resize(t.elements);
    strides_[i].resize(t.shape.size());
    std::int64_t stride = 1;
    for (auto d = t.shape.size(); d-- > 0; stride *= std::int64_t(t.shape[d]))
      strides_[i][d] = stride;
    t.data = reinterpret_cast<std::byte *>(values_[i].data());
    t.type = TypeId::Float;
    t.strides = strides_[i];
    t.contiguous = true;
    t.steady = false;
  }
  args_.inputs = inputs_;
}

static void decodeRows(const KernelOperand &from, std::uint8_t metadata, float *to) {
  const openipu::QuarterFormat format(metadata);
  std::array<float, 256> table;
  for (unsigned i = 0; i < 256; ++i)
    table[i] = format.decode(std::uint8_t(i));
  const std::size_t row = from.shape.empty() ? 1 : from.shape.back();
  const std::int64_t stride = from.shape.empty() ? 1 : from.strides.back();
  base::parallelFor(from.elements / std::max<std::size_t>(row, 1), 16384 / (row + 1) + 1,
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (auto r = begin; r < end; ++r) {
                        std::int64_t at = 0;
                        auto rest = r;
                        for (auto d = from.shape.size(); d-- > 1; rest /= from.shape[d - 1])
                          at += std::int64_t(rest % from.shape[d - 1]) * from.strides[d - 1];
                        const auto *bits = from.as<const std::uint8_t>() + at;
                        for (std::size_t i = 0; i < row; ++i)
                          to[r * row + i] = table[bits[std::int64_t(i) * stride]];
                      }
                    });
}

const KernelArgs &Decoded::decode(const KernelArgs &args) {
  auto metadata = inputs_.size();
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (args.inputs[i].type == TypeId::Quarter)
      decodeRows(args.inputs[i], *args.inputs[metadata++].as<const std::uint8_t>(),
                 values_[i].data());
  args_.generation = args.generation;
  return args_;
}

} // namespace poplin
