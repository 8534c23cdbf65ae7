// SPDX-License-Identifier: MIT
// Compression for exported pages, which browsers undo: the data of a report is text that repeats
// itself. zlib's format (RFC 1950), one block of fixed codes (RFC 1951).
#pragma once
#include <string>
#include <string_view>

namespace popvision {

std::string deflated(std::string_view data);
std::string base64(std::string_view data);

} // namespace popvision
