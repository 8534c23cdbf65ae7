// SPDX-License-Identifier: MIT
// Functions applied to every element, and softmax over the innermost dimension; in place, into a
// new tensor, and backwards. FLOAT and HALF.
//
// SOFTMAX_SCALED gives 62000 times the softmax: half precision keeps small probabilities that way.
// The overloads with `nonLinearityScaling` set it to the factor that the output carries (1 for all
// other types).
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <poputil/DebugInfo.hpp>

namespace popnn {

void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         float &nonLinearityScaling, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});
// Not for softmax, which takes several compute sets.
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         poplar::ComputeSet &cs, const poplar::DebugContext &debugContext = {});
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         float &nonLinearityScaling, poplar::ComputeSet &cs,
                         const poplar::DebugContext &debugContext = {});

poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType,
                            poplar::Tensor t, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});
poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType,
                            poplar::Tensor t, float &nonLinearityScaling,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});

// The gradient of the input from the gradient of the output. `act` is the input of GELU, GELU_ERF
// and SWISH, and the output of all others.
poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                         poplar::Tensor act, poplar::Tensor outGradient,
                                         poplar::ComputeSet &cs,
                                         const poplar::DebugContext &debugContext = {});
poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                         poplar::Tensor act, poplar::Tensor outGradient,
                                         poplar::program::Sequence &prog,
                                         const poplar::DebugContext &debugContext = {});

#define POPNN_DEFINE_NON_LINEARITY(function, type)                                                 \
  inline void function##InPlace(poplar::Graph &graph, poplar::Tensor t,                            \
                                poplar::program::Sequence &prog,                                   \
                                const poplar::DebugContext &debugContext = {}) {                   \
    nonLinearityInPlace(graph, NonLinearityType::type, t, prog, debugContext);                     \
  }                                                                                                \
  inline void function##InPlace(poplar::Graph &graph, poplar::Tensor t,                            \
                                float &nonLinearityScaling, poplar::program::Sequence &prog,       \
                                const poplar::DebugContext &debugContext = {}) {                   \
    nonLinearityInPlace(graph, NonLinearityType::type, t, nonLinearityScaling, prog,               \
                        debugContext);                                                             \
  }                                                                                                \
  inline poplar::Tensor function(poplar::Graph &graph, poplar::Tensor t,                           \
                                 poplar::program::Sequence &prog,                                  \
                                 const poplar::DebugContext &debugContext = {}) {                  \
    return nonLinearity(graph, NonLinearityType::type, t, prog, debugContext);                     \
  }                                                                                                \
  inline poplar::Tensor function(poplar::Graph &graph, poplar::Tensor t,                           \
                                 float &nonLinearityScaling, poplar::program::Sequence &prog,      \
                                 const poplar::DebugContext &debugContext = {}) {                  \
    return nonLinearity(graph, NonLinearityType::type, t, nonLinearityScaling, prog,               \
                        debugContext);                                                             \
  }

POPNN_DEFINE_NON_LINEARITY(sigmoid, SIGMOID)  // 1 / (1 + exp(-x))
POPNN_DEFINE_NON_LINEARITY(relu, RELU)        // max(x, 0)
POPNN_DEFINE_NON_LINEARITY(tanh, TANH)        // hyperbolic tangent
POPNN_DEFINE_NON_LINEARITY(gelu, GELU)        // x times the normal distribution, by tanh
POPNN_DEFINE_NON_LINEARITY(geluErf, GELU_ERF) // x times the normal distribution, by erf
POPNN_DEFINE_NON_LINEARITY(swish, SWISH)      // x * sigmoid(x)
POPNN_DEFINE_NON_LINEARITY(softmax, SOFTMAX)  // over the innermost dimension; may overflow
POPNN_DEFINE_NON_LINEARITY(softmaxStable, SOFTMAX_STABLE) // softmax of x - max(x)
// The same, scaled so that half keeps small values.
POPNN_DEFINE_NON_LINEARITY(scaledSoftmaxStable, SOFTMAX_SCALED)

#undef POPNN_DEFINE_NON_LINEARITY

} // namespace popnn
