// SPDX-License-Identifier: MIT
#include "PoolBoxes.hpp"
#include "base/Simd.hpp"
#include <algorithm>

namespace popnn {
namespace {

template <int N> struct Lanes {
  typedef float Floats __attribute__((vector_size(4 * N)));
  typedef int Integers __attribute__((vector_size(4 * N)));
  typedef float InMemory __attribute__((vector_size(4 * N), aligned(4), may_alias));
};
// Vectors are passed by reference: their calling convention differs between processors.
template <int N> OPENIPU_INLINE void load(typename Lanes<N>::Floats &v, const float *p) {
  v = *reinterpret_cast<const typename Lanes<N>::InMemory *>(p);
}
template <int N> OPENIPU_INLINE void store(float *p, const typename Lanes<N>::Floats &v) {
  *reinterpret_cast<typename Lanes<N>::InMemory *>(p) = v;
}

// The last vector overlaps the one before it. lanes >= N
template <int N, class Body> OPENIPU_INLINE void eachVector(std::size_t lanes, const Body &body) {
  for (std::size_t l = 0; l + N <= lanes; l += N)
    body(l);
  if (lanes % N)
    body(lanes - N);
}

// The largest of one position in all rows.
template <int N>
OPENIPU_INLINE void column(const BoxesRead &from, std::int64_t place,
                           typename Lanes<N>::Floats &most) {
  load<N>(most, from.rows[0] + place);
  for (std::size_t r = 1; r < from.count; ++r) {
    typename Lanes<N>::Floats in;
    load<N>(in, from.rows[r] + place);
    most = in > most ? in : most;
  }
}
// Rows first, then positions: the order on which the result depends if there are NaNs.
template <int N>
OPENIPU_INLINE void largest(PoolTarget to, const BoxesRead &from, const Windows &w) {
  for (std::size_t o = 0; o < w.count; ++o)
    eachVector<N>(
        w.lanes, [&](std::size_t l) __attribute__((always_inline)) {
          typename Lanes<N>::Floats most, next;
          const auto place = [&](std::uint32_t x) {
            return std::int64_t(x) * from.ld + std::int64_t(l);
          };
          column<N>(from, place(w.windows[o].first), most);
          for (auto x = w.windows[o].first + 1; x < w.windows[o].last; ++x) {
            column<N>(from, place(x), next);
            most = next > most ? next : most;
          }
          store<N>(to.at + std::int64_t(o) * to.ld + l, most);
        });
}

template <int N, Ties ties>
OPENIPU_INLINE void toEqual(const BoxesWritten &dx, const BoxGradient &b, std::size_t o,
                            const Window &w, std::size_t lanes) {
  using Floats = typename Lanes<N>::Floats;
  eachVector<N>(
      lanes, [&](std::size_t lane) __attribute__((always_inline)) {
        const auto l = std::int64_t(lane);
        Floats p, g, in;
        load<N>(p, b.pooled.at + std::int64_t(o) * b.pooled.ld + l);
        load<N>(g, b.g.at + std::int64_t(o) * b.g.ld + l);
        if (ties == Ties::Shared) {
          typename Lanes<N>::Integers equal{};
          for (std::size_t r = 0; r < b.in.count; ++r)
            for (auto x = w.first; x < w.last; ++x) {
              load<N>(in, b.in.rows[r] + std::int64_t(x) * b.in.ld + l);
              equal -= in == p;
            }
          equal = equal > 1 ? equal : 1; // none of NaN
          g = g / __builtin_convertvector(equal, Floats);
        }
        for (std::size_t r = 0; r < b.in.count; ++r)
          for (auto x = w.first; x < w.last; ++x) {
            load<N>(in, b.in.rows[r] + std::int64_t(x) * b.in.ld + l);
            store<N>(dx.rows[r] + std::int64_t(x) * dx.ld + l, in == p ? g : Floats{});
            if (ties == Ties::First)
              g = in == p ? Floats{} : g;
          }
      });
}
template <int N, Ties ties>
OPENIPU_INLINE void gradient(const BoxesWritten &dx, const BoxGradient &b, const Windows &w,
                             std::size_t width) {
  std::size_t next = 0;
  const auto clear = [&](std::size_t end) __attribute__((always_inline)) {
    for (; next < end; ++next)
      for (std::size_t r = 0; r < dx.count; ++r)
        std::fill_n(dx.rows[r] + std::int64_t(next) * dx.ld, w.lanes, 0.0f);
  };
  for (std::size_t o = 0; o < w.count; ++o) {
    clear(w.windows[o].first);
    toEqual<N, ties>(dx, b, o, w.windows[o], w.lanes);
    next = std::max<std::size_t>(next, w.windows[o].last);
  }
  clear(width);
}

#define EACH_WIDTH(FUNCTION, ...)                                                                  \
  w.lanes >= 16  ? FUNCTION(16, __VA_ARGS__)                                                       \
  : w.lanes >= 8 ? FUNCTION(8, __VA_ARGS__)                                                        \
  : w.lanes >= 4 ? FUNCTION(4, __VA_ARGS__)                                                        \
                 : FUNCTION(1, __VA_ARGS__)
#define LARGEST(N, ...) largest<N>(__VA_ARGS__)
#define WHOLE(N, ...) gradient<N, Ties::All>(__VA_ARGS__)
#define SHARED(N, ...) gradient<N, Ties::Shared>(__VA_ARGS__)
#define FIRST(N, ...) gradient<N, Ties::First>(__VA_ARGS__)

OPENIPU_SIMD void largestLoop(PoolTarget to, const BoxesRead &from, const Windows &w) {
  EACH_WIDTH(LARGEST, to, from, w);
}
OPENIPU_SIMD void wholeLoop(const BoxesWritten &dx, const BoxGradient &b, const Windows &w,
                            std::size_t width) {
  EACH_WIDTH(WHOLE, dx, b, w, width);
}
OPENIPU_SIMD void sharedLoop(const BoxesWritten &dx, const BoxGradient &b, const Windows &w,
                             std::size_t width) {
  EACH_WIDTH(SHARED, dx, b, w, width);
}
OPENIPU_SIMD void firstLoop(const BoxesWritten &dx, const BoxGradient &b, const Windows &w,
                            std::size_t width) {
  EACH_WIDTH(FIRST, dx, b, w, width);
}

} // namespace

void maxBoxes(PoolTarget to, BoxesRead from, Windows windows) { largestLoop(to, from, windows); }
void maxGradientOfBoxes(BoxesWritten dx, const BoxGradient &given, Windows windows,
                        std::size_t width) {
  (given.ties == Ties::All      ? wholeLoop
   : given.ties == Ties::Shared ? sharedLoop
                                : firstLoop)(dx, given, windows, width);
}

} // namespace popnn
