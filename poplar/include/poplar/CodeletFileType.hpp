// SPDX-License-Identifier: MIT
// Languages of a codelet file, and the mapping to and from file name extensions.
#pragma once
#include <string>

namespace poplar {

enum class CodeletFileType {
  PreprocessedAsmSource,
  AsmSource,
  CSource,
  CppSource,
  IrSource,
  Object,
  Auto
};

// By extension: .S .s .c .cpp .cxx .cc .ll .bc .gp .o; throws poplar_error for any other.
CodeletFileType getCodeletFileType(const char *path);
// ".cpp" and so on, and the argument of the compiler's -x; both throw poplar_error for Auto.
std::string getExtensionFromFileType(CodeletFileType type);
std::string getLanguageOption(CodeletFileType type);

} // namespace poplar
