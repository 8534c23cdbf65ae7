// SPDX-License-Identifier: MIT
// Everything the page would ask for, as one JSON object from request to answer: the page with this
// inside needs no server.
#pragma once
#include "Site.hpp"

namespace popvision {

std::string bundle(const Site &site);

} // namespace popvision
