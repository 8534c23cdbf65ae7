// SPDX-License-Identifier: MIT
// How a convolution (or a matmul, which is one) is spread over the tiles: the partition that the
// planner found, what it costs, and where it wants its operands.
#pragma once
#include "openipu/Plan.hpp"
#include "poplin/ConvParams.hpp"
#include "poplin/PlanningCache.hpp"
#include <iosfwd>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>

namespace poplin {

enum class Pass {
  NONE,
  NONE_MATMUL,
  INFERENCE_FWD,
  TRAINING_FWD,
  TRAINING_BWD,
  TRAINING_WU,
  FC_INFERENCE_FWD,
  FC_TRAINING_FWD,
  FC_TRAINING_BWD,
  FC_TRAINING_WU
};

// docs/convolution-options.md
struct ConvOptions {
#define CONV_OPTION(name, type, member, usual, key, matmul, text) type member = usual;
#include "poplin/ConvOptions.def"
  bool operator==(const ConvOptions &) const = default;
};
enum class PlanKey { Planned, Apart };
// Throws poplar::invalid_option for an unknown name or a bad value.
ConvOptions parseConvOptions(const poplar::OptionFlags &options);

enum class Method { AMP, SLIC, HMAC, VMAC, OUTER_PRODUCT };
struct Split {
  unsigned serial = 1, parallel = 1;
};
struct ConvPartition {
  std::vector<unsigned> fieldSplit, kernelSplit;
  unsigned batchSplit = 1, convGroupSplit = 1;
  Split outChanSplit, inChanSplit;
};
// How many IPUs share each part of a convolution, before any transform.
struct IpuSplit {
  unsigned batch = 1, convGroups = 1, outChans = 1, inChans = 1;
  std::vector<unsigned> field; // may be shorter than the field
  unsigned fieldOf(std::size_t d) const { return d < field.size() ? field[d] : 1; }
  unsigned count() const;
  bool operator==(const IpuSplit &) const = default;
};
struct ConvPlan {
  Method method = Method::AMP;
  unsigned convGroupsPerGroup = 1, inChansPerGroup = 1, partialChansPerGroup = 1;
  unsigned convUnits = 0, startTile = 0;
  unsigned filterHeight = 1;                    // AMP: rows of the kernel in one pass
  unsigned windowWidth = 4, convUnitChains = 0; // SLIC
  bool swapOperands = false;
  std::vector<unsigned> expandDims, outChanFlattenDims;
  unsigned combineConvGroupsFactor = 1;
  bool remapOutput = true; // the output is spread over all tiles, not only those of the plan
  bool joint = false;      // one plan for the three passes of a fully connected layer
  IpuSplit ipus;
  ConvPartition partition;                 // of one IPU's share after these transforms
  std::uint64_t cycles = 0, tempBytes = 0; // the planner's estimate

  unsigned tilesPerIpu() const;
  unsigned tilesUsed() const { return tilesPerIpu() * ipus.count(); }
  unsigned serialSplits() const {
    return partition.outChanSplit.serial * partition.inChanSplit.serial;
  }
};

// Whether results are rounded to nearest even while rounding is stochastic.
inline bool roundsToNearest(const ConvOptions &options, const ConvPlan &plan) {
  return options.disableSRForAMPVertices &&
         (plan.method == Method::AMP || plan.method == Method::SLIC);
}

// Milliseconds, deterministic, remembered in `cache` (or in a cache of the process). Throws
// poputil::poplibs_error for types that no vertex takes, poplar::invalid_option when the
// constraints leave no plan.
ConvPlan planConvolution(const poplar::Target &target, const ConvParams &params,
                         const ConvOptions &options, PlanningCache *cache);
// The plan as supersteps: rearrangement, exchange and vertices, reduction of partials.
openipu::Plan supersteps(const poplar::Target &target, const ConvParams &params,
                         const ConvOptions &options, const ConvPlan &plan);
void print(std::ostream &out, const ConvParams &params, const ConvPlan &plan);

// The parts of a plan in the order they run: the same phases that supersteps() turns into tile
// work.
struct PlanPart {
  std::string name;                        // "Convolve"; "Convolve exchange" for what it receives
  std::uint64_t cycles = 0, tempBytes = 0; // of one repeat
  unsigned repeats = 1;
};
std::vector<PlanPart> costsByPart(const poplar::Target &target, const ConvParams &params,
                                  const ConvOptions &options, const ConvPlan &plan);

// Tile mappings that suit the plan, for tensors of the public shapes
// [batch][channels][field...], [groups][out][in][kernel...], [batch][out channels][field...].
// Whole variables (in any order of dimensions) take one call, however many tiles there are.
void mapInput(poplar::Graph &graph, const poplar::Tensor &in, const ConvParams &params,
              const ConvPlan &plan);
void mapWeights(poplar::Graph &graph, const poplar::Tensor &weights, const ConvParams &params,
                const ConvPlan &plan);
void mapOutput(poplar::Graph &graph, const poplar::Tensor &out, const ConvParams &params,
               const ConvPlan &plan);

} // namespace poplin
