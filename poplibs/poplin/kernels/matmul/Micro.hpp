// SPDX-License-Identifier: MIT
// The innermost loops of products and convolutions: blocks of sums kept in registers, in one
// version for each kind of vector unit (MicroKernels.inc is compiled for each). Everything above
// chooses what the pointers point at; so one loop serves matrices, convolutions with any padding,
// stride and dilation, and weight gradients.
#pragma once
#include <cstddef>
#include <cstdint>

namespace poplin::micro {

constexpr unsigned maxRows = 10, maxVectors = 4, maxLanes = 16;

// What is done to sums before they are left alone: something is added to row r, vector v at
// add[.][r] + v * step, one value to all of a row, one to all of a column; then a function.
struct Finish {
  const float *const *add[2] = {};
  std::size_t step = 0; // 0: vectors lie side by side
  const float *perRow = nullptr, *perColumn = nullptr;
  bool relu = false;
  float most = 0; // with relu, larger values become this; 0: none do
  void (*activation)(float *data, std::size_t n) = nullptr;
};

// c[r][v] (+)= sum over steps s and i < k:  rows[s * stride + r][i] * b[s][i * ldb + v].
// Serves row-major matrices (one step) and convolutions (a step is a kernel position).
struct Rows {
  const float *const *rows;
  std::size_t steps = 1, stride = 0, k = 0;
  const float *const *b;
  std::size_t ldb;
  float *const *c;
  bool accumulate = false;
  float *copy = nullptr; // if set, the rows of b that were read are stored here one after the other
  std::size_t aOffset = 0, bOffset = 0; // added to every pointer
  const float *ahead = nullptr; // if set, a vector of this is brought nearer with every row of b
  const Finish *finish = nullptr;
};

// c[r][v] (+)= sum over i < k:  a[i][r] * b[i][v], with vector w of b at b[i] + w * vectorStride.
// Serves products of a transposed matrix: weight gradients, and a lane per image.
struct Outer {
  const float *const *a;
  const float *const *b;
  std::size_t k = 0, aOffset = 0, bOffset = 0; // added to every pointer
  std::size_t vectorStride = maxLanes;
  float *const *c; // vector w at c[r] + w * cStride
  bool accumulate = false;
  std::size_t cStride = maxLanes;
  const float *const *ahead = nullptr; // if set, a vector of each of k is brought nearer
  std::size_t aheadOffset = 0;
  const Finish *finish = nullptr;
};

// c[r * maxVectors + v] += sum over runs j and i < length:  (a[r] + aRun[j])[i] * (b[v] +
// bRun[j])[i].
struct Dot {
  const float *const *a;
  const float *const *b;
  const std::int64_t *aRun, *bRun;
  std::size_t runs = 0, length = 0;
  float *c;
};

struct Kernels {
  unsigned lanes;                   // floats per vector
  unsigned rowsFor[maxVectors + 1]; // the best number of rows for so many vectors
  unsigned vectors;                 // the best number of vectors
  void (*rows[maxVectors + 1][maxRows + 1])(const Rows &);
  void (*outer[maxVectors + 1][maxRows + 1])(const Outer &);
  void (*dot[maxVectors + 1][maxVectors + 1])(const Dot &); // [v][r]
};

// For the processor this runs on, or a lesser one that OPENIPU_ISA names (base/VectorUnit.hpp).
const Kernels &kernels();
// The widest of these whose vectors n floats fill, if one does; else the widest.
const Kernels &kernelsFor(std::size_t n);

const Kernels &avx512Kernels();
const Kernels &avx2Kernels();
const Kernels &baseKernels();

} // namespace poplin::micro
