// SPDX-License-Identifier: MIT
// Operators as text, also as arguments of vertex templates.
#pragma once
#include <iosfwd>
#include <popops/ExprOp.hpp>
#include <poputil/VertexTemplates.hpp>
#include <string>

namespace popops {
namespace expr {

std::string unaryOpTypeToString(UnaryOpType op);     // "EXPONENT"
std::string binaryOpTypeToString(BinaryOpType op);   // "ADD"
std::string ternaryOpTypeToString(TernaryOpType op); // "SELECT"

std::ostream &operator<<(std::ostream &os, const UnaryOpType &op);
std::ostream &operator<<(std::ostream &os, const BinaryOpType &op);
std::ostream &operator<<(std::ostream &os, const TernaryOpType &op);

} // namespace expr
} // namespace popops

namespace poputil {

template <> struct VertexTemplateToString<popops::expr::UnaryOpType> {
  static std::string to_string(const popops::expr::UnaryOpType &op) {
    return "popops::expr::UnaryOpType::" + popops::expr::unaryOpTypeToString(op);
  }
};
template <> struct VertexTemplateToString<popops::expr::BinaryOpType> {
  static std::string to_string(const popops::expr::BinaryOpType &op) {
    return "popops::expr::BinaryOpType::" + popops::expr::binaryOpTypeToString(op);
  }
};
template <> struct VertexTemplateToString<popops::expr::TernaryOpType> {
  static std::string to_string(const popops::expr::TernaryOpType &op) {
    return "popops::expr::TernaryOpType::" + popops::expr::ternaryOpTypeToString(op);
  }
};

} // namespace poputil
