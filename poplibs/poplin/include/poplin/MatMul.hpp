// SPDX-License-Identifier: MIT
// Matrix products: [m][k] x [k][n], or [g][m][k] x [g][k][n] group by group. A product is planned
// as a convolution with a field of one element, batch m, input channels k and output channels n.
// Operands may be any views; those from the createMatMul functions lie where the plan wants them.
//
// Options: fullyConnectedPass (NONE, INFERENCE_FWD, TRAINING_FWD, TRAINING_BWD, TRAINING_WU),
// inputRHSIsPreArranged, gatherOutput, and those of convolutions that docs/convolution-options.md
// marks.
#pragma once
#include <iosfwd>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/PlanningCache.hpp>
#include <poputil/DebugInfo.hpp>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace poplin {

namespace matmul {
// PlanningCache under the name that preplanMatMuls takes.
class PlanningCache : public poplin::PlanningCache {};
} // namespace matmul

// Without an output type, the result has the type of A.
// A * B in a new tensor; for groups, A[g] * B[g].
//
//   Tensor a = createMatMulInputLHS(graph, HALF, {64, 128}, {128, 32}, "a");
//   Tensor b = createMatMulInputRHS(graph, HALF, {64, 128}, {128, 32}, "b");
//   Tensor c = matMul(graph, a, b, prog, "product");
//
// Throws poputil::poplibs_error if the shapes do not fit, poplar::invalid_option.
poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::program::Sequence &prog, const poplar::Type &outputType,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor matMulGrouped(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::program::Sequence &prog, const poplar::Type &outputType,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);

// The product in a tensor that is there already, of the right shape.
void matMulWithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::Tensor &out, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
// matMulWithOutput, group by group.
void matMulGroupedWithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::Tensor &out, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);

// C += k * A * B. A tensor k has one element of A's type.
void matMulAcc(poplar::Graph &graph, const poplar::Tensor &C, float k, const poplar::Tensor &A,
               const poplar::Tensor &B, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
void matMulAcc(poplar::Graph &graph, const poplar::Tensor &C, const poplar::Tensor &k,
               const poplar::Tensor &A, const poplar::Tensor &B, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
void matMulGroupedAcc(poplar::Graph &graph, const poplar::Tensor &C, float k,
                      const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
void matMulGroupedAcc(poplar::Graph &graph, const poplar::Tensor &C, const poplar::Tensor &k,
                      const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

// The left operand for a product of these shapes, laid out as the plan wants it.
poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                    const poplar::Type &outputType,
                                    const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape,
                                    const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options = {},
                                    PlanningCache *cache = nullptr);
poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, const poplar::Type &dataType,
                                    const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape,
                                    const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options = {},
                                    PlanningCache *cache = nullptr);
// createMatMulInputLHS for [g][m][k].
poplar::Tensor createMatMulGroupedInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                           const poplar::Type &outputType,
                                           const std::vector<std::size_t> &aShape,
                                           const std::vector<std::size_t> &bShape,
                                           const poplar::DebugContext &debugContext,
                                           const poplar::OptionFlags &options = {},
                                           PlanningCache *cache = nullptr);
// The right operand for a product of these shapes, laid out as the plan wants it.
poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                    const poplar::Type &outputType,
                                    const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape,
                                    const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options = {},
                                    PlanningCache *cache = nullptr);
poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, const poplar::Type &dataType,
                                    const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape,
                                    const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options = {},
                                    PlanningCache *cache = nullptr);
// createMatMulInputRHS for [g][k][n].
poplar::Tensor createMatMulGroupedInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                           const poplar::Type &outputType,
                                           const std::vector<std::size_t> &aShape,
                                           const std::vector<std::size_t> &bShape,
                                           const poplar::DebugContext &debugContext,
                                           const poplar::OptionFlags &options = {},
                                           PlanningCache *cache = nullptr);
// A result for matMulWithOutput, laid out as the plan wants it.
poplar::Tensor
createMatMulOutput(poplar::Graph &graph, const poplar::Type &inputType,
                   const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                   const std::vector<std::size_t> &bShape, const poplar::DebugContext &debugContext,
                   const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor createMatMulOutput(poplar::Graph &graph, const poplar::Type &dataType,
                                  const std::vector<std::size_t> &aShape,
                                  const std::vector<std::size_t> &bShape,
                                  const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options = {},
                                  PlanningCache *cache = nullptr);
// createMatMulOutput for [g][m][n].
poplar::Tensor createMatMulGroupedOutput(poplar::Graph &graph, const poplar::Type &inputType,
                                         const poplar::Type &outputType,
                                         const std::vector<std::size_t> &aShape,
                                         const std::vector<std::size_t> &bShape,
                                         const poplar::DebugContext &debugContext,
                                         const poplar::OptionFlags &options = {},
                                         PlanningCache *cache = nullptr);

// A copy of B that lies where the plan wants it, for products with option inputRHSIsPreArranged.
poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph &graph,
                                        const std::vector<std::size_t> &aShape,
                                        const poplar::Tensor &B, poplar::program::Sequence &prog,
                                        const poplar::Type &outputType,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr);
poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph &graph,
                                        const std::vector<std::size_t> &aShape,
                                        const poplar::Tensor &B, poplar::program::Sequence &prog,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr);
poplar::Tensor preArrangeMatMulGroupedInputRHS(
    poplar::Graph &graph, const std::vector<std::size_t> &aShape, const poplar::Tensor &B,
    poplar::program::Sequence &prog, const poplar::Type &outputType,
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
    PlanningCache *cache = nullptr);

// [g][m][n] as [g][n][m].
poplar::Tensor transposeGroupedMatrix(const poplar::Tensor &A);

// Writes how the product is planned: splits, cycles, memory.
void matMulReportPlan(std::ostream &out, const poplar::Graph &graph, const poplar::Type &inputType,
                      const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                      const std::vector<std::size_t> &bShape,
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
// matMulReportPlan for groups.
void matMulGroupedReportPlan(std::ostream &out, const poplar::Graph &graph,
                             const poplar::Type &inputType, const poplar::Type &outputType,
                             const std::vector<std::size_t> &aShape,
                             const std::vector<std::size_t> &bShape,
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);

// Shapes with three dimensions are grouped products.
struct MatMulParams {
  poplar::Type inputType, outputType;      // of the operands; of the result
  std::vector<std::size_t> aShape, bShape; // [m][k] and [k][n]
};
bool operator<(const MatMulParams &a, const MatMulParams &b);

// A target, a product and its options.
using MatMulPlanParams =
    std::tuple<const poplar::Target *, const MatMulParams, const poplar::OptionFlags *>;
// Which options a product's convolution has.
using MatMulToConvOptions = std::unordered_map<const poplar::OptionFlags *, poplar::OptionFlags>;

// Plans all products into the cache.
void preplanMatMuls(const std::set<MatMulPlanParams> &matmuls, matmul::PlanningCache &cache);
// The products as convolutions. Their options are kept in `matmulOptsToConvOpts`, which must live
// as long as the result.
std::set<ConvPlanParams> matMulGetConvPlanParams(const std::set<MatMulPlanParams> &matmuls,
                                                 MatMulToConvOptions &matmulOptsToConvOpts);

// Throws poplar::invalid_option for an unknown name or a bad value.
void matmulValidateOptions(const poplar::OptionFlags &options);

} // namespace poplin
