// SPDX-License-Identifier: MIT
#include "elementwise/MapRows.hpp"
#include "base/Half.hpp"
#include "base/Simd.hpp"
#include <algorithm>
#include <cstring>

namespace popops::rows {
namespace {

// Calls f with a value of the unsigned type that has this many bytes.
template <class F> void bySize(std::size_t size, F f) {
  switch (size) {
  case 1:
    return f(std::uint8_t());
  case 2:
    return f(std::uint16_t());
  case 4:
    return f(std::uint32_t());
  default:
    return f(std::uint64_t());
  }
}
template <class T> const T *as(const std::byte *p) { return reinterpret_cast<const T *>(p); }
template <class T> T *as(std::byte *p) { return reinterpret_cast<T *>(p); }

template <class T>
OPENIPU_SIMD void fillRows(const T *from, std::int64_t step, T *to, std::size_t rows,
                           std::size_t n) {
  for (std::size_t r = 0; r < rows; ++r, from += step)
    for (std::size_t i = 0; i < n; ++i)
      *to++ = *from;
}

template <class T> void pick(const T *from, std::int64_t stride, T *__restrict to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = from[std::int64_t(i) * stride];
}
template <class T> void place(const T *__restrict from, T *to, std::int64_t stride, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[std::int64_t(i) * stride] = from[i];
}

constexpr std::size_t packedHalves = 256;

void loadHalves(const std::uint16_t *from, std::int64_t stride, float *to, std::size_t n) {
  if (stride == 1)
    return base::halfToFloat(from, to, n);
  if (stride == 0) {
    std::fill_n(to, n, base::halfToFloat(*from));
    return;
  }
  std::uint16_t packed[packedHalves];
  for (std::size_t done = 0; done < n; done += packedHalves) {
    const std::size_t part = std::min(packedHalves, n - done);
    pick(from + std::int64_t(done) * stride, stride, packed, part);
    base::halfToFloat(packed, to + done, part);
  }
}
void storeHalves(const float *from, std::uint16_t *to, std::int64_t stride, std::size_t n,
                 base::HalfOverflow overflow) {
  const bool limit = overflow != base::HalfOverflow::Infinite && base::mayOverflowHalf(from, n);
  if (stride == 1 && !limit)
    return base::floatToHalf(from, to, n);
  std::uint16_t packed[packedHalves];
  float limited[packedHalves];
  for (std::size_t done = 0; done < n; done += packedHalves) {
    const std::size_t part = std::min(packedHalves, n - done);
    if (limit) {
      std::copy_n(from + done, part, limited);
      base::limitToHalf(limited, part, overflow);
    }
    base::floatToHalf(limit ? limited : from + done, packed, part);
    place(packed, to + std::int64_t(done) * stride, stride, part);
  }
}

} // namespace

void gather(std::size_t size, const std::byte *from, std::int64_t stride, std::byte *to,
            std::size_t n) {
  if (stride == 1)
    std::memcpy(to, from, n * size);
  else if (stride == 0)
    repeatEach(size, from, 0, to, 1, n);
  else
    bySize(size, [&]<class T>(T) { pick(as<T>(from), stride, as<T>(to), n); });
}

void repeatEach(std::size_t size, const std::byte *from, std::int64_t step, std::byte *to,
                std::size_t rows, std::size_t n) {
  bySize(size, [&]<class T>(T) { fillRows(as<T>(from), step, as<T>(to), rows, n); });
}

void gatherAcross(std::size_t size, const std::byte *from, std::int64_t stride, std::byte *to,
                  std::size_t rows, std::size_t n, std::size_t pitch) {
  bySize(size, [&]<class T>(T) {
    for (std::size_t c = 0; c < n; ++c) {
      const T *column = as<T>(from) + std::int64_t(c) * stride;
      for (std::size_t r = 0; r < rows; ++r)
        as<T>(to)[r * pitch + c] = column[r];
    }
  });
}

void load(TypeId type, const std::byte *from, std::int64_t stride, std::byte *to, std::size_t n) {
  if (type == TypeId::Half)
    loadHalves(as<std::uint16_t>(from), stride, as<float>(to), n);
  else
    gather(sizeOf(type), from, stride, to, n);
}

void store(TypeId type, const std::byte *from, std::byte *to, std::int64_t stride, std::size_t n,
           base::HalfOverflow overflow) {
  if (type == TypeId::Half)
    return storeHalves(as<float>(from), as<std::uint16_t>(to), stride, n, overflow);
  if (stride == 1) {
    std::memcpy(to, from, n * sizeOf(type));
    return;
  }
  bySize(sizeOf(type), [&]<class T>(T) { place(as<T>(from), as<T>(to), stride, n); });
}

} // namespace popops::rows
