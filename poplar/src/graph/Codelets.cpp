// SPDX-License-Identifier: MIT
// Codelets of a graph: compiled from source at the call, or taken from .gp files.
#include "Access.hpp"
#include "base/Error.hpp"
#include "base/Log.hpp"
#include "base/ProgressLine.hpp"
#include "base/Text.hpp"
#include "codelet/Compile.hpp"
#include "codelet/Gp.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Graph.hpp"
#include <sstream>

namespace poplar {

using base::str;
using graph::GraphState;

static const base::Logger &logger() {
  static const base::Logger log("POPLAR", "PO", "CODELETS");
  return log;
}

namespace {

std::string archOf(const Target &target) {
  return target.getTargetType() == TargetType::CPU ? "cpu"
                                                   : target.getTargetArchString().cloneAsString();
}

// Codelet errors in the types that the API promises.
template <class Work> auto translated(Work work) {
  try {
    return work();
  } catch (const codelet::CompileError &e) {
    throw graph_program_compilation_error(e.what());
  } catch (const codelet::LinkError &e) {
    throw link_error(e.what(), e.output);
  } catch (const base::UnsafeError &e) {
    throw poplar_error(e.what());
  } catch (const codelet::FileError &e) {
    throw file_load_error(e.path, e.what());
  } catch (const codelet::GpError &e) {
    throw graph_object_load_error(e.path, e.what());
  }
}

void install(GraphState &state, codelet::Module module) {
  for (const auto &known : state.modules)
    if (known->contentHash == module.contentHash)
      return; // the same source with the same flags: nothing new
  for (const auto &type : module.types)
    if (auto old = state.codelets.find(type.name); old != state.codelets.end())
      throw graph_object_creation_error(
          str("Graph::addCodelets: \"", module.sourceName, "\" defines vertex type \"", type.name,
              "\", which \"", state.modules[old->second.module]->sourceName,
              "\" has defined already. Rename one, or add the file once only."));
  auto shared = std::make_shared<const codelet::Module>(std::move(module));
  std::uint32_t index = state.modules.size();
  for (std::uint32_t type = 0; type < shared->types.size(); ++type)
    state.codelets[shared->types[type].name] = {index, type};
  logger().info("added ", shared->types.size(), " vertex types from ", shared->sourceName);
  state.modules.push_back(std::move(shared));
}

void installSource(GraphState &state, const codelet::SourceInput &source,
                   const std::string &flags) {
  codelet::CompileOptions options;
  options.flags = flags;
  options.arch = archOf(state.target);
  options.workers = state.target.getNumWorkerContexts();
  const base::Activity activity("Compiling codelets");
  install(state, translated([&] { return codelet::compileSource(source, options); }));
}

void installGp(GraphState &state, const codelet::Gp &gp, const std::string &path,
               const std::string &targetName) {
  auto wanted = targetName.empty() ? archOf(state.target) : targetName;
  auto modules = gp.modulesFor(wanted);
  if (modules.empty()) {
    std::vector<std::string> names;
    for (const auto &target : gp.targets)
      names.push_back(target.name);
    throw graph_object_load_error(path, str("it has no code for target \"", wanted, "\", only for ",
                                            base::list(names, ", "),
                                            ". Compile it with popc -target ", wanted, "."));
  }
  for (auto *module : modules)
    install(state, *module);
}

bool isObject(const std::string &file, CodeletFileType type) {
  return type == CodeletFileType::Object || (type == CodeletFileType::Auto && file.size() > 3 &&
                                             file.substr(file.size() - 3) == ".gp");
}

} // namespace

bool Graph::addCodelets(StringRef file, CodeletFileType type, StringRef compileFlags,
                        StringRef targetName) {
  auto &state = *Access::graph(*this).state;
  auto path = file.cloneAsString();
  if (path.empty())
    throw file_load_error(path, "Graph::addCodelets was given an empty file name.");
  if (isObject(path, type))
    installGp(state, translated([&] { return codelet::readGp(path); }), path, targetName);
  else
    installSource(state, codelet::SourceInput::fromFile(path), compileFlags);
  return true;
}

bool Graph::addCodelets(StringRef file, CodeletFileType type, StringRef compileFlags,
                        std::ostream &compileOutput, StringRef targetName) {
  try {
    return addCodelets(file, type, compileFlags, targetName);
  } catch (const graph_program_compilation_error &e) {
    compileOutput << e.what() << "\n";
    return false;
  }
}

bool Graph::addCodelets(ArrayRef<std::string> files, StringRef compileFlags, StringRef targetName) {
  for (const auto &file : files)
    addCodelets(file, CodeletFileType::Auto, compileFlags, targetName);
  return true;
}

void Graph::addCodelets(std::stringstream &source, StringRef compileFlags, CodeletFileType type,
                        StringRef targetName) {
  auto &state = *Access::graph(*this).state;
  auto text = source.str();
  if (type == CodeletFileType::Object || codelet::looksLikeGp(text))
    return installGp(state, translated([&] { return codelet::parseGp(text, "<stream>"); }),
                     "<stream>", targetName);
  installSource(state, codelet::SourceInput::fromText(text, ""), compileFlags);
}

void Graph::addCodeletPlaceholder(std::istream &source, StringRef targetName) {
  std::stringstream text;
  text.exceptions(std::ios::badbit); // no memory, or a source that cannot be read
  text << source.rdbuf();
  addCodelets(text, "", CodeletFileType::CppSource, targetName);
}

bool Graph::hasCodelet(StringRef name) const {
  return Access::graph(*this).state->codelets.count(codelet::canonicalName(name.cloneAsString())) !=
         0;
}

// The compiler may spell the name differently (enumerators as numbers), so the one type of the
// source is entered under the name that was asked for as well.
bool graph::GraphState::provide(const std::string &vertexName) {
  for (auto give : vertexSources) {
    auto source = give(vertexName);
    if (source.empty())
      continue;
    installSource(*this, codelet::SourceInput::fromText(source, ""), "");
    const auto &types = modules.back()->types;
    OPENIPU_CHECK(types.size() == 1, "the source of " + vertexName + " has one vertex type");
    codelets[vertexName] = {std::uint32_t(modules.size() - 1), 0};
    return true;
  }
  return false;
}

} // namespace poplar

void openipu::addVertexProvider(poplar::Graph &graph, VertexSource source) {
  auto &sources = poplar::Access::graph(graph).state->vertexSources;
  if (std::find(sources.begin(), sources.end(), source) == sources.end())
    sources.push_back(source);
}
