// SPDX-License-Identifier: MIT
// MatMul: numpy's matrix product; leading dimensions are groups and broadcast.
//   y = a b     da = dy b^T     db = a^T dy, summed where a leading dimension was broadcast
#include "lowering/lowering.hpp"
#include "ops/nn/product.hpp"
#include "ops/shared/elementwise.hpp"
#include <algorithm>
#include <numeric>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>

namespace popart::ops {

namespace {

Infos infer(const OpView &op) {
  requireSameTypes(op);
  if (!isFloatingPoint(op.in(0).type()))
    op.fail("its inputs are ", nameOf(op.in(0).type()),
            "; products are computed in floating point. Use MatMulInteger, or add a Cast.");
  return {{op.in(0).type(), Product(op).output()}};
}

// How a product is cut into smaller ones that run one after the other. Rows are what
// SerializeMatMul calls input channels, columns its output channels.
struct Cut {
  enum class Along { Nothing, Rows, Columns, Reduction } along = Along::Nothing;
  std::size_t parts = 1;
  bool sumsInFloat = false; // along the reduction
};
constexpr const char *cutMode = "__serialize_matmul_mode", *cutParts = "__serialize_matmul_factor",
                     *cutPrecision = "__serialize_matmul_prec";

Cut cutOf(const OpView &op, const Product &p) {
  const auto &extra = op.node().settings.extra;
  const auto mode = extra.find<std::string>(cutMode).value_or("none");
  const auto parts = extra.find<std::int64_t>(cutParts).value_or(0);
  if (mode == "none" || parts <= 1)
    return {};
  const bool rows = mode == "input_channels", columns = mode == "output_channels";
  if (!rows && !columns && mode != "reducing_dim")
    op.fail("its serialization mode \"", mode,
            "\" must be input_channels, output_channels, reducing_dim or none.");
  const std::int64_t size = rows      ? p.m * (p.sharedRight ? ir::elementsOf(p.lead) : 1)
                            : columns ? p.n
                                      : p.k;
  if (size % parts)
    op.fail("it is to be serialized over ", mode, " in ", parts, " parts; the ", size,
            " elements there cannot be cut into that many equal ones.");
  return {rows      ? Cut::Along::Rows
          : columns ? Cut::Along::Columns
                    : Cut::Along::Reduction,
          std::size_t(parts), extra.find<std::int64_t>(cutPrecision).value_or(0) != 0};
}

// [groups][m][k] x [groups][k][n] or matrices.
class Multiplier {
public:
  Multiplier(lowering::Lowering &l, const OpView &op, const poplar::Type &type)
      : l_(l), type_(type), options_(productOptions(l, op)) {}

  poplar::Tensor product(const poplar::Tensor &a, const poplar::Tensor &b,
                         const poplar::Type &type) {
    return a.rank() == 2
               ? poplin::matMul(l_.graph(), a, b, l_.program(), type, l_.name(), options_)
               : poplin::matMulGrouped(l_.graph(), a, b, l_.program(), type, l_.name(), options_);
  }
  poplar::Tensor cut(const poplar::Tensor &a, const poplar::Tensor &b, const Cut &cut) {
    const unsigned rows = a.rank() - 2, columns = a.rank() - 1;
    switch (cut.along) {
    case Cut::Along::Nothing:
      return product(a, b, type_);
    case Cut::Along::Reduction:
      return summed(a, b, cut);
    default:
      break;
    }
    const bool byRows = cut.along == Cut::Along::Rows;
    Tensors parts;
    for (std::size_t i = 0; i < cut.parts; ++i)
      parts.push_back(product(byRows ? part(a, i, cut.parts, rows) : a,
                              byRows ? b : part(b, i, cut.parts, columns), type_));
    return poplar::concat(parts, byRows ? rows : columns);
  }

private:
  static poplar::Tensor part(const poplar::Tensor &t, std::size_t i, std::size_t of, unsigned dim) {
    const auto size = t.dim(dim) / of;
    return t.slice(i * size, (i + 1) * size, dim);
  }
  poplar::Tensor summed(const poplar::Tensor &a, const poplar::Tensor &b, const Cut &cut) {
    const auto type = cut.sumsInFloat ? poplar::FLOAT : type_;
    poplar::Tensor sum;
    for (std::size_t i = 0; i < cut.parts; ++i) {
      const auto y =
          product(part(a, i, cut.parts, a.rank() - 1), part(b, i, cut.parts, a.rank() - 2), type);
      if (sum.valid())
        popops::addInPlace(l_.graph(), sum, y, l_.program(), l_.name("sum"));
      else
        sum = y;
    }
    return type == type_ ? sum
                         : popops::cast(l_.graph(), sum, type_, l_.program(), l_.name("round"));
  }

  lowering::Lowering &l_;
  poplar::Type type_;
  poplar::OptionFlags options_;
};

// A product over no elements: zeros.
poplar::Tensor nothing(lowering::Lowering &l, const OpView &op) {
  auto y =
      l.graph().addVariable(lowering::deviceType(op.out(0).type()), op.out(0).info().shape_szt(),
                            poplar::VariableMappingMethod::LINEAR, l.name());
  popops::zero(l.graph(), y, l.program(), l.name());
  return y;
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const Product p(op);
  const auto type = lowering::deviceType(op.out(0).type());
  if (op.out(0).elements() == 0 || p.k == 0)
    return {nothing(l, op)};
  Multiplier multiply(l, op, type);
  return {multiply.cut(p.left(l.tensor(op.in(0))), p.right(l.tensor(op.in(1))), cutOf(op, p))
              .reshape(op.out(0).info().shape_szt())};
}

// The layout is that of the whole product; its parts are views.
poplar::Tensor create(lowering::Lowering &l, const OpView &op, unsigned input) {
  const Product p(op);
  const auto type = lowering::deviceType(op.in(0).type());
  const auto options = productOptions(l, op);
  const auto &name = op.in(input).name();
  const auto shape = op.in(input).info().shape_szt();
  if (op.in(input).elements() == 0 || op.out(0).elements() == 0)
    return {};
  const auto m = std::size_t(p.m), k = std::size_t(p.k), n = std::size_t(p.n);
  if (p.sharedRight) {
    const std::vector<std::size_t> a{p.groups() * m, k}, b{k, n};
    const auto t = input ? poplin::createMatMulInputRHS(l.graph(), type, type, a, b, name, options)
                         : poplin::createMatMulInputLHS(l.graph(), type, type, a, b, name, options);
    return t.reshape(shape);
  }
  if (op.in(input).elements() != std::int64_t(p.groups() * k * (input ? n : m)))
    return {}; // broadcast
  const std::vector<std::size_t> a{p.groups(), m, k}, b{p.groups(), k, n};
  const auto t =
      input ? poplin::createMatMulGroupedInputRHS(l.graph(), type, type, a, b, name, options)
            : poplin::createMatMulGroupedInputLHS(l.graph(), type, type, a, b, name, options);
  return t.reshape(shape);
}

Integers swappedLast(std::int64_t rank) {
  Integers perm(static_cast<std::size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  if (rank >= 2)
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return perm;
}

// A product of the backward pass. What was cut forwards is cut the same way: `rows`, `columns` and
// `reduction` say where those of the forward product are in this one.
Value backward(GradBuilder &g, Value a, Value b, const char *pass, const char *rows,
               const char *columns, const char *reduction) {
  const ir::Settings kept = g.settings;
  if (const auto mode = kept.extra.find<std::string>(cutMode); mode && *mode != "none")
    g.settings.extra.set(cutMode, std::string(*mode == "input_channels"    ? rows
                                              : *mode == "output_channels" ? columns
                                                                           : reduction));
  const Value y =
      g.op("MatMul", {a, b}, pass ? Attributes{{"pass", std::string(pass)}} : Attributes{});
  g.settings = kept;
  return y;
}
Value leftGrad(GradBuilder &g, Value dy, Value b, bool layer) {
  return backward(g, dy, g.transpose(b, swappedLast(std::int64_t(g.shape(b).size()))),
                  layer ? "TRAINING_BWD" : nullptr, "input_channels", "reducing_dim",
                  "output_channels");
}
Value rightGrad(GradBuilder &g, Value dy, Value a, bool layer) {
  return backward(g, g.transpose(a, swappedLast(std::int64_t(g.shape(a).size()))), dy,
                  layer ? "TRAINING_WU" : nullptr, "reducing_dim", "output_channels",
                  "input_channels");
}

Values grad(GradBuilder &g, const OpView &op) {
  const Product p(op);
  const Shape as = op.in(0).shape(), bs = op.in(1).shape();
  Value a = op.in(0), b = op.in(1);
  Shape matrices = p.lead;
  matrices.insert(matrices.end(), {p.m, p.n});
  const Value dy = g.reshape(g.dy(), matrices);
  if (p.sharedRight) { // one product over all rows, so that db needs no sum afterwards
    const std::int64_t rows = ir::elementsOf(p.lead) * p.m;
    const Value dy2 = g.reshape(dy, {rows, p.n}), a2 = g.reshape(a, {rows, p.k}),
                b2 = g.reshape(b, {p.k, p.n});
    return {g.reshape(leftGrad(g, dy2, b2, true), as), g.reshape(rightGrad(g, dy2, a2, true), bs)};
  }
  a = p.rowVector ? g.reshape(a, {1, p.k}) : a;
  b = p.columnVector ? g.reshape(b, {p.k, 1}) : b;
  return {g.reshape(g.unbroadcast(leftGrad(g, dy, b, false), a), as),
          g.reshape(g.unbroadcast(rightGrad(g, dy, a, false), b), bs)};
}

} // namespace

OpDef matmulOp() {
  OpDef op;
  op.type = "MatMul";
  op.doc = "Matrix product as numpy does it: leading dimensions are groups and broadcast.";
  op.in = {2, 2};
  op.infer = infer;
  op.lower = lower;
  op.create = create;
  op.grad = grad;
  op.fresh = true;
  op.product = true;
  op.epilogue = "EpilogueMatMul";
  op.channels = -1;
  op.batch = Batch::Product;
  return op;
}

} // namespace popart::ops
