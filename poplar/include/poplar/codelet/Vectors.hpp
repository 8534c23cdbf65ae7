// SPDX-License-Identifier: MIT
// What the vector types of the tile's registers are made of, under names of our own: programs may
// call theirs float2 and half4 (VectorTypes.hpp), or declare them by themselves.
#ifndef POPLAR_CODELET_VECTORS_HPP
#define POPLAR_CODELET_VECTORS_HPP
#include "poplar/HalfFloat.hpp"
#include <type_traits>
#include <utility>

namespace poplar {
namespace codelet {

template <unsigned N> struct HalfLanes;
template <> struct HalfLanes<2> { typedef short Mask __attribute__((vector_size(4), aligned(2))); };
template <> struct HalfLanes<4> { typedef short Mask __attribute__((vector_size(8), aligned(2))); };

typedef float Float2 __attribute__((vector_size(8)));
// The lanes as floats, four at a time. Arithmetic in float, rounded once to half, is correctly
// rounded half arithmetic.
typedef float Float4 __attribute__((vector_size(16)));
#ifdef __F16C__
typedef short Short8 __attribute__((vector_size(16)));
typedef long long LongLong2 __attribute__((vector_size(16)));
inline Float4 widen(long long bits) {
  const LongLong2 wide = {bits, 0};
  return __builtin_ia32_vcvtph2ps((Short8)wide);
}
inline long long narrow(Float4 lanes) { return ((LongLong2)__builtin_ia32_vcvtps2ph(lanes, 0))[0]; }
#else
// Functions by name, so that the count of a tile's instructions knows them for what they are.
extern "C" inline __attribute__((noipa, const)) Float4 openipu_widen_halves(long long bits) {
  half lanes[4];
  __builtin_memcpy(lanes, &bits, 8);
  return Float4{float(lanes[0]), float(lanes[1]), float(lanes[2]), float(lanes[3])};
}
extern "C" inline __attribute__((noipa, const)) long long openipu_narrow_halves(Float4 lanes) {
  const half rounded[4] = {half(lanes[0]), half(lanes[1]), half(lanes[2]), half(lanes[3])};
  long long bits;
  __builtin_memcpy(&bits, rounded, 8);
  return bits;
}
inline Float4 widen(long long bits) { return openipu_widen_halves(bits); }
inline long long narrow(Float4 lanes) { return openipu_narrow_halves(lanes); }
#endif

template <unsigned N> class alignas(2 * N) HalfVector {
public:
  typedef typename HalfLanes<N>::Mask Mask;

  HalfVector() = default;
  // Lanes in order; missing ones are zero, as in an aggregate.
  template <class A> explicit HalfVector(A first) : lanes_{half(first)} {}
  template <class A, class B, class... Rest>
  HalfVector(A first, B second, Rest... rest) : lanes_{half(first), half(second), half(rest)...} {}
  static HalfVector splat(half value) {
    const float wide = float(value); // exact, and leaves loops, which bit by bit does not
    return fromFloat(Float4{wide, wide, wide, wide});
  }

  half &operator[](unsigned i) { return lanes_[i]; }
  half operator[](unsigned i) const { return lanes_[i]; }

  Float4 toFloat() const {
    long long bits = 0;
    __builtin_memcpy(&bits, lanes_, sizeof lanes_);
    return widen(bits);
  }
  static HalfVector fromFloat(Float4 lanes) {
    const long long bits = narrow(lanes);
    HalfVector v;
    __builtin_memcpy(v.lanes_, &bits, sizeof v.lanes_);
    return v;
  }

  HalfVector operator-() const { return fromFloat(-toFloat()); }
  HalfVector operator+() const { return *this; }
#define OPENIPU_LANES(op)                                                                          \
  friend HalfVector operator op(HalfVector a, HalfVector b) {                                      \
    return fromFloat(a.toFloat() op b.toFloat());                                                  \
  }                                                                                                \
  template <class S, class = typename std::enable_if<std::is_convertible<S, half>::value>::type>   \
  friend HalfVector operator op(HalfVector a, S b) {                                               \
    return a op splat(half(b));                                                                    \
  }                                                                                                \
  template <class S, class = typename std::enable_if<std::is_convertible<S, half>::value>::type>   \
  friend HalfVector operator op(S a, HalfVector b) {                                               \
    return splat(half(a)) op b;                                                                    \
  }                                                                                                \
  template <class V> HalfVector &operator op##=(V other) { return *this = *this op other; }
  OPENIPU_LANES(+)
  OPENIPU_LANES(-)
  OPENIPU_LANES(*)
  OPENIPU_LANES(/)
#undef OPENIPU_LANES
#define OPENIPU_LANES(op)                                                                          \
  friend Mask operator op(HalfVector a, HalfVector b) {                                            \
    Mask mask = {};                                                                                \
    for (unsigned i = 0; i < N; ++i)                                                               \
      mask[i] = a.lanes_[i] op b.lanes_[i] ? -1 : 0;                                               \
    return mask;                                                                                   \
  }
  OPENIPU_LANES(==)
  OPENIPU_LANES(!=)
  OPENIPU_LANES(<)
  OPENIPU_LANES(<=)
  OPENIPU_LANES(>)
  OPENIPU_LANES(>=)
#undef OPENIPU_LANES

private:
  half lanes_[N];
};

// __builtin_convertvector, which the compiler has for its own vectors only.
template <class To, class From> struct VectorConversion {
  static To of(const From &v) { return __builtin_convertvector(v, To); }
};
template <class To, unsigned N> struct VectorConversion<To, HalfVector<N>> {
  static To of(HalfVector<N> v) {
    const Float4 wide = v.toFloat();
    To to = {};
    for (unsigned i = 0; i < N; ++i)
      to[i] = typename std::decay<decltype(to[i])>::type(wide[i]);
    return to;
  }
};
template <unsigned N, class From> struct VectorConversion<HalfVector<N>, From> {
  static HalfVector<N> of(const From &v) {
    Float4 wide = {};
    for (unsigned i = 0; i < N; ++i)
      wide[i] = float(v[i]);
    return HalfVector<N>::fromFloat(wide);
  }
};
template <unsigned N> struct VectorConversion<HalfVector<N>, HalfVector<N>> {
  static HalfVector<N> of(HalfVector<N> v) { return v; }
};
template <class To, class From> inline To convertVector(const From &v) {
  static_assert(sizeof(To) / sizeof(std::declval<To &>()[0]) == sizeof(From) / sizeof(v[0]),
                "as many lanes as before");
  return VectorConversion<To, From>::of(v);
}

} // namespace codelet
} // namespace poplar

#endif
