// SPDX-License-Identifier: MIT
// Softmax and its logarithm along one dimension.
#include "core/Elementwise.hpp"

namespace poptorch {

namespace {

// exp(x) / sum(exp(x)), or x - log(sum(exp(x))), computed in the type that is asked for
Converter alongAxis(const char *type) {
  return [type](Call &c) -> Values {
    const Value x = c.cast(c.in("self"), c.type());
    if (c.m.info(x).nelms() == 0)
      return {x};
    const auto axis = c.axis("dim", c.rank(x));
    const Value vector = c.rank(x) == 0 ? c.m.reshape(x, {1}) : x;
    return {c.m.reshape(c.m.op(type, {vector}, {{"axis", axis}}), c.shape())};
  };
}

} // namespace

void addSoftmax(Registry &r) {
  for (const char *name : {"softmax", "_softmax", "special_softmax"})
    r.add(name, alongAxis("Softmax"));
  for (const char *name : {"log_softmax", "_log_softmax", "special_log_softmax"})
    r.add(name, alongAxis("LogSoftmax"));
}

} // namespace poptorch
