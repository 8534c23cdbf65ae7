// SPDX-License-Identifier: MIT
// Arithmetic that recurrent cells share: activations of gates, sequence lengths, matrices.
#pragma once
#include "openipu/Kernel.hpp"
#include "poplin/Dense.hpp"
#include "poplin/Gemm.hpp"
#include "popnn/NonLinearityDef.hpp"
#include <algorithm>
#include <cstdint>

namespace popnn::rnn {

// values := f(values); a row at a time, which is what a softmax is of
void activate(NonLinearityType type, float *values, std::size_t n);
// gradient *= f'(x) with y = f(x)
void multiplyByGradient(NonLinearityType type, const float *y, float *gradient, std::size_t n);

// How many steps each element of the batch runs, and how many the loop does. Reads the operand
// where it lies: a batch may be too large for a list of its own.
class Lengths {
public:
  std::size_t loop = 0;
  bool perElement = false;

  // `operand`: null (all steps), one number, or one per element; more than maxSteps count as that.
  Lengths(const openipu::KernelOperand *operand, std::size_t batch, std::size_t maxSteps);
  std::size_t of(std::size_t element) const {
    return values_ ? steps(values_[std::int64_t(element) * stride_]) : loop;
  }
  bool runs(std::size_t element, std::size_t step) const { return step < of(element); }
  // Whether an element's final state is kept when only elements of full length keep theirs.
  bool ranToTheEnd(std::size_t element) const { return of(element) == loop; }

private:
  std::size_t steps(std::uint32_t value) const {
    const bool negative = isSigned_ && std::int32_t(value) < 0;
    return negative ? 0 : std::min<std::size_t>(value, maxSteps_);
  }
  const std::uint32_t *values_ = nullptr; // null if all run as long as the loop
  std::int64_t stride_ = 0;
  std::size_t maxSteps_ = 0;
  bool isSigned_ = false;
};

// What is rounded in one row (a step of an element of the batch).
enum class Rounded : std::uint8_t {
  Gates,
  Cell,
  Squashed,
  Output,
  Part,
  Candidate,
  Gradient,
  Other
};
// To values that are halves, as the tiles round. Which way a value goes depends on its row and what
// it is, not on threads.
void roundToHalf(const openipu::Rounding &rounding, std::size_t row, Rounded what, float *values,
                 std::size_t n);

inline poplin::GemmMatrix matrix(const float *data, std::size_t row) {
  return poplin::GemmMatrix::of(data, std::int64_t(row));
}
// c[m][n] = beta c + a[m][k] b[k][n]
inline void multiply(std::size_t m, std::size_t n, std::size_t k, const poplin::GemmMatrix &a,
                     const poplin::GemmMatrix &b, const poplin::GemmMatrix &c, float beta = 0) {
  if (m && n)
    poplin::gemm({m, n, k, a, b, c, 1, beta, 1});
}

// to = a b, to += a b and to += from, element by element
void product(const float *a, const float *b, float *to, std::size_t n);
void addProduct(const float *a, const float *b, float *to, std::size_t n);
void addRow(const float *from, float *to, std::size_t n);

// sum[n] = sum over the rows [rows][n], `row` apart.
void sumRows(const float *values, std::size_t rows, std::size_t n, std::size_t row, float *sum);
void fillRows(float *to, std::size_t rows, std::size_t n, std::size_t row, const float *value);

// body(element) for every element of a batch, on threads if an element is `work` values of work.
template <class Body> void forElements(std::size_t batch, std::size_t work, Body &&body);

} // namespace popnn::rnn

#include "base/Threads.hpp"

template <class Body>
void popnn::rnn::forElements(std::size_t batch, std::size_t work, Body &&body) {
  base::parallelFor(batch, std::max<std::size_t>(1, 8192 / std::max<std::size_t>(work, 1)),
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (auto e = begin; e < end; ++e)
                        body(e);
                    });
}
