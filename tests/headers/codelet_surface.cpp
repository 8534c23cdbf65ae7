// SPDX-License-Identifier: MIT
// What codelets may write: every base class, field and layout, the device's types, its mathematics
// and its builtins, each once. Compiled by popc, never run.
#include <algorithm>
#include <arch/gc_tile_defines.h>
#include <array>
#include <assert.h>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ipu_builtins.h>
#include <ipu_intrinsics>
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
#include <ipudef.h>
#include <ipuvectormath>
#include <limits>
#include <math.h>
#include <numeric>
#include <poplar/AvailableVTypes.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Loops.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/TileConstants.hpp>
#include <poplar/VectorListTypes.hpp>
#include <poplar/VectorTypes.hpp>
#include <poplar/Vertex.hpp>
#include <print.h>
#include <stdint.h>
#include <tuple>
#include <type_traits>
#include <utility>

using namespace poplar;

#ifndef __POPC__
#error "codelets see __POPC__"
#endif
#ifdef DEF_STACK_USAGE
DEF_STACK_USAGE(64, "__runCodelet_Plain")
#endif

// ---- classes and their ways to compute

class Plain : public Vertex {
public:
  Output<float> y;
  bool compute() {
    *y = 1;
    return true;
  }
};
class Trailing : public Vertex {
public:
  Output<float> y;
  auto compute() -> bool { return *y > 0; }
};
class Nothing : public Vertex {
  InOut<float> y; // fields may be private

public:
  void compute() { *y += 1; }
};
class Workers : public MultiVertex {
public:
  Output<Vector<float>> y;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < y.size(); i += numWorkers())
      y[i] = float(worker);
    return true;
  }
};
class VoidWorkers : public MultiVertex {
public:
  Output<Vector<float>> y;
  void compute(unsigned worker) {
    static_assert(MultiVertex::numWorkers() == CTXT_WORKERS || MultiVertex::numWorkers() == 1, "");
    if (worker < y.size())
      y[worker] = 0;
  }
};
class WORKER_ALIGN Aligned : public Vertex {
public:
  Output<float> y;
  bool compute() { return true; }
};
class Supervisor : public SupervisorVertex {
public:
  static const bool needsAlignWorkers = false;
  Output<unsigned> y;
  __attribute__((target("supervisor"))) bool compute() {
    *y = __builtin_ipu_get_scount_l();
    return true;
  }
};
template <bool Is> class Maybe : public SupervisorVertexIf<Is> {
public:
  Output<float> y;
  bool compute() { return true; }
};
template class Maybe<true>;
template class Maybe<false>;
// No one constructs a vertex.
class [[poplar::constraint("elem(*a) != elem(*b)")]] Unconstructed : public Vertex {
public:
  Unconstructed();
  Input<Vector<float>> a;
  Output<Vector<float>> b;
  const unsigned n;
  static const bool isExternalCodelet = false;
  static constexpr float factor = 2;
  bool compute() {
    for (unsigned i = 0; i < n; ++i)
      b[i] = a[i] * factor;
    return true;
  }
};

// ---- fields

template <class T> class Scalars : public Vertex {
public:
  Input<T> a;
  InOut<T> b;
  Output<T> c;
  T state;
  bool compute() {
    const T &read = a;
    T &write = c;
    *c = *a, c = *a, write = read, b = T(*a), *b = state;
    if (*a < *b)
      state = *b;
    return true;
  }
};
template class Scalars<bool>;
template class Scalars<char>;
template class Scalars<signed char>;
template class Scalars<unsigned char>;
template class Scalars<short>;
template class Scalars<unsigned short>;
template class Scalars<int>;
template class Scalars<unsigned>;
template class Scalars<long long>;
template class Scalars<unsigned long long>;
template class Scalars<half>;
template class Scalars<float>;
class Conversions : public Vertex {
public:
  Input<unsigned> iterations;
  InOut<unsigned> count;
  Output<float> best;
  bool compute() {
    for (unsigned i = 0; i < iterations; ++i)
      count += 1;
    if (best >= 1.0f)
      best = 0.5f;
    return count == iterations;
  }
};

template <class T, VectorLayout L, unsigned Align, bool Interleaved> class Vectors : public Vertex {
public:
  Input<Vector<T, L, Align, Interleaved>> in;
  Output<Vector<T, L, Align>> out;
  InOut<Vector<T, L>> both;
  Vector<T, L> plain;
  Vector<Input<Vector<T, L, Align>>, L> ins;
  Vector<Output<Vector<T, L, Align, Interleaved>>, L, 4> outs;
  Vector<InOut<Vector<T, L>>, L> boths;
  unsigned n;
  bool compute() {
    const T *p = &in[0];
    T *q = &out[0];
    for (unsigned i = 0; i < n; ++i) {
      out[i] = in[i], both[i] = plain[i], q[i] = p[i];
      outs[0][i] = ins[0][i], boths[0][i] = in[i];
    }
    return in.data() != out.data();
  }
};
#define VECTORS(layout)                                                                            \
  template class Vectors<float, VectorLayout::layout, 8, true>;                                    \
  template class Vectors<half, VectorLayout::layout, 4, false>;                                    \
  template class Vectors<unsigned short, VectorLayout::layout, 1, false>;
VECTORS(SPAN)
VECTORS(ONE_PTR)
VECTORS(COMPACT_PTR)
VECTORS(SHORT_SPAN)
VECTORS(SCALED_PTR32)
VECTORS(SCALED_PTR64)
VECTORS(SCALED_PTR128)
#ifdef VECTOR_AVAIL_SHORT_SPAN
constexpr auto SHORT_SPAN = VectorLayout::SHORT_SPAN;
#endif

class Spans : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<float, VectorLayout::SHORT_SPAN>> y;
  Vector<Input<Vector<float>>> rows;
  Vector<float> weights;
  bool compute() {
    float sum = 0;
    for (auto value : x)
      sum += value;
    for (const auto &row : rows)
      sum += row[0] + float(row.size());
    sum += *std::max_element(x.begin(), x.end()) + float(x->size() + rows.size() + weights.size());
    for (auto &value : y)
      value = sum;
    return std::accumulate(weights.begin(), weights.end(), 0.0f) > 0;
  }
};
float first(Vector<float> &v) { return v[0]; }
template <class T> T last(const Vector<T> &v) { return v.back(); }
class Views : public Vertex {
public:
  Input<Vector<float>> x;
  InOut<Vector<float>> z;
  Output<Vector<float>> y;
  bool compute() {
    y = x, z = y, y = z;
    return first(x) + first(z) + last(y) > 0;
  }
};
template <VectorListLayout L> class Lists : public Vertex {
public:
  Input<VectorList<half, L>> in;
  Output<VectorList<half, L, 8, true>> out;
  InOut<VectorList<float, L>> both;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      for (unsigned j = 0; j < in[i].size(); ++j)
        out[i][j] = in[i][j], both[i][j] = float(in[i][j]);
    return true;
  }
};
template class Lists<VectorListLayout::DELTAN>;
template class Lists<VectorListLayout::DELTANELEMENTS>;
template class Lists<VectorListLayout::COMPACT_DELTAN>;
template class Lists<VectorListLayout::ONE_PTR>;
template class Lists<VectorListLayout::SCALED_PTR32>;
template class Lists<VectorListLayout::SCALED_PTR64>;
template class Lists<VectorListLayout::SCALED_PTR128>;
static_assert(VectorLayout::NOT_A_VECTOR != VectorLayout::SPAN, "");
static_assert(VectorListLayout::NOT_A_VECTOR != VectorListLayout::DELTAN, "");

class Quarters : public Vertex {
public:
  Input<quarter> one;
  Input<Vector<quarter>> x;
  Output<Vector<half>> y;
  Output<Vector<quarter>> z;
  bool compute() {
    MetadataType metadata = x.getMetadata();
    for (unsigned i = 0; i < x.size(); ++i) {
      y[i] = toHalf(x[i], metadata);
      z[i] = toQuarter(y[i], one.getMetadata());
    }
    QuarterFormat format;
    int scale;
    unpackMetadata(metadata, format, scale);
    return true;
  }
};

namespace mine {
enum class Kind { A, B };
template <class T, Kind K, bool Flag, int N> class Named : public Vertex {
public:
  Output<T> y;
  bool compute() {
    if constexpr (Flag)
      *y = T(N);
    return K == Kind::A;
  }
};
template class Named<float, Kind::A, true, -1>;
template class Named<half, Kind::B, false, 2>;
} // namespace mine

// ---- types, mathematics, builtins

class Types : public Vertex {
public:
  InOut<Vector<float, VectorLayout::ONE_PTR, 8>> x;
  bool compute() {
    float2 a{0, 0}, b = {1, 2};
    float4 c{};
    half2 d{1, 2};
    half4 e{1, 2, 3, 4};
    int2 f{1, 2};
    int4 g{};
    uint2 h{};
    uint4 i{};
    short2 j{};
    short4 k{1, 2, 3, 4};
    ushort2 l{};
    ushort4 m{};
    char2 n{};
    char4 o{};
    uchar2 p{};
    uchar4 q{};
    longlong2 r{};
    a = 1.f / 16 * a + b * 2.0f - b / a, a += b, e = e * e + e, d += d;
    a.x += b.y, c.w = c.s0 + c.z, e.z = d.x, g.y += f.x;
    f = a<b, k = e> e;
    auto *pairs = reinterpret_cast<float2 *>(&x[0]);
    pairs[0] = a + pairs[1];
    rptsize_t count = 3;
    half literal = 1.5_h;
    float wide = literal;
    std::min(literal, half(2)), std::numeric_limits<half>::max();
    static_assert(sizeof(half) == 2 && sizeof(half4) == 8, "");
    poplar::half inside = literal;
    poplar::IeeeHalf host(1.0f);
    printf("%f %u\n", double(wide + c[0]), unsigned(count));
    assert(count == 3);
    return bool(g[0] + int(h[0]) + int(i[0]) + j[0] + l[0] + m[0] + n[0] + o[0] + p[0] + q[0] +
                int(r[0]) + int(float(inside)) + int(float(host)));
  }
};

// clang-format off
#define EACH_OF_ONE(F) F(fabs) F(rsqrt) F(exp) F(erf) F(sigmoid) F(log) F(cos) F(sin) F(sqrt)      \
  F(floor) F(tanh) F(exp2) F(log2) F(log10) F(rint) F(round) F(trunc) F(ceil)
// clang-format on
#define EACH_OF_TWO(F) F(copysign) F(fmax) F(fmin) F(pow) F(fmod) F(absmax) F(min) F(max)
template <class T> T mathematics(T x) {
#define CALL(f) x = ipu::f(x);
  EACH_OF_ONE(CALL)
#undef CALL
#define CALL(f) x = ipu::f(x, x);
  EACH_OF_TWO(CALL)
#undef CALL
  return ipu::clamp(ipu::fma(x, x, x), x, x);
}
template float mathematics(float);
template half mathematics(half);
template float2 mathematics(float2);
template half2 mathematics(half2);
template half4 mathematics(half4);
#define CALL(f)                                                                                    \
  void named_##f(float2 a, half2 b, half4 c, half d) {                                             \
    float2_##f(a), half2_##f(b), half4_##f(c), half_##f(d);                                        \
  }
EACH_OF_ONE(CALL)
#undef CALL
#define CALL(f)                                                                                    \
  void named_##f(float2 a, half2 b, half4 c) { float2_##f(a, a), half2_##f(b, b), half4_##f(c, c); }
EACH_OF_TWO(CALL)
#undef CALL
half4 fma(half4 a) { return half4_fma(a, a, a); }

template <class T> T instructions(T x) {
  x = __builtin_ipu_max(x, __builtin_ipu_min(x, x));
  x = __builtin_ipu_absmax(x, __builtin_ipu_absadd(x, x));
  x = __builtin_ipu_cmpeq(x, __builtin_ipu_cmpne(x, x));
  x = __builtin_ipu_cmplt(x, __builtin_ipu_cmple(x, x));
  x = __builtin_ipu_cmpgt(x, __builtin_ipu_cmpge(x, x));
  x = __builtin_ipu_exp(__builtin_ipu_exp2(__builtin_ipu_ln(__builtin_ipu_log2(x))));
  return __builtin_ipu_tanh(__builtin_ipu_sigm(__builtin_ipu_sqrt(__builtin_ipu_rsqrt(x))));
}
template float instructions(float);
template half instructions(half);
template float2 instructions(float2);
template float4 instructions(float4);
template half2 instructions(half2);
template half4 instructions(half4);
void otherInstructions(float2 a, half2 b, half4 c, unsigned d, float *p) {
  __builtin_ipu_clamp(a, a), __builtin_ipu_clamp(b, b), __builtin_ipu_clamp(c, b),
      __builtin_ipu_clamp(a[0], a), __builtin_ipu_sum(b), __builtin_ipu_sum(c);
  __builtin_ipu_f16tof32(b[0]), __builtin_ipu_f32tof16(a[0]), __builtin_ipu_f16v2tof32(b),
      __builtin_ipu_f32v2tof16(a), __builtin_ipu_f32v4tof16(float4{});
  __builtin_ipu_and_f32(1, 2), __builtin_ipu_or_f32(1, 2), __builtin_ipu_and_v2f32(a, a),
      __builtin_ipu_or_v2f32(a, a), __builtin_ipu_andc_v2f32(a, a);
  __builtin_ipu_clz(d), __builtin_ipu_popc(d), __builtin_ipu_swap8(d), __builtin_ipu_swap16(d),
      __builtin_ipu_bitrev8(d), __builtin_ipu_andc(d, d), __builtin_ipu_roll16(d, d),
      __builtin_ipu_sort4x16lo(d, d), __builtin_ipu_sort4x16hi(d, d), __builtin_ipu_shuf8x8hi(d, d);
  __builtin_ipu_put(d, 1), __builtin_ipu_get(1), __builtin_ipu_uput(a[0], 1), __builtin_ipu_uget(1);
  auto packed = __builtin_ipu_tapack(p, p, p);
  auto two = ipu::ld2x64pace<float2>(packed);
  two = ipu::ld2xst64pace(packed, two.first, 1, 2, -1);
  ipu::st64pace(packed, ipu::ldst64pace(packed, two.second, 2, 1), 3);
}

class Builtins : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> x;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> y;
  bool compute() {
    const float *from = &x[0];
    float *to = &y[0];
    const float2 *pairs = reinterpret_cast<const float2 *>(from);
    float value = ipu::load_postinc(&from, 2) + ipu::load_postinc(&pairs, 1)[0];
    ipu::store_postinc(&to, value, 2);
    value += __builtin_ipu_andc_f32(value, 1.0f) + __builtin_ipu_cmplt(value, 1.0f) +
             __builtin_ipu_exp2(value) + __builtin_ipu_tanh(value) + __builtin_ipu_urand_f32() +
             float(__builtin_ipu_urand_f16()) + __builtin_ipu_f32v2grand()[0] +
             float(__builtin_ipu_f16v2grand()[0]);
    const unsigned bits = __builtin_ipu_get_scount_l() + __builtin_ipu_get_scount_u() +
                          __builtin_ipu_get_tile_id() + __builtin_ipu_shuf8x8lo(1, 2) +
                          __builtin_ipu_urand32() + unsigned(__builtin_ipu_urand64());
    __builtin_assume(bits > 0);
    std::array<float, 2> pair{};
    memcpy(pair.data(), &value, sizeof value), memset(pair.data(), 0, 4);
    std::uint32_t same = bits;
    return __builtin_ipu_isnan(value) || __builtin_ipu_isinf(value) ||
           __builtin_ipu_isfinite(value) || __builtin_ipu_is_worker_mode() || same;
  }
};
