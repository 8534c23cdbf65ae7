// SPDX-License-Identifier: MIT
// Text of the small enumerations, and the kinds of codelet files by extension.
#include "base/Text.hpp"
#include "poplar/CodeletFileType.hpp"
#include "poplar/Error.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/TargetType.hpp"
#include "poplar/TensorCloneMethod.hpp"
#include "poplar/VectorLayout.hpp"
#include <algorithm>
#include <array>
#include <iterator>

namespace poplar {
namespace {

template <class Enum, std::size_t N>
std::string nameOf(Enum value, const char *const (&names)[N], const char *what) {
  const auto index = static_cast<std::size_t>(value);
  if (index >= N)
    throw poplar_error(base::str(static_cast<long long>(value), " is not a ", what, "."));
  return names[index];
}

constexpr const char *errorNames[] = {"NONE",
                                      "UNKNOWN",
                                      "TRAP",
                                      "FLOATING_POINT_INVALID_OPERATION",
                                      "FLOATING_POINT_DIVIDE_BY_ZERO",
                                      "FLOATING_POINT_OVERFLOW",
                                      "TILE_MEMORY_BANK_CONFLICT",
                                      "INVALID_EXCHANGE_CONFIGURATION",
                                      "INVALID_ADDRESS",
                                      "INVALID_OPERAND",
                                      "INVALID_PROGRAM_COUNTER",
                                      "INVALID_INSTRUCTION",
                                      "EXCHANGE_ERROR",
                                      "MEMORY_ERROR",
                                      "IPUSOFTERR",
                                      "IPU_MEMORY_FAILURE",
                                      "LINK_DOWN",
                                      "HOST_LINK_DOWN",
                                      "HOST_SYNC_TIMEOUT"};

struct FileKind {
  const char *extension;
  CodeletFileType type;
  const char *language;
};
// The first row of a type gives its usual extension.
constexpr FileKind fileKinds[] = {
    {".S", CodeletFileType::PreprocessedAsmSource, "assembler-with-cpp"},
    {".s", CodeletFileType::AsmSource, "assembler"},
    {".c", CodeletFileType::CSource, "c"},
    {".cpp", CodeletFileType::CppSource, "c++"},
    {".cxx", CodeletFileType::CppSource, "c++"},
    {".cc", CodeletFileType::CppSource, "c++"},
    {".C", CodeletFileType::CppSource, "c++"},
    {".ll", CodeletFileType::IrSource, "ir"},
    {".bc", CodeletFileType::IrSource, "ir"},
    {".gp", CodeletFileType::Object, "none"},
    {".o", CodeletFileType::Object, "none"}};

const FileKind &kindOf(CodeletFileType type) {
  const auto found = std::ranges::find(fileKinds, type, &FileKind::type);
  if (found == std::end(fileKinds))
    throw poplar_error(
        "CodeletFileType::Auto stands for no one language; name the type of the codelet file.");
  return *found;
}

} // namespace

std::string toString(TargetType type) {
  static constexpr const char *names[] = {"IPU", "IPU_MODEL", "CPU"};
  return nameOf(type, names, "TargetType");
}

std::string toString(const TensorCloneMethod &method) {
  static constexpr const char *names[] = {"PRESERVE_ORDER_AND_ALIASES", "CREATE_NEW_ORDER",
                                          "PRESERVE_ORDER_UNLESS_ALIASES",
                                          "GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES"};
  return nameOf(method, names, "TensorCloneMethod");
}

std::string toString(const TensorCloneDuplicationMethod &method) {
  static constexpr const char *names[] = {"DUPLICATE_BY_OUTER_DIMENSION",
                                          "DUPLICATE_BY_TILE_CONTIGUOUS_REGION"};
  return nameOf(method, names, "TensorCloneDuplicationMethod");
}

std::string toString(RecoveryAction action) {
  static constexpr const char *names[] = {"IPU_RESET", "LINK_RESET", "PARTITION_RESET",
                                          "FULL_RESET"};
  return nameOf(action, names, "RecoveryAction");
}

std::string layout::to_string(Vector v) {
  static constexpr const char *names[] = {"NotAVector",  "Span",        "ShortSpan",   "OnePtr",
                                          "ScaledPtr32", "ScaledPtr64", "ScaledPtr128"};
  return nameOf(v, names, "layout::Vector");
}

std::string layout::to_string(VectorList v) {
  static constexpr const char *names[] = {"NotAVector",   "OnePtr", "ScaledPtr32",   "ScaledPtr64",
                                          "ScaledPtr128", "DeltaN", "DeltaNElements"};
  return nameOf(v, names, "layout::VectorList");
}

std::string errorCodeToString(ErrorCode code) { return nameOf(code, errorNames, "ErrorCode"); }

ErrorCode errorCodeFromString(StringRef name) {
  const auto text = name.cloneAsString();
  const auto found = std::ranges::find(errorNames, text);
  if (found == std::end(errorNames))
    throw poplar_error(
        base::str("Unknown error code \"", text, "\".",
                  base::didYouMean(text, {std::begin(errorNames), std::end(errorNames)})));
  return static_cast<ErrorCode>(found - std::begin(errorNames));
}

CodeletFileType getCodeletFileType(const char *path) {
  const std::string text = path;
  const auto slash = text.find_last_of('/') + 1, dot = text.find_last_of('.');
  const auto extension = dot == std::string::npos || dot < slash ? "" : text.substr(dot);
  const auto found = std::ranges::find(fileKinds, extension, &FileKind::extension);
  if (found == std::end(fileKinds))
    throw poplar_error(
        base::str("The kind of codelet file \"", text, "\" cannot be told from its extension \"",
                  extension, "\". Use .cpp, .c, .S, .s, .ll, .bc, .gp or .o, or name its type."));
  return found->type;
}

std::string getExtensionFromFileType(CodeletFileType type) { return kindOf(type).extension; }
std::string getLanguageOption(CodeletFileType type) { return kindOf(type).language; }

} // namespace poplar
