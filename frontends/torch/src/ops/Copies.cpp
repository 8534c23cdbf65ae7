// SPDX-License-Identifier: MIT
// Tensors as they are: copies, other types (results are cast to what torch says), and new values
// for what stands there.
#include "core/Elementwise.hpp"

namespace poptorch {

namespace {

Values same(Call &c) { return {c.in("self")}; }

Values copy(Call &c) { return {c.broadcast(c.in("src"), c.shape())}; }

Values fill(Call &c) {
  if (!c.isTensor("value"))
    return {filled(c, c.shape(), c.real("value"), c.type())};
  return {c.broadcast(c.m.reshape(c.in("value"), {}), c.shape())};
}

} // namespace

void addCopies(Registry &r) {
  for (const char *name : {"to", "_to_copy", "type_as", "clone", "contiguous", "alias", "lift",
                           "lift_fresh", "lift_fresh_copy", "alias_copy"})
    r.add(name, same);
  for (const char *name : {"detach", "detach_copy"})
    r.add(name, [](Call &c) -> Values { return {detached(c, c.in("self"))}; });
  r.add("copy", copy);
  r.add("fill", fill);
  r.add("zero", [](Call &c) -> Values { return {filled(c, c.shape(), 0, c.type())}; });
}

} // namespace poptorch
