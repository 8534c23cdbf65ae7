// SPDX-License-Identifier: MIT
// Operands of a kernel as floats, one after the other, some of them left out: the attributes say
// which, as bits, so that both sides count alike.
#pragma once
#include "openipu/Kernel.hpp"
#include "rnn/Cell.hpp"
#include <algorithm>
#include <deque>
#include <stdexcept>

namespace popnn::rnn {

class Operands {
public:
  Operands(const openipu::KernelArgs &args, std::uint32_t present)
      : inputs_(args.inputs), outputs_(args.outputs), present_(present) {}

  bool has(std::uint32_t bit) const { return present_ & bit; }
  const openipu::KernelOperand &nextIn() { return next(inputs_); }
  // An operand, or a view of one, as floats.
  template <class From> const float *load(const From &from) {
    return values_.emplace_back(from).data();
  }

  // The next operand; null if its bit is not there.
  const float *in() { return load(nextIn()); }
  const float *inIf(std::uint32_t bit) { return has(bit) ? in() : nullptr; }
  float *out() { return room(next(outputs_)); }
  float *outIf(std::uint32_t bit) { return has(bit) ? out() : nullptr; }
  // Memory of its own if nobody wants the output.
  float *outOrScratch(std::uint32_t bit, std::size_t n) {
    if (float *given = outIf(bit))
      return given;
    return scratch_.emplace_back(n).data();
  }

  Lengths lengthsIf(std::uint32_t bit, const CellOf &s) {
    return {has(bit) ? &nextIn() : nullptr, s.batch, s.steps};
  }
  // Those of the input may be left out.
  Weights weights(bool hasInput) {
    const float *input = hasInput ? load(byRow(nextIn())) : nullptr;
    const float *output = load(byRow(nextIn()));
    return {input, output, in()};
  }
  WeightGradients weightGradients(bool hasInput) {
    float *input = hasInput ? room(byRow(next(outputs_))) : nullptr;
    float *output = room(byRow(next(outputs_)));
    return {input, output, out()};
  }

  // Stores the outputs.
  void flush() const {
    for (const auto &result : results_)
      result.flush();
  }

private:
  using View = poplin::dense::View;

  // [units][rows][out] as [rows][units * out].
  static View byRow(const openipu::KernelOperand &weights) {
    return View(weights).dimShuffled({1, 0, 2});
  }
  static const openipu::KernelOperand &next(std::span<const openipu::KernelOperand> &operands) {
    if (operands.empty())
      throw std::runtime_error("A recurrent layer has fewer operands than its attributes tell: the "
                               "executable is damaged. Compile it again.");
    const auto &first = operands.front();
    operands = operands.subspan(1);
    return first;
  }
  template <class To> float *room(const To &to) { return results_.emplace_back(to).data(); }

  std::span<const openipu::KernelOperand> inputs_, outputs_;
  std::uint32_t present_;
  std::deque<poplin::dense::Floats> values_;
  std::deque<poplin::dense::FloatsOut> results_;
  std::deque<std::vector<float>> scratch_;
};

// Whether a kernel has nothing to do, however often and however many.
inline bool writesNothing(const openipu::KernelArgs &args) {
  return std::all_of(args.outputs.begin(), args.outputs.end(),
                     [](const auto &operand) { return operand.elements == 0; });
}

} // namespace popnn::rnn
