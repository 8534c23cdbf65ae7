// SPDX-License-Identifier: MIT
// Unit by unit (UnitNorms.hpp).
#include "NormSpace.hpp"
#include "poplin/kernels/Norms.hpp"
#include "UnitNorms.hpp"
#include <optional>

namespace poplin::norms {
namespace {

using openipu::KernelArgs;

class NormaliseKernel {
public:
  explicit NormaliseKernel(const KernelArgs &args) {
    const auto [groups, eps, unbiased] = kernels::NormForwardOf::read(args.attributes);
    units_.emplace(groups, args.inputs[0], &args.outputs[0], eps, unbiased);
  }
  void run(const KernelArgs &args) {
    units_->run({rows::Data(args.inputs[0]), rows::Data(args.outputs[0]),
                 rows::table(args.inputs[1], 10), rows::table(args.inputs[2], 11),
                 args.outputs[1].type == openipu::TypeId::Half});
    storeVector(args.outputs[1], units_->mean.data());
    storeVector(args.outputs[2], units_->invStdDev.data());
  }

private:
  std::optional<UnitForward> units_;
};
const openipu::Registered registered{
    openipu::stateful<NormaliseKernel>(kernels::normForward, openipu::alwaysGivesFloats)};
const openipu::Overwriting inPlace{kernels::normForward, kernels::normForwardMayOverwrite};

} // namespace
} // namespace poplin::norms
