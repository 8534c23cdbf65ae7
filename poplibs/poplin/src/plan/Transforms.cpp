// SPDX-License-Identifier: MIT
// Which transforms of a convolution are worth a search.
#include "Search.hpp"

namespace poplin {
namespace {

struct Transforms {
  const Problem &p;
  const ConvOptions &options;
  const Constraints &c;

  std::vector<std::vector<unsigned>> expansions(const Problem &swapped) const {
    if (c.expandDims)
      return {*c.expandDims};
    std::vector<std::vector<unsigned>> sets = {{}};
    const unsigned fills = swapped.input == poplar::FLOAT ? 8 : 16;
    if (options.disableTransformations || swapped.inChans >= fills || swapped.groups > 1)
      return sets;
    std::uint64_t most = 1;
    std::vector<unsigned> dims;
    for (unsigned d = unsigned(swapped.dims.size()); d-- > 0;)
      if (swapped.dims[d].kernel > 1 && (most *= swapped.dims[d].kernel) <= 256)
        dims.push_back(d);
    for (unsigned set = 1; set < (1u << dims.size()) && dims.size() < 4; ++set) {
      sets.emplace_back();
      for (unsigned i = 0; i < dims.size(); ++i)
        if (set >> i & 1)
          sets.back().push_back(dims[i]);
    }
    return sets;
  }

  // Small groups side by side fill a 64-bit load.
  std::vector<unsigned> factors() const {
    if (!c.combineConvGroupsFactors.empty())
      return c.combineConvGroupsFactors;
    const bool isFloat = p.input == poplar::FLOAT;
    const unsigned most = isFloat ? 8 : 16;
    if (options.disableTransformations || p.groups == 1 || p.inChans > (isFloat ? 1u : 2u))
      return {1};
    std::vector<unsigned> list = {1};
    for (unsigned factor = 2; factor * p.inChans <= most && factor < 2 * p.groups; factor *= 2)
      if (factor * p.inChans >= (isFloat ? 2u : 4u))
        list.push_back(factor);
    return list;
  }

  // A matrix product has its larger side as output channels: published rates of products with
  // few columns are those of the other operand being streamed (docs/timing.md, G1 to G8). With a
  // field, the input would become the kernel: worth it only when that is not much larger.
  std::vector<bool> swaps() const {
    if (c.swapOperands)
      return {*c.swapOperands};
    if (options.disableTransformations)
      return {false};
    std::uint64_t field = 1, kernel = 1;
    for (const auto &dim : p.dims) {
      field *= dim.in;
      kernel *= dim.kernel;
    }
    if (field == 1)
      return {p.batch > p.outChans};
    return field <= 4 * kernel ? std::vector<bool>{false, true} : std::vector<bool>{false};
  }

  std::vector<Transform> all() const {
    std::vector<Transform> list;
    const auto flat = c.outChanFlattenDims.value_or(std::vector<unsigned>());
    for (bool swap : swaps())
      for (unsigned factor :
           swap &&c.combineConvGroupsFactors.empty() ? std::vector<unsigned>{1} : factors()) {
        Transform t{swap, {}, flat, 1};
        for (auto &dims : expansions(transformed(p, t)))
          list.push_back({swap, dims, flat, factor});
      }
    return list;
  }
};

} // namespace

std::vector<Transform> transformsFor(const Problem &problem, const ConvOptions &options,
                                     const Constraints &constraints) {
  return Transforms{problem, options, constraints}.all();
}

} // namespace poplin
