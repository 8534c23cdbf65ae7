// SPDX-License-Identifier: MIT
// C++ codelet source -> Module. A first g++ pass (-O0 -g) gives the vertex classes through DWARF;
// generated glue and two optimised passes give the images. Results are cached (Cache.hpp); a hit
// starts no compiler. Safe from any number of threads and processes. Libraries never print: all
// diagnostics are in the exceptions.
#pragma once
#include "codelet/Count.hpp"
#include "codelet/Errors.hpp"
#include "codelet/Module.hpp"
#include <memory>
#include <string>
#include <vector>

namespace poplar::codelet {

struct SourceInput {
  std::string path; // file to compile; empty when text is given
  std::string text; // source text (addCodelets from a stream)
  std::string name; // what diagnostics call the text; default "codelet.cpp"

  static SourceInput fromFile(std::string path) { return {std::move(path), {}, {}}; }
  static SourceInput fromText(std::string text, std::string name) {
    return {{}, std::move(text), std::move(name)};
  }
};

// What codelets can be compiled for: "cpu", and the instruction sets of the known chips.
const std::vector<std::string> &compileTargets();

struct CompileOptions {
  std::string flags;         // the user's, split like a shell: -O3 -I dir -Dname="a b"
  std::string arch = "ipu2"; // one of compileTargets(): the available layouts
  bool useCache = true;
  unsigned workers = 0; // what numWorkers() says; 0: as the shipped chips of this arch
};

// Throws CompileError (compiler's text, or a field or file popc would refuse), LinkError (new,
// malloc, iostream), FileError (source missing). Functions that the source only declares are
// Module::needs.
Module compileSource(const SourceInput &source, const CompileOptions &options = {});

// The counted code of a source with where its bundles come from. `module` has the counted image
// alone, and is not cached.
struct CountedModule {
  Module module;
  CountedLines lines;
  std::vector<std::string> functions; // of module.types: what runs one vertex
};
CountedModule compileForLines(const SourceInput &source, const CompileOptions &options = {});

// The same module with checks of every access (Checks.hpp): other hostOffsets and sizes,
// `checkedImage` filled, `image` empty. Vertex types and fields stand in the same order as in
// `module`. Cached like compileSource. A codelet that does not compile in this form comes back
// as it was, without a checkedImage, and the log says so.
Module compileChecked(const Module &module);

// A module whose `needs` are defined by others of the graph, linked with those. LinkError when
// nobody defines them. Cached like compileSource.
Module linkModule(const Module &module,
                  const std::vector<std::shared_ptr<const Module>> &graphModules);

// Assembly text of the counted pass, before counting: what `popc -S` prints.
std::string compileToAssembly(const SourceInput &source, const CompileOptions &options = {});

} // namespace poplar::codelet
