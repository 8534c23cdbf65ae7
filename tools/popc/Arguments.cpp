// SPDX-License-Identifier: MIT
#include "Arguments.hpp"
#include "base/Text.hpp"
#include "codelet/Compile.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace popc {
namespace {

using poplar::codelet::compileTargets;

bool startsWith(const std::string &text, const char *prefix) { return text.rfind(prefix, 0) == 0; }

const std::vector<std::string> &ownOptions() {
  static const std::vector<std::string> options = {
      "-o",     "-S",          "-target", "--target", "--list-targets", "--version",
      "--help", "--emit-llvm", "-g",      "-w",       "--cycles",       "--sizes"};
  return options;
}

Target targetNamed(const std::string &name) {
  if (std::find(compileTargets().begin(), compileTargets().end(), name) == compileTargets().end())
    throw UsageError(base::str("unknown target \"", name, "\".",
                               base::didYouMean(name, compileTargets()),
                               " Known targets: cpu, ipu1, ipu2, ipu21."));
  return {name, name, {}};
}

Target targetFromJson(const nlohmann::json &item) {
  if (item.is_string())
    return targetNamed(item.get<std::string>());
  if (!item.is_object() || !item.contains("name") || !item.contains("arch"))
    throw UsageError(base::str("target ", item.dump(), " needs \"name\" and \"arch\""));
  Target target = targetNamed(item.at("arch").get<std::string>());
  target.name = item.at("name").get<std::string>();
  if (item.contains("compile-flags"))
    target.flags = item.at("compile-flags").get<std::vector<std::string>>();
  return target;
}

std::vector<Target> targetsFromJson(const std::string &text) {
  try {
    std::vector<Target> targets;
    const auto list = nlohmann::json::parse(text);
    if (!list.is_array())
      throw UsageError("a JSON target must be a list");
    for (const auto &item : list)
      targets.push_back(targetFromJson(item));
    return targets;
  } catch (const nlohmann::json::exception &e) {
    throw UsageError(base::str("cannot read the target list ", text, ": ", e.what()));
  }
}

// Options of the compiler that stand alone, and those that take the next word.
bool isCompilerFlag(const std::string &word) {
  for (const char *prefix :
       {"-O", "-W", "-I", "-D", "-U", "-f", "-m", "-std=", "-isystem", "-iquote", "-include"})
    if (startsWith(word, prefix))
      return true;
  return word == "-g" || word == "-w" || word == "-pedantic";
}
bool takesNextWord(const std::string &word) {
  return word == "-I" || word == "-D" || word == "-U" || word == "-isystem" || word == "-iquote" ||
         word == "-include";
}

class Parser {
public:
  explicit Parser(const std::vector<std::string> &words) : words_(words) {}

  Arguments parse() {
    while (at_ < words_.size())
      one(words_[at_++]);
    if (!a_.sizes.empty() && !a_.cycles)
      throw UsageError("--sizes belongs to --cycles");
    if (a_.cycles && (a_.assembly || !a_.output.empty()))
      throw UsageError("--cycles prints and writes no file; leave out -o and -S");
    if (a_.cycles && a_.targets.size() > 1)
      throw UsageError("--cycles takes one target");
    if (a_.targets.empty() && a_.cycles)
      a_.targets.push_back(targetNamed("ipu2"));
    if (a_.targets.empty())
      for (const std::string &name : compileTargets())
        a_.targets.push_back(targetNamed(name));
    return std::move(a_);
  }

private:
  void one(const std::string &word) {
    if (word == "--help" || word == "-h")
      a_.help = true;
    else if (word == "--version")
      a_.version = true;
    else if (word == "--list-targets")
      a_.listTargets = true;
    else if (word == "-S")
      a_.assembly = true;
    else if (word == "--cycles")
      a_.cycles = true;
    else if (word == "--sizes")
      a_.sizes = next(word);
    else if (startsWith(word, "--sizes="))
      a_.sizes = word.substr(8);
    else if (word == "-o")
      a_.output = next(word);
    else if (startsWith(word, "-o") && word.size() > 2)
      a_.output = word.substr(2);
    else if (word == "-target" || word == "--target")
      a_.targets = parseTargets(next(word));
    else if (startsWith(word, "-target=") || startsWith(word, "--target="))
      a_.targets = parseTargets(word.substr(word.find('=') + 1));
    else if (word == "--emit-llvm")
      throw UsageError("--emit-llvm: codelets are compiled by g++, which has no LLVM text. Use -S "
                       "for assembly.");
    else if (isCompilerFlag(word))
      flag(word);
    else if (startsWith(word, "-"))
      throw UsageError(
          base::str("unknown option \"", word, "\".", base::didYouMean(word, ownOptions())));
    else
      a_.inputs.push_back(word);
  }

  void flag(const std::string &word) {
    a_.flags.push_back(word);
    if (takesNextWord(word))
      a_.flags.push_back(next(word));
  }

  const std::string &next(const std::string &option) {
    if (at_ == words_.size() || words_[at_].empty())
      throw UsageError(base::str(option, " needs a value"));
    return words_[at_++];
  }

  const std::vector<std::string> &words_;
  std::size_t at_ = 0;
  Arguments a_;
};

} // namespace

const char *const usage = R"(usage: popc [options] inputs... -o out.gp
       popc --cycles [--sizes FIELD=N,...] [options] inputs...

Compiles codelets (.cpp, .c) and joins them, and any .gp inputs, into one .gp file.

  -o FILE               the file to write (default: the first input with .gp)
  -target T, --target T cpu, ipu1, ipu2, ipu21; a comma list; or a JSON list of names and of
                        {"name": "ipu2:cpp", "arch": "ipu2", "compile-flags": ["-DX"]}; default: all
  -O0 ... -O3, -g, -I DIR, -D NAME[=V], -U NAME, -std=S, -W..., -Werror, -f..., -include FILE
                        as in g++
  -S                    write the assembly of un-vectorised code instead of a .gp
  --cycles              print what each line of each vertex is charged, in bundles, instead of writing
                        a .gp; for one target, ipu2 if none is given
  --sizes FIELD=N,...   with --cycles: run each vertex that has these fields, with operands of zeros.
                        N is the elements of a vector, ROWSxELEMENTS of a vector of vectors, or the
                        value of a scalar field. Integer fields that are not edges need a value, too
  --list-targets        print the targets, separated by commas
  --version             print the version
  --help                print this

Environment: OPENIPU_CXX (compiler, default g++), OPENIPU_CACHE_DIR (cache of compiled codelets),
OPENIPU_CACHE_MAX_MB (its size, default 256).
)";

std::vector<Target> parseTargets(const std::string &text) {
  if (text.find_first_of("[{") != std::string::npos)
    return targetsFromJson(text);
  std::vector<Target> targets;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    targets.push_back(targetNamed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return targets;
}

Arguments parseArguments(const std::vector<std::string> &words) { return Parser(words).parse(); }

std::string quoted(const std::vector<std::string> &flags) {
  std::string text;
  for (const std::string &flag : flags) {
    text += text.empty() ? "" : " ";
    for (char c : flag) {
      if (std::string_view(" \t\n\"'\\").find(c) != std::string_view::npos)
        text += '\\';
      text += c;
    }
  }
  return text;
}

} // namespace popc
