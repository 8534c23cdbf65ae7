// SPDX-License-Identifier: MIT
// Expressions over the elements of tensors: _1, _2, ... stand for the tensors given to popops::map.
// They are values that share their parts, which never change, so temporaries may be nested freely,
// up to 4000 deep:
//
//   Select(Mul(Const(alpha), _1), _1, Lt(_1, Const(0.0f)))     or     (_1 * 2.0f) - exp
#pragma once
#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <memory>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <popops/ExprOp.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace popops {
namespace expr {

// A part of an expression: a constant, an argument, a cast, or an operator on parts.
class Expr {
public:
  virtual ~Expr();
  // Whether it is of this kind.
  template <class T> bool isA() const { return dynamic_cast<const T *>(this) != nullptr; }
  // The part as this kind; null if it is another.
  template <class T> T *getAs() { return dynamic_cast<T *>(this); }
  template <class T> const T *getAs() const { return dynamic_cast<const T *>(this); }

  virtual std::unique_ptr<Expr> clone() const = 0; // a copy that shares its parts
  // A name for the expression on these tensors, the same for the same operators and types.
  virtual std::string name(const std::vector<poplar::Tensor> &inputs) const = 0;
  // Whether both are the same operators on the same arguments.
  virtual bool deepEquals(const Expr &other) const = 0;
  // Pretty: one operator per line, its operands indented below it.
  virtual void print(std::ostream &os, unsigned indent = 0, bool pretty = true) const = 0;
  // Operators, constants and place holders as written out; a shared part counts in every place.
  double numParts() const { return parts_; }

protected:
  Expr() = default;
  Expr(const Expr &) = default;
  Expr &operator=(const Expr &) = default;

  using Part = std::shared_ptr<const Expr>;
  // A part of this expression; throws poplibs_error if it is nested too deep.
  Part nest(const Expr &part);

private:
  unsigned depth_ = 1;
  double parts_ = 1; // sharing may make them more than an integer holds
};

std::ostream &operator<<(std::ostream &os, const Expr &expr);
// Whether both are the same operators on the same arguments.
bool deepEquals(const Expr &a, const Expr &b);

// Any expression, as a value.
class Any {
public:
  Any(const Expr &expr) : expr_(expr.clone()) {}
  Any(const Any &other) : expr_(other.expr_->clone()) {}
  Any(Any &&) = default;
  Any &operator=(const Any &other) {
    expr_ = other.expr_->clone();
    return *this;
  }
  Any &operator=(Any &&) = default;
  operator Expr &() { return *expr_; }
  operator const Expr &() const { return *expr_; }
  // As Expr::name.
  std::string name(const std::vector<poplar::Tensor> &inputs) const { return expr_->name(inputs); }
  // As Expr::deepEquals.
  bool deepEquals(const Expr &other) const { return expr_->deepEquals(other); }
  // As Expr::print.
  void print(std::ostream &os, unsigned indent = 0, bool pretty = true) const {
    expr_->print(os, indent, pretty);
  }

private:
  std::unique_ptr<Expr> expr_;
};

std::ostream &operator<<(std::ostream &os, const Any &expr);

// One value. Beside a tensor it takes the tensor's type.
class Const : public Expr {
public:
  template <class T, class = typename std::enable_if<poplar::TypeTraits::isSimpleType<T>()>::type>
  Const(T x)
      : typeTraits_(poplar::TypeTraits::make<T>()),
        type_(poplar::equivalent_device_type<T>().value) {
    std::memcpy(data_, &x, sizeof x);
  }
  // Of type HALF, as ConstHalf is.
  Const(poplar::IeeeHalf x) : typeTraits_(poplar::TypeTraits::make<float>()), type_(poplar::HALF) {
    const float value = x;
    std::memcpy(data_, &value, sizeof value);
  }
  // `data` holds a value of the host type that the traits describe.
  Const(poplar::TypeTraits typeTraits, poplar::Type type, const char *data)
      : typeTraits_(typeTraits), type_(type) {
    std::memcpy(data_, data, typeTraits.size());
  }

  const poplar::Type &getType() const { return type_; } // the device type of the value
  const poplar::TypeTraits &getTypeTraits() const { return typeTraits_; } // the same about its size
  const char *getData() const { return data_; }                           // the bytes of the value
  std::string printValue() const;                                         // the value as text
  double getDataAsDouble() const;                                         // the value as a double
  std::uint64_t getDataForUnsignedIntegral() const; // throws poplibs_error for other types

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool pretty = true) const override;

private:
  poplar::TypeTraits typeTraits_;
  poplar::Type type_;
  alignas(8) char data_[8] = {};
};

// A value of type HALF.
class ConstHalf : public Const {
public:
  ConstHalf(float x)
      : Const(poplar::TypeTraits::make<float>(), poplar::HALF, reinterpret_cast<const char *>(&x)) {
  }
};
// 0.1_half: a constant of type half.
inline ConstHalf operator"" _half(long double x) { return ConstHalf(static_cast<float>(x)); }

// The argument, converted to a type.
class Cast : public Expr {
public:
  Cast(const Expr &a, const poplar::Type type) : a_(nest(a)), type_(type) {}
  const Expr &getLHS() const { return *a_; }               // what is converted
  const poplar::Type &getRHSType() const { return type_; } // the type it becomes

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool pretty = true) const override;

private:
  Part a_;
  poplar::Type type_;
};

// The tensor with this index, counted from one.
class PlaceHolder : public Expr {
public:
  explicit PlaceHolder(unsigned index) : index_(index) {}
  unsigned getIndex() const { return index_; } // 1 for _1

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool pretty = true) const override;

private:
  unsigned index_;
};

// The arguments, in the order in which map gets them.
const PlaceHolder _1(1), _2(2), _3(3), _4(4), _5(5), _6(6), _7(7), _8(8), _9(9), _10(10);
const PlaceHolder _11(11), _12(12), _13(13), _14(14), _15(15), _16(16), _17(17), _18(18), _19(19);
const PlaceHolder _20(20);

// An operator with one argument.
class UnaryOp : public Expr {
public:
  UnaryOp(UnaryOpType type, const Expr &a) : type_(type), a_(nest(a)) {}
  UnaryOpType getOpType() const { return type_; } // which operator
  const Expr &getArg() const { return *a_; }      // its argument

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool pretty = true) const override;
  // As Expr::name.
  std::string exprName(const std::vector<poplar::Tensor> &inputs) const { return name(inputs); }

private:
  UnaryOpType type_;
  Part a_;
};

// An operator with two arguments.
class BinaryOp : public Expr {
public:
  BinaryOp(BinaryOpType type, const Expr &a, const Expr &b)
      : type_(type), a_(nest(a)), b_(nest(b)) {}
  BinaryOpType getOpType() const { return type_; } // which operator
  const Expr &getLHS() const { return *a_; }       // its first argument
  const Expr &getRHS() const { return *b_; }       // its second argument

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool pretty = true) const override;
  // As Expr::name.
  std::string exprName(const std::vector<poplar::Tensor> &inputs) const { return name(inputs); }

private:
  BinaryOpType type_;
  Part a_, b_;
};

// An operator with three arguments.
class TernaryOp : public Expr {
public:
  TernaryOp(TernaryOpType type, const Expr &a, const Expr &b, const Expr &c)
      : type_(type), a_(nest(a)), b_(nest(b)), c_(nest(c)) {}
  TernaryOpType getOpType() const { return type_; } // which operator
  const Expr &getArg0() const { return *a_; }       // its first argument
  const Expr &getArg1() const { return *b_; }       // its second argument
  const Expr &getArg2() const { return *c_; }       // its third argument

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool pretty = true) const override;
  // As Expr::name.
  std::string exprName(const std::vector<poplar::Tensor> &inputs) const { return name(inputs); }

private:
  TernaryOpType type_;
  Part a_, b_, c_;
};

// The class and, if there is a symbol, the operator.
#define POPOPS_UNARY_EXPR(Name, Op)                                                                \
  class Name : public UnaryOp {                                                                    \
  public:                                                                                          \
    Name(const Expr &a) : UnaryOp(UnaryOpType::Op, a) {}                                           \
    Name(const Name &) = default;                                                                  \
  };
#define POPOPS_UNARY_EXPR_AND_SYMBOL(Name, Op, Symbol)                                             \
  POPOPS_UNARY_EXPR(Name, Op)                                                                      \
  inline Name operator Symbol(const Expr &a) { return Name(a); }
// The class, and the operator with a value on either side.
#define POPOPS_BINARY_EXPR(Name, Op)                                                               \
  class Name : public BinaryOp {                                                                   \
  public:                                                                                          \
    Name(const Expr &a, const Expr &b) : BinaryOp(BinaryOpType::Op, a, b) {}                       \
  };
#define POPOPS_BINARY_EXPR_AND_SYMBOL(Name, Op, Symbol)                                            \
  POPOPS_BINARY_EXPR(Name, Op)                                                                     \
  inline Name operator Symbol(const Expr &a, const Expr &b) { return Name(a, b); }                 \
  template <class T>                                                                               \
  inline typename std::enable_if<poplar::TypeTraits::isSimpleType<T>(), Name>::type                \
  operator Symbol(const T &a, const Expr &b) {                                                     \
    return Name(Const(a), b);                                                                      \
  }                                                                                                \
  template <class T>                                                                               \
  inline typename std::enable_if<poplar::TypeTraits::isSimpleType<T>(), Name>::type                \
  operator Symbol(const Expr &a, const T &b) {                                                     \
    return Name(a, Const(b));                                                                      \
  }
#define POPOPS_TERNARY_EXPR(Name, Op)                                                              \
  class Name : public TernaryOp {                                                                  \
  public:                                                                                          \
    Name(const Expr &a, const Expr &b, const Expr &c) : TernaryOp(TernaryOpType::Op, a, b, c) {}   \
  };

POPOPS_UNARY_EXPR(Abs, ABSOLUTE)                         // the value without its sign
POPOPS_UNARY_EXPR(Asin, ASIN)                            // arcus sine
POPOPS_UNARY_EXPR_AND_SYMBOL(BitwiseNot, BITWISE_NOT, ~) // every bit turned over
POPOPS_UNARY_EXPR(Cbrt, CBRT)                            // cube root
POPOPS_UNARY_EXPR(Ceil, CEIL)                            // rounded up
POPOPS_UNARY_EXPR(Cos, COS)                              // cosine
POPOPS_UNARY_EXPR(Erf, ERF)                              // the Gauss error function
POPOPS_UNARY_EXPR(Exp, EXPONENT)                         // e to the power
POPOPS_UNARY_EXPR(Expm1, EXPONENT_MINUS_ONE)             // exp(x) - 1, exact near 0
POPOPS_UNARY_EXPR(Exp2, EXPONENT2)                       // two to the power
POPOPS_UNARY_EXPR(Floor, FLOOR)                          // rounded down
POPOPS_UNARY_EXPR(GeluErf, GELU_ERF)                     // x (1 + erf(x / sqrt(2))) / 2
POPOPS_UNARY_EXPR(Inv, INVERSE)                          // 1 / x
POPOPS_UNARY_EXPR(IsFinite, IS_FINITE)                   // neither infinite nor NaN
POPOPS_UNARY_EXPR(IsInf, IS_INF)                         // plus or minus infinity
POPOPS_UNARY_EXPR(IsNaN, IS_NAN)                         // not a number
POPOPS_UNARY_EXPR(Log, LOGARITHM)                        // natural logarithm
POPOPS_UNARY_EXPR(Log1p, LOGARITHM_ONE_PLUS)             // log(1 + x), exact near 0
POPOPS_UNARY_EXPR_AND_SYMBOL(Not, LOGICAL_NOT, !)        // BOOL: the opposite
POPOPS_UNARY_EXPR_AND_SYMBOL(Neg, NEGATE, -)             // -x
POPOPS_UNARY_EXPR(NearbyInt, NEARBY_INT) // to the nearest whole number, halves to even
POPOPS_UNARY_EXPR(Signum, SIGNUM)        // -1, 0 or 1
POPOPS_UNARY_EXPR(Sin, SIN)              // sine
POPOPS_UNARY_EXPR(Tan, TAN)              // tangent
POPOPS_UNARY_EXPR(Tanh, TANH)            // hyperbolic tangent
POPOPS_UNARY_EXPR(Round, ROUND)          // to the nearest whole number, halves away from 0
POPOPS_UNARY_EXPR(Trunc, TRUNC)          // towards 0
POPOPS_UNARY_EXPR(Sqrt, SQRT)            // square root
POPOPS_UNARY_EXPR(Square, SQUARE)        // x * x
POPOPS_UNARY_EXPR(Sigmoid, SIGMOID)      // 1 / (1 + exp(-x))
POPOPS_UNARY_EXPR(Rsqrt, RSQRT)          // 1 / sqrt(x)

POPOPS_BINARY_EXPR_AND_SYMBOL(Add, ADD, +)                       // a + b
POPOPS_BINARY_EXPR(Atan2, ATAN2)                                 // the angle of the point (b, a)
POPOPS_BINARY_EXPR_AND_SYMBOL(BitwiseAnd, BITWISE_AND, &)        // bits that are set in both
POPOPS_BINARY_EXPR_AND_SYMBOL(BitwiseOr, BITWISE_OR, |)          // bits that are set in one or both
POPOPS_BINARY_EXPR_AND_SYMBOL(BitwiseXor, BITWISE_XOR, ^)        // bits that differ
POPOPS_BINARY_EXPR(BitwiseXnor, BITWISE_XNOR)                    // bits that are equal
POPOPS_BINARY_EXPR_AND_SYMBOL(Divide, DIVIDE, /)                 // a / b
POPOPS_BINARY_EXPR_AND_SYMBOL(Equal, EQUAL, ==)                  // a == b
POPOPS_BINARY_EXPR_AND_SYMBOL(Gte, GREATER_THAN_EQUAL, >=)       // a >= b
POPOPS_BINARY_EXPR_AND_SYMBOL(Gt, GREATER_THAN, >)               // a > b
POPOPS_BINARY_EXPR(InvStdDevToVariance, INV_STD_DEV_TO_VARIANCE) // 1 / a^2 - b
POPOPS_BINARY_EXPR_AND_SYMBOL(Lte, LESS_THAN_EQUAL, <=)          // a <= b
POPOPS_BINARY_EXPR_AND_SYMBOL(And, LOGICAL_AND, &&)              // BOOL: both
POPOPS_BINARY_EXPR_AND_SYMBOL(Or, LOGICAL_OR, ||)                // BOOL: one or both
POPOPS_BINARY_EXPR_AND_SYMBOL(Lt, LESS_THAN, <)                  // a < b
POPOPS_BINARY_EXPR(Max, MAXIMUM)                                 // the larger of two
POPOPS_BINARY_EXPR(Min, MINIMUM)                                 // the smaller of two
POPOPS_BINARY_EXPR_AND_SYMBOL(Mul, MULTIPLY, *)                  // a * b
POPOPS_BINARY_EXPR_AND_SYMBOL(NotEqual, NOT_EQUAL, !=)           // a != b
POPOPS_BINARY_EXPR(Pow, POWER)                                   // a to the power of b
POPOPS_BINARY_EXPR_AND_SYMBOL(Rem, REMAINDER, %)    // what a / b leaves, with the sign of a
POPOPS_BINARY_EXPR_AND_SYMBOL(Shl, SHIFT_LEFT, <<)  // a << b
POPOPS_BINARY_EXPR_AND_SYMBOL(Shr, SHIFT_RIGHT, >>) // a >> b, zeros from above
POPOPS_BINARY_EXPR(ShrSE, SHIFT_RIGHT_SIGN_EXTEND)  // a >> b, the sign from above
POPOPS_BINARY_EXPR_AND_SYMBOL(Sub, SUBTRACT, -)     // a - b
POPOPS_BINARY_EXPR(VarianceToInvStdDev, VARIANCE_TO_INV_STD_DEV) // 1 / sqrt(a + b)

POPOPS_TERNARY_EXPR(Select, SELECT) // Select(a, b, condition): a where the condition holds
POPOPS_TERNARY_EXPR(Clamp, CLAMP)   // Clamp(x, lowest, highest)

} // namespace expr
} // namespace popops
