// SPDX-License-Identifier: MIT
// One row of the result (four for blocks of four rows and more) stays in registers while all blocks
// of its line are added.
#include "Multiply.hpp"
#include "base/Half.hpp"
#include "base/Simd.hpp"
#include "base/Threads.hpp"
#include <algorithm>
#include <cstring>

namespace popsparse {

using openipu::TypeId;

Lines group(const std::vector<Placed> &blocks, std::size_t count, bool byStack) {
  Lines out;
  out.start.assign(count + 1, 0);
  for (const Placed &block : blocks)
    ++out.start[(byStack ? block.at.stack : block.at.line) + 1];
  for (std::size_t i = 0; i < count; ++i)
    out.start[i + 1] += out.start[i];
  std::vector<std::uint32_t> next(out.start.begin(), out.start.end() - 1);
  out.other.resize(blocks.size());
  out.slot.resize(blocks.size());
  for (const Placed &block : blocks) {
    const std::uint32_t at = next[byStack ? block.at.stack : block.at.line]++;
    out.other[at] = byStack ? block.at.line : block.at.stack;
    out.slot[at] = block.slot;
  }
  return out;
}

namespace {

struct LineWork {
  const std::uint32_t *other, *slot;
  std::size_t blocks, area, inRows;
  std::size_t perOut, perIn; // strides of a block's values
  const float *values, *x;
  std::size_t ldx;
};

// R rows and W columns of the result at once; `width` of the W columns exist.
template <std::size_t R, std::size_t W>
OPENIPU_INLINE void rowsTimes(const LineWork &w, std::size_t row, std::size_t column, float *y,
                              std::size_t ldy, std::size_t width) {
  float sum[R][W] = {};
  for (std::size_t b = 0; b < w.blocks; ++b) {
    const float *values = w.values + w.slot[b] * w.area + row * w.perOut;
    const float *x = w.x + w.other[b] * w.inRows * w.ldx + column;
    for (std::size_t i = 0; i < w.inRows; ++i, values += w.perIn, x += w.ldx)
      for (std::size_t r = 0; r < R; ++r) {
        const float value = values[r * w.perOut];
        if (width == W)
          for (std::size_t c = 0; c < W; ++c)
            sum[r][c] += value * x[c];
        else
          for (std::size_t c = 0; c < width; ++c)
            sum[r][c] += value * x[c];
      }
  }
  for (std::size_t r = 0; r < R; ++r)
    std::memcpy(y + r * ldy + column, sum[r], width * sizeof(float));
}

OPENIPU_SIMD void oneRow(const LineWork &w, std::size_t row, std::size_t n, float *y,
                         std::size_t ldy) {
  std::size_t column = 0;
  for (; column + 64 <= n; column += 64)
    rowsTimes<1, 64>(w, row, column, y, ldy, 64);
  if (column < n)
    rowsTimes<1, 64>(w, row, column, y, ldy, n - column);
}
OPENIPU_SIMD void fourRows(const LineWork &w, std::size_t row, std::size_t n, float *y,
                           std::size_t ldy) {
  std::size_t column = 0;
  for (; column + 32 <= n; column += 32)
    rowsTimes<4, 32>(w, row, column, y, ldy, 32);
  if (column < n)
    rowsTimes<4, 32>(w, row, column, y, ldy, n - column);
}

// Sixteen sums side by side, added at the end.
OPENIPU_SIMD float dot(const float *__restrict a, const float *__restrict b, std::size_t n) {
  float sum[16] = {};
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (std::size_t j = 0; j < 16; ++j)
      sum[j] += a[i + j] * b[i + j];
  for (; i < n; ++i)
    sum[i % 16] += a[i] * b[i];
  float total = 0;
  for (float s : sum)
    total += s;
  return total;
}

} // namespace

void multiply(const Lines &lines, const BlockShape &block, const float *values, const float *x,
              std::size_t ldx, float *y, std::size_t ldy, std::size_t n) {
  const std::size_t count = lines.start.size() - 1, out = block.outRows();
  const std::size_t perLine =
      std::max<std::size_t>(1, lines.slot.size() / std::max<std::size_t>(1, count)) * block.rows *
      block.columns * n;
  base::parallelFor(count, std::max<std::size_t>(1, 65536 / std::max<std::size_t>(1, perLine)),
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (std::size_t line = begin; line < end; ++line) {
                        const std::uint32_t first = lines.start[line];
                        const LineWork w{lines.other.data() + first,
                                         lines.slot.data() + first,
                                         lines.start[line + 1] - first,
                                         block.rows * block.columns,
                                         block.inRows(),
                                         block.transposed ? 1 : block.columns,
                                         block.transposed ? block.columns : 1,
                                         values,
                                         x,
                                         ldx};
                        std::size_t row = 0;
                        for (; row + 4 <= out; row += 4)
                          fourRows(w, row, n, y + (line * out + row) * ldy, ldy);
                        for (; row < out; ++row)
                          oneRow(w, row, n, y + (line * out + row) * ldy, ldy);
                      }
                    });
}

void outerBlocks(const std::vector<Placed> &blocks, const BlockShape &block, const float *g,
                 std::size_t ldg, const float *x, std::size_t ldx, std::size_t n, float *values) {
  const std::size_t area = block.rows * block.columns;
  base::parallelFor(blocks.size(), std::max<std::size_t>(1, 65536 / (area * n + 1)),
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (std::size_t b = begin; b < end; ++b)
                        for (std::size_t r = 0; r < block.rows; ++r)
                          for (std::size_t c = 0; c < block.columns; ++c)
                            values[blocks[b].slot * area + r * block.columns + c] =
                                dot(g + (blocks[b].at.line * block.rows + r) * ldg,
                                    x + (blocks[b].at.stack * block.columns + c) * ldx, n);
                    });
}

namespace {

// copy(row) for all rows, in parallel if there is much to do.
template <class Copy> void forRows(std::size_t rows, std::size_t n, const Copy &copy) {
  base::parallelFor(rows, std::max<std::size_t>(1, 32768 / std::max<std::size_t>(1, n)),
                    [&](std::size_t begin, std::size_t end, unsigned) { copy(begin, end); });
}

// Rows [begin, end) of a strided matrix of T, in tiles so that transposed ones use whole cache
// lines.
template <class F> void tiled(std::size_t begin, std::size_t end, std::size_t n, const F &f) {
  for (std::size_t i0 = begin; i0 < end; i0 += 32)
    for (std::size_t j0 = 0; j0 < n; j0 += 32)
      for (std::size_t i = i0; i < std::min(end, i0 + 32); ++i)
        for (std::size_t j = j0; j < std::min(n, j0 + 32); ++j)
          f(i, j);
}

bool isRows(const KernelOperand &m) {
  return m.type == TypeId::Float && (m.strides[1] == 1 || m.shape[1] <= 1) &&
         (m.strides[0] >= std::int64_t(m.shape[1]) || m.shape[0] <= 1);
}

} // namespace

void DenseRows::read(const KernelOperand &m) {
  const std::size_t rows = m.shape[0], n = m.shape[1];
  if (isRows(m)) {
    data_ = m.as<const float>();
    stride_ = m.shape[0] <= 1 ? n : std::size_t(m.strides[0]);
    return;
  }
  copy_.resize(rows * n);
  data_ = copy_.data();
  stride_ = n;
  const std::int64_t s0 = m.strides[0], s1 = m.strides[1];
  forRows(rows, n, [&](std::size_t begin, std::size_t end) {
    if (m.type == TypeId::Float) {
      const float *from = m.as<const float>();
      tiled(begin, end, n, [&](std::size_t i, std::size_t j) {
        copy_[i * n + j] = from[std::int64_t(i) * s0 + std::int64_t(j) * s1];
      });
    } else if (s1 == 1) {
      for (std::size_t i = begin; i < end; ++i)
        base::halfToFloat(m.as<const std::uint16_t>() + std::int64_t(i) * s0, &copy_[i * n], n);
    } else {
      std::vector<std::uint16_t> halves((end - begin) * n);
      const auto *from = m.as<const std::uint16_t>();
      tiled(begin, end, n, [&](std::size_t i, std::size_t j) {
        halves[(i - begin) * n + j] = from[std::int64_t(i) * s0 + std::int64_t(j) * s1];
      });
      base::halfToFloat(halves.data(), &copy_[begin * n], halves.size());
    }
  });
}

float *DenseResult::begin(const KernelOperand &m) {
  matrix_ = &m;
  stride_ = m.shape[1];
  if (isRows(m)) {
    data_ = m.as<float>();
    stride_ = m.shape[0] <= 1 ? m.shape[1] : std::size_t(m.strides[0]);
  } else {
    copy_.resize(m.shape[0] * m.shape[1]);
    data_ = copy_.data();
  }
  return data_;
}

void DenseResult::end(bool roundToHalf) {
  const KernelOperand &m = *matrix_;
  const std::size_t rows = m.shape[0], n = m.shape[1];
  const std::int64_t s0 = m.strides[0], s1 = m.strides[1];
  const bool copied = data_ != m.as<float>();
  if (!copied && !roundToHalf)
    return;
  forRows(rows, n, [&](std::size_t begin, std::size_t end) {
    if (m.type == TypeId::Float) {
      if (roundToHalf)
        for (std::size_t i = begin; i < end; ++i)
          base::roundToHalf(data_ + i * stride_, n);
      if (copied)
        tiled(begin, end, n, [&](std::size_t i, std::size_t j) {
          m.as<float>()[std::int64_t(i) * s0 + std::int64_t(j) * s1] = data_[i * stride_ + j];
        });
      return;
    }
    std::vector<std::uint16_t> halves((end - begin) * n);
    base::floatToHalf(data_ + begin * n, halves.data(), halves.size());
    tiled(begin, end, n, [&](std::size_t i, std::size_t j) {
      m.as<std::uint16_t>()[std::int64_t(i) * s0 + std::int64_t(j) * s1] =
          halves[(i - begin) * n + j];
    });
  });
}

} // namespace popsparse
