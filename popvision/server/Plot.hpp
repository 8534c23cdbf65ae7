// SPDX-License-Identifier: MIT
// Pictures for papers: SVG with a caption that says what is shown, of which chip, and by which
// version it was modelled.
#pragma once
#include "Model.hpp"

namespace popvision {

std::string plotSvg(const Model &model, const std::string &of); // "step" or "memory"

} // namespace popvision
