// SPDX-License-Identifier: MIT
// float2, half4, short4 ...: small vectors of the tile's registers. All but the half vectors are
// the compiler's vector extension; the half vectors are classes with the same operations, because
// that extension lowers them badly.
#ifndef POPLAR_VECTOR_TYPES_HPP
#define POPLAR_VECTOR_TYPES_HPP
#include "poplar/codelet/Vectors.hpp"
#include "poplar/HalfFloat.hpp"
#include "poplar/Loops.hpp"

#define OPENIPU_VECTORS(element, name)                                                             \
  typedef element name##2                                                                          \
      __attribute__((vector_size(2 * sizeof(element)), aligned(sizeof(element))));                 \
  typedef element name##4                                                                          \
      __attribute__((vector_size(4 * sizeof(element)), aligned(sizeof(element))));
OPENIPU_VECTORS(float, float)
OPENIPU_VECTORS(char, char)
OPENIPU_VECTORS(unsigned char, uchar)
OPENIPU_VECTORS(short, short)
OPENIPU_VECTORS(unsigned short, ushort)
OPENIPU_VECTORS(int, int)
OPENIPU_VECTORS(unsigned, uint)
OPENIPU_VECTORS(long long, longlong)
OPENIPU_VECTORS(unsigned long long, ulonglong)
#undef OPENIPU_VECTORS

typedef poplar::codelet::HalfVector<2> half2; // vectors of halves
typedef poplar::codelet::HalfVector<4> half4; // four halves

// The type comes last; commas before it are those of a list in braces.
#define OPENIPU_CONVERT2(v, To) ::poplar::codelet::convertVector<To>(v)
#define OPENIPU_CONVERT3(a, b, To) ::poplar::codelet::convertVector<To>(a, b)
#define OPENIPU_CONVERT5(a, b, c, d, To) ::poplar::codelet::convertVector<To>(a, b, c, d)
#define OPENIPU_CONVERT(five, four, three, two, one, name, ...) name
// Each lane as an element of another vector type: __builtin_convertvector(v, float2).
#define __builtin_convertvector(...)                                                               \
  OPENIPU_CONVERT(__VA_ARGS__, OPENIPU_CONVERT5, , OPENIPU_CONVERT3, OPENIPU_CONVERT2, , )         \
  (__VA_ARGS__)

namespace poplar {
using ::float2;
using ::float4;
using ::half2;
using ::half4;
using ::int2;
using ::int4;
using ::short2;
using ::short4;
using ::uint2;
using ::uint4;
using ::ushort2;
using ::ushort4;
} // namespace poplar

#endif
