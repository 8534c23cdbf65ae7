// SPDX-License-Identifier: MIT
// The same elements in row-major order under another shape; torch says which. Composites of these
// (reshape, flatten, ravel, view_as ...) are torch's own: it knows whether they share memory.
#include "core/Places.hpp"

namespace poptorch {

namespace {

Values reshaped(Call &c) {
  const Value x = c.in("self");
  if (c.has("dtype") && c.type("dtype", c.type()) != c.m.type(x))
    c.fail("elements cannot be seen as another type; use Tensor.to, which converts them.");
  return {c.m.reshape(x, c.shape())};
}

// A tensor broadcast to what torch says: no element is copied.
Values expanded(Call &c) { return {c.broadcast(c.in("self"), c.shape())}; }

} // namespace

void addReshapes(Registry &r) {
  for (const char *name : {"view", "_reshape_alias", "_unsafe_view", "squeeze", "unsqueeze",
                           "view_copy", "squeeze_copy", "unsqueeze_copy", "_reshape_alias_copy"})
    r.add(name, reshaped);
  for (const char *name : {"expand", "expand_copy"})
    r.add(name, expanded);
}

} // namespace poptorch
