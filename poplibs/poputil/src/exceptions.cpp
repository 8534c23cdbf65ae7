// SPDX-License-Identifier: MIT
// The exception's functions live here so that all libraries share one type at run time.
#include "poputil/exceptions.hpp"

namespace poputil {

poplibs_error::poplibs_error(const std::string &message)
    : std::runtime_error(message), type("poplibs_error") {}
poplibs_error::poplibs_error(const char *message) : poplibs_error(std::string(message)) {}
poplibs_error::~poplibs_error() = default;

} // namespace poputil
