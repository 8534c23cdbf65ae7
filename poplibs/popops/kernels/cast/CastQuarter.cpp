// SPDX-License-Identifier: MIT
#include "popops/kernels/CastQuarter.hpp"
#include "base/Half.hpp"
#include "base/Threads.hpp"
#include "elementwise/Convert.hpp"
#include "openipu/Kernel.hpp"
#include "openipu/QuarterFormat.hpp"
#include "popops/Strided.hpp"
#include <algorithm>
#include <array>

namespace popops {
namespace {

using openipu::KernelArgs;
using openipu::KernelOperand;
using openipu::QuarterFormat;
using openipu::TypeId;

float read(const KernelOperand &t, std::int64_t i, const std::array<float, 256> &table) {
  switch (t.type) {
  case TypeId::Quarter:
    return table[t.as<const std::uint8_t>()[i]];
  case TypeId::Float:
    return t.as<const float>()[i];
  case TypeId::Half:
    return base::halfToFloat(t.as<const std::uint16_t>()[i]);
  case TypeId::UnsignedChar:
    return t.as<const std::uint8_t>()[i];
  default:
    return t.as<const std::int8_t>()[i];
  }
}
// Element `index` of the cast; its place in memory is another matter.
void write(const KernelOperand &t, std::int64_t i, float value, const QuarterFormat &format,
           const openipu::Rounding &rounding, std::size_t index) {
  switch (t.type) {
  case TypeId::Quarter:
    t.as<std::uint8_t>()[i] = rounding.stochastic
                                  ? format.encodeStochastic(value, rounding.nanOnOverflow,
                                                            base::randomBits(rounding.key, index))
                                  : format.encode(value, rounding.nanOnOverflow);
    break;
  case TypeId::Float:
    t.as<float>()[i] = value;
    break;
  case TypeId::Half:
    t.as<std::uint16_t>()[i] = base::floatToHalf(value);
    break;
  case TypeId::UnsignedChar:
    t.as<std::uint8_t>()[i] = arithmetic::convert<std::uint8_t>(value);
    break;
  default:
    t.as<std::int8_t>()[i] = arithmetic::convert<std::int8_t>(value);
  }
}

void castQuarter(const KernelArgs &args) {
  const auto &y = args.outputs[0], &x = args.inputs[0];
  if (!y.elements)
    return;
  std::size_t next = 1;
  auto format = [&](const KernelOperand &t) {
    return QuarterFormat(t.type == TypeId::Quarter && next < args.inputs.size()
                             ? args.inputs[next++].as<const std::uint8_t>()[0]
                             : 0);
  };
  const QuarterFormat from = format(x), to = format(y);
  std::array<float, 256> table;
  for (unsigned i = 0; i < 256; ++i)
    table[i] = from.decode(std::uint8_t(i));
  const KernelOperand *operands[] = {&y, &x};
  const Walk walk = walkTogether(operands);
  const std::size_t inner = walk.inner();
  base::parallelFor(walk.rows() * inner, 8192, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t at = begin; at < end;) {
      const std::size_t row = at / inner, first = at % inner, n = std::min(inner - first, end - at);
      const std::int64_t py = walk.rowStart(0, row), px = walk.rowStart(1, row);
      for (std::size_t i = first; i < first + n; ++i)
        write(y, py + std::int64_t(i) * walk.operands[0].strides.back(),
              read(x, px + std::int64_t(i) * walk.operands[1].strides.back(), table), to,
              args.rounding, row * inner + i);
      at += n;
    }
  });
}
const openipu::Registered registered{
    {.name = kernels::castQuarter, .run = castQuarter, .givesFloats = openipu::alwaysGivesFloats}};

} // namespace
} // namespace popops
