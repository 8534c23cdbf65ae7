// SPDX-License-Identifier: MIT
// Non-linearity types as text: for streams, and in the names of templated vertices.
#pragma once
#include <iosfwd>
#include <popnn/NonLinearityDef.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/VertexTemplates.hpp>
#include <string>

namespace popnn {

// "SIGMOID"
const char *asString(const NonLinearityType &type);
std::ostream &operator<<(std::ostream &os, const NonLinearityType &type);
// Accepts the names of asString in any case, also with '-' for '_'; throws poplibs_error otherwise.
std::istream &operator>>(std::istream &is, NonLinearityType &type);

} // namespace popnn

namespace poputil {

template <> struct VertexTemplateToString<popnn::NonLinearityType> {
  static std::string to_string(const popnn::NonLinearityType &type) {
    return std::string("popnn::NonLinearityType::") + popnn::asString(type);
  }
};

} // namespace poputil
