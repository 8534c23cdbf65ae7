// SPDX-License-Identifier: MIT
// popc: compiles codelets into a .gp file. Diagnostics go to standard error; status 0 success, 1 a
// codelet or file is wrong, 2 the command line is.
#include "Arguments.hpp"
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "codelet/Compile.hpp"
#include "codelet/Gp.hpp"
#include "Listing.hpp"
#include <filesystem>
#include <iostream>
#include <map>
#include <poplar/Graph.hpp>
#include <set>

namespace {

using namespace poplar::codelet;

std::string outputName(const popc::Arguments &a, const char *extension) {
  return a.output.empty() ? std::filesystem::path(a.inputs.front()).stem().string() + extension
                          : a.output;
}

CompileOptions optionsFor(const popc::Arguments &a, const popc::Target &target) {
  auto flags = a.flags;
  flags.insert(flags.end(), target.flags.begin(), target.flags.end());
  return {popc::quoted(flags), target.arch, true};
}

void writeAssembly(const popc::Arguments &a) {
  if (a.inputs.size() != 1)
    throw popc::UsageError(base::str("-S takes one input, not ", a.inputs.size()));
  const std::string text =
      compileToAssembly(SourceInput::fromFile(a.inputs[0]), optionsFor(a, a.targets.front()));
  if (const std::string path = outputName(a, ".s"); path == "-")
    std::cout << text;
  else
    base::writeWhole(path, text);
}

void printCycles(const popc::Arguments &a) {
  const auto sizes = a.sizes.empty() ? popc::Sizes() : popc::parseSizes(a.sizes);
  for (const std::string &input : a.inputs) {
    if (std::filesystem::path(input).extension() == ".gp")
      throw popc::UsageError(base::str("--cycles reads sources, and ", input, " is an archive"));
    const auto vertices =
        popc::cyclesOf(SourceInput::fromFile(input), optionsFor(a, a.targets.front()), sizes);
    if (vertices.empty())
      std::cout << input << " has no vertices\n";
    std::cout << popc::listing(vertices);
  }
}

// Two inputs that define one vertex type cannot be in the same target.
void refuseDuplicates(const Gp &gp) {
  for (const GpTarget &target : gp.targets) {
    std::map<std::string, std::string> owner;
    for (const std::uint32_t m : target.modules)
      for (const VertexType &type : gp.modules[m].types)
        if (const auto [at, isNew] = owner.emplace(type.name, gp.modules[m].sourceName); !isNew)
          throw LinkError(base::str("vertex type ", type.name, " is defined in ", at->second,
                                    " and in ", gp.modules[m].sourceName, " (target ", target.name,
                                    "). Remove one of them."));
  }
}

Gp compileAll(const popc::Arguments &a) {
  Gp gp;
  std::set<std::string> shown; // the same warning once, not once per target
  for (const std::string &input : a.inputs) {
    if (std::filesystem::path(input).extension() == ".gp") {
      gp.merge(readGp(input));
      continue;
    }
    for (const popc::Target &target : a.targets) {
      Module module = compileSource(SourceInput::fromFile(input), optionsFor(a, target));
      if (shown.insert(module.diagnostics).second)
        std::cerr << module.diagnostics;
      gp.add(target.name, target.arch, std::move(module));
    }
  }
  refuseDuplicates(gp);
  return gp;
}

void printVersion() {
  std::cout << "POPLAR version " << std::string(poplar::versionString()) << " ("
            << std::string(poplar::packageHash()).substr(0, 32) << ")\n"
            << "codelets are compiled for the host by g++ (OPENIPU_CXX chooses another)\n";
}

int run(const popc::Arguments &a) {
  if (a.help)
    std::cout << popc::usage;
  else if (a.version)
    printVersion();
  else if (a.listTargets)
    std::cout << "cpu,ipu1,ipu2,ipu21\n";
  else if (a.inputs.empty())
    throw popc::UsageError("no input files");
  else if (a.cycles)
    printCycles(a);
  else if (a.assembly)
    writeAssembly(a);
  else
    writeGp(compileAll(a), outputName(a, ".gp"));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(popc::parseArguments({argv + 1, argv + argc}));
  } catch (const popc::UsageError &e) {
    std::cerr << "popc: " << e.what() << "\nTry popc --help.\n";
    return 2;
  } catch (const std::exception &e) {
    std::cerr << "popc: " << e.what() << "\n";
    return 1;
  }
}
