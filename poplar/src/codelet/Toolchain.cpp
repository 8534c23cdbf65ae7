// SPDX-License-Identifier: MIT
#include "codelet/Toolchain.hpp"
#include "base/OwnLibrary.hpp"
#include "base/Text.hpp"
#include "base/VectorUnit.hpp"
#include "codelet/Errors.hpp"
#include "codelet/Process.hpp"
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <sys/stat.h>
#include <utility>

namespace poplar::codelet {

std::vector<std::string> splitFlags(const std::string &flags) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const char c = flags[i];
    if (c == '\\' && quote != '\'' && i + 1 < flags.size()) {
      word += flags[++i];
      inWord = true;
    } else if (quote != 0) {
      c == quote ? void(quote = 0) : void(word += c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      inWord = true;
    } else if (!std::isspace(static_cast<unsigned char>(c))) {
      word += c;
      inWord = true;
    } else if (inWord) {
      words.push_back(std::exchange(word, {}));
      inWord = false;
    }
  }
  if (quote != 0)
    throw CompileError(
        base::str("Codelet flags \"", flags, "\" have an open ", quote, ". Close the quote."));
  if (inWord)
    words.push_back(word);
  return words;
}

std::string findCompiler() {
  const char *chosen = std::getenv("OPENIPU_CXX");
  return findProgram(chosen && *chosen ? chosen : "g++");
}

// Other compilers define __GNUC__, too, and say so in a macro of their own.
static bool isGcc(const std::string &compiler) {
  const auto macros = runProcess({compiler, "-dM", "-E", "-x", "c++", "/dev/null"});
  return macros.status == 0 && macros.output.find("__clang__") == std::string::npos &&
         macros.output.find("__INTEL_COMPILER") == std::string::npos;
}

std::string requireCompiler() {
  std::string compiler = findCompiler();
  const char *chosen = std::getenv("OPENIPU_CXX");
  if (compiler.empty() && chosen && *chosen)
    throw CompileError(base::str("OPENIPU_CXX is \"", chosen,
                                 "\", and there is no such program. Set it to a g++ of version 12 "
                                 "or newer, or unset it and install one (apt-get install g++)."));
  if (compiler.empty())
    throw CompileError("Compiling codelets needs g++, and there is none on PATH. Install it "
                       "(apt-get install g++), "
                       "or set OPENIPU_CXX to a g++ of version 12 or newer.");
  if (chosen && *chosen && !isGcc(compiler))
    throw CompileError(base::str(
        "OPENIPU_CXX is \"", chosen,
        "\", which is not a g++. Cycles are counted in a register that "
        "g++ leaves alone (-ffixed-r15) and other compilers do not. Set it to a g++ of version 12 "
        "or newer, or unset it."));
  return compiler;
}

static std::string environmentOf(std::initializer_list<const char *> names) {
  std::string text;
  for (const char *name : names)
    if (const char *value = std::getenv(name))
      text += base::str(name, "=", value, "\n");
  return text;
}

std::string includeEnvironment() {
  return environmentOf({"CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH"});
}

std::string compilerIdentity() {
  const std::string path = findCompiler();
  struct stat s {};
  if (path.empty() || ::stat(path.c_str(), &s) != 0)
    return {};
  return base::str(path, ":", s.st_size, ":", s.st_mtim.tv_sec, ".", s.st_mtim.tv_nsec,
                   environmentOf({"GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH", "LD_RUN_PATH",
                                  "GCC_COMPARE_DEBUG"}));
}

static std::string ownLibrary() {
  return base::libraryOf(reinterpret_cast<const void *>(&ownLibrary));
}

static std::string besideLibrary() {
  std::error_code error;
  const auto library = std::filesystem::canonical(ownLibrary(), error);
  return error ? std::string() : (library.parent_path().parent_path() / "include").string();
}

std::string includeDirectory() {
  const std::vector<std::string> places = {besideLibrary(), OPENIPU_POPLAR_HEADERS};
  for (const std::string &place : places)
    if (!place.empty() && std::filesystem::exists(place + "/poplar/Vertex.hpp"))
      return place;
  const auto moved = base::moveNote(ownLibrary());
  throw CompileError(
      base::str("The codelet headers (poplar/Vertex.hpp) are not where they belong: looked in ",
                base::list(places, ", "), ".", moved.empty() ? " Install the SDK again." : moved));
}

bool machineRuns(std::string_view architecture) {
  if (architecture == "x86-64")
    return true;
  return architecture == "x86-64-v3" && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") && base::convertsHalf();
}

std::string machineArchitecture() { return machineRuns("x86-64-v3") ? "x86-64-v3" : "x86-64"; }

} // namespace poplar::codelet
