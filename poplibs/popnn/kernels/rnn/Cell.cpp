// SPDX-License-Identifier: MIT
// What layers of all cells do alike.
#include "rnn/Cell.hpp"

namespace popnn::rnn {

void Column::keep(std::size_t r, const float *values, std::size_t n) const {
  if (data && values)
    std::copy_n(values, n, at(r));
  else if (data)
    std::fill_n(at(r), n, 0.f);
}

void weighInputs(const CellOf &s, const float *input, const float *biases, const float *x,
                 std::size_t first, std::size_t steps, const Column &sums) {
  const auto rows = steps * s.batch;
  fillRows(sums.data, rows, s.width(), sums.row, biases);
  if (input)
    multiply(rows, s.width(), s.in, matrix(x + first * s.batch * s.in, s.in),
             matrix(input, s.width()), matrix(sums.data, sums.row), 1);
}

void stateWeightsGradient(const CellOf &s, const float *gradients, std::size_t row,
                          std::size_t columns, const float *initial, const Column &outputs,
                          float *to) {
  const auto first = std::min<std::size_t>(s.steps, 1) * s.batch;
  multiply(s.out, columns, first, matrix(initial, s.out).transposed(), matrix(gradients, row),
           matrix(to, s.width()));
  if (s.rows() > first)
    multiply(s.out, columns, s.rows() - first, matrix(outputs.data, outputs.row).transposed(),
             matrix(gradients + first * row, row), matrix(to, s.width()), 1);
}

} // namespace popnn::rnn
