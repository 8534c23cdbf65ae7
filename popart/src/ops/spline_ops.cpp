// SPDX-License-Identifier: MIT
// Operators of ai.graphcore that are one PopLibs call each: SplineBasis and SplineWeighting, the
// halves of a convolution on graphs with a continuous kernel, and NormalizeImage.
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include <popops/NormaliseImage.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>

namespace popart::ops {

namespace {

OpDef graphcore(const std::string &type, const std::string &doc, Arity in) {
  OpDef op;
  op.type = type;
  op.domain = "ai.graphcore";
  op.doc = doc;
  op.in = in;
  op.noGradient = "it has none in PopLibs";
  return op;
}

// pseudo [E,D], kernel size [D], is open spline [D] -> basis, weight index [E,(degree + 1)^D]
Infos inferBasis(const OpView &op) {
  requireFloat(op);
  const std::int64_t degree = op.integer("degree");
  const Shape pseudo = op.in(0).shape();
  if (degree < 1 || degree > 3)
    op.fail("degree is ", degree, "; it must be 1, 2 or 3.");
  if (pseudo.size() != 2 || op.in(1).shape() != Shape{pseudo[1]} ||
      op.in(2).shape() != Shape{pseudo[1]})
    op.fail("pseudo ", op.in(0).info(), ", kernel size ", op.in(1).info(), " and is open spline ",
            op.in(2).info(), " must be [edges, dims], [dims] and [dims].");
  if (op.in(1).type() != DataType::INT32 || op.in(2).type() != DataType::UINT8)
    op.fail("kernel size is ", op.in(1).info(), " and is open spline ", op.in(2).info(),
            "; they must be INT32 and UINT8.");
  std::int64_t products = 1;
  for (std::int64_t d = 0; d < pseudo[1]; ++d)
    products *= degree + 1;
  const Shape shape{pseudo[0], products};
  return {{op.in(0).type(), shape}, {DataType::INT32, shape}};
}

Tensors lowerBasis(lowering::Lowering &l, const OpView &op) {
  const auto variable = [&](std::size_t i, const char *name) {
    const auto info = i == 0 ? op.out(0).info() : TensorInfo(DataType::INT32, op.out(0).shape());
    return l.graph().addVariable(lowering::deviceType(info.dataType()), info.shape_szt(),
                                 poplar::VariableMappingMethod::LINEAR, l.name(name));
  };
  const auto basis = variable(0, "basis"), index = variable(1, "weightIndex");
  popops::splineBasis(l.graph(), l.tensor(op.in(0)), l.tensor(op.in(1)), l.tensor(op.in(2)), basis,
                      index, unsigned(op.integer("degree")), l.program(), l.name());
  return {basis, index};
}

// input [E,in], weights [K,in,out], basis [E,S], weight index [E,S] -> [E,out]
Infos inferWeighting(const OpView &op) {
  requireFloat(op);
  const Shape in = op.in(0).shape(), w = op.in(1).shape(), basis = op.in(2).shape();
  if (in.size() != 2 || w.size() != 3 || basis.size() != 2 || w[1] != in[1] || basis[0] != in[0] ||
      op.in(3).shape() != basis)
    op.fail("input ", op.in(0).info(), ", weights ", op.in(1).info(), ", basis ", op.in(2).info(),
            " and weight index ", op.in(3).info(),
            " must be [edges, in], [kernel, in, out], [edges, products] and [edges, products].");
  for (std::size_t i : {1, 2})
    if (op.in(i).type() != op.in(0).type())
      op.fail("input ", i, " is ", op.in(i).info(), ", input 0 ", op.in(0).info(),
              ". Nothing is promoted: add a Cast.");
  return {{op.in(0).type(), {in[0], w[2]}}};
}

// image [..., 3], offsets [3], scales [3] -> [..., 4]
Infos inferImage(const OpView &op) {
  Shape shape = op.in(0).shape();
  const auto type = op.in(0).type();
  if (shape.empty() || shape.back() != 3 || op.in(1).shape() != Shape{3} ||
      op.in(2).shape() != Shape{3})
    op.fail("image ", op.in(0).info(), ", offsets ", op.in(1).info(), " and scales ",
            op.in(2).info(), " must be [..., 3], [3] and [3].");
  if (type != DataType::UINT8)
    requireFloat(op);
  const auto out = type == DataType::UINT8 ? DataType::FLOAT16 : type;
  for (std::size_t i : {1, 2})
    if (op.in(i).type() != out)
      op.fail("input ", i, " is ", op.in(i).info(), "; for this image it must be ", nameOf(out),
              ".");
  shape.back() = 4;
  return {{out, shape}};
}

} // namespace

std::vector<OpDef> splineOps() {
  OpDef basis = graphcore("SplineBasis", "Products of B-spline bases for every edge.", {3, 3});
  basis.out = {1, 2};
  basis.infer = inferBasis;
  basis.lower = lowerBasis;
  OpDef weighting =
      graphcore("SplineWeighting", "Features times weights interpolated by splines.", {4, 4});
  weighting.infer = inferWeighting;
  weighting.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {popops::splineWeighting(l.graph(), l.tensor(op.in(0)), l.tensor(op.in(1)),
                                    l.tensor(op.in(2)), l.tensor(op.in(3)), l.program(), l.name())};
  };
  OpDef image =
      graphcore("NormalizeImage", "Pixels normalised, with a fourth channel of zero.", {3, 3});
  image.infer = inferImage;
  image.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {popops::normaliseImage(l.graph(), l.program(), l.tensor(op.in(0)), op.real("scale", 1),
                                   l.tensor(op.in(1)), l.tensor(op.in(2)), l.name())};
  };
  return {basis, weighting, image};
}

} // namespace popart::ops
