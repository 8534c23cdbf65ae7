/* SPDX-License-Identifier: MIT */
/* The assert of codelets: a failure is a trap that the engine reports, not the end of the host
   process. On the include path of codelets only, before the C library's. No include guard: NDEBUG
   may change between inclusions. */
#include "poplar/codelet/Hooks.hpp"
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition)                                                                          \
  ((condition) ? (void)0 : openipuHooks->assertFailed(#condition, __FILE__, __LINE__, __func__))
#endif
#ifndef __cplusplus
// The name that C++ has.
#define static_assert _Static_assert
#endif
