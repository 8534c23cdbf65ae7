// SPDX-License-Identifier: MIT
// The arithmetic that layers of all cells do alike, on plain floats, whole sequences at a time. A
// cell says what its units are and what one step does with their weighted sums, forward and back;
// sizes, the loop over the steps, what is kept of them and the products around it stand here.
#pragma once
#include "popnn/kernels/RecurrentCell.hpp"
#include "rnn/Gates.hpp"
#include <vector>

namespace popnn::rnn {

using kernels::CellOf;

// A call of a cell's kernel: its attributes, `Of`, and how the tiles round.
template <class Of> struct Called : Of {
  openipu::Rounding rounding;

  explicit Called(const openipu::KernelArgs &args)
      : Of(Of::read(args.attributes)), rounding(args.rounding) {}
  void roundIfHalf(std::size_t row, Rounded what, float *values, std::size_t n) const {
    if (this->isHalf)
      roundToHalf(rounding, row, what, values, n);
  }
};

// Values of every row, each with the distance between rows. Null: not kept.
struct Column {
  float *data = nullptr;
  std::size_t row = 0;
  float *at(std::size_t r) const { return data ? data + r * row : nullptr; }
  // values, or zeros, if it is kept
  void keep(std::size_t r, const float *values, std::size_t n) const;
};

struct Weights {
  const float *input = nullptr, *output = nullptr; // [in][width], [out][width]
  const float *biases = nullptr;
};
struct WeightGradients {
  float *input, *output, *biases; // in the layout of Weights
};

// The units' sums of `steps` steps from `first`: biases [width] and, unless `input` is null, x W.
void weighInputs(const CellOf &shape, const float *input, const float *biases, const float *x,
                 std::size_t first, std::size_t steps, const Column &sums);

// The steps in order. The units' sums are in `kept` if there is such a column, else in memory of a
// few steps. cell.weigh(step, sums, distance) adds the state's part for the whole batch;
// cell.finish(runs, row, element, sums) makes values and the next state of them.
template <class Cell>
void forwardSteps(const CellOf &s, const Lengths &lengths, const float *input, const float *biases,
                  const float *x, const Column &kept, Cell &&cell) {
  constexpr std::size_t chunkValues = std::size_t(1) << 20; // of units that are not kept: 4 MiB
  const std::size_t perStep = std::max<std::size_t>(1, s.batch * s.width());
  const std::size_t chunk = std::max<std::size_t>(1, chunkValues / perStep);
  std::vector<float> own(kept.data ? 0 : std::min<std::size_t>(chunk, s.steps) * perStep);
  for (std::size_t first = 0; first < s.steps; first += chunk) {
    const auto steps = std::min<std::size_t>(chunk, s.steps - first);
    const Column sums =
        kept.data ? Column{kept.at(first * s.batch), kept.row} : Column{own.data(), s.width()};
    weighInputs(s, input, biases, x, first, steps, sums);
    for (auto t = first; t < first + steps; ++t) {
      float *now = sums.at((t - first) * s.batch);
      if (t < lengths.loop)
        cell.weigh(t, now, sums.row);
      forElements(s.batch, cell.work * s.out, [&](std::size_t e) {
        cell.finish(lengths.runs(e, t), t * s.batch + e, e, now + e * sums.row);
      });
    }
  }
}

// Gradients of the units' sums, [rows] of them `row` apart: through the weights to the input,
inline void inputGradient(const CellOf &s, const float *gradients, std::size_t row,
                          const float *input, float *to) {
  multiply(s.rows(), s.in, s.width(), matrix(gradients, row), matrix(input, s.width()).transposed(),
           matrix(to, s.in));
}
// to the weights of the input, to[in][width] = x^T gradients,
inline void inputWeightsGradient(const CellOf &s, const float *gradients, std::size_t row,
                                 const float *x, float *to) {
  multiply(s.in, s.width(), s.rows(), matrix(x, s.in).transposed(), matrix(gradients, row),
           matrix(to, s.width()));
}
// and to `columns` of those of the state, to[out][columns] = previous outputs^T gradients.
void stateWeightsGradient(const CellOf &s, const float *gradients, std::size_t row,
                          std::size_t columns, const float *initial, const Column &outputs,
                          float *to);

} // namespace popnn::rnn
