// SPDX-License-Identifier: MIT
// The passes: preprocess once; compile without optimisation and read the classes; append glue;
// compile the fast and the counted image side by side. All passes but the first work on the
// preprocessed text, whose line markers keep diagnostics at the user's file and line.
#include "codelet/Compile.hpp"
#include "arch/Bundles.hpp"
#include "arch/Chip.hpp"
#include "arch/Instructions.hpp"
#include "base/Log.hpp"
#include "base/Text.hpp"
#include "codelet/Cache.hpp"
#include "codelet/Dialect.hpp"
#include "codelet/Dwarf.hpp"
#include "codelet/Glue.hpp"
#include "codelet/Process.hpp"
#include "codelet/Symbols.hpp"
#include "codelet/Toolchain.hpp"
#include "codelet/VectorMembers.hpp"
#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace poplar::codelet {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words operator+(Words a, const Words &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Same results in every image: no contraction, no value-changing optimisation. -fno-gnu-unique
// keeps statics of templates local to each loaded image.
Words commonFlags(const std::string &machine) {
  return {"-std=gnu++17",         "-march=" + machine,        "-fPIC",
          "-ffp-contract=off",    "-fno-strict-aliasing",     "-fno-math-errno",
          "-fno-trapping-math",   "-fno-gnu-unique",          "-fno-use-cxa-atexit",
          "-fvisibility=hidden",  "-fno-builtin-printf",      "-U_FORTIFY_SOURCE",
          "-fno-stack-protector", "-Wno-attributes=poplar::", "-Wno-ignored-attributes"};
}

const Words linkFlags = {"-shared",
                         "-Wl,-z,noseparate-code",
                         "-Wl,-Bsymbolic",
                         "-Wl,--hash-style=gnu",
                         "-Wl,--build-id=none",
                         "-Wl,-z,muldefs"}; // helpers that companions repeat
// -w: the user's warnings were given by the first pass. Access control is the first pass's business
// as well: glue may call a private compute(). Each image is one file, so everything but the entries
// is local.
const Words quiet = {"-w", "-fno-access-control"}, alone = {"-fwhole-program"};

// For programs that read the answer.
const Words diagnosticFlags = {"-fno-diagnostics-show-caret", "-fdiagnostics-color=never",
                               "-fdiagnostics-column-unit=byte", "-fmax-errors=0"};

const Words checkedFlags = {"-O1",
                            "-g",
                            "-fsanitize=kernel-address",
                            "--param",
                            "asan-instrumentation-with-call-threshold=0",
                            "--param",
                            "asan-stack=0",
                            "--param",
                            "asan-globals=0",
                            "-fno-sanitize-address-use-after-scope",
                            "-fsanitize=integer-divide-by-zero,bounds,null",
                            "-fno-sanitize-recover=undefined"};

struct Source {
  std::string name; // for messages, as the user gave it
  std::string text;
  std::string path; // absolute; empty for text
};

Source readSource(const SourceInput &input) {
  if (input.path.empty())
    return {input.name.empty() ? "codelet.cpp" : input.name, input.text, {}};
  std::error_code error;
  if (fs::path(input.path).extension() == ".S" || fs::path(input.path).extension() == ".s")
    throw CompileError(base::str(
        "Codelet ", input.path, " is IPU assembly, which cannot run on the host. ",
        "Give its C++ version (codelets usually have one for when __IPU__ is not defined)."));
  Source source{input.path, {}, fs::absolute(input.path, error).string()};
  if (!fs::is_regular_file(input.path, error) || !readFile(input.path, source.text))
    throw FileError(input.path,
                    base::str("Cannot read codelet file \"", input.path, "\" (working folder ",
                              fs::current_path(error).string(), "). Check the path."));
  return source;
}

// Part of every cache key: changes with the glue, with the cost table, and with the number for
// everything else.
const std::string &codegenVersion() {
  static const std::string version = [] {
    std::vector<std::string> parts = {"7", fastGlue({}, 6), countedGlue({}, 6), checkedSupport()};
    for (unsigned i = 0; i < arch::instructionClasses; ++i)
      parts.push_back(base::str(arch::bundlesPer(arch::Instruction(i))));
    for (const std::string &function : arch::libraryFunctions()) {
      double bundles = 0;
      arch::libraryBundles(function, bundles);
      parts.push_back(base::str(function, bundles));
    }
    for (const std::string &builtin : arch::builtins())
      parts.push_back(builtin);
    return contentHashOf(parts);
  }();
  return version;
}

unsigned workersOf(const CompileOptions &options) {
  if (options.workers)
    return options.workers;
  return options.arch == "cpu" ? 1 : arch::chipByName(options.arch).workers;
}
arch::Pairing pairingOf(const std::string &arch) {
  const bool pairs = arch == "cpu" || arch::chipByName(arch).launch.pairs;
  return pairs ? arch::Pairing::Scheduled : arch::Pairing::None;
}

void requireKnownArch(const std::string &arch) {
  const Words &known = compileTargets();
  if (std::find(known.begin(), known.end(), arch) != known.end())
    return;
  std::string names;
  for (const auto &name : known)
    names += (names.empty() ? "" : ", ") + name;
  throw CompileError(base::str("Unknown codelet target \"", arch, "\".",
                               base::didYouMean(arch, known), " Known targets: ", names, "."));
}

// The words of a dependency file "a.o: b.cpp \ c.h", without the target; `\ ` is a space in a name.
Words parseDependencies(const std::string &text) {
  Words paths;
  std::string word;
  const auto colon = text.find(": ");
  for (std::size_t i = colon == std::string::npos ? text.size() : colon + 2; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n')
      ++i;
    else if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ' ' || text[i + 1] == '#'))
      word += text[++i];
    else if (text[i] == ' ' || text[i] == '\n') {
      if (!word.empty())
        paths.push_back(fs::absolute(std::exchange(word, {})).string());
    } else
      word += text[i];
  }
  return paths;
}

// Files that flags name: @file, -specs=file.
Words filesNamedIn(const Words &flags) {
  Words files;
  std::error_code ignored;
  for (const auto &flag : flags) {
    const auto at = flag.find_first_of("@=");
    if (at != std::string::npos && fs::is_regular_file(flag.substr(at + 1), ignored))
      files.push_back(fs::absolute(flag.substr(at + 1)).string());
  }
  return files;
}

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// One number in the headers (poplar/codelet/Elements.hpp) set to 1.
std::string with(std::string text, std::string_view number) {
  const auto off = base::str(number, " = 0"), on = base::str(number, " = 1");
  if (const auto at = text.find(off); at != std::string::npos)
    text.replace(at, off.size(), on);
  return text;
}

class Compilation {
public:
  Compilation(std::string name, const std::string &flags, const std::string &machine,
              const std::string &arch, unsigned workers, std::string companion = {})
      : name_(std::move(name)), compiler_(requireCompiler()), userFlags_(splitFlags(flags)),
        machine_(machine), arch_(arch), numWorkers_(workers), own_(std::move(companion)) {}

  std::string preprocess(const Source &source, const std::string &arch, Words &dependencies) {
    const std::string file = directory_.file("source.cpp");
    if (source.path.empty())
      writeFile(file, base::str("#line 1 \"", source.name, "\"\n", source.text));
    require(preprocessing(source, arch) +
            Words{"-MD", "-MF", directory_.file("deps"), "-MT", "x", "-x", "c++",
                  source.path.empty() ? file : source.name, "-o", directory_.file("source.ii")});
    dependencies = readDependencies(source.path.empty() ? file : source.path);
    std::string text = readBack("source.ii");
    if (source.path.empty()) // no temporary name may reach the result
      replaceAll(text, file, source.name);
    refuseTileAssembly(text_ = text, name_);
    return dropTargetAttributes(translateVectorTypes(std::move(text), name_));
  }

  // v.x of vectors, which g++ does not have, as v[0]: the compiler says where. False: nowhere.
  bool translateMembers(std::string &text, const CompileError &problem) {
    const std::string file = directory_.file("members.ii");
    for (bool any = false; namesMember(problem.output); any = true) {
      writeFile(file, withoutLineMarkers(text));
      const auto answer = runProcess(invocation() + quiet + diagnosticFlags +
                                         Words{"-O0", "-S", file, "-o", directory_.file("none")},
                                     directory_.path());
      if (replaceVectorMembers(text, answer.output))
        continue;
      if (!any && namesVectorMember(answer.output))
        throw CompileError(
            base::str(problem.what(),
                      "Of the members of vectors there are single lanes: v.x, v.y, ",
                      "v.z, v.w, v.s0 ... Write float2{v.x, v.y} for v.xy and v.lo.\n"),
            problem.output);
      return any;
    }
    return false;
  }

  // What the preprocessed text depends on. Files that change while they are read are not relied on:
  // then there is no answer.
  std::optional<Inputs> inputs(const Source &source, const std::string &arch,
                               const Words &included) {
    const auto path = parseSearchPath(
        require(preprocessing(source, arch) +
                Words{"-v", "-x", "c++", "/dev/null", "-o", directory_.file("none")}));
    Inputs inputs{describeFiles(included + filesNamedIn(userFlags_)), {}};
    std::vector<MentioningFile> mentioning = {
        {source.path.empty() ? "" : fs::path(source.path).parent_path().string(), source.text}};
    for (const auto &file : included)
      readFile(
          file,
          mentioning.emplace_back(MentioningFile{fs::path(file).parent_path().string(), {}}).text);
    inputs.lookups = observeLookups(mentioning, included, path);
    if (!path.program.empty()) // without its hash: no look into it, any change counts
      inputs.files.push_back(identityOf(path.program));
    for (const auto &file : included + Words{source.path})
      if (fs::last_write_time(file, ignored_) > started_)
        return std::nullopt;
    return inputs;
  }

  std::vector<DiscoveredType> discover(const std::string &text, std::string &diagnostics) {
    // Explicit instantiations are compiled whether they are called or not, and may want the hooks.
    const bool usesHooks = text.find("openipuHooks") != std::string::npos;
    writeFile(directory_.file("meta.ii"), usesHooks ? text + fastGlue({}, numWorkers_) : text);
    diagnostics =
        require(invocation() + Words{"-O0", "-g", "-fno-eliminate-unused-debug-types",
                                     "-femit-class-debug-always", "-shared", "-nostdlib",
                                     "-Wl,--unresolved-symbols=ignore-all",
                                     directory_.file("meta.ii"), "-o", directory_.file("meta.so")});
    return discoverVertexTypes(directory_.file("meta.so"), name_);
  }

  // Sources that are linked into every image from now on.
  void accompany(const std::vector<Companion> &companions) {
    for (const auto &c : companions)
      companions_.push_back(std::make_unique<Compilation>(c.sourceName, c.flags, machine_, arch_,
                                                          numWorkers_, c.preprocessedSource));
  }

  std::string fastImage(const std::string &text, const std::string &glue) {
    const std::string source = directory_.file("fast.ii");
    writeFile(source, text + glue);
    Words objects;
    for (const auto &c : companions_)
      objects.push_back(c->object({"-O3"}, {}, "fast"));
    require(invocation({"-O3"}) + quiet + wholeProgram() + linkFlags + Words{source} + objects +
            Words{"-o", directory_.file("fast.so")});
    return readBack("fast.so");
  }

  // Instrumented at every access; the calls go to checkedSupport. Little is optimised, so that
  // lines stay what they were.
  std::string checkedImage(const std::string &text, const std::string &glue) {
    const std::string source = directory_.file("checked.ii"), object = directory_.file("checked.o"),
                      support = directory_.file("support.cpp"),
                      supportObject = directory_.file("support.o"),
                      image = directory_.file("checked.so");
    writeFile(source, text + glue);
    writeFile(support, checkedSupport());
    require(invocation() + quiet + wholeProgram() + checkedFlags +
            Words{"-c", source, "-o", object});
    Words objects;
    for (const auto &c : companions_)
      objects.push_back(c->object({}, checkedFlags, "checked"));
    require(Words{compiler_, "-std=gnu++17", "-fPIC", "-O1", "-fvisibility=hidden", "-fno-builtin",
                  "-fno-tree-loop-distribute-patterns", "-w", "-D__POPC__", "-isystem",
                  includeDirectory(), "-c", support, "-o", supportObject});
    require(Words{compiler_} + linkFlags + Words{object, supportObject} + objects +
            Words{"-o", image});
    return readBack("checked.so");
  }

  std::string assembly(const std::string &text, const std::string &glue,
                       const char *debug = "-g0") {
    const std::string source = directory_.file("counted.ii");
    writeFile(source, with(text, "openipuCounted") + glue);
    // Last on the line, so that they win over the user's -O. Loops stay loops: one pass of the
    // source, one count.
    require(invocation() + quiet + wholeProgram() +
            Words{"-O2", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-unroll-loops",
                  "-fno-tree-loop-distribute-patterns", "-fno-reorder-blocks-and-partition",
                  "-fno-jump-tables", "-fno-ipa-ra", "-fverbose-asm", "-ffixed-r15", debug, "-S",
                  source, "-o", directory_.file("plain.s")});
    return readBack("plain.s");
  }

  std::string assemble(const std::string &text) {
    writeFile(directory_.file("counted.s"), text);
    Words files = {directory_.file("counted.s")};
    for (const auto &c : companions_) {
      files.push_back(c->directory_.file("companion.s"));
      writeFile(files.back(), countAssembly(c->assembly(c->own_, ""), pairingOf(arch_)).text);
    }
    require(Words{compiler_} + linkFlags + files + Words{"-o", directory_.file("counted.so")});
    return readBack("counted.so");
  }

private:
  // An image of one source needs nothing but its entries.
  Words wholeProgram() const { return companions_.empty() && own_.empty() ? alone : Words{}; }

  // A companion's source, which others call.
  std::string object(const Words &defaults, const Words &flags, const std::string &stem) {
    const std::string source = directory_.file("companion.ii"), file = directory_.file(stem + ".o");
    writeFile(source, own_);
    require(invocation(defaults) + quiet + flags + Words{"-c", source, "-o", file});
    return file;
  }

  Words preprocessing(const Source &source, const std::string &arch) const {
    const std::string include = includeDirectory();
    Words command = invocation() + Words{"-E",
                                         "-D__POPC__",
                                         base::str("-DOPENIPU_NUM_WORKERS=", numWorkers_),
                                         "-isystem",
                                         include + "/poplar/codelet",
                                         "-isystem",
                                         include,
                                         "-idirafter", // #include "Vertex.hpp"
                                         include + "/poplar"};
    if (arch != "cpu" && arch::chipByName(arch).archVersion < 2)
      command.push_back("-DOPENIPU_ARCH_IPU1");
    return source.path.empty() ? command + Words{"-iquote", "."} : command;
  }

  Words invocation(const Words &defaults = {}) const {
    return Words{compiler_} + defaults + commonFlags(machine_) +
           Words{"-ffile-prefix-map=" + directory_.file("") + "="} + userFlags_;
  }

  std::string require(const Words &command) {
    const ProcessResult result = runProcess(command, directory_.path());
    if (result.status != 0 && result.output.find("Assembler messages") != std::string::npos)
      refuseAnyAssembly(text_, name_);
    if (result.status != 0)
      throw CompileError(base::str("Codelet ", name_, " does not compile:\n", result.output),
                         result.output);
    return result.output;
  }

  std::string readBack(const std::string &name) const {
    std::string bytes;
    if (!readFile(directory_.file(name), bytes))
      throw CompileError(
          base::str("Codelet ", name_, ": the compiler left no output. Is the disk full?"));
    return bytes;
  }

  Words readDependencies(const std::string &self) const {
    Words paths = parseDependencies(readBack("deps"));
    paths.erase(std::remove(paths.begin(), paths.end(), self), paths.end());
    return paths;
  }

  std::string name_, compiler_;
  Words userFlags_;
  std::string machine_, arch_;
  unsigned numWorkers_;
  std::string own_; // of a companion
  std::vector<std::unique_ptr<Compilation>> companions_;
  std::string text_; // preprocessed
  TemporaryDirectory directory_;
  const fs::file_time_type started_ = fs::file_time_type::clock::now();
  std::error_code ignored_;
};

void fill(Module &module, const std::vector<DiscoveredType> &types,
          const std::map<std::string, CountedAssembly::Code> &code) {
  for (std::size_t k = 0; k < types.size(); ++k) {
    module.types.push_back(types[k].type);
    if (const auto found = code.find(computeSymbol(k)); found != code.end()) {
      module.types.back().codeBytes = found->second.bytes;
      module.types.back().dependsOnData = found->second.dependsOnData;
    }
  }
}

std::map<std::string, VertexState> statesOf(const std::vector<DiscoveredType> &types) {
  std::map<std::string, VertexState> states;
  for (std::size_t k = 0; k < types.size(); ++k) {
    auto &tables = states[computeSymbol(k)].tables;
    for (const Field &field : types[k].type.fields)
      if (field.shape == FieldShape::VectorOfVectors || field.shape == FieldShape::VectorList)
        tables.push_back(field.hostOffset);
  }
  return states;
}

void buildImages(Module &module, Compilation &work, const std::vector<DiscoveredType> &types) {
  const std::string &text = module.preprocessedSource;
  auto fast = std::async(std::launch::async,
                         [&] { return work.fastImage(text, fastGlue(types, module.numWorkers)); });
  CountedAssembly counted;
  std::exception_ptr failure; // the fast pass must end before its inputs do
  try {
    counted = countAssembly(work.assembly(text, countedGlue(types, module.numWorkers)),
                            pairingOf(module.arch), statesOf(types));
    module.countedImage = work.assemble(counted.text);
  } catch (...) {
    failure = std::current_exception();
  }
  module.image = fast.get();
  if (failure)
    std::rethrow_exception(failure);
  module.needs = undefinedSymbols(module.image, module.sourceName);
  module.mutableStatics = hasMutableStatics(module.image);
  fill(module, types, counted.code);
}

// What compiles only with the Inputs of older SDKs is compiled with those; the message is that of
// the present form.
std::vector<DiscoveredType> discoverInEitherForm(Compilation &work, Module &module) {
  try {
    return work.discover(module.preprocessedSource, module.diagnostics);
  } catch (const CompileError &problem) {
    if (work.translateMembers(module.preprocessedSource, problem))
      return discoverInEitherForm(work, module);
    auto older = with(module.preprocessedSource, "openipuMutableInputs");
    std::vector<DiscoveredType> types;
    try {
      types = work.discover(older, module.diagnostics);
    } catch (const CompileError &) {
    }
    if (types.empty())
      throw;
    module.preprocessedSource = std::move(older);
    return types;
  }
}

// A source may change its meaning with the folder it is compiled in only through relative paths.
std::string requestKey(const Source &source, const CompileOptions &options) {
  std::error_code error;
  return contentHashOf({codegenVersion(), options.arch, std::to_string(workersOf(options)),
                        machineArchitecture(), options.flags, source.name, source.path, source.text,
                        fs::current_path(error).string(), includeDirectory(),
                        includeEnvironment()});
}

Module build(const Source &source, const CompileOptions &options, const Cache *cache,
             const std::string &key) {
  Module module;
  module.sourceName = source.name;
  module.flags = options.flags;
  module.arch = options.arch;
  module.machine = machineArchitecture();
  module.numWorkers = workersOf(options);
  Compilation work(source.name, options.flags, module.machine, options.arch, module.numWorkers);
  Words included;
  module.preprocessedSource = work.preprocess(source, options.arch, included);
  const std::string compiler = compilerIdentity();
  const auto inputs = cache ? work.inputs(source, options.arch, included) : std::optional<Inputs>();
  module.contentHash = contentHashOf(
      {codegenVersion(), compiler, module.machine, options.flags, std::to_string(module.numWorkers),
       std::to_string(int(pairingOf(options.arch))), module.preprocessedSource});
  if (cache)
    if (auto known = cache->findModule(module.contentHash)) {
      if (inputs)
        cache->storeRequest(key, compiler, module.contentHash, *inputs);
      known->arch = options.arch;
      return *known;
    }
  const auto types = discoverInEitherForm(work, module);
  if (!types.empty())
    buildImages(module, work, types);
  if (cache) {
    cache->storeModule(module);
    if (inputs)
      cache->storeRequest(key, compiler, module.contentHash, *inputs);
  }
  return module;
}

} // namespace

const Words &compileTargets() {
  static const Words targets = [] {
    Words names = {"cpu"};
    for (const auto &chip : arch::chipNames())
      if (const auto &name = arch::chipByName(chip).archName;
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    return names;
  }();
  return targets;
}

Module compileSource(const SourceInput &input, const CompileOptions &options) {
  requireKnownArch(options.arch);
  const Source source = readSource(input);
  if (!options.useCache)
    return build(source, options, nullptr, {});
  const Cache cache;
  const std::string key = requestKey(source, options);
  if (const auto hash = cache.findRequest(key, compilerIdentity()))
    if (auto module = cache.findModule(*hash)) {
      module->arch = options.arch;
      return *module;
    }
  return build(source, options, &cache, key);
}

static Module buildChecked(const Module &module, const std::string &contentHash) {
  Module checked = module;
  checked.contentHash = contentHash;
  const std::string text = with(module.preprocessedSource, "openipuChecked");
  Compilation work(module.sourceName, module.flags, machineArchitecture(), module.arch,
                   module.numWorkers);
  std::vector<Companion> companions = module.companions;
  for (auto &c : companions)
    c.preprocessedSource = with(std::move(c.preprocessedSource), "openipuChecked");
  work.accompany(companions);
  std::string ignored;
  const auto types = work.discover(text, ignored);
  checked.types.clear();
  fill(checked, types, {});
  for (std::size_t k = 0; k < checked.types.size() && k < module.types.size(); ++k)
    checked.types[k].codeBytes = module.types[k].codeBytes,
    checked.types[k].dependsOnData = module.types[k].dependsOnData;
  if (!types.empty())
    checked.checkedImage = work.checkedImage(text, fastGlue(types, module.numWorkers));
  checked.image.clear();
  checked.countedImage.clear();
  checked.machine = machineArchitecture();
  return checked;
}

static void warnUnchecked(const Module &module) {
  static const base::Logger log("POPLAR", "PO", "CODELETS");
  log.warn("codelet ", module.sourceName,
           " does not compile in its checked form; it runs without checks");
}

Module compileChecked(const Module &module) {
  const auto contentHash = contentHashOf({codegenVersion(), "checked", module.contentHash});
  const Cache cache;
  if (auto known = cache.findModule(contentHash)) {
    if (known->checkedImage.empty() && !known->types.empty())
      warnUnchecked(module);
    return *known;
  }
  if (module.preprocessedSource.empty())
    throw CompileError(base::str("Codelet ", module.sourceName,
                                 " carries no source, so it cannot be compiled for ",
                                 "checked mode. Compile its .gp file again."));
  Module checked;
  try {
    checked = buildChecked(module, contentHash);
  } catch (const CompileError &) {
    checked = module;
    checked.contentHash = contentHash;
    warnUnchecked(module);
  }
  cache.storeModule(checked);
  return checked;
}

// Adds sources of the graph that mention one of the symbols. False when there are no more.
static bool addCompanions(Module &module, const std::vector<std::string> &symbols,
                          const std::vector<std::shared_ptr<const Module>> &graphModules) {
  const auto before = module.companions.size();
  for (const auto &other : graphModules) {
    const auto &text = other->preprocessedSource;
    bool mentions = false, known = text == module.preprocessedSource;
    for (const auto &symbol : symbols) {
      const auto function = functionName(symbol);
      mentions = mentions || text.find(function.substr(function.rfind(':') + 1)) != text.npos;
    }
    for (const auto &c : module.companions)
      known = known || c.preprocessedSource == text;
    if (mentions && !known)
      module.companions.push_back({other->sourceName, other->flags, text});
  }
  return module.companions.size() > before;
}

// Companions may need others in turn.
Module linkModule(const Module &module,
                  const std::vector<std::shared_ptr<const Module>> &graphModules) {
  Module linked = module;
  const Cache cache;
  while (!linked.needs.empty()) {
    if (!addCompanions(linked, linked.needs, graphModules))
      refuseSymbols(linked.needs, module.sourceName);
    std::vector<std::string> parts = {codegenVersion(), "linked", module.contentHash};
    for (const auto &c : linked.companions)
      parts.insert(parts.end(), {c.flags, c.preprocessedSource});
    linked.contentHash = contentHashOf(parts);
    if (auto known = cache.findModule(linked.contentHash)) {
      linked = std::move(*known);
      continue;
    }
    Compilation work(module.sourceName, module.flags, module.machine, module.arch,
                     module.numWorkers);
    work.accompany(linked.companions);
    std::string ignored;
    const auto types = work.discover(linked.preprocessedSource, ignored);
    linked.types.clear();
    buildImages(linked, work, types);
    cache.storeModule(linked);
  }
  return linked;
}

CountedModule compileForLines(const SourceInput &input, const CompileOptions &options) {
  requireKnownArch(options.arch);
  const Source source = readSource(input);
  CountedModule result;
  Module &module = result.module;
  module.sourceName = source.name;
  module.arch = options.arch;
  module.machine = machineArchitecture();
  module.numWorkers = workersOf(options);
  Compilation work(source.name, options.flags, module.machine, options.arch, module.numWorkers);
  Words ignored;
  module.preprocessedSource = work.preprocess(source, options.arch, ignored);
  const auto types = discoverInEitherForm(work, module);
  if (types.empty())
    return result;
  // Debug information with lines and inlined calls, and nothing else that could change the code.
  const auto counted = countAssembly(
      work.assembly(module.preprocessedSource, linesGlue(types, module.numWorkers), "-g1"),
      pairingOf(options.arch), statesOf(types), &result.lines);
  module.countedImage = work.assemble(counted.text);
  module.needs = undefinedSymbols(module.countedImage, module.sourceName);
  if (!module.needs.empty())
    refuseSymbols(module.needs, module.sourceName);
  fill(module, types, counted.code);
  for (std::size_t k = 0; k < types.size(); ++k)
    result.functions.push_back(computeSymbol(k));
  return result;
}

// The compiler's remarks on whole lines name its temporary files.
static std::string withoutRemarks(const std::string &assembly) {
  std::string kept;
  for (std::size_t at = 0; at < assembly.size();) {
    const auto end = std::min(assembly.find('\n', at), assembly.size() - 1) + 1;
    if (assembly[at] != '#')
      kept.append(assembly, at, end - at);
    at = end;
  }
  return kept;
}

std::string compileToAssembly(const SourceInput &input, const CompileOptions &options) {
  requireKnownArch(options.arch);
  const Source source = readSource(input);
  Compilation work(source.name, options.flags, machineArchitecture(), options.arch,
                   workersOf(options));
  Words ignored;
  Module module;
  module.preprocessedSource = work.preprocess(source, options.arch, ignored);
  const auto types = discoverInEitherForm(work, module);
  return withoutRemarks(
      work.assembly(module.preprocessedSource,
                    types.empty() ? std::string() : countedGlue(types, workersOf(options))));
}

} // namespace poplar::codelet
