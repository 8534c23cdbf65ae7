// SPDX-License-Identifier: MIT
// What a target answers about its matrix unit and about the limits of types.
#include "base/Text.hpp"
#include "device/TargetData.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Target.hpp"
#include "types/Half.hpp"
#include "types/TypeAccess.hpp"
#include "types/Value.hpp"
#include <cstring>
#include <limits>

namespace poplar {
namespace {

[[noreturn]] void noSuchUnit(const std::string &what) {
  throw type_error(
      base::str("The matrix unit does not work on ", what, "; it takes QUARTER, HALF and FLOAT."));
}

template <class T> T pick(const Type &type, T quarter, T half, T single) {
  if (type == QUARTER)
    return quarter;
  if (type == HALF)
    return half;
  if (type == FLOAT)
    return single;
  noSuchUnit(type.toString());
}

// Bytes of the largest or lowest finite value of a type.
template <class T> void putLimit(bool max, void *out) {
  const T value = max ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  std::memcpy(out, &value, sizeof value);
}

void limitBytes(TypeId id, bool max, void *out) {
  switch (id) {
  case TypeId::Bool:
    return putLimit<bool>(max, out);
  case TypeId::Char:
  case TypeId::SignedChar:
    return putLimit<signed char>(max, out);
  case TypeId::UnsignedChar:
  case TypeId::QuarterMetadata:
    return putLimit<unsigned char>(max, out);
  case TypeId::Short:
    return putLimit<short>(max, out);
  case TypeId::UnsignedShort:
    return putLimit<unsigned short>(max, out);
  case TypeId::Int:
    return putLimit<int>(max, out);
  case TypeId::UnsignedInt:
    return putLimit<unsigned>(max, out);
  case TypeId::Long:
  case TypeId::LongLong:
    return putLimit<long long>(max, out);
  case TypeId::UnsignedLong:
  case TypeId::UnsignedLongLong:
    return putLimit<unsigned long long>(max, out);
  case TypeId::Float:
    return putLimit<float>(max, out);
  case TypeId::Double:
    return putLimit<double>(max, out);
  case TypeId::Half: {
    const std::uint16_t bits = max ? 0x7bff : 0xfbff;
    std::memcpy(out, &bits, sizeof bits);
    return;
  }
  case TypeId::Quarter:
    break;
  }
  throw type_error("The limits of type quarter depend on its metadata.");
}

} // namespace

unsigned Target::getNumConvUnits(const Type &input, const Type &partials) const {
  const auto &amp = data().system.chip.amp;
  if (input == QUARTER && partials == HALF)
    return amp.quarterUnits;
  if (input == HALF && partials == HALF)
    return amp.halfHalfUnits;
  if (input == HALF && partials == FLOAT)
    return amp.halfFloatUnits;
  if (input == FLOAT && partials == FLOAT)
    return amp.floatUnits;
  noSuchUnit(base::str(input, " with partials of ", partials));
}
unsigned Target::getWeightsPerConvUnit(const Type &input) const {
  return pick(input, 1u, 1u, 1u) * data().system.chip.amp.weightBytesPerUnit / getTypeSize(input);
}
unsigned Target::getConvUnitMaxPipelineDepth(const Type &partials) const {
  const auto depth = data().system.chip.amp.pipelineDepth;
  const auto &depths = data().depths;
  return depths ? pick(partials, depths->quarter, depths->half, depths->single)
                : pick(partials, depth, depth, depth);
}
unsigned Target::getConvUnitInputLoadElemsPerCycle(const Type &input) const {
  const auto &amp = data().system.chip.amp;
  return pick(input, amp.quarterInputsPerCycle, amp.halfInputsPerCycle, amp.floatInputsPerCycle);
}
unsigned Target::getConvUnitCoeffLoadBytesPerCycle() const {
  return data().system.chip.amp.interleavedWeightLoadBytesPerCycle;
}
unsigned Target::getFp8InFp16OutConvUnitsPerTile() const { return getNumConvUnits(QUARTER, HALF); }
unsigned Target::getFp16InFp16OutConvUnitsPerTile() const { return getNumConvUnits(HALF, HALF); }
unsigned Target::getFp16InFp32OutConvUnitsPerTile() const { return getNumConvUnits(HALF, FLOAT); }
unsigned Target::getFp32InFp32OutConvUnitsPerTile() const { return getNumConvUnits(FLOAT, FLOAT); }
unsigned Target::getFp8ConvUnitMaxPipelineDepth() const {
  return getConvUnitMaxPipelineDepth(QUARTER);
}
unsigned Target::getFp16ConvUnitMaxPipelineDepth() const {
  return getConvUnitMaxPipelineDepth(HALF);
}
unsigned Target::getFp32ConvUnitMaxPipelineDepth() const {
  return getConvUnitMaxPipelineDepth(FLOAT);
}
unsigned Target::getFp8ConvUnitInputLoadElemsPerCycle() const {
  return getConvUnitInputLoadElemsPerCycle(QUARTER);
}
unsigned Target::getFp16ConvUnitInputLoadElemsPerCycle() const {
  return getConvUnitInputLoadElemsPerCycle(HALF);
}
unsigned Target::getFp32ConvUnitInputLoadElemsPerCycle() const {
  return getConvUnitInputLoadElemsPerCycle(FLOAT);
}

void Target::limit(const Type &type, bool max, const Type &as, void *out) const {
  const auto id = types::idOf(type), wanted = types::idOf(as);
  alignas(8) char exact[8], back[8];
  limitBytes(id, max, exact);
  try {
    types::convertElements(id, exact, wanted, out, 1, false);
    types::convertElements(wanted, out, id, back, 1, false);
    if (std::memcmp(exact, back, sizeOf(id)) == 0)
      return;
  } catch (const overflow_error &) {
    // Said below, with both types.
  }
  throw poplar_error(base::str("The ", max ? "largest" : "lowest", " value of type ", type, ", ",
                               types::elementToString(id, exact),
                               ", cannot be held exactly by type ", as, "."));
}

} // namespace poplar
