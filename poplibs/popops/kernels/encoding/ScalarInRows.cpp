// SPDX-License-Identifier: MIT
#include "popops/kernels/ScalarInRows.hpp"
#include "base/Half.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include "popops/EncodingConstants.hpp"
#include <cmath>

namespace popops {
namespace {

using openipu::KernelArgs;
using openipu::KernelOperand;
using openipu::TypeId;

float getElement(const KernelOperand &t, std::int64_t at) {
  return t.type == TypeId::Half ? base::halfToFloat(t.as<std::uint16_t>()[at]) : t.as<float>()[at];
}
void setElement(const KernelOperand &t, std::int64_t at, float value) {
  if (t.type == TypeId::Half)
    t.as<std::uint16_t>()[at] = base::floatToHalf(value);
  else
    t.as<float>()[at] = value;
}

template <class Body>
void forRows(const KernelOperand &params, const KernelOperand &indices, const Body &body) {
  base::parallelFor(params.shape[0], 1024, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t row = begin; row < end; ++row)
      body(row, indices.as<std::uint32_t>()[std::int64_t(row) * indices.strides[0]]);
  });
}

void select(const KernelArgs &args) {
  const auto &out = args.outputs[0], &params = args.inputs[0];
  forRows(params, args.inputs[1], [&](std::size_t row, std::uint32_t index) {
    float value = index == MASKED_LABEL_CODE ? 0.0f : NAN;
    if (index < params.shape[1])
      value = getElement(params, std::int64_t(row) * params.strides[0] +
                                     std::int64_t(index) * params.strides[1]);
    setElement(out, std::int64_t(row) * out.strides[0], value);
  });
}

void update(const KernelArgs &args) {
  const auto &params = args.outputs[0];
  forRows(params, args.inputs[0], [&](std::size_t row, std::uint32_t index) {
    auto start = std::int64_t(row) * params.strides[0];
    if (index < params.shape[1]) {
      auto at = start + std::int64_t(index) * params.strides[1];
      setElement(params, at, getElement(params, at) - 1);
    } else if (index != MASKED_LABEL_CODE) {
      for (std::size_t i = 0; i < params.shape[1]; ++i)
        setElement(params, start + std::int64_t(i) * params.strides[1], NAN);
    }
  });
}

const openipu::Registered selecting{
    {.name = kernels::selectScalarFromRows, .run = select, .nans = openipu::movedNans}};
const openipu::Registered updating{
    {.name = kernels::updateScalarInRows, .run = update, .nans = openipu::movedNans}};

} // namespace
} // namespace popops
