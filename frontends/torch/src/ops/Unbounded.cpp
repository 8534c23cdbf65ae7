// SPDX-License-Identifier: MIT
// Operators whose results have a shape that depends on values. Shapes are fixed when a model is
// captured, so none of them can be compiled; each names what does the work with fixed shapes.
#include "core/Call.hpp"

namespace poptorch {

namespace {

Converter refused(const char *advice) {
  return [advice](Call &c) -> Values {
    c.fail("the shape of its result depends on values, and shapes are fixed when a model is "
           "captured. ",
           advice);
  };
}

} // namespace

void addUnbounded(Registry &r) {
  r.add("nonzero", refused("Use torch.where(condition, a, b), or multiply with the mask."));
  r.add("nonzero_numpy", refused("Use torch.where(condition, a, b), or multiply with the mask."));
  r.add("argwhere", refused("Use torch.where(condition, a, b), or multiply with the mask."));
  r.add("masked_select", refused("Use torch.where(mask, x, 0), or multiply with the mask."));
  for (const char *name : {"unique_dim", "_unique", "_unique2", "unique_consecutive"})
    r.add(name, refused("Compute it on the host."));
}

} // namespace poptorch
