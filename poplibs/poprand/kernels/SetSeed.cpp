// SPDX-License-Identifier: MIT
#include "poprand/kernels/SetSeed.hpp"
#include "Philox.hpp"

namespace poprand {

static void runSetSeed(const openipu::KernelArgs &args) {
  const auto attributes = kernels::SeedModifier::read(args.attributes);
  *args.seeded = {seededKey(args.inputs[0], attributes.modifier), 0};
}
static const openipu::Registered registered{
    {.name = kernels::setSeed, .run = runSetSeed, .seeds = true}};

} // namespace poprand
