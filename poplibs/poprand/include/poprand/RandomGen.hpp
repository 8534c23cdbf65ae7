// SPDX-License-Identifier: MIT
// Random tensors. Each has the shape and the tile mapping of `reference`. With a seed (a pointer to
// an UNSIGNED_INT tensor of two elements) the values depend on seed, seedModifier and the layout of
// the reference alone; without (nullptr), every run continues the device's own generator, which
// setSeed sets. Misuse throws poputil::poplibs_error.
#pragma once
#include <cmath>
#include <cstdint>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>

namespace poprand {

// Each element of input is kept, times `scale`, with probability keepProbability, and is zero
// otherwise. The same seed, modifier and reference choose the same elements, so the gradient is
// the same call on the gradient. Types HALF and FLOAT.
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed,
                       const std::uint32_t seedModifier, const poplar::Tensor &input,
                       const poplar::Tensor &reference, double keepProbability, double scale,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});
// outputClonesRef: the output is laid out as the reference, otherwise as the input.
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed,
                       const std::uint32_t seedModifier, const poplar::Tensor &input,
                       const poplar::Tensor &reference, double keepProbability, double scale,
                       bool outputClonesRef, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});
// One decision per element of the reference, which broadcasts to the shape of the input.
poplar::Tensor shapedDropout(poplar::Graph &graph, const poplar::Tensor *seed,
                             const std::uint32_t seedModifier, const poplar::Tensor &input,
                             const poplar::Tensor &reference, double keepProbability, double scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});

// Between minVal and maxVal, both included. FLOAT, HALF or INT.
poplar::Tensor uniform(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                       const poplar::Tensor &reference, const poplar::Type &outType, double minVal,
                       double maxVal, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

// base to the power of a uniform exponent, between minVal (at least 1) and maxVal. FLOAT, HALF or
// INT.
poplar::Tensor logUniform(poplar::Graph &graph, const poplar::Tensor *seed,
                          std::uint32_t seedModifier, const poplar::Tensor &reference,
                          const poplar::Type &outType, double minVal, double maxVal,
                          poplar::program::Sequence &prog, double base = M_E,
                          const poplar::DebugContext &debugContext = {});

// 1 with probability prob, else 0. FLOAT, HALF or INT.
poplar::Tensor bernoulli(poplar::Graph &graph, const poplar::Tensor *seed,
                         std::uint32_t seedModifier, const poplar::Tensor &reference,
                         const poplar::Type &outType, double prob, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

// FLOAT or HALF.
poplar::Tensor normal(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                      const poplar::Tensor &reference, const poplar::Type &outType, double mean,
                      double stdDev, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

// The normal distribution between mean - alpha * stdDev and mean + alpha * stdDev. FLOAT or HALF.
poplar::Tensor truncatedNormal(poplar::Graph &graph, const poplar::Tensor *seed,
                               std::uint32_t seedModifier, const poplar::Tensor &reference,
                               const poplar::Type &outType, double mean, double stdDev,
                               double alpha, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {});

// Starts the device's own generator anew.
void setSeed(poplar::Graph &graph, const poplar::Tensor &masterSeed, std::uint32_t seedModifier,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace poprand
