// SPDX-License-Identifier: MIT
// Where a step gets its inputs from and puts its outputs to. The session asks for one micro-batch
// of one replica at a time.
#ifndef POPART_ISTEPIO_HPP
#define POPART_ISTEPIO_HPP
#include <popart/voiddata.hpp>

namespace popart {

// What a session tells a StepIO so that it can check the sizes of its arrays.
struct StepTensor {
  TensorInfo info;          // one micro-batch of one replica
  std::int64_t buffers = 0; // that one step consumes or produces, over all replicas
  std::string factors;      // how that number came about, for messages
};

class IStepIO {
public:
  virtual ~IStepIO() {}
  // The next micro-batch of an input; null data when a prefetch finds none.
  virtual ConstVoidData in(TensorId id, std::int64_t elements, bool prefetch, bool isBroadcast) = 0;
  // The data that in() gave were read.
  virtual void inComplete(TensorId id, std::int64_t elements, bool isBroadcast) = 0;
  // Where the next value of an anchor goes.
  virtual MutableVoidData out(TensorId id, std::int64_t elements) = 0;
  virtual void outComplete(TensorId) {} // the place that out() gave was filled

  // Whether sizes and types are checked before each step.
  virtual void enableRuntimeAsserts(bool on) { runtimeAsserts_ = on; }
  bool runtimeAssertsEnabled() const { return runtimeAsserts_; } // whether they are
  // Before every step: popart::runtime_error for sizes or types that do not fit.
  virtual void assertNumElements(const std::map<TensorId, StepTensor> &inputs,
                                 const std::map<TensorId, StepTensor> &anchors) const = 0;
  // Before the first step, of arrays that fit: what may not be meant.
  virtual void warn(const std::map<TensorId, StepTensor> & /*inputs*/) const {}
  // Back to the beginning of the arrays (a step that was interrupted leaves them half-way).
  virtual void rewind() {}

private:
  bool runtimeAsserts_ = true;
};

// Where a session reads weights from and writes weights to, by name.
class IWeightsIO {
public:
  virtual ~IWeightsIO() {}
  virtual bool contains(TensorId id) const = 0; // whether it has a weight
  // Its memory, type and shape; popart::error if there is none.
  virtual MutableVoidData weight(TensorId id) const = 0;
  // All it has, so that a session can tell which it does not know; none if nobody can say.
  virtual std::vector<TensorId> ids() const { return {}; }
};

} // namespace popart
#endif
