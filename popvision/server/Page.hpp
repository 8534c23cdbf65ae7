// SPDX-License-Identifier: MIT
// The built page, part of the program: one HTML file with its script and style inside.
#pragma once
#include <string>
#include <string_view>

namespace popvision {

bool hasPage(); // false when it was built without npm
std::string_view pageText();
// Allows the page's own script and style, by their hashes, and requests to where it came from.
std::string pagePolicy();
// The page with data inside, compressed, for a file of its own. `data` is JSON.
std::string pageWith(std::string_view data);

} // namespace popvision
