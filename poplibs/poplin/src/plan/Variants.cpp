// SPDX-License-Identifier: MIT
// Which vertices can do a convolution, in the order they are tried.
#include "Search.hpp"
#include <algorithm>

namespace poplin {
namespace {

// A full set of weights, by wide loads when allowed; a filter of four rows cannot use those.
unsigned loadCyclesOf(const arch::Chip &chip, const ConvOptions &options, unsigned units,
                      unsigned filterHeight) {
  const bool wide = options.use128BitConvUnitLoad && filterHeight < 4;
  return unsigned(
      arch::ampLoadCycles(chip, units, wide ? arch::Interleave::Yes : arch::Interleave::No));
}

struct Lister {
  const arch::Chip &chip;
  const poplar::Target &target;
  const Problem &p;
  const ConvOptions &options;
  const Constraints &c;
  std::vector<Variant> list;

  bool half() const { return p.input == poplar::HALF; }
  bool quarter() const { return p.input == poplar::QUARTER; }
  bool halfPartials() const { return p.partials == poplar::HALF; }

  bool allowed(Method method) const { return !c.method || *c.method == method; }
  static bool fits(const std::optional<unsigned> &fixed, unsigned value) {
    return !fixed || *fixed == value;
  }
  void add(const Variant &v) {
    if (fits(c.convGroupsPerGroup, v.convGroupsPerGroup) &&
        fits(c.inChansPerGroup, v.inChansPerGroup) &&
        fits(c.partialChansPerGroup, v.partialChansPerGroup))
      list.push_back(v);
  }

  // Rows of the kernel that share one pass: possible when a group of channels leaves room in the
  // weights of a unit. Only 16-bit inputs (docs/timing.md, C2).
  unsigned heightFor(unsigned inChansPerGroup, unsigned perUnit) const {
    const unsigned room = perUnit / inChansPerGroup;
    if (!half() || p.dims.size() < 2)
      return 1;
    const auto &dim = p.dims[p.dims.size() - 2];
    if (dim.kernel == 1 || dim.kernelDilation != 1 || dim.inputDilation != 1)
      return 1;
    return room >= 4 && dim.kernel > 2 ? 4 : room >= 2 ? 2 : 1;
  }

  void addAmp(unsigned units, unsigned perUnit, unsigned inChans) {
    Variant v;
    v.convUnits = units;
    v.inChansPerGroup = inChans;
    v.filterHeight = heightFor(inChans, perUnit);
    v.loadCycles = loadCyclesOf(chip, options, units, v.filterHeight);
    for (unsigned partial : {units, perUnit})
      if (partial >= units && (partial == units || perUnit != units)) {
        v.partialChansPerGroup = partial;
        add(v);
      }
  }

  // Smaller groups than a unit's weights are worth it only when the channels do not fill them;
  // float inputs take whole ones (docs/timing.md, C2).
  bool useful(unsigned inChans, unsigned perUnit) const {
    if (inChans == perUnit || c.inChansPerGroup)
      return true;
    if (p.input == poplar::FLOAT)
      return false;
    return p.inChans <= inChans || (p.kernelElements() > 1 && p.inChans % perUnit);
  }

  void amp() {
    const unsigned load = target.getVectorWidth(p.input);
    const unsigned perUnit = target.getWeightsPerConvUnit(p.input);
    const unsigned most = target.getNumConvUnits(p.input, p.partials);
    if (!fits(c.inputLoadElems, load))
      return;
    // All units, or half of them where that leaves eight; quarters have a kernel for all only.
    for (unsigned units = most; units; units = units >= 16 && !quarter() ? units / 2 : 0) {
      if (!fits(c.convUnits, units))
        continue;
      for (unsigned inChans = perUnit; inChans >= load; inChans /= 2)
        if (useful(inChans, perUnit))
          addAmp(units, perUnit, inChans);
    }
  }

  // What SLIC takes. Kernels of one element waste three quarters of the window, and the zeros of a
  // dilated input have to be written down for it: only when it is asked for.
  bool slidesOver() const {
    const bool asked = c.method.has_value();
    return (asked || p.kernelElements() > 1) &&
           std::all_of(p.dims.begin(), p.dims.end(), [&](const FieldDim &d) {
             return !d.kernelFlip && d.kernelDilation == 1 && (asked || d.inputDilation == 1);
           });
  }
  // Groups of 16 are experimental: the option allows them, or a constraint that asks for them.
  bool sixteenGroups() const {
    return halfPartials() && (options.slicVmac16 || (c.method && c.convGroupsPerGroup == 16u));
  }

  void slic() {
    const bool fc = options.pass >= Pass::NONE_MATMUL &&
                    (options.pass == Pass::NONE_MATMUL || options.pass >= Pass::FC_INFERENCE_FWD);
    if (!chip.amp.slic || !(half() || quarter()) || fc || !slidesOver() ||
        p.dims.back().stride > 2 || !fits(c.windowWidth, 4))
      return;
    const unsigned free = chip.amp.pipelineDepth / (halfPartials() ? 1 : 2);
    const unsigned chains = c.chains.value_or(free);
    if (chains == 0 || chains > free || free % chains || chip.amp.pipelineDepth > 2 * chains)
      return;
    // With half of the chains, half of the units.
    const unsigned all = halfPartials() ? chip.amp.halfHalfUnits : chip.amp.halfFloatUnits;
    const unsigned units = all / (free / chains);
    const auto shape = [&](unsigned groups, unsigned chans) {
      const bool pays = p.inChans <= 2 * chans && (p.groups > 1 || groups == 1);
      if (pays || c.method)
        add({Method::SLIC, groups, chans, chans, units, 1, 0, chains});
    };
    shape(1, 4);
    shape(2, 2);
    shape(4, 1);
    if (halfPartials())
      shape(8, 1);
    if (sixteenGroups())
      shape(16, 1);
  }

  void hmac() {
    if (quarter())
      return;
    const unsigned grain = half() ? 2 : 1, partial = halfPartials() ? 2 : 1;
    unsigned chans = grain;
    while (chans < 16 && chans < p.inChans)
      chans *= 2;
    if (c.inChansPerGroup && *c.inChansPerGroup % grain == 0)
      chans = *c.inChansPerGroup;
    add({Method::HMAC, 1, chans, partial, 0, 1, 0, 0});
  }

  void vmac() {
    if (!chip.vmac || !half() || ((p.inChans != 1 || p.outChans != 1) && !c.method))
      return;
    add({Method::VMAC, 4, 1, 1, 0, 1, 0, 0});
    if (halfPartials())
      add({Method::VMAC, 8, 1, 1, 0, 1, 0, 0});
    if (sixteenGroups())
      add({Method::VMAC, 16, 1, 1, 0, 1, 0, 0});
  }

  void outerProduct() {
    const bool trivial = std::all_of(p.dims.begin(), p.dims.end(), [](const FieldDim &d) {
      return d.kernel == 1 && d.stride == 1 && d.inputDilation == 1 && d.in == d.out;
    });
    if (quarter() || p.batch != 1 || p.inChans != 1 || !trivial || p.partials != p.input)
      return;
    add({Method::OUTER_PRODUCT, 1, 1, target.getVectorWidth(p.input), 0, 1, 0, 0});
  }
};

} // namespace

std::vector<Variant> variantsFor(const Machine &machine, const poplar::Target &target,
                                 const Problem &problem, const ConvOptions &options,
                                 const Constraints &constraints) {
  Lister lister{machine.chip, target, problem, options, constraints, {}};
  if (lister.allowed(Method::AMP))
    lister.amp();
  if (lister.allowed(Method::SLIC))
    lister.slic();
  if (lister.allowed(Method::HMAC))
    lister.hmac();
  if (lister.allowed(Method::VMAC))
    lister.vmac();
  if (lister.allowed(Method::OUTER_PRODUCT))
    lister.outerProduct();
  return lister.list;
}

Variant variantOf(const arch::Chip &chip, const ConvPlan &plan, const ConvOptions &options) {
  return {plan.method,
          plan.convGroupsPerGroup,
          plan.inChansPerGroup,
          plan.partialChansPerGroup,
          plan.convUnits,
          plan.filterHeight,
          loadCyclesOf(chip, options, plan.convUnits, plan.filterHeight),
          plan.convUnitChains};
}

} // namespace poplin
