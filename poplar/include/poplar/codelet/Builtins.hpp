// SPDX-License-Identifier: MIT
// The builtins of the device's compiler, which codelets use without including anything. g++ cannot
// overload functions whose names begin with __builtin, so those that take several types are
// objects.
//
// A builtin is an instruction of the tile, or a few. Where instructions are counted it is a call of
// a function openipu_aux_<name>_<type> or openipu_main_<name>, whose cost arch/Instructions.hpp
// knows; elsewhere it is inline.
#ifndef POPLAR_CODELET_BUILTINS_HPP
#define POPLAR_CODELET_BUILTINS_HPP
#include "poplar/codelet/Elements.hpp"
#include "poplar/codelet/Hooks.hpp"
#include "poplar/codelet/Vectors.hpp"
#include <utility>

inline unsigned openipuBits(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}
inline float openipuFloat(unsigned bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

namespace poplar {
namespace codelet {

// ---- the types of operands
// A vector is whatever has elements of float or half, also one that the program declared; other
// scalars, and edges of them, are floats.

template <class E, unsigned N> struct Canonical;
template <> struct Canonical<float, 2> { typedef Float2 type; };
template <> struct Canonical<float, 4> { typedef Float4 type; };
template <> struct Canonical<half, 2> { typedef HalfVector<2> type; };
template <> struct Canonical<half, 4> { typedef HalfVector<4> type; };

template <class V, class = void> struct Operand {
  typedef float type, Result;
  enum { isVector = 0 };
};
template <> struct Operand<half, void> {
  typedef half type, Result;
  enum { isVector = 0 };
};
template <class V>
struct Operand<V, typename std::enable_if<!std::is_pointer<V>::value &&
                                          (sizeof(std::declval<V &>()[0]) > 0)>::type> {
  typedef typename std::decay<decltype(std::declval<V &>()[0])>::type Element;
  typedef typename Canonical<Element, sizeof(V) / sizeof(Element)>::type type;
  typedef V Result;
  enum { isVector = 1 };
};
// Of two: the first vector, else half if both are.
template <class A, class B>
struct Common : std::conditional<
                    Operand<A>::isVector, Operand<A>,
                    typename std::conditional<Operand<B>::isVector || std::is_same<A, half>::value,
                                              Operand<B>, Operand<A>>::type>::type {};

template <class To, class From> inline To sameBits(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "vectors of the same size");
  To to;
  __builtin_memcpy(static_cast<void *>(&to), &from, sizeof to);
  return to;
}
template <class T, class From, bool = Operand<From>::isVector> struct Convert {
  static T from(const From &x) { return sameBits<T>(x); }
};
template <class T, class From> struct Convert<T, From, false> {
  static T from(const From &x) { return T(x); }
};
template <class T> struct Convert<T, T, true> {
  static const T &from(const T &x) { return x; }
};
template <class Result, class T, bool = std::is_same<Result, T>::value> struct Answer {
  static Result of(T x) { return x; }
};
template <class Result, class T> struct Answer<Result, T, false> {
  static Result of(const T &x) { return sameBits<Result>(x); }
};

// What a counted function takes and gives: registers as the compiler sees them, so that a class of
// halves is not taken apart on its way there.
template <class T> struct Register { typedef T type; };
template <> struct Register<HalfVector<2>> { typedef float type; };
template <> struct Register<HalfVector<4>> { typedef Float2 type; };
template <class T> inline T unpacked(const typename Register<T>::type &bits) {
  return Answer<T, typename Register<T>::type>::of(bits);
}
template <class T> inline typename Register<T>::type packed(const T &x) {
  return Answer<typename Register<T>::type, T>::of(x);
}

// ---- lane by lane

template <class F, class V> inline V lanewise(V a) {
  V y = {};
  for (unsigned i = 0; i < sizeof(V) / sizeof(a[0]); ++i)
    y[i] = F::lane(float(a[i]));
  return y;
}
template <class F> inline float lanewise(float a) { return F::lane(a); }
template <class F> inline half lanewise(half a) { return half(F::lane(float(a))); }
template <class F, class V> inline V lanewise(V a, V b) {
  V y = {};
  for (unsigned i = 0; i < sizeof(V) / sizeof(a[0]); ++i)
    y[i] = F::lane(float(a[i]), float(b[i]));
  return y;
}
template <class F> inline float lanewise(float a, float b) { return F::lane(a, b); }
template <class F> inline half lanewise(half a, half b) {
  return half(F::lane(float(a), float(b)));
}

// A comparison leaves all ones (a NaN) or zero in each lane.
inline float maskOf(float, bool holds) { return openipuFloat(holds ? ~0u : 0u); }
inline half maskOf(half, bool holds) {
  return sameBits<half>(static_cast<unsigned short>(holds ? 0xffff : 0));
}
template <class F> inline float compared(float a, float b) { return maskOf(a, F::lane(a, b)); }
template <class F> inline half compared(half a, half b) {
  return maskOf(a, F::lane(float(a), float(b)));
}
template <class F, class V> inline V compared(V a, V b) {
  V y = {};
  for (unsigned i = 0; i < sizeof(V) / sizeof(a[0]); ++i)
    y[i] = maskOf(a[i], F::lane(float(a[i]), float(b[i])));
  return y;
}

#define OPENIPU_EACH_TYPE(M, name)                                                                 \
  M(name, float, float)                                                                            \
  M(name, half, half)                                                                              \
  M(name, Float2, float2)                                                                          \
  M(name, Float4, float4)                                                                          \
  M(name, HalfVector<2>, half2)                                                                    \
  M(name, HalfVector<4>, half4)

#define OPENIPU_COUNTED_1(name, Type, suffix)                                                      \
  extern "C" inline __attribute__((noipa, const))                                                  \
  Register<Type>::type openipu_aux_##name##_##suffix(Register<Type>::type a) {                     \
    return packed<Type>(lanewise<name##Lane>(unpacked<Type>(a)));                                  \
  }                                                                                                \
  inline Register<Type>::type name##Counted(Type *, Register<Type>::type a) {                      \
    return openipu_aux_##name##_##suffix(a);                                                       \
  }
#define OPENIPU_COUNTED_BY(name, Type, suffix, function)                                           \
  extern "C" inline __attribute__((noipa, const))                                                  \
  Register<Type>::type openipu_aux_##name##_##suffix(Register<Type>::type a,                       \
                                                     Register<Type>::type b) {                     \
    return packed<Type>(function<name##Lane>(unpacked<Type>(a), unpacked<Type>(b)));               \
  }                                                                                                \
  inline Register<Type>::type name##Counted(Type *, Register<Type>::type a,                        \
                                            Register<Type>::type b) {                              \
    return openipu_aux_##name##_##suffix(a, b);                                                    \
  }
#define OPENIPU_COUNTED_2(name, Type, suffix) OPENIPU_COUNTED_BY(name, Type, suffix, lanewise)
#define OPENIPU_COUNTED_COMPARISON(name, Type, suffix)                                             \
  OPENIPU_COUNTED_BY(name, Type, suffix, compared)

#define OPENIPU_BUILTIN_1(name, expression)                                                        \
  struct name##Lane {                                                                              \
    static float lane(float x) { return expression; }                                              \
  };                                                                                               \
  OPENIPU_EACH_TYPE(OPENIPU_COUNTED_1, name)                                                       \
  struct name##Builtin {                                                                           \
    template <class A> typename Operand<A>::Result operator()(const A &x) const {                  \
      typedef typename Operand<A>::type T;                                                         \
      typedef typename Operand<A>::Result Result;                                                  \
      typedef typename Register<T>::type R;                                                        \
      if (openipuCounted)                                                                          \
        return Answer<Result, R>::of(                                                              \
            name##Counted(static_cast<T *>(nullptr), Convert<R, A>::from(x)));                     \
      return Answer<Result, T>::of(lanewise<name##Lane>(Convert<T, A>::from(x)));                  \
    }                                                                                              \
  };
#define OPENIPU_OF_TWO(name, inlined)                                                              \
  struct name##Builtin {                                                                           \
    template <class A, class B>                                                                    \
    typename Common<A, B>::Result operator()(const A &x, const B &y) const {                       \
      typedef typename Common<A, B>::type T;                                                       \
      typedef typename Common<A, B>::Result Result;                                                \
      typedef typename Register<T>::type R;                                                        \
      if (openipuCounted)                                                                          \
        return Answer<Result, R>::of(name##Counted(                                                \
            static_cast<T *>(nullptr), Convert<R, A>::from(x), Convert<R, B>::from(y)));           \
      return Answer<Result, T>::of(inlined(Convert<T, A>::from(x), Convert<T, B>::from(y)));       \
    }                                                                                              \
  };
#define OPENIPU_BUILTIN_2(name, expression)                                                        \
  struct name##Lane {                                                                              \
    static float lane(float a, float b) { return expression; }                                     \
  };                                                                                               \
  OPENIPU_EACH_TYPE(OPENIPU_COUNTED_2, name)                                                       \
  OPENIPU_OF_TWO(name, lanewise<name##Lane>)
#define OPENIPU_COMPARISON(name, op)                                                               \
  struct name##Lane {                                                                              \
    static bool lane(float a, float b) { return a op b; }                                          \
  };                                                                                               \
  OPENIPU_EACH_TYPE(OPENIPU_COUNTED_COMPARISON, name)                                              \
  OPENIPU_OF_TWO(name, compared<name##Lane>)

OPENIPU_BUILTIN_1(exp, __builtin_expf(x))
OPENIPU_BUILTIN_1(exp2, __builtin_exp2f(x))
OPENIPU_BUILTIN_1(ln, __builtin_logf(x))
OPENIPU_BUILTIN_1(log2, __builtin_log2f(x))
OPENIPU_BUILTIN_1(tanh, __builtin_tanhf(x))
OPENIPU_BUILTIN_1(sigm, 1.0f / (1.0f + __builtin_expf(-x)))
OPENIPU_BUILTIN_1(rsqrt, 1.0f / __builtin_sqrtf(x))
OPENIPU_BUILTIN_1(sqrt, __builtin_sqrtf(x))
OPENIPU_BUILTIN_2(max, __builtin_fmaxf(a, b))
OPENIPU_BUILTIN_2(min, __builtin_fminf(a, b))
OPENIPU_BUILTIN_2(absmax, __builtin_fmaxf(__builtin_fabsf(a), __builtin_fabsf(b)))
OPENIPU_BUILTIN_2(absadd, __builtin_fabsf(a) + __builtin_fabsf(b))
OPENIPU_COMPARISON(cmpeq, ==)
OPENIPU_COMPARISON(cmpne, !=)
OPENIPU_COMPARISON(cmplt, <)
OPENIPU_COMPARISON(cmple, <=)
OPENIPU_COMPARISON(cmpgt, >)
OPENIPU_COMPARISON(cmpge, >=)

// Each lane between the two of the second operand, a pair of its element type.
#define OPENIPU_COUNTED_CLAMP(name, Type, suffix)                                                  \
  extern "C" inline __attribute__((noipa, const))                                                  \
  Register<Type>::type openipu_aux_##name##_##suffix(Register<Type>::type a,                       \
                                                     Pair<Type>::Bits bounds) {                    \
    return packed<Type>(clamped(unpacked<Type>(a), unpacked<Pair<Type>::type>(bounds)));           \
  }                                                                                                \
  inline Register<Type>::type name##Counted(Type *, Register<Type>::type a,                        \
                                            Pair<Type>::Bits bounds) {                             \
    return openipu_aux_##name##_##suffix(a, bounds);                                               \
  }
template <class T> struct Pair { typedef Float2 type, Bits; };
template <> struct Pair<half> {
  typedef HalfVector<2> type;
  typedef float Bits;
};
template <> struct Pair<HalfVector<2>> : Pair<half> {};
template <> struct Pair<HalfVector<4>> : Pair<half> {};
template <class T, class P> inline T clamped(T x, P bounds) {
  for (unsigned i = 0; i < sizeof(T) / sizeof(bounds[0]); ++i)
    x[i] = __builtin_fminf(__builtin_fmaxf(float(x[i]), float(bounds[0])), float(bounds[1]));
  return x;
}
template <class P> inline float clamped(float x, P bounds) {
  return __builtin_fminf(__builtin_fmaxf(x, bounds[0]), bounds[1]);
}
template <class P> inline half clamped(half x, P bounds) {
  return half(__builtin_fminf(__builtin_fmaxf(float(x), float(bounds[0])), float(bounds[1])));
}
OPENIPU_EACH_TYPE(OPENIPU_COUNTED_CLAMP, clamp)
struct clampBuiltin {
  template <class A, class P>
  typename Operand<A>::Result operator()(const A &x, const P &bounds) const {
    typedef typename Operand<A>::type T;
    typedef typename Operand<A>::Result Result;
    typedef typename Register<T>::type R;
    if (openipuCounted)
      return Answer<Result, R>::of(clampCounted(static_cast<T *>(nullptr), Convert<R, A>::from(x),
                                                sameBits<typename Pair<T>::Bits>(bounds)));
    return Answer<Result, T>::of(
        clamped(T(Convert<T, A>::from(x)), sameBits<typename Pair<T>::type>(bounds)));
  }
};

// Neighbouring halves as a float: half2 gives one, half4 two.
inline float pairSum(HalfVector<2> x) { return float(x[0]) + float(x[1]); }
inline Float2 pairSum(HalfVector<4> x) {
  return Float2{float(x[0]) + float(x[1]), float(x[2]) + float(x[3])};
}
extern "C" inline __attribute__((noipa, const)) float openipu_aux_sum_half2(float x) {
  return pairSum(unpacked<HalfVector<2>>(x));
}
extern "C" inline __attribute__((noipa, const)) Float2 openipu_aux_sum_half4(Float2 x) {
  return pairSum(unpacked<HalfVector<4>>(x));
}
inline float sumCounted(float x) { return openipu_aux_sum_half2(x); }
inline Float2 sumCounted(Float2 x) { return openipu_aux_sum_half4(x); }
struct sumBuiltin {
  template <class A>
  typename Register<typename Operand<A>::type>::type operator()(const A &x) const {
    typedef typename Operand<A>::type T;
    typedef typename Register<T>::type R;
    return openipuCounted ? sumCounted(Convert<R, A>::from(x)) : pairSum(Convert<T, A>::from(x));
  }
};

struct isnanBuiltin {
  template <class A> bool operator()(const A &x) const { return __builtin_isnan(float(x)); }
};
struct isinfBuiltin {
  template <class A> bool operator()(const A &x) const { return __builtin_isinf(float(x)); }
};
struct isfiniteBuiltin {
  template <class A> bool operator()(const A &x) const { return __builtin_isfinite(float(x)); }
};

#undef OPENIPU_BUILTIN_1
#undef OPENIPU_BUILTIN_2
#undef OPENIPU_COMPARISON
#undef OPENIPU_OF_TWO
#undef OPENIPU_COUNTED_1
#undef OPENIPU_COUNTED_2
#undef OPENIPU_COUNTED_BY
#undef OPENIPU_COUNTED_COMPARISON
#undef OPENIPU_COUNTED_CLAMP
#undef OPENIPU_EACH_TYPE

} // namespace codelet
} // namespace poplar

#define OPENIPU_OBJECT(name)                                                                       \
  static constexpr poplar::codelet::name##Builtin __builtin_ipu_##name __attribute__((unused)){};
OPENIPU_OBJECT(exp)      // e to the power of each lane
OPENIPU_OBJECT(exp2)     // two to the power of each lane
OPENIPU_OBJECT(ln)       // natural logarithm of each lane
OPENIPU_OBJECT(log2)     // logarithm to base 2 of each lane
OPENIPU_OBJECT(tanh)     // hyperbolic tangent of each lane
OPENIPU_OBJECT(sigm)     // 1 / (1 + exp(-x)) of each lane
OPENIPU_OBJECT(rsqrt)    // 1 / sqrt(x) of each lane
OPENIPU_OBJECT(sqrt)     // square root of each lane
OPENIPU_OBJECT(max)      // the larger of two, lane by lane
OPENIPU_OBJECT(min)      // the smaller of two, lane by lane
OPENIPU_OBJECT(absmax)   // the larger of two absolute values, lane by lane
OPENIPU_OBJECT(absadd)   // the sum of two absolute values, lane by lane
OPENIPU_OBJECT(cmpeq)    // comparisons: all ones (a NaN) where it holds, else zero
OPENIPU_OBJECT(cmpne)    // not equal
OPENIPU_OBJECT(cmplt)    // less
OPENIPU_OBJECT(cmple)    // less or equal
OPENIPU_OBJECT(cmpgt)    // greater
OPENIPU_OBJECT(cmpge)    // greater or equal
OPENIPU_OBJECT(clamp)    // each lane between the two lanes of a bound: low, high
OPENIPU_OBJECT(sum)      // sums of neighbouring lanes of half, in float
OPENIPU_OBJECT(isnan)    // whether it is not a number
OPENIPU_OBJECT(isinf)    // whether it is plus or minus infinity
OPENIPU_OBJECT(isfinite) // neither NaN nor infinity
#undef OPENIPU_OBJECT

// ---- between formats

inline float __builtin_ipu_f16tof32(half x) { return float(x); }
inline half __builtin_ipu_f32tof16(float x) { return half(x); }
inline poplar::codelet::Float2 __builtin_ipu_f16v2tof32(poplar::codelet::HalfVector<2> x) {
  const auto wide = x.toFloat();
  return poplar::codelet::Float2{wide[0], wide[1]};
}
inline poplar::codelet::HalfVector<2> __builtin_ipu_f32v2tof16(poplar::codelet::Float2 x) {
  return poplar::codelet::HalfVector<2>::fromFloat(poplar::codelet::Float4{x[0], x[1], 0, 0});
}
inline poplar::codelet::HalfVector<4> __builtin_ipu_f32v4tof16(poplar::codelet::Float4 x) {
  return poplar::codelet::HalfVector<4>::fromFloat(x);
}

// ---- on the bits of floats

#define OPENIPU_BITS(name, expression)                                                             \
  extern "C" inline                                                                                \
      __attribute__((noipa, const)) float openipu_aux_##name##_float(float x, float y) {           \
    const unsigned a = openipuBits(x), b = openipuBits(y);                                         \
    return openipuFloat(expression);                                                               \
  }                                                                                                \
  extern "C" inline __attribute__((noipa, const))                                                  \
  poplar::codelet::Float2 openipu_aux_##name##_float2(poplar::codelet::Float2 x,                   \
                                                      poplar::codelet::Float2 y) {                 \
    typedef unsigned Words __attribute__((vector_size(8)));                                        \
    const Words a = (Words)x, b = (Words)y;                                                        \
    return (poplar::codelet::Float2)(expression);                                                  \
  }                                                                                                \
  inline float __builtin_ipu_##name##_f32(float x, float y) {                                      \
    if (poplar::codelet::openipuCounted)                                                           \
      return openipu_aux_##name##_float(x, y);                                                     \
    const unsigned a = openipuBits(x), b = openipuBits(y);                                         \
    return openipuFloat(expression);                                                               \
  }                                                                                                \
  inline poplar::codelet::Float2 __builtin_ipu_##name##_v2f32(poplar::codelet::Float2 x,           \
                                                              poplar::codelet::Float2 y) {         \
    if (poplar::codelet::openipuCounted)                                                           \
      return openipu_aux_##name##_float2(x, y);                                                    \
    typedef unsigned Words __attribute__((vector_size(8)));                                        \
    const Words a = (Words)x, b = (Words)y;                                                        \
    return (poplar::codelet::Float2)(expression);                                                  \
  }
OPENIPU_BITS(and, a &b)
OPENIPU_BITS(andc, a & ~b)
OPENIPU_BITS(or, a | b)
#undef OPENIPU_BITS

// ---- on words. Bytes and halves count from the lowest.

#define OPENIPU_WORD_1(name, expression)                                                           \
  extern "C" inline __attribute__((noipa, const)) unsigned openipu_main_##name(unsigned a) {       \
    return expression;                                                                             \
  }                                                                                                \
  inline unsigned __builtin_ipu_##name(unsigned a) {                                               \
    return poplar::codelet::openipuCounted ? openipu_main_##name(a) : (expression);                \
  }
#define OPENIPU_WORD_2(name, expression)                                                           \
  extern "C" inline                                                                                \
      __attribute__((noipa, const)) unsigned openipu_main_##name(unsigned a, unsigned b) {         \
    return expression;                                                                             \
  }                                                                                                \
  inline unsigned __builtin_ipu_##name(unsigned a, unsigned b) {                                   \
    return poplar::codelet::openipuCounted ? openipu_main_##name(a, b) : (expression);             \
  }
OPENIPU_WORD_1(clz, a ? unsigned(__builtin_clz(a)) : 32u)
OPENIPU_WORD_1(popc, unsigned(__builtin_popcount(a)))
OPENIPU_WORD_1(swap16, a << 16 | a >> 16)                        // h0 h1
OPENIPU_WORD_1(swap8, (a & 0xff00ff) << 8 | (a >> 8 & 0xff00ff)) // of each half
OPENIPU_WORD_1(bitrev8, ((a & 0x01010101) << 7 | (a & 0x02020202) << 5 | (a & 0x04040404) << 3 |
                         (a & 0x08080808) << 1 | (a & 0x10101010) >> 1 | (a & 0x20202020) >> 3 |
                         (a & 0x40404040) >> 5 | (a & 0x80808080) >> 7)) // bits of each byte
OPENIPU_WORD_2(andc, a & ~b)
OPENIPU_WORD_2(roll16, a >> 16 | b << 16)              // b's h0, a's h1
OPENIPU_WORD_2(sort4x16lo, (a & 0xffff) | b << 16)     // b's h0, a's h0
OPENIPU_WORD_2(sort4x16hi, a >> 16 | (b & 0xffff0000)) // b's h1, a's h1
// Interleaves the low (high) bytes of two words: b1 a1 b0 a0.
OPENIPU_WORD_2(shuf8x8lo, (a & 0xff) | (b & 0xff) << 8 | (a & 0xff00) << 8 | (b & 0xff00) << 16)
OPENIPU_WORD_2(shuf8x8hi,
               (a >> 16 & 0xff) | (b >> 16 & 0xff) << 8 | (a >> 24) << 16 | (b >> 24) << 24)
#undef OPENIPU_WORD_1
#undef OPENIPU_WORD_2

inline bool __builtin_ipu_is_worker_mode() { return true; }

#ifdef __POPC__
extern "C" inline __attribute__((noipa)) unsigned openipu_main_tile_id() {
  return openipuHooks->tileId();
}
inline unsigned __builtin_ipu_get_tile_id() {
  return poplar::codelet::openipuCounted ? openipu_main_tile_id() : openipuHooks->tileId();
}
// The cycle counter: the device's when the compute set began, and the instructions of this worker
// since. A codelet that asks is always run with its instructions counted, except in checked mode.
extern "C" __attribute__((visibility("hidden"))) unsigned long long openipu_counted_cycles();
extern "C" inline __attribute__((noipa)) unsigned long long openipu_main_scount() {
  return openipuHooks->cycles() + openipu_counted_cycles();
}
inline unsigned __builtin_ipu_get_scount_l() { return unsigned(openipu_main_scount()); }
inline unsigned __builtin_ipu_get_scount_u() { return unsigned(openipu_main_scount() >> 32); }

// Random numbers of the thread that runs the vertex; the engine seeds it.
extern "C" inline __attribute__((noipa)) unsigned long long openipu_aux_urand64() {
  return openipuHooks->random64();
}
inline unsigned long long __builtin_ipu_urand64() { return openipu_aux_urand64(); }
extern "C" inline __attribute__((noipa)) unsigned openipu_aux_urand32() {
  return unsigned(openipuHooks->random64() >> 32);
}
inline unsigned __builtin_ipu_urand32() { return openipu_aux_urand32(); }
// Uniform in [-0.5, 0.5).
extern "C" inline __attribute__((noipa)) float openipu_aux_urand_float() {
  return float(int(openipuHooks->random64() >> 32) >> 8) * 5.9604644775390625e-8f;
}
extern "C" inline __attribute__((noipa)) half openipu_aux_urand_half() {
  return half(float(int(openipuHooks->random64() >> 32) >> 21) * 0.00048828125f);
}
inline float __builtin_ipu_urand_f32() { return openipu_aux_urand_float(); }
inline half __builtin_ipu_urand_f16() { return openipu_aux_urand_half(); }
// A pair of independent Gaussian numbers, by Box and Muller.
extern "C" inline __attribute__((noipa)) poplar::codelet::Float2 openipu_aux_grand_float2() {
  const unsigned long long bits = openipuHooks->random64();
  const float u = (float(unsigned(bits >> 40)) + 1.0f) * 5.9604644775390625e-8f;
  const float angle = float(unsigned(bits & 0xffffff)) * 3.7450702829238413e-7f; // 2 pi / 2^24
  const float radius = __builtin_sqrtf(-2.0f * __builtin_logf(u));
  return poplar::codelet::Float2{radius * __builtin_cosf(angle), radius * __builtin_sinf(angle)};
}
extern "C" inline __attribute__((noipa)) poplar::codelet::HalfVector<2> openipu_aux_grand_half2() {
  const auto pair = openipu_aux_grand_float2();
  return poplar::codelet::HalfVector<2>(pair[0], pair[1]);
}
inline poplar::codelet::Float2 __builtin_ipu_f32v2grand() { return openipu_aux_grand_float2(); }
inline poplar::codelet::HalfVector<2> __builtin_ipu_f16v2grand() {
  return openipu_aux_grand_half2();
}

// Control and status registers of the worker that runs the vertex: what was put there can be got
// back. None of them changes what other instructions do (poplar/CSRFunctions.hpp does that). They
// lie in no field, so checked codelets do not check these accesses.
#define OPENIPU_REGISTERS                                                                          \
  extern "C" inline __attribute__((noipa, no_sanitize("kernel-address"), no_sanitize("undefined")))
OPENIPU_REGISTERS unsigned openipu_main_get(unsigned index) {
  return openipuHooks->registers()[index & 255];
}
OPENIPU_REGISTERS void openipu_main_put(unsigned value, unsigned index) {
  openipuHooks->registers()[index & 255] = value;
}
OPENIPU_REGISTERS float openipu_aux_get_float(unsigned index) {
  return openipuFloat(openipuHooks->registers()[index & 255]);
}
OPENIPU_REGISTERS void openipu_aux_put_float(float value, unsigned index) {
  openipuHooks->registers()[index & 255] = openipuBits(value);
}
#undef OPENIPU_REGISTERS
inline unsigned __builtin_ipu_get(unsigned index) { return openipu_main_get(index); }
inline void __builtin_ipu_put(unsigned value, unsigned index) { openipu_main_put(value, index); }
inline float __builtin_ipu_uget(unsigned index) { return openipu_aux_get_float(index); }
inline void __builtin_ipu_uput(float value, unsigned index) { openipu_aux_put_float(value, index); }

// ---- packed addresses
// Two to load from and one to store to, which advance by 64-bit words after each access. On the
// tile all three are one 64-bit register, here they are three pointers.

namespace poplar {
namespace codelet {
struct PackedAddresses {
  const char *load[2];
  char *store;
};
} // namespace codelet
} // namespace poplar
extern "C" inline __attribute__((noipa)) void
openipu_main_tapack(poplar::codelet::PackedAddresses *packed, const void *first, const void *second,
                    const void *store) {
  *packed = {{static_cast<const char *>(first), static_cast<const char *>(second)},
             const_cast<char *>(static_cast<const char *>(store))};
}
inline poplar::codelet::PackedAddresses __builtin_ipu_tapack(const void *first, const void *second,
                                                             const void *store) {
  poplar::codelet::PackedAddresses packed;
  openipu_main_tapack(&packed, first, second, store);
  return packed;
}

// The unit that multiplies matrices and its accumulators are not part of a codelet's machine.
#define OPENIPU_NO_MATRIX_UNIT(name)                                                               \
  template <class... A>                                                                            \
  __attribute__((error(                                                                            \
      "the matrix unit is not there in codelets: write the loop in C++, or use "                   \
      "poplin::matMul and poplin::convolution"))) unsigned long long __builtin_ipu_##name(A...);
OPENIPU_NO_MATRIX_UNIT(ld64putcs)
OPENIPU_NO_MATRIX_UNIT(ld128putcs)
OPENIPU_NO_MATRIX_UNIT(gina)
OPENIPU_NO_MATRIX_UNIT(f32v2gina)
OPENIPU_NO_MATRIX_UNIT(f32v2aop)
OPENIPU_NO_MATRIX_UNIT(f32v2axpy)
#undef OPENIPU_NO_MATRIX_UNIT

#ifndef __clang__
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif
#endif

#endif
