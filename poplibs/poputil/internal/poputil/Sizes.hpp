// SPDX-License-Identifier: MIT
// The number of elements of a shape that a caller gives; one that no tensor can have is refused.
#pragma once
#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include <string>
#include <vector>

namespace poputil {

inline std::size_t elementsOf(const std::vector<std::size_t> &shape, const std::string &call) {
  if (auto elements = base::checkedElements(shape))
    return *elements;
  throw poplibs_error(base::str(call, ": sizes ", base::list(shape),
                                " are too large; those above 0 multiply to more than ",
                                base::thousands(base::maxElements), "."));
}

} // namespace poputil
