// SPDX-License-Identifier: MIT
// What a Builder knows of the outputs of operators that no library has registered: a static
// RegisterShapeInferenceFunction says it. Registered operators say it by their setup().
#ifndef POPART_SHAPEINFERENCE_HPP
#define POPART_SHAPEINFERENCE_HPP
#include <functional>
#include <popart/attributes.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/tensorinfo.hpp>

namespace popart {

// What a shape function of a custom operator sees: inputs and attributes; it sets the outputs.
class ShapeInferenceContext {
public:
  ShapeInferenceContext(const std::vector<TensorInfo> &inputs, const Attributes &a,
                        std::size_t outputs)
      : inputs_(inputs), attributes_(a), outputs_(outputs) {}
  const TensorInfo &inInfo(int i) const;                          // popart::error if there is none
  const Shape &inShape(int i) const { return inInfo(i).shape(); } // of an input
  DataType inType(int i) const { return inInfo(i).dataType(); }   // of an input
  TensorInfo &outInfo(int i);                                     // popart::error if there is none
  const Attributes &getAttributes() const { return attributes_; } // of the node
  // Of the node; popart::error if there is none.
  template <class T> T getAttribute(const std::string &name) const {
    return attributes_.getAttribute<T>(name);
  }
  template <class T> T getAttribute(const std::string &name, const T &otherwise) const {
    return attributes_.getAttribute<T>(name, otherwise);
  }
  // Whether the node has it.
  bool hasAttribute(const std::string &name) const { return attributes_.hasAttribute(name); }
  int getNumInputs() const { return static_cast<int>(inputs_.size()); }   // those of the node
  int getNumOutputs() const { return static_cast<int>(outputs_.size()); } // those of the node
  const std::vector<TensorInfo> &outputs() const { return outputs_; }     // as far as they are set

private:
  std::vector<TensorInfo> inputs_;
  Attributes attributes_;
  std::vector<TensorInfo> outputs_;
};
// Sets the outputs of a node.
using ShapeInferenceFunction = std::function<void(ShapeInferenceContext &)>;

// The output has the type of the input.
inline void propagateElemTypeFromInputToOutput(ShapeInferenceContext &ctx, int in, int out) {
  ctx.outInfo(out).set(ctx.inType(in), ctx.outInfo(out).shape());
}
// The output has the shape of the input.
inline void propagateShapeFromInputToOutput(ShapeInferenceContext &ctx, int in, int out) {
  ctx.outInfo(out).set(ctx.outInfo(out).dataType(), ctx.inShape(in));
}

// A static object that makes the shape function of an operator known, for Builder.
class RegisterShapeInferenceFunction {
public:
  RegisterShapeInferenceFunction(const OperatorIdentifier &id, ShapeInferenceFunction function);
};

} // namespace popart
#endif
