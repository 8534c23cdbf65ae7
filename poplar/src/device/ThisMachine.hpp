// SPDX-License-Identifier: MIT
// The simulated machine (layer machine), with its errors as Poplar's.
#pragma once
#include "device/TargetData.hpp"
#include "machine/Error.hpp"
#include "machine/State.hpp"
#include "poplar/exceptions.hpp"
#include <memory>

namespace poplar::device {

template <class Call> auto asPoplar(const Call &call) {
  try {
    return call();
  } catch (const machine::BadVariable &e) {
    throw invalid_option(e.what());
  } catch (const machine::Error &e) {
    throw poplar_error(e.what());
  }
}

// The partition that this process uses. Throws what findChip throws for a chip that is unknown.
std::shared_ptr<const machine::Domain> activeDomain();

} // namespace poplar::device
