// SPDX-License-Identifier: MIT
// What layers of all cells do alike.
#include "rnn/Cell.hpp"

namespace popnn::rnn {

void write(openipu::AttributeWriter &writer, const CellShape &s) {
  writer.put(s.steps).put(s.batch).put(s.in).put(s.out);
  writer.put(s.activation).put(s.recurrentActivation);
  for (std::size_t unit = 0; unit < s.units; ++unit)
    writer.put(s.column[unit]);
}

void read(openipu::AttributeReader &reader, const openipu::Rounding &rounding, CellShape &s) {
  s.rounding = rounding;
  for (auto *size : {&s.steps, &s.batch, &s.in, &s.out})
    *size = reader.get<std::uint64_t>();
  if (s.batch == 0 || s.out == 0) // nothing to do, however often
    s.steps = 0;
  s.activation = reader.get<NonLinearityType>();
  s.recurrentActivation = reader.get<NonLinearityType>();
  for (std::size_t unit = 0; unit < s.units; ++unit)
    s.column[unit] = std::uint8_t(reader.get<std::uint8_t>() % s.units);
}

void Column::keep(std::size_t r, const float *values, std::size_t n) const {
  if (data && values)
    std::copy_n(values, n, at(r));
  else if (data)
    std::fill_n(at(r), n, 0.f);
}

void weighInputs(const CellShape &s, const float *input, const float *biases, const float *x,
                 std::size_t first, std::size_t steps, const Column &sums) {
  const auto rows = steps * s.batch;
  fillRows(sums.data, rows, s.width(), sums.row, biases);
  if (input)
    multiply(rows, s.width(), s.in, matrix(x + first * s.batch * s.in, s.in),
             matrix(input, s.width()), matrix(sums.data, sums.row), 1);
}

void stateWeightsGradient(const CellShape &s, const float *gradients, std::size_t row,
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
