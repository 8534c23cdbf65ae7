// SPDX-License-Identifier: MIT
// Operands of a kernel one after the other, some of them left out: the attributes say which, as
// bits, so that both sides count alike.
#pragma once
#include "openipu/Kernel.hpp"
#include "rnn/Cell.hpp"
#include <algorithm>
#include <optional>
#include <stdexcept>

namespace popnn::rnn {

class Operands {
public:
  explicit Operands(std::span<const openipu::KernelOperand> operands) : operands_(operands) {}
  const openipu::KernelOperand &next() {
    if (next_ == operands_.size())
      throw std::runtime_error("A recurrent layer has fewer operands than its attributes tell: the "
                               "executable is damaged. Compile it again.");
    return operands_[next_++];
  }
  const openipu::KernelOperand *nextIf(bool present) { return present ? &next() : nullptr; }

private:
  std::span<const openipu::KernelOperand> operands_;
  std::size_t next_ = 0;
};

// [units][rows][out] as [rows][units * out].
inline poplin::dense::View byRow(const openipu::KernelOperand &weights) {
  return poplin::dense::View(weights).dimShuffled({1, 0, 2});
}
inline std::optional<poplin::dense::Floats> floatsIf(const openipu::KernelOperand *operand) {
  return operand ? std::optional<poplin::dense::Floats>(*operand) : std::nullopt;
}
inline const float *dataOf(const std::optional<poplin::dense::Floats> &floats) {
  return floats ? floats->data() : nullptr;
}

// The weights of a layer as floats; those of the input may be left out.
struct LayerWeights {
  poplin::dense::Floats input, output, biases;
  LayerWeights(Operands &operands, bool hasInput) {
    if (hasInput)
      input = poplin::dense::Floats(byRow(operands.next()));
    output = poplin::dense::Floats(byRow(operands.next()));
    biases = poplin::dense::Floats(operands.next());
  }
  Weights weights() const { return {input.data(), output.data(), biases.data()}; }
};
// Their gradients, into the outputs that come next.
struct LayerGradients {
  poplin::dense::FloatsOut input, output, biases;
  LayerGradients(Operands &operands, bool hasInput) {
    if (hasInput)
      input = poplin::dense::FloatsOut(byRow(operands.next()));
    output = poplin::dense::FloatsOut(byRow(operands.next()));
    biases = poplin::dense::FloatsOut(operands.next());
  }
  void flush() const {
    for (const auto *result : {&input, &output, &biases})
      result->flush();
  }
};

// Whether a kernel has nothing to do, however often and however many.
inline bool writesNothing(const openipu::KernelArgs &args) {
  return std::all_of(args.outputs.begin(), args.outputs.end(),
                     [](const auto &operand) { return operand.elements == 0; });
}

} // namespace popnn::rnn
