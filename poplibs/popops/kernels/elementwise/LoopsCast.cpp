// SPDX-License-Identifier: MIT
// Casts, copies, select and clamp as loops over blocks, and the choice of the other operators' loop
// by type.
#include "elementwise/Convert.hpp"
#include "elementwise/OperatorLoops.hpp"
#include <cstring>

namespace popops {
namespace {

using expr::BinaryOpType;
using expr::UnaryOpType;

template <class From, class To>
OPENIPU_SIMD void castBlock(void *y, const void *a, const void *, const void *, std::size_t n) {
  auto *to = static_cast<To *>(y);
  auto *from = static_cast<const From *>(a);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    to[i] = arithmetic::convert<To>(from[i]);
}

template <class T>
OPENIPU_SIMD void selectBlock(void *y, const void *a, const void *b, const void *c, std::size_t n) {
  auto *to = static_cast<T *>(y);
  auto *p = static_cast<const T *>(a), *q = static_cast<const T *>(b);
  auto *condition = static_cast<const std::uint8_t *>(c);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const T whenTrue = p[i], whenFalse = q[i];
    to[i] = condition[i] ? whenTrue : whenFalse;
  }
}

template <class T>
OPENIPU_SIMD void clampBlock(void *y, const void *a, const void *b, const void *c, std::size_t n) {
  auto *to = static_cast<T *>(y);
  auto *x = static_cast<const T *>(a), *low = static_cast<const T *>(b),
       *high = static_cast<const T *>(c);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const T above = x[i] < low[i] ? low[i] : x[i];
    to[i] = above > high[i] ? high[i] : above;
  }
}

template <class T> void copyBlock(void *y, const void *a, const void *, const void *, size_t n) {
  if (y != a)
    std::memcpy(y, a, n * sizeof(T));
}

// make(value) with a value of the type that computes with `type`; null for the other types.
template <class Make> BlockLoop forType(TypeId type, Make make) {
  switch (type) {
  case TypeId::Bool:
    return make(bool());
  case TypeId::Char:
  case TypeId::SignedChar:
    return make(std::int8_t());
  case TypeId::UnsignedChar:
    return make(std::uint8_t());
  case TypeId::Short:
    return make(std::int16_t());
  case TypeId::UnsignedShort:
    return make(std::uint16_t());
  case TypeId::Int:
    return make(std::int32_t());
  case TypeId::UnsignedInt:
    return make(std::uint32_t());
  case TypeId::LongLong:
    return make(std::int64_t());
  case TypeId::UnsignedLongLong:
    return make(std::uint64_t());
  case TypeId::Half:
  case TypeId::Float:
    return make(float());
  default:
    return nullptr;
  }
}

template <class Op> BlockLoop operatorLoop(Op op, TypeId type) {
  switch (type) {
  case TypeId::Half:
  case TypeId::Float:
    return floatLoop(op);
  case TypeId::Int:
  case TypeId::UnsignedInt:
    return intLoop(op, type);
  case TypeId::LongLong:
  case TypeId::UnsignedLongLong:
    return wideLoop(op, type);
  case TypeId::Bool:
  case TypeId::Short:
  case TypeId::UnsignedShort:
    return narrowLoop(op, type);
  default:
    return nullptr;
  }
}

} // namespace

BlockLoop unaryLoop(UnaryOpType op, TypeId type) { return operatorLoop(op, type); }
BlockLoop binaryLoop(BinaryOpType op, TypeId type) { return operatorLoop(op, type); }

BlockLoop ternaryLoop(expr::TernaryOpType op, TypeId type) {
  return forType(type, [op](auto value) -> BlockLoop {
    using T = decltype(value);
    if constexpr (!std::is_same_v<T, bool>)
      if (op == expr::TernaryOpType::CLAMP)
        return clampBlock<T>;
    return op == expr::TernaryOpType::SELECT ? selectBlock<T> : nullptr;
  });
}

BlockLoop castLoop(TypeId from, TypeId to) {
  return forType(from, [to](auto x) {
    return forType(to, [](auto y) -> BlockLoop { return castBlock<decltype(x), decltype(y)>; });
  });
}

BlockLoop copyLoop(TypeId type) {
  switch (computeSize(type)) {
  case 1:
    return copyBlock<std::uint8_t>;
  case 2:
    return copyBlock<std::uint16_t>;
  case 4:
    return copyBlock<std::uint32_t>;
  default:
    return copyBlock<std::uint64_t>;
  }
}

} // namespace popops
