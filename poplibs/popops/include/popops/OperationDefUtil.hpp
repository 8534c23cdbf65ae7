// SPDX-License-Identifier: MIT
// Operations as template arguments of vertex names: popops::Operation::ADD.
#pragma once
#include <popops/Operation.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/VertexTemplates.hpp>
#include <string>

namespace poputil {

template <> struct VertexTemplateToString<popops::Operation> {
  static std::string to_string(const popops::Operation &op) {
    return "popops::Operation::" + popops::asString(op);
  }
};

} // namespace poputil
