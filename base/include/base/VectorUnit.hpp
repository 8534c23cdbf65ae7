// SPDX-License-Identifier: MIT
// Which vector instructions hand-written loops may use: those of the processor, but no more than
// OPENIPU_ISA (avx512, avx2 or base) allows, so that every version can be tested on one machine.
// Read once. Loops that the compiler makes in several versions (Simd.hpp) do not ask it.
#pragma once
#include <cstdlib>
#include <stdexcept>
#include <string>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace base {

// Conversions of half, which not every compiler lets __builtin_cpu_supports ask for. The
// instructions work on registers of AVX: ask for that too.
inline bool convertsHalf() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
#else
  return false;
#endif
}

enum class VectorUnit { Base, Avx2, Avx512 };

inline VectorUnit bestVectorUnit() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !convertsHalf())
    return VectorUnit::Base;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")
             ? VectorUnit::Avx512
             : VectorUnit::Avx2;
#else
  return VectorUnit::Base;
#endif
}

inline VectorUnit parseVectorUnit(const std::string &text) {
  if (text.empty() || text == "avx512")
    return VectorUnit::Avx512;
  if (text == "avx2")
    return VectorUnit::Avx2;
  if (text == "base")
    return VectorUnit::Base;
  throw std::invalid_argument("OPENIPU_ISA is \"" + text +
                              "\". Use avx512, avx2 or base, or leave it unset for the best that "
                              "this processor has.");
}

inline VectorUnit vectorUnit() {
  static const VectorUnit chosen = [] {
    const char *text = std::getenv("OPENIPU_ISA");
    const auto most = parseVectorUnit(text ? text : ""), best = bestVectorUnit();
    return most < best ? most : best;
  }();
  return chosen;
}

} // namespace base
