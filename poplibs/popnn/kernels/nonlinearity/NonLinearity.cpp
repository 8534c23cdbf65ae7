// SPDX-License-Identifier: MIT
// Non-linearities on the host: one pass over memory, forwards, in place and backwards. The table of
// functions is NonLinearities.def.
#include "popnn/kernels/NonLinearity.hpp"
#include "Functions.hpp"
#include "poplin/Rows.hpp"

namespace popnn {
namespace {

namespace rows = poplin::rows;
using openipu::KernelArgs;

using Forward = void (*)(const float *x, float *y, std::size_t n);
using Backward = void (*)(const float *a, const float *g, float *dx, std::size_t n);

// y may be x.
#define NONLINEARITY(type, result, slope)                                                          \
  OPENIPU_SIMD void forward##type(const float *in, float *out, std::size_t n) {                    \
    _Pragma("GCC ivdep") for (std::size_t i = 0; i < n; ++i) {                                     \
      float x = in[i];                                                                             \
      out[i] = result;                                                                             \
    }                                                                                              \
  }                                                                                                \
  OPENIPU_SIMD void backward##type(const float *act, const float *grad, float *out,                \
                                   std::size_t n) {                                                \
    _Pragma("GCC ivdep") for (std::size_t i = 0; i < n; ++i) {                                     \
      float a = act[i], g = grad[i];                                                               \
      out[i] = slope;                                                                              \
    }                                                                                              \
  }
#include "NonLinearities.def"
#undef NONLINEARITY

struct Functions {
  Forward forward;
  Backward backward;
};
Functions functionsOf(NonLinearityType type) {
  switch (type) {
#define NONLINEARITY(name, y, dx)                                                                  \
  case NonLinearityType::name:                                                                     \
    return {forward##name, backward##name};
#include "NonLinearities.def"
#undef NONLINEARITY
  default:
    throw std::runtime_error("an executable names a non-linearity that does not exist: it is "
                             "damaged, or was written by another version. Compile it again.");
  }
}
Functions functionsOf(const KernelArgs &args) {
  return functionsOf(kernels::NonLinearityOf::read(args.attributes).type);
}

class NonLinearityKernel {
public:
  explicit NonLinearityKernel(const KernelArgs &args)
      : function_(functionsOf(args).forward),
        loop_({&args.outputs[0], args.inputs.empty() ? &args.outputs[0] : &args.inputs[0]}) {}

  void run(const KernelArgs &args) {
    rows::Data y(args.outputs[0]), x(args.inputs.empty() ? args.outputs[0] : args.inputs[0]);
    loop_.run([&](const auto &offset, std::size_t n) {
      const float *in = rows::read(x, offset[1], loop_.stride(1), n, 0);
      float *out = rows::target(y, offset[0], loop_.stride(0), n, 1);
      function_(in, out, n);
      rows::write(y, offset[0], loop_.stride(0), n, out);
    });
  }

private:
  Forward function_;
  rows::ElementLoop loop_;
};

class GradientKernel {
public:
  explicit GradientKernel(const KernelArgs &args)
      : function_(functionsOf(args).backward),
        loop_({&args.outputs[0], &args.inputs[0], &args.inputs[1]}) {}

  void run(const KernelArgs &args) {
    rows::Data dx(args.outputs[0]), a(args.inputs[0]), g(args.inputs[1]);
    loop_.run([&](const auto &offset, std::size_t n) {
      const float *act = rows::read(a, offset[1], loop_.stride(1), n, 0);
      const float *grad = rows::read(g, offset[2], loop_.stride(2), n, 1);
      float *out = rows::target(dx, offset[0], loop_.stride(0), n, 2);
      function_(act, grad, out, n);
      rows::write(dx, offset[0], loop_.stride(0), n, out);
    });
  }

private:
  Backward function_;
  rows::ElementLoop loop_;
};

const openipu::Registered registered{
    openipu::stateful<NonLinearityKernel>(kernels::nonLinearity, openipu::alwaysGivesFloats)};
const openipu::Registered registeredGradient{
    openipu::stateful<GradientKernel>(kernels::nonLinearityGradient, openipu::alwaysGivesFloats)};

} // namespace
} // namespace popnn
