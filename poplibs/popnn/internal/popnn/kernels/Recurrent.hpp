// SPDX-License-Identifier: MIT
// Plain recurrent layers: y[t] = f(x[t] W + y[t-1] U + b). Operands in brackets are there if the
// attributes say so.
//   rnnForward
//     outputs: y [steps, batch, out], or x W
//     inputs:  x [steps, batch, in] and W [in, out] if FromInput, else x W; if Iterates the initial
//              state [batch, out], U [out, out], b [out]
//   rnnBackward
//     outputs: [gradients of the sums [steps, batch, out]]; [of x]; [of W, U, b]
//     inputs:  gradient of y; y; U; [gradients of the sums of the step after [batch, out]]; if
//              WantsInput W; if WantsWeights x and the initial state
//   rnnUpdate, without attributes
//     outputs: gradients of W, U, b, which are added to
//     inputs:  gradients of the sums [batch, out]; x [batch, in]; output of the step before
#pragma once
#include "openipu/Attributes.hpp"
#include "popnn/NonLinearityDef.hpp"

namespace popnn::kernels {

inline constexpr char rnnForward[] = "popnn.rnnForward";
inline constexpr char rnnBackward[] = "popnn.rnnBackward";
inline constexpr char rnnUpdate[] = "popnn.rnnUpdate";

struct RnnOf {
  enum Present : std::uint32_t {
    FromInput = 1,
    Iterates = 2, // else only x W is wanted
    HasState = 4,
    WantsInput = 8,
    WantsWeights = 16,
    WantsState = 32,
  };
  std::uint32_t present;
  NonLinearityType activation;

  std::string write() const {
    return openipu::AttributeWriter().put(present).put(activation).take();
  }
  static RnnOf read(std::string_view bytes) {
    openipu::AttributeReader r(bytes);
    const auto present = r.get<std::uint32_t>();
    return {present, r.get<NonLinearityType>()};
  }
};

} // namespace popnn::kernels
