// SPDX-License-Identifier: MIT
// Makes the loops of all operators for one C++ type from Operators.def. Included by one source file
// per group of types, so that they compile side by side.
#pragma once
#include "elementwise/Arithmetic.hpp"
#include "elementwise/Loops.hpp"

namespace popops {

// Column of Operators.def that a C++ type stands for.
enum class Kind { Float, Int, Unsigned, Long, UnsignedLong, Short, Bool };
template <class T> constexpr Kind kindOf = Kind::Short;
template <> inline constexpr Kind kindOf<float> = Kind::Float;
template <> inline constexpr Kind kindOf<std::int32_t> = Kind::Int;
template <> inline constexpr Kind kindOf<std::uint32_t> = Kind::Unsigned;
template <> inline constexpr Kind kindOf<std::int64_t> = Kind::Long;
template <> inline constexpr Kind kindOf<std::uint64_t> = Kind::UnsignedLong;
template <> inline constexpr Kind kindOf<bool> = Kind::Bool;

namespace operators {
using namespace arithmetic;
template <class T> using Same = T;
template <class T> using Bool = bool;

#define UNARY(name, result, f, fi, h, hi, i, u, l, ul, s, b, bi, expression)                       \
  struct name {                                                                                    \
    template <class T> using Result = result<T>;                                                   \
    template <class T> static OPENIPU_INLINE result<T> of(T x) { return result<T>(expression); }   \
  };
namespace unary {
#include "popops/Operators.def"
}
#define BINARY(name, result, f, fs, h, hs, i, is, u, us, l, ls, ul, uls, s, ss, b_, bs, flops, e)  \
  struct name {                                                                                    \
    template <class T> using Result = result<T>;                                                   \
    template <class T> static OPENIPU_INLINE result<T> of(T a, T b) { return result<T>(e); }       \
  };
namespace binary {
#include "popops/Operators.def"
}
} // namespace operators

template <class Op, class T>
OPENIPU_SIMD void unaryBlock(void *y, const void *a, const void *, const void *, std::size_t n) {
  auto *to = static_cast<typename Op::template Result<T> *>(y);
  auto *x = static_cast<const T *>(a);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    to[i] = Op::template of<T>(x[i]);
}

template <class Op, class T>
OPENIPU_SIMD void binaryBlock(void *y, const void *a, const void *b, const void *, std::size_t n) {
  auto *to = static_cast<typename Op::template Result<T> *>(y);
  auto *p = static_cast<const T *>(a), *q = static_cast<const T *>(b);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    to[i] = Op::template of<T>(p[i], q[i]);
}

// Costs are only asked whether there are any.
#define P(c, n) true
#define V(c) true
#define E(c) true
#define NO false
constexpr bool has(Kind kind, bool f, bool i, bool u, bool l, bool ul, bool s, bool b) {
  const bool columns[] = {f, i, u, l, ul, s, b};
  return columns[int(kind)];
}

template <class T> BlockLoop unaryLoopFor(expr::UnaryOpType op) {
  switch (op) {
#define UNARY(name, result, f, fi, h, hi, i, u, l, ul, s, b, bi, expression)                       \
  case expr::UnaryOpType::name:                                                                    \
    if constexpr (has(kindOf<T>, f, i, u, l, ul, s, b))                                            \
      return unaryBlock<operators::unary::name, T>;                                                \
    break;
#include "popops/Operators.def"
  }
  return nullptr;
}

template <class T> BlockLoop binaryLoopFor(expr::BinaryOpType op) {
  switch (op) {
#define BINARY(name, result, f, fs, h, hs, i, is, u, us, l, ls, ul, uls, s, ss, b, bs, flops, e)   \
  case expr::BinaryOpType::name:                                                                   \
    if constexpr (has(kindOf<T>, f, i, u, l, ul, s, b))                                            \
      return binaryBlock<operators::binary::name, T>;                                              \
    break;
#include "popops/Operators.def"
  }
  return nullptr;
}
#undef P
#undef V
#undef E
#undef NO

// The same for the types of each source file.
BlockLoop floatLoop(expr::UnaryOpType op);
BlockLoop floatLoop(expr::BinaryOpType op);
BlockLoop intLoop(expr::UnaryOpType op, TypeId type);
BlockLoop intLoop(expr::BinaryOpType op, TypeId type);
BlockLoop wideLoop(expr::UnaryOpType op, TypeId type);
BlockLoop wideLoop(expr::BinaryOpType op, TypeId type);
BlockLoop narrowLoop(expr::UnaryOpType op, TypeId type);
BlockLoop narrowLoop(expr::BinaryOpType op, TypeId type);

} // namespace popops
