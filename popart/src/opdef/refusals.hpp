// SPDX-License-Identifier: MIT
// Refusals that can wait until there is a session: a Builder has no say in them.
#pragma once
#include "opdef/opview.hpp"
#include <popart/error.hpp>

namespace popart::ops {

// An input has a type that the operator cannot compute with.
class wrong_type : public error {
public:
  using error::error;
};

template <class... Parts> [[noreturn]] void failType(const OpView &op, const Parts &...parts) {
  throw wrong_type(base::str(describe(op.graph(), op.node()), ": ", parts...));
}

} // namespace popart::ops
