// SPDX-License-Identifier: MIT
#include "poprand/kernels/SetSeed.hpp"
#include "Philox.hpp"

namespace poprand {

static void runSetSeed(const openipu::KernelArgs &args) {
  const auto attributes = kernels::SeedModifier::read(args.attributes);
  *args.random = {seededKey(args.inputs[0], attributes.modifier), 0, true};
}
static const openipu::Registered registered{{.name = kernels::setSeed, .run = runSetSeed}};

} // namespace poprand
