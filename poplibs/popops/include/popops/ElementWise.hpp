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

POPOPS_UNARY(abs, ABSOLUTE)
POPOPS_UNARY(asin, ASIN)
POPOPS_UNARY(bitwiseNot, BITWISE_NOT)
POPOPS_UNARY(cbrt, CBRT)
POPOPS_UNARY(ceil, CEIL)
POPOPS_UNARY(countLeadingZeros, COUNT_LEADING_ZEROS)
POPOPS_UNARY(cos, COS)
POPOPS_UNARY(erf, ERF)
POPOPS_UNARY(exp, EXPONENT)
POPOPS_UNARY(expm1, EXPONENT_MINUS_ONE)
POPOPS_UNARY(exp2, EXPONENT2)
POPOPS_UNARY(floor, FLOOR)
POPOPS_UNARY(geluErf, GELU_ERF)
POPOPS_UNARY(inv, INVERSE)
POPOPS_UNARY(log, LOGARITHM)
POPOPS_UNARY(log1p, LOGARITHM_ONE_PLUS)
POPOPS_UNARY(logicalNot, LOGICAL_NOT)
POPOPS_UNARY(neg, NEGATE)
POPOPS_UNARY(nearbyint, NEARBY_INT)
POPOPS_UNARY(popcount, POPCOUNT)
POPOPS_UNARY(signum, SIGNUM)
POPOPS_UNARY(sin, SIN)
POPOPS_UNARY(tan, TAN)
POPOPS_UNARY(tanh, TANH)
POPOPS_UNARY(round, ROUND)
POPOPS_UNARY(sqrt, SQRT)
POPOPS_UNARY(square, SQUARE)
POPOPS_UNARY(sigmoid, SIGMOID)
POPOPS_UNARY(rsqrt, RSQRT)
POPOPS_UNARY_OUT(isFinite, IS_FINITE)

POPOPS_BINARY(add, ADD)
POPOPS_BINARY(atan2, ATAN2)
POPOPS_BINARY(bitwiseAnd, BITWISE_AND)
POPOPS_BINARY(bitwiseOr, BITWISE_OR)
POPOPS_BINARY(bitwiseXor, BITWISE_XOR)
POPOPS_BINARY(bitwiseXnor, BITWISE_XNOR)
POPOPS_BINARY(div, DIVIDE)
POPOPS_BINARY(eq, EQUAL)
POPOPS_BINARY(gteq, GREATER_THAN_EQUAL)
POPOPS_BINARY(gt, GREATER_THAN)
POPOPS_BINARY(lteq, LESS_THAN_EQUAL)
POPOPS_BINARY(logicalAnd, LOGICAL_AND)
POPOPS_BINARY(logicalOr, LOGICAL_OR)
POPOPS_BINARY(lt, LESS_THAN)
POPOPS_BINARY(max, MAXIMUM)
POPOPS_BINARY(min, MINIMUM)
POPOPS_BINARY(mul, MULTIPLY)
POPOPS_BINARY(neq, NOT_EQUAL)
POPOPS_BINARY(pow, POWER)
POPOPS_BINARY(rem, REMAINDER)
POPOPS_BINARY(shiftLeft, SHIFT_LEFT)
POPOPS_BINARY(shiftRight, SHIFT_RIGHT)
POPOPS_BINARY(shiftRightSignExtend, SHIFT_RIGHT_SIGN_EXTEND)
POPOPS_BINARY(sub, SUBTRACT)

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
