// SPDX-License-Identifier: MIT
// Element-wise operators. Operands broadcast by NumPy's rules and must have the same type; the
// result keeps the layout of the best-spread operand. Relational and logical operators give BOOL.
//
//   map            returns a new tensor          mapInPlace   writes the first operand
//   mapWithOutput  writes the tensor given       add, exp ... the same for one operator
//
// Options (true|false): enableGenerateCodelet [true], forceGenerateCodelet [false]: one vertex for
// a whole expression; enableVectorBroadcastOptimisations [true]; enableExpressionOptimizations
// [true]: algebra before planning.
#pragma once
#include <iosfwd>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/Expr.hpp>
#include <popops/ExprOp.hpp>
#include <poputil/DebugInfo.hpp>
#include <type_traits>
#include <vector>

namespace popops {

// Computes an expression, or one operator, for all elements.
//
//   using namespace popops::expr;
//   Tensor y = popops::map(graph, Select(_1, _2 * 0.1f, _2 > 0.0f), {x, x}, prog, "leaky");
//
// Throws poputil::poplibs_error if types or shapes do not fit together.
poplar::Tensor map(poplar::Graph &graph, const expr::Expr &expr,
                   const std::vector<poplar::Tensor> &ts, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
inline poplar::Tensor map(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  return map(graph, expr::UnaryOp(op, expr::_1), {t}, prog, debugContext, options);
}
inline poplar::Tensor map(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a,
                          const poplar::Tensor &b, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  return map(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}
inline poplar::Tensor map(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a,
                          const poplar::Tensor &b, const poplar::Tensor &c,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  return map(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog,
             debugContext, options);
}

void mapInPlace(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts,
                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
inline void mapInPlace(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  mapInPlace(graph, expr::UnaryOp(op, expr::_1), {t}, prog, debugContext, options);
}
inline void mapInPlace(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a,
                       const poplar::Tensor &b, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  mapInPlace(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}
inline void mapInPlace(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a,
                       const poplar::Tensor &b, const poplar::Tensor &c,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  mapInPlace(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog,
             debugContext, options);
}

void mapWithOutput(poplar::Graph &graph, const expr::Expr &expr,
                   const std::vector<poplar::Tensor> &ts, const poplar::Tensor &out,
                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
inline void mapWithOutput(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t,
                          const poplar::Tensor &out, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  mapWithOutput(graph, expr::UnaryOp(op, expr::_1), {t}, out, prog, debugContext, options);
}
inline void mapWithOutput(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a,
                          const poplar::Tensor &b, const poplar::Tensor &out,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  mapWithOutput(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, out, prog, debugContext,
                options);
}
inline void mapWithOutput(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a,
                          const poplar::Tensor &b, const poplar::Tensor &c,
                          const poplar::Tensor &out, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  mapWithOutput(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, out, prog,
                debugContext, options);
}

// Several expressions of the same tensors: result i is expression i. All of them see the values
// from before the call. In place, expression i overwrites tensor i.
std::vector<poplar::Tensor> map(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                                const std::vector<poplar::Tensor> &ts,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {});
void mapInPlace(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                const std::vector<poplar::Tensor> &ts, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
void mapWithOutput(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                   const std::vector<poplar::Tensor> &ts, const std::vector<poplar::Tensor> &outs,
                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});

// The source of the vertex that stands for the expression, for reading.
void outputGeneratedCodelet(const poplar::Target &target, const expr::Expr &expr,
                            const std::vector<poplar::Tensor> &ts,
                            const poplar::OptionFlags &options, std::ostream &os);

namespace detail {
// One value on tile 0 with the type of `like`. Throws std::runtime_error when the value's type does
// not belong to that type.
poplar::Tensor constantLike(poplar::Graph &graph, const poplar::Tensor &like,
                            const expr::Const &value, const poplar::DebugContext &debugContext);
} // namespace detail

#define POPOPS_UNARY_OUT(name, op)                                                                 \
  inline poplar::Tensor name(                                                                      \
      poplar::Graph &graph, const poplar::Tensor &A, poplar::program::Sequence &prog,              \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    return map(graph, expr::UnaryOpType::op, A, prog, debugContext, options);                      \
  }                                                                                                \
  inline void name##WithOutput(poplar::Graph &graph, const poplar::Tensor &A,                      \
                               const poplar::Tensor &out, poplar::program::Sequence &prog,         \
                               const poplar::DebugContext &debugContext = {},                      \
                               const poplar::OptionFlags &options = {}) {                          \
    mapWithOutput(graph, expr::UnaryOpType::op, A, out, prog, debugContext, options);              \
  }
#define POPOPS_UNARY(name, op)                                                                     \
  POPOPS_UNARY_OUT(name, op)                                                                       \
  inline void name##InPlace(                                                                       \
      poplar::Graph &graph, const poplar::Tensor &A, poplar::program::Sequence &prog,              \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    mapInPlace(graph, expr::UnaryOpType::op, A, prog, debugContext, options);                      \
  }

#define POPOPS_IF_VALUE                                                                            \
  template <class constType,                                                                       \
            class = typename std::enable_if<std::is_arithmetic<constType>::value>::type>
#define POPOPS_BINARY(name, op)                                                                    \
  inline poplar::Tensor name(poplar::Graph &graph, const poplar::Tensor &A,                        \
                             const poplar::Tensor &B, poplar::program::Sequence &prog,             \
                             const poplar::DebugContext &debugContext = {},                        \
                             const poplar::OptionFlags &options = {}) {                            \
    return map(graph, expr::BinaryOpType::op, A, B, prog, debugContext, options);                  \
  }                                                                                                \
  POPOPS_IF_VALUE                                                                                  \
  inline poplar::Tensor name(poplar::Graph &graph, const poplar::Tensor &A, const constType B,     \
                             poplar::program::Sequence &prog,                                      \
                             const poplar::DebugContext &debugContext = {},                        \
                             const poplar::OptionFlags &options = {}) {                            \
    return name(graph, A, detail::constantLike(graph, A, expr::Const(B), debugContext), prog,      \
                debugContext, options);                                                            \
  }                                                                                                \
  POPOPS_IF_VALUE                                                                                  \
  inline poplar::Tensor name(poplar::Graph &graph, const constType A, const poplar::Tensor &B,     \
                             poplar::program::Sequence &prog,                                      \
                             const poplar::DebugContext &debugContext = {},                        \
                             const poplar::OptionFlags &options = {}) {                            \
    return name(graph, detail::constantLike(graph, B, expr::Const(A), debugContext), B, prog,      \
                debugContext, options);                                                            \
  }                                                                                                \
  inline void name##InPlace(poplar::Graph &graph, const poplar::Tensor &A,                         \
                            const poplar::Tensor &B, poplar::program::Sequence &prog,              \
                            const poplar::DebugContext &debugContext = {},                         \
                            const poplar::OptionFlags &options = {}) {                             \
    mapInPlace(graph, expr::BinaryOpType::op, A, B, prog, debugContext, options);                  \
  }                                                                                                \
  POPOPS_IF_VALUE                                                                                  \
  inline void name##InPlace(poplar::Graph &graph, const poplar::Tensor &A, const constType B,      \
                            poplar::program::Sequence &prog,                                       \
                            const poplar::DebugContext &debugContext = {},                         \
                            const poplar::OptionFlags &options = {}) {                             \
    name##InPlace(graph, A, detail::constantLike(graph, A, expr::Const(B), debugContext), prog,    \
                  debugContext, options);                                                          \
  }                                                                                                \
  inline void name##WithOutput(                                                                    \
      poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,                      \
      const poplar::Tensor &out, poplar::program::Sequence &prog,                                  \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    mapWithOutput(graph, expr::BinaryOpType::op, A, B, out, prog, debugContext, options);          \
  }                                                                                                \
  POPOPS_IF_VALUE                                                                                  \
  inline void name##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, const constType B,   \
                               const poplar::Tensor &out, poplar::program::Sequence &prog,         \
                               const poplar::DebugContext &debugContext = {},                      \
                               const poplar::OptionFlags &options = {}) {                          \
    name##WithOutput(graph, A, detail::constantLike(graph, A, expr::Const(B), debugContext), out,  \
                     prog, debugContext, options);                                                 \
  }                                                                                                \
  POPOPS_IF_VALUE                                                                                  \
  inline void name##WithOutput(poplar::Graph &graph, const constType A, const poplar::Tensor &B,   \
                               const poplar::Tensor &out, poplar::program::Sequence &prog,         \
                               const poplar::DebugContext &debugContext = {},                      \
                               const poplar::OptionFlags &options = {}) {                          \
    name##WithOutput(graph, detail::constantLike(graph, B, expr::Const(A), debugContext), B, out,  \
                     prog, debugContext, options);                                                 \
  }

POPOPS_UNARY(abs, ABSOLUTE)           // the value without its sign
POPOPS_UNARY(asin, ASIN)              // arcus sine
POPOPS_UNARY(bitwiseNot, BITWISE_NOT) // every bit turned over; integers
POPOPS_UNARY(cbrt, CBRT)              // cube root
POPOPS_UNARY(ceil, CEIL)              // rounded up
// Zeros above the highest bit that is set; integers.
POPOPS_UNARY(countLeadingZeros, COUNT_LEADING_ZEROS)
POPOPS_UNARY(cos, COS)                  // cosine
POPOPS_UNARY(erf, ERF)                  // the Gauss error function
POPOPS_UNARY(exp, EXPONENT)             // e to the power
POPOPS_UNARY(expm1, EXPONENT_MINUS_ONE) // exp(x) - 1, exact near 0
POPOPS_UNARY(exp2, EXPONENT2)           // two to the power
POPOPS_UNARY(floor, FLOOR)              // rounded down
POPOPS_UNARY(geluErf, GELU_ERF)         // x (1 + erf(x / sqrt(2))) / 2
POPOPS_UNARY(inv, INVERSE)              // 1 / x
POPOPS_UNARY(log, LOGARITHM)            // natural logarithm
POPOPS_UNARY(log1p, LOGARITHM_ONE_PLUS) // log(1 + x), exact near 0
POPOPS_UNARY(logicalNot, LOGICAL_NOT)   // BOOL: the opposite
POPOPS_UNARY(neg, NEGATE)               // -x
POPOPS_UNARY(nearbyint, NEARBY_INT)     // to the nearest whole number, halves to even
POPOPS_UNARY(popcount, POPCOUNT)        // bits that are set; integers
POPOPS_UNARY(signum, SIGNUM)            // -1, 0 or 1
POPOPS_UNARY(sin, SIN)                  // sine
POPOPS_UNARY(tan, TAN)                  // tangent
POPOPS_UNARY(tanh, TANH)                // hyperbolic tangent
POPOPS_UNARY(round, ROUND)              // to the nearest whole number, halves away from 0
POPOPS_UNARY(sqrt, SQRT)                // square root
POPOPS_UNARY(square, SQUARE)            // x * x
POPOPS_UNARY(sigmoid, SIGMOID)          // 1 / (1 + exp(-x))
POPOPS_UNARY(rsqrt, RSQRT)              // 1 / sqrt(x)
POPOPS_UNARY_OUT(isFinite, IS_FINITE)   // neither infinite nor NaN; gives BOOL

POPOPS_BINARY(add, ADD)                  // A + B
POPOPS_BINARY(atan2, ATAN2)              // the angle of the point (B, A)
POPOPS_BINARY(bitwiseAnd, BITWISE_AND)   // bits that are set in both
POPOPS_BINARY(bitwiseOr, BITWISE_OR)     // bits that are set in one or both
POPOPS_BINARY(bitwiseXor, BITWISE_XOR)   // bits that differ
POPOPS_BINARY(bitwiseXnor, BITWISE_XNOR) // bits that are equal
POPOPS_BINARY(div, DIVIDE)               // A / B
POPOPS_BINARY(eq, EQUAL)                 // A == B; gives BOOL
POPOPS_BINARY(gteq, GREATER_THAN_EQUAL)  // A >= B; gives BOOL
POPOPS_BINARY(gt, GREATER_THAN)          // A > B; gives BOOL
POPOPS_BINARY(lteq, LESS_THAN_EQUAL)     // A <= B; gives BOOL
POPOPS_BINARY(logicalAnd, LOGICAL_AND)   // BOOL: both
POPOPS_BINARY(logicalOr, LOGICAL_OR)     // BOOL: one or both
POPOPS_BINARY(lt, LESS_THAN)             // A < B; gives BOOL
POPOPS_BINARY(max, MAXIMUM)              // the larger of two
POPOPS_BINARY(min, MINIMUM)              // the smaller of two
POPOPS_BINARY(mul, MULTIPLY)             // A * B
POPOPS_BINARY(neq, NOT_EQUAL)            // A != B; gives BOOL
POPOPS_BINARY(pow, POWER)                // A to the power of B
POPOPS_BINARY(rem, REMAINDER)            // what A / B leaves, with the sign of A
POPOPS_BINARY(shiftLeft, SHIFT_LEFT)     // A << B; integers
POPOPS_BINARY(shiftRight, SHIFT_RIGHT)   // A >> B, zeros from above
POPOPS_BINARY(shiftRightSignExtend, SHIFT_RIGHT_SIGN_EXTEND) // A >> B, the sign from above
POPOPS_BINARY(sub, SUBTRACT)                                 // A - B

#undef POPOPS_UNARY
#undef POPOPS_UNARY_OUT
#undef POPOPS_BINARY

// cond ? A : B for each element; cond is BOOL.
inline poplar::Tensor select(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             const poplar::Tensor &cond, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  return map(graph, expr::TernaryOpType::SELECT, A, B, cond, prog, debugContext, options);
}
inline void selectInPlace(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                          const poplar::Tensor &cond, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  mapInPlace(graph, expr::TernaryOpType::SELECT, A, B, cond, prog, debugContext, options);
}
inline void selectWithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             const poplar::Tensor &cond, const poplar::Tensor &out,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  mapWithOutput(graph, expr::TernaryOpType::SELECT, A, B, cond, out, prog, debugContext, options);
}
// min(max(A, lowerBound), upperBound)
inline poplar::Tensor clamp(poplar::Graph &graph, const poplar::Tensor &A,
                            const poplar::Tensor &lowerBound, const poplar::Tensor &upperBound,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {}) {
  return map(graph, expr::TernaryOpType::CLAMP, A, lowerBound, upperBound, prog, debugContext,
             options);
}
inline void clampInPlace(poplar::Graph &graph, const poplar::Tensor &A,
                         const poplar::Tensor &lowerBound, const poplar::Tensor &upperBound,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {},
                         const poplar::OptionFlags &options = {}) {
  mapInPlace(graph, expr::TernaryOpType::CLAMP, A, lowerBound, upperBound, prog, debugContext,
             options);
}
inline void clampWithOutput(poplar::Graph &graph, const poplar::Tensor &A,
                            const poplar::Tensor &lowerBound, const poplar::Tensor &upperBound,
                            const poplar::Tensor &out, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {}) {
  mapWithOutput(graph, expr::TernaryOpType::CLAMP, A, lowerBound, upperBound, out, prog,
                debugContext, options);
}

// 1 / sqrt(src + epsilon); epsilon is one value. A FLOAT source may give a HALF result.
poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src,
                                   const poplar::Tensor &epsilon, poplar::program::Sequence &prog,
                                   const poplar::Type dstType = poplar::HALF,
                                   const poplar::DebugContext &debugContext = {});
// 1 / src^2 - epsilon. A HALF source may give a FLOAT result.
poplar::Tensor invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src,
                                   const poplar::Tensor &epsilon, poplar::program::Sequence &prog,
                                   const poplar::Type dstType = poplar::FLOAT,
                                   const poplar::DebugContext &debugContext = {});

// `name` with a debug context or options right after the program keeps the type of src.
#define POPOPS_VARIANCE(name, op, defaultType)                                                     \
  inline poplar::Tensor name(poplar::Graph &graph, const poplar::Tensor &src,                      \
                             const poplar::Tensor &epsilon, poplar::program::Sequence &prog,       \
                             const poplar::DebugContext &debugContext,                             \
                             const poplar::OptionFlags &options = {}) {                            \
    return map(graph, expr::BinaryOpType::op, src, epsilon, prog, debugContext, options);          \
  }                                                                                                \
  POPOPS_IF_VALUE                                                                                  \
  inline poplar::Tensor name(poplar::Graph &graph, const poplar::Tensor &src,                      \
                             const constType epsilon, poplar::program::Sequence &prog,             \
                             const poplar::Type dstType = defaultType,                             \
                             const poplar::DebugContext &debugContext = {}) {                      \
    return name(graph, src, detail::constantLike(graph, src, expr::Const(epsilon), debugContext),  \
                prog, dstType, debugContext);                                                      \
  }                                                                                                \
  inline void name##InPlace(poplar::Graph &graph, const poplar::Tensor &src,                       \
                            const poplar::Tensor &epsilon, poplar::program::Sequence &prog,        \
                            const poplar::DebugContext &debugContext = {},                         \
                            const poplar::OptionFlags &options = {}) {                             \
    mapInPlace(graph, expr::BinaryOpType::op, src, epsilon, prog, debugContext, options);          \
  }                                                                                                \
  POPOPS_IF_VALUE                                                                                  \
  inline void name##InPlace(poplar::Graph &graph, const poplar::Tensor &src,                       \
                            const constType epsilon, poplar::program::Sequence &prog,              \
                            const poplar::DebugContext &debugContext = {},                         \
                            const poplar::OptionFlags &options = {}) {                             \
    name##InPlace(graph, src,                                                                      \
                  detail::constantLike(graph, src, expr::Const(epsilon), debugContext), prog,      \
                  debugContext, options);                                                          \
  }                                                                                                \
  inline void name##WithOutput(                                                                    \
      poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &epsilon,              \
      const poplar::Tensor &out, poplar::program::Sequence &prog,                                  \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    mapWithOutput(graph, expr::BinaryOpType::op, src, epsilon, out, prog, debugContext, options);  \
  }
POPOPS_VARIANCE(varianceToInvStdDev, VARIANCE_TO_INV_STD_DEV, poplar::HALF)
POPOPS_VARIANCE(invStdDevToVariance, INV_STD_DEV_TO_VARIANCE, poplar::FLOAT)
#undef POPOPS_VARIANCE
#undef POPOPS_IF_VALUE

} // namespace popops
