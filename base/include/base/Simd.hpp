// SPDX-License-Identifier: MIT
// Loops that the compiler vectorises for the machine it runs on, and the functions of <cmath> that
// it may call on whole vectors (glibc's libmvec, within 4 ulp).
//
//   template <class F> OPENIPU_SIMD void map(const float *__restrict x, float *__restrict y, size_t
//   n)
//
// Everything the loop calls must be inlined (OPENIPU_INLINE) or be one of the functions below.
#pragma once
#include <cmath>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__OPTIMIZE__) &&    \
    !defined(__SANITIZE_ADDRESS__)
#define OPENIPU_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define OPENIPU_VECTOR_MATH __attribute__((simd("notinbranch"), const))
#else
#define OPENIPU_SIMD
#define OPENIPU_VECTOR_MATH
#endif
#define OPENIPU_INLINE __attribute__((always_inline)) inline

extern "C" {
float expf(float) noexcept OPENIPU_VECTOR_MATH;
float exp2f(float) noexcept OPENIPU_VECTOR_MATH;
float expm1f(float) noexcept OPENIPU_VECTOR_MATH;
float logf(float) noexcept OPENIPU_VECTOR_MATH;
float log1pf(float) noexcept OPENIPU_VECTOR_MATH;
float tanhf(float) noexcept OPENIPU_VECTOR_MATH;
float erff(float) noexcept OPENIPU_VECTOR_MATH;
float sinf(float) noexcept OPENIPU_VECTOR_MATH;
float cosf(float) noexcept OPENIPU_VECTOR_MATH;
float tanf(float) noexcept OPENIPU_VECTOR_MATH;
float asinf(float) noexcept OPENIPU_VECTOR_MATH;
float cbrtf(float) noexcept OPENIPU_VECTOR_MATH;
float powf(float, float) noexcept OPENIPU_VECTOR_MATH;
float atan2f(float, float) noexcept OPENIPU_VECTOR_MATH;
}
