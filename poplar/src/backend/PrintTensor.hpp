// SPDX-License-Identifier: MIT
// The text that PrintTensor writes for the elements of a tensor.
#pragma once
#include "executable/Image.hpp"
#include <string>

namespace poplar::backend {

// `data` holds the elements in row-major order. Quarter elements take their meaning from
// `quarterMetadata`.
std::string formatTensor(TypeId type, const std::vector<std::size_t> &shape, const void *data,
                         const executable::PrintFormat &format, unsigned char quarterMetadata = 0);

// "title: value" and a newline; without a title the value alone.
std::string printedTensor(const std::string &title, TypeId type,
                          const std::vector<std::size_t> &shape, const void *data,
                          const executable::PrintFormat &format, unsigned char quarterMetadata = 0);

} // namespace poplar::backend
