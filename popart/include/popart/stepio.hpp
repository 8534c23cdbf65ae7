// SPDX-License-Identifier: MIT
// Step input and output by arrays, and by callbacks.
#ifndef POPART_STEPIO_HPP
#define POPART_STEPIO_HPP
#include <functional>
#include <popart/iarray.hpp>
#include <popart/istepio.hpp>

namespace popart {

// One array per tensor that holds all micro-batches of a step; wraps around, so that the same
// object serves many steps.
class StepIO : public IStepIO {
public:
  StepIO(std::map<TensorId, IArray &> inputs, std::map<TensorId, IArray &> outputs);

  ConstVoidData in(TensorId id, std::int64_t elements, bool prefetch, bool isBroadcast) override;
  void inComplete(TensorId id, std::int64_t elements, bool isBroadcast) override;
  MutableVoidData out(TensorId id, std::int64_t elements) override;
  void assertNumElements(const std::map<TensorId, StepTensor> &inputs,
                         const std::map<TensorId, StepTensor> &anchors) const override;
  void warn(const std::map<TensorId, StepTensor> &inputs) const override;
  void rewind() override;

private:
  struct Cursor {
    IArray *array;
    std::int64_t at; // elements already handed out
  };
  static Cursor &find(std::map<TensorId, Cursor> &all, const TensorId &id, const char *what);
  std::map<TensorId, Cursor> inputs_, outputs_;
};

// A StepIO whose data come from functions.
class StepIOCallback : public IStepIO {
public:
  // Called for an input (its second argument: prefetch) and for an output, and when their data were
  // moved.
  using InputCallback = std::function<ConstVoidData(TensorId, bool)>;
  using InputCompleteCallback = std::function<void(TensorId)>;
  using OutputCallback = std::function<MutableVoidData(TensorId)>;
  using OutputCompleteCallback = std::function<void(TensorId)>;

  StepIOCallback(InputCallback input, InputCompleteCallback inputComplete, OutputCallback output,
                 OutputCompleteCallback outputComplete)
      : input_(input), inputComplete_(inputComplete), output_(output),
        outputComplete_(outputComplete) {}

  ConstVoidData in(TensorId id, std::int64_t, bool prefetch, bool) override {
    return input_(id, prefetch);
  }
  void inComplete(TensorId id, std::int64_t, bool) override { inputComplete_(id); }
  MutableVoidData out(TensorId id, std::int64_t) override { return output_(id); }
  void outComplete(TensorId id) override { outputComplete_(id); }
  void assertNumElements(const std::map<TensorId, StepTensor> &,
                         const std::map<TensorId, StepTensor> &) const override {}

private:
  InputCallback input_;
  InputCompleteCallback inputComplete_;
  OutputCallback output_;
  OutputCompleteCallback outputComplete_;
};

// Arrays for readWeights and writeWeights.
class WeightsIO : public IWeightsIO {
public:
  bool contains(TensorId id) const override { return weights_.count(id) != 0; }
  MutableVoidData weight(TensorId id) const override;
  std::vector<TensorId> ids() const override;
  void insert(TensorId id, MutableVoidData data); // gives a weight its memory

private:
  std::map<TensorId, MutableVoidData> weights_;
};

} // namespace popart
#endif
