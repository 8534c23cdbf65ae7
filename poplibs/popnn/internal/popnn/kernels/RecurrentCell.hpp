// SPDX-License-Identifier: MIT
// What the kernels of LSTM and GRU layers are told alike: the attributes of a cell's kernels begin
// with the sizes of the layer and end with bits that say which optional operands there are.
//
//   units    columns of the weights: gates and candidates, side by side in a row of `width`
//   row      a (step, element of the batch) pair; rows are in that order
//   kept     of every row, for the backward pass: the units and what else the cell needs
//   weights  of the input [units, in, out], of the state [units, out, out]; biases [units, out]
//   lengths  how many steps run: one integer, or one for each element of the batch
#pragma once
#include "openipu/Attributes.hpp"
#include "popnn/NonLinearityDef.hpp"

namespace popnn::kernels {

// Of all units of a gate, for one element of the batch.
inline bool isSoftmax(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX || type == NonLinearityType::SOFTMAX_STABLE;
}
// The functions whose gradient follows from their value: the only ones that a cell can use, as it
// keeps values and not arguments.
inline bool isGateActivation(NonLinearityType type) {
  return type == NonLinearityType::SIGMOID || type == NonLinearityType::HARD_SIGMOID ||
         type == NonLinearityType::RELU || type == NonLinearityType::TANH || isSoftmax(type);
}

struct CellOf {
  static constexpr std::size_t mostUnits = 4;
  explicit CellOf(std::size_t units) : units(units) {}

  std::size_t units; // of the cell, not written
  std::uint64_t steps = 0, batch = 0, in = 0, out = 0;
  NonLinearityType activation = NonLinearityType::TANH;
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;
  std::uint8_t column[mostUnits] = {0, 1, 2, 3}; // of each unit in the weights
  bool fullSequence = true, isHalf = false;      // written by the cell
  std::uint32_t present = 0;                     // optional operands; written by the cell

  std::size_t rows() const { return steps * batch; }
  std::size_t width() const { return units * out; }
  std::size_t at(std::size_t unit) const { return column[unit] * out; }

protected:
  openipu::AttributeWriter begin() const {
    openipu::AttributeWriter w;
    w.put(steps).put(batch).put(in).put(out).put(activation).put(recurrentActivation);
    for (std::size_t unit = 0; unit < units; ++unit)
      w.put(column[unit]);
    return w;
  }
  void begin(openipu::AttributeReader &r) {
    for (auto *size : {&steps, &batch, &in, &out})
      *size = r.get<std::uint64_t>();
    if (batch == 0 || out == 0) // nothing to do, however often
      steps = 0;
    activation = r.get<NonLinearityType>();
    recurrentActivation = r.get<NonLinearityType>();
    for (std::size_t unit = 0; unit < units; ++unit)
      column[unit] = std::uint8_t(r.get<std::uint8_t>() % units);
  }
};

} // namespace popnn::kernels
