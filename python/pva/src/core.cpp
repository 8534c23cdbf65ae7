// SPDX-License-Identifier: MIT
// pva._core: libpva for Python. What functions are in C++ are attributes here, with the same names.
// Objects hold on to their report, so any of them may outlive it.
#include <pva/pva.hpp>
#include <pybind11/operators.h>
#include <pybind11/stl.h>
#include <sstream>

namespace py = pybind11;
using namespace pva;

namespace {

// All getters of a class; the text is the attribute's docstring.
template <class T, class... Options> class Attributes {
public:
  Attributes(py::handle scope, const char *name, const char *doc) : class_(scope, name, doc) {}
  template <class Getter> Attributes &operator()(const char *name, Getter getter, const char *doc) {
    class_.def_property_readonly(name, getter, doc);
    return *this;
  }
  py::class_<T, Options...> &python() { return class_; }

private:
  py::class_<T, Options...> class_;
};

// How a named object shows itself: Variable('x').
template <class T, class... Options>
void shownByName(py::class_<T, Options...> &c, const std::string &type) {
  c.def("__repr__", [type](const T &self) {
    return type + "(" + std::string(py::repr(py::str(self.name()))) + ")";
  });
}
template <class T> void shownById(py::class_<T> &c, const std::string &type) {
  c.def("__repr__", [type](const T &self) { return type + "(" + std::to_string(self.id()) + ")"; });
}

void bindVariables(py::module_ &m) {
  Attributes<Variable> variable(m, "Variable", "A variable of the graph.");
  variable("id", &Variable::id, "Its number.")("_id", &Variable::_id, "Its number.")(
      "name", &Variable::name, "As the program called it.")(
      "type", &Variable::type, "Of its elements.")("size", &Variable::size, "Bytes.")(
      "bytes", &Variable::bytes, "Bytes.")("alwaysLive", &Variable::alwaysLive,
                                           "Whether it needs its memory all the time.");
  shownByName(variable.python(), "Variable");

  Attributes<VertexType> type(m, "VertexType", "A type of vertices.");
  type("id", &VertexType::id, "Its number.")("name", &VertexType::name, "Its name.")(
      "size", &VertexType::size, "Bytes of vertex state over all instances.")(
      "codeBytes", &VertexType::codeBytes, "Bytes of code on each tile that has such a vertex.");
  shownByName(type.python(), "VertexType");

  Attributes<VertexGroup>(m, "VertexGroup", "The vertices of one type in one compute set.")(
      "type", &VertexGroup::type, "Their type.")("countByTile", &VertexGroup::countByTile,
                                                 "How many, for every tile.")(
      "count", &VertexGroup::count, "How many over all tiles.")(
      "estimatedCycles", &VertexGroup::estimatedCycles,
      "Worker cycles over all tiles.")("estimatedFlops", &VertexGroup::estimatedFlops,
                                       "Over all tiles; 0 without profiler.includeFlopEstimates.");

  Attributes<ComputeSet> set(m, "ComputeSet", "Vertices that run together.");
  set("id", &ComputeSet::id, "Its number.")("name", &ComputeSet::name, "Its name.")(
      "vertices", &ComputeSet::vertices,
      "Its vertices by type.")("cyclesByTile", &ComputeSet::cyclesByTile, "Cycles of every tile.")(
      "estimatedCyclesByTile", &ComputeSet::estimatedCyclesByTile, "Cycles of every tile.");
  shownByName(set.python(), "ComputeSet");
}

constexpr Program::Type types[] = {Program::Type::Sequence,
                                   Program::Type::Repeat,
                                   Program::Type::Call,
                                   Program::Type::Switch,
                                   Program::Type::OnEveryTileSwitch,
                                   Program::Type::OnTileExecute,
                                   Program::Type::DoExchange,
                                   Program::Type::GlobalExchange,
                                   Program::Type::StreamCopyBegin,
                                   Program::Type::StreamCopyMid,
                                   Program::Type::StreamCopyEnd,
                                   Program::Type::Sync,
                                   Program::Type::Sans,
                                   Program::Type::SyncAns,
                                   Program::Type::WriteUndef,
                                   Program::Type::Block,
                                   Program::Type::BlockFlush,
                                   Program::Type::Unknown};

void bindPrograms(py::module_ &m) {
  Attributes<Program, std::shared_ptr<Program>> program(
      m, "Program", "A node of the lowered programs: a container, or a leaf that takes time.");
  py::enum_<Program::Type> type(program.python(), "Type", "What a program is.");
  for (const auto each : types)
    type.value(toString(each).c_str(), each);
  program("id", &Program::id, "Its number.")("_id", &Program::_id, "Its number.")(
      "name", &Program::name, "Its name.")("type", &Program::type, "What it is.")(
      "children", &Program::children,
      "What it holds, in order.")("vars", &Program::vars, "Variables that it reads or writes.")(
      "estimatedCyclesByTile", &Program::estimatedCyclesByTile, "Cycles of every tile.")(
      "count", &Program::count, "Repeat: iterations, 0 when only the run decides.")(
      "cycles", &Program::cycles, "Of one execution, until the slowest tile is done.")(
      "activeTiles", &Program::activeTiles, "Tiles that do something.")(
      "bytes", &Program::bytes, "Moved by one execution of an exchange.")(
      "messages", &Program::messages, "Sent by one execution of an exchange.")(
      "tileCycles", &Program::tileCycles, "Sum over tiles.")("threadCycles", &Program::threadCycles,
                                                             "Sum over tiles and worker contexts.")(
      "bytesSentByTile", &Program::bytesSentByTile,
      "By every tile.")("bytesReceivedByTile", &Program::bytesReceivedByTile, "By every tile.")(
      "controlCodeByTile", &Program::controlCodeByTile, "Bytes of the supervisor's instructions.")(
      "codeBytesByTile", &Program::codeBytesByTile, "Bytes of an exchange's instructions.")(
      "codeBytes", &Program::codeBytes, "Both, over all tiles.")(
      "tileBalance", &Program::tileBalance, "Mean over tiles of cycles / the slowest's cycles.")(
      "activeTileBalance", &Program::activeTileBalance, "The same over active tiles.")(
      "debugId", &Program::debugId, "Of the debug context that made it; 0: none.");
  // Visitors live in Python: each type has its method.
  program.python().def(
      "accept",
      [](const py::object &self, const py::object &visitor) {
        const auto type = toString(self.cast<const Program &>().type());
        visitor.attr(("visit" + type).c_str())(self);
      },
      py::arg("visitor"), "Calls the visitor's method for this type.");
  program.python().def("__repr__", [](const Program &self) {
    return "Program(" + std::string(py::repr(py::str(self.name()))) + ", Type." +
           toString(self.type()) + ")";
  });
  py::class_<OnTileExecuteProgram, Program, std::shared_ptr<OnTileExecuteProgram>>(
      m, "OnTileExecuteProgram", "Runs a compute set.")
      .def_property_readonly("computeset", &OnTileExecuteProgram::computeset, "What it runs.");
}

void bindTarget(py::module_ &m) {
  Attributes<IPU> ipu(m, "IPU", "One IPU of a replica.");
  py::enum_<IPU::Architecture>(ipu.python(), "Architecture", "A generation of chips.")
      .value("Ipu1", IPU::Architecture::Ipu1)
      .value("Ipu2", IPU::Architecture::Ipu2)
      .value("Ipu21", IPU::Architecture::Ipu21)
      .value("Unknown", IPU::Architecture::Unknown);
  ipu("id", &IPU::id, "Its number.")("tiles", &IPU::tiles, "Its tiles.");
  shownById(ipu.python(), "IPU");

  Attributes<Target> target(m, "Target", "What the program was compiled for.");
  py::enum_<Target::Type>(target.python(), "Type", "A kind of target.")
      .value("Ipu", Target::Type::Ipu)
      .value("IpuModel", Target::Type::IpuModel)
      .value("Cpu", Target::Type::Cpu)
      .value("Unknown", Target::Type::Unknown);
  target("type", &Target::type, "Its kind.")("architecture", &Target::architecture,
                                             "The generation of its chips.")(
      "architectureName", &Target::architectureName,
      "The chip's name.")("numIPUs", &Target::numIPUs, "Of all replicas.")(
      "numReplicas", &Target::numReplicas,
      "How many replicas.")("ipusPerReplica", &Target::ipusPerReplica, "IPUs of one replica.")(
      "numTiles", &Target::numTiles, "Of all replicas.")("tilesPerIpu", &Target::tilesPerIpu,
                                                         "Tiles of one IPU.")(
      "tilesPerReplica", &Target::tilesPerReplica,
      "Tiles of one replica.")("bytesPerTile", &Target::bytesPerTile, "Memory of a tile.")(
      "bytesPerIPU", &Target::bytesPerIPU, "Memory of an IPU.")("totalMemory", &Target::totalMemory,
                                                                "Of all IPUs.")(
      "memoryPerReplica", &Target::memoryPerReplica, "Of the IPUs of a replica.")(
      "clockFrequency", &Target::clockFrequency, "Hz.")("workersPerTile", &Target::workersPerTile,
                                                        "Contexts that share a tile.");

  Attributes<Graph>(m, "Graph", "How large the graph is.")("numComputeSets", &Graph::numComputeSets,
                                                           "Compute sets.")(
      "numVertices", &Graph::numVertices, "Vertices.")("numEdges", &Graph::numEdges, "Edges.")(
      "numVars", &Graph::numVars, "Variables.");
}

// A whole number that is also asked for the same number by a name.
py::object wholeNumber(py::module_ &m, const char *name, const char *doc, const char *member) {
  const auto whole = py::module_::import("builtins").attr("int");
  py::dict members;
  members["__doc__"] = doc;
  members["__module__"] = m.attr("__name__");
  members[member] =
      py::module_::import("builtins")
          .attr("property")(py::cpp_function([whole](const py::int_ &self) { return whole(self); }),
                            py::none(), py::none(), "The number itself.");
  const auto type = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(&PyType_Type))(
      name, py::make_tuple(whole), members);
  m.attr(name) = type;
  return type;
}

void bindMemory(py::module_ &m) {
  using C = MemoryCategory;
  const auto bytes = wholeNumber(m, "MemoryBytes", "Bytes, a whole number; shared ones count once.",
                                 "nonOverlapped");
  const auto number = [&](MemoryBytes (C::*part)() const) {
    return [bytes, part](const C &self) { return bytes((self.*part)().nonOverlapped()); };
  };
  Attributes<C>(m, "MemoryCategory", "Bytes of one kind on one tile.")(
      "total", &C::total, "Bytes.")("interleaved", number(&C::interleaved),
                                    "Of variables that codelets want in interleaved memory.")(
      "nonInterleaved", number(&C::nonInterleaved),
      "The others that fit.")("alwaysLiveBytes", &C::alwaysLiveBytes, "Needed all the time.")(
      "notAlwaysLiveBytes", &C::notAlwaysLiveBytes, "The others, at the tile's peak.")(
      "overflowed", number(&C::overflowed), "Beyond the tile's memory.");
  Attributes<MemoryCategories> categories(m, "MemoryCategories",
                                          "The bytes of a tile, by what they are for.");
  categories.python()
      .def_property_readonly("names", &MemoryCategories::names, "Those of the profile.")
      .def("find", &MemoryCategories::find, py::arg("name"), "A category by name.");
  for (const char *name : {"constant",
                           "controlCode",
                           "controlId",
                           "controlTable",
                           "copyDescriptor",
                           "globalExchangeCode",
                           "globalExchangePacketHeader",
                           "globalMessage",
                           "hostExchangeCode",
                           "hostExchangePacketHeader",
                           "hostMessage",
                           "instrumentationResults",
                           "internalExchangeCode",
                           "message",
                           "multiple",
                           "outputEdge",
                           "rearrangement",
                           "sharedCodeStorage",
                           "sharedDataStorage",
                           "stack",
                           "variable",
                           "vectorListDescriptor",
                           "vertexCode",
                           "vertexFieldData",
                           "vertexInstanceState"})
    categories(
        name, [text = std::string(name)](const MemoryCategories &self) { return self.find(text); },
        "One category.");

  Attributes<MemoryUse>(m, "MemoryUse", "Bytes with and without the gaps between variables.")(
      "includingGaps", &MemoryUse::includingGaps,
      "With gaps.")("excludingGaps", &MemoryUse::excludingGaps, "Without gaps.");
  Attributes<TileVertices> vertices(m, "TileVertices", "Vertices of one type on one tile.");
  vertices("type", &TileVertices::type, "Their type.")("name", &TileVertices::name, "Its name.")(
      "codeBytes", &TileVertices::codeBytes, "Bytes of code.");
  shownByName(vertices.python(), "TileVertices");

  Attributes<TileMemory>(m, "TileMemory", "The memory of one tile.")(
      "total", &TileMemory::total, "All of it.")("overflowed", &TileMemory::overflowed,
                                                 "Beyond the tile's memory.")(
      "alwaysLiveBytes", &TileMemory::alwaysLiveBytes, "Needed all the time.")(
      "notAlwaysLiveBytes", &TileMemory::notAlwaysLiveBytes,
      "At the tile's own peak.")("category", &TileMemory::category, "By what they are for.")(
      "peakProgram", &TileMemory::peakProgram, "The program of the peak, or None.")(
      "vertices", &TileMemory::vertices, "Those that are here, by type.");
  Attributes<Tile> tile(m, "Tile", "One tile of a replica.");
  tile("id", &Tile::id, "Its number.")("memory", &Tile::memory, "What lies on it.");
  shownById(tile.python(), "Tile");
}

void bindLiveness(py::module_ &m) {
  Attributes<LiveMemory>(m, "LiveMemory", "Variables that are live at one step.")(
      "bytes", &LiveMemory::bytes, "Their bytes.")(
      "variables", [](const LiveMemory &self) { return self.variables(); }, "The variables.");
  Attributes<LivenessProgramStep> step(m, "LivenessProgramStep", "What is live while a step runs.");
  step("program", &LivenessProgramStep::program, "The step.")(
      "notAlwaysLiveMemory", &LivenessProgramStep::notAlwaysLiveMemory, "Over all tiles.");
  step.python()
      .def("notAlwaysLiveMemoryForTile", &LivenessProgramStep::notAlwaysLiveMemoryForTile,
           py::arg("tile"), "On one tile; needs autoReport.outputLoweredVars.")
      .def("notAlwaysLiveMemoryForIpu", &LivenessProgramStep::notAlwaysLiveMemoryForIpu,
           py::arg("ipu"), "On one IPU; needs autoReport.outputLoweredVars.");
  Attributes<EquivalenceClass>(m, "EquivalenceClass", "When a variable's storage is in use.")(
      "id", &EquivalenceClass::id, "Its number.")("steps", &EquivalenceClass::steps,
                                                  "First and last liveness step, in pairs.");
  Attributes<LoweredVariable> lowered(m, "LoweredVariable", "The part of a variable on one tile.");
  lowered("id", &LoweredVariable::id, "Its number.")("_id", &LoweredVariable::_id, "Its number.")(
      "name", &LoweredVariable::name,
      "The variable's, or the category's.")("bytes", &LoweredVariable::bytes, "On its tile.")(
      "tileId", &LoweredVariable::tileId, "Its tile.")("category", &LoweredVariable::category,
                                                       "What it is for.")(
      "hasUnloweredVar", &LoweredVariable::hasUnloweredVar, "Whether it is part of a variable.")(
      "unloweredVar", &LoweredVariable::unloweredVar, "The variable that it is part of.")(
      "equivalenceClass", &LoweredVariable::equivalenceClass, "When it is in use.");
  shownByName(lowered.python(), "LoweredVariable");
  Attributes<LoweredVariables> all(m, "LoweredVariables", "The parts of all variables.");
  all("allBriefVars", &LoweredVariables::allBriefVars, "Of all tiles.");
  all.python().def("forTile", &LoweredVariables::forTile, py::arg("tile"), "Of one tile.");
}

void bindCompilation(py::module_ &m) {
  using C = CompilationReport;
  Attributes<C> report(m, "CompilationReport", "What was compiled.");
  report("target", &C::target, "What for.")("graph", &C::graph, "How large the graph is.")(
      "tiles", &C::tiles, "The tiles of a replica.")("ipus", &C::ipus, "The IPUs of a replica.")(
      "programs", &C::programs, "The entry programs, as given to the engine.")(
      "functions", &C::functions,
      "Bodies that Call programs share.")("allPrograms", &C::allPrograms, "Every node.")(
      "computeSets", &C::computeSets, "All compute sets.")("vertexTypes", &C::vertexTypes,
                                                           "All types of vertices.")(
      "variables", &C::variables, "All variables.")("alwaysLiveVariables", &C::alwaysLiveVariables,
                                                    "Those that need memory all the time.")(
      "livenessProgramSteps", &C::livenessProgramSteps, "What is live when.")(
      "loweredVariables", &C::loweredVariables, "Parts of variables by tile.")(
      "vertexMemory", &C::vertexMemory, "Bytes of vertex data by kind.")(
      "interleavedBytes", &C::interleavedBytes, "Of variables in interleaved memory.");
  report.python().def("alwaysLiveVariablesForTile", &C::alwaysLiveVariablesForTile, py::arg("tile"),
                      "Those of one tile; needs autoReport.outputLoweredVars.");
}

void bindSteps(py::module_ &m) {
  Attributes<CycleRange>(m, "CycleRange", "Least and most over tiles.")(
      "min", &CycleRange::min, "The least.")("max", &CycleRange::max, "The most.");
  Attributes<ActiveCycles>(m, "ActiveCycles", "When the active tiles of an IPU begin and end.")(
      "cyclesFrom", &ActiveCycles::cyclesFrom, "They begin.")("cyclesTo", &ActiveCycles::cyclesTo,
                                                              "They end.");
  Attributes<ExecutionStepOnIpu>(m, "ExecutionStepOnIpu", "One execution on one IPU.")(
      "cycles", &ExecutionStepOnIpu::cycles,
      "How long it took.")("activeCycles", &ExecutionStepOnIpu::activeCycles,
                           "From when to when.")("tileBalance", &ExecutionStepOnIpu::tileBalance,
                                                 "Mean over tiles of cycles / the slowest's.")(
      "activeTileBalance", &ExecutionStepOnIpu::activeTileBalance, "The same over active tiles.")(
      "activeTiles", &ExecutionStepOnIpu::activeTiles,
      "Tiles that did something.")("dataIn", &ExecutionStepOnIpu::dataIn, "Bytes received.")(
      "dataOut", &ExecutionStepOnIpu::dataOut, "Bytes sent.");
  Attributes<ExecutionStep>(m, "ExecutionStep", "One execution of one leaf program.")(
      "program", &ExecutionStep::program, "What ran.")(
      "ipus", &ExecutionStep::ipus, "On every IPU.")("cyclesByTile", &ExecutionStep::cyclesByTile,
                                                     "Cycles of every tile.")(
      "computeSets", &ExecutionStep::computeSets, "The compute set that ran, if one did.");
  Attributes<Microseconds>(m, "Microseconds", "A span of time.")(
      "start", &Microseconds::start, "Since the first run.")("end", &Microseconds::end,
                                                             "Since the first run.");
  Attributes<Run> run(m, "Run", "One run of an entry program.");
  run("name", &Run::name, "As given to run.")("program", &Run::program, "What ran.")(
      "steps", &Run::steps, "Its steps, if it was traced.")(
      "microseconds", &Run::microseconds, "When.")("cycles", &Run::cycles, "How long.");
  shownByName(run.python(), "Run");
  Attributes<Block>(m, "Block", "One execution of a Block program or a stream copy.")(
      "program", &Block::program, "What ran.")("cyclesFrom", &Block::cyclesFrom, "Its begin.")(
      "cyclesTo", &Block::cyclesTo, "Its end.")("tile", &Block::tile, "Who recorded it.")(
      "isCommon", &Block::isCommon, "An ordinary one: none of the others.")(
      "isOverflow", &Block::isOverflow, "Blocks between these cycles are missing.")(
      "isBlockFlush", &Block::isBlockFlush,
      "The buffer was emptied.")("isStreamCopy", &Block::isStreamCopy, "A phase of a stream copy.");
}

void bindExecution(py::module_ &m) {
  using E = ExecutionReport;
  bindSteps(m);
  const auto cycles = wholeNumber(m, "Cycles", "Cycles, a whole number.", "total");
  Attributes<ProgramTotal>(m, "ProgramTotal", "All executions of a leaf program.")(
      "program", &ProgramTotal::program,
      "The program.")("executions", &ProgramTotal::executions,
                      "How often it ran.")("cycles", &ProgramTotal::cycles, "In all.");
  Attributes<ProgramRuns>(m, "ProgramRuns", "All runs of an entry program.")(
      "program", &ProgramRuns::program, "The program.")("runs", &ProgramRuns::runs,
                                                        "How often it ran.");
  Attributes<Energy>(m, "Energy", "Energy of all IPUs, by the model of the chip.")(
      "joulesByKind", [](const Energy &self) { return self.joulesByKind(); }, "By kind of step.")(
      "joules", &Energy::joules, "In all.")("seconds", &Energy::seconds, "The time it took.")(
      "averageWatts", &Energy::averageWatts, "Joules per second; 0 when nothing ran.");
  Attributes<E> report(m, "ExecutionReport", "What ran.");
  report("steps", &E::steps, "Every execution that was traced.")("runs", &E::runs, "The runs.")(
      "totals", &E::totals, "Programs that ran, traced or not.")(
      "totalCycles", [cycles](const E &self) { return cycles(self.totalCycles()); },
      "Over all runs.")("programsRun", &E::programsRun, "Entry programs that ran.")(
      "droppedSteps", &E::droppedSteps, "Executions beyond the limit of the trace.")(
      "droppedBlocks", &E::droppedBlocks, "Blocks that were lost.")("energy", &E::energy,
                                                                    "By the chip's model.");
  report.python()
      .def("blocks", py::overload_cast<std::uint64_t>(&E::blocks, py::const_), py::arg("tile"),
           "The blocks that a tile recorded.")
      .def("blocks", py::overload_cast<>(&E::blocks, py::const_), "The blocks of all tiles.");
}

void bindReport(py::module_ &m) {
  Attributes<PoplarVersion> poplar(m, "PoplarVersion", "The Poplar that wrote a profile.");
  poplar(
      "string", [](const PoplarVersion &self) { return self.string(); }, "As text.")(
      "packageHash", [](const PoplarVersion &self) { return self.packageHash(); },
      "Which build it was.")("major", &PoplarVersion::majorVer, "The first number.")(
      "minor", &PoplarVersion::minorVer, "The second number.")("point", &PoplarVersion::pointVer,
                                                               "The third number.");
  poplar.python().def("__str__", [](const PoplarVersion &self) { return self.string(); });
  Attributes<Version>(m, "Version", "Of the file format.")(
      "major", &Version::majorVer, "Its number.")("isUnstableFormat", &Version::isUnstableFormat,
                                                  "Whether it may change without a number.");

  using I = InstrumentationSettings;
  Attributes<I> settings(m, "InstrumentationSettings", "What was instrumented.");
  py::enum_<I::Compute>(settings.python(), "Compute", "How deep compute was looked at.")
      .value("Off", I::Compute::Off)
      .value("Vertex", I::Compute::Vertex)
      .value("Tile", I::Compute::Tile)
      .value("Ipu", I::Compute::Ipu)
      .value("Device", I::Compute::Device)
      .value("Unknown", I::Compute::Unknown);
  py::enum_<I::ExternalExchange>(settings.python(), "ExternalExchange",
                                 "How deep stream copies were looked at.")
      .value("Off", I::ExternalExchange::Off)
      .value("Tile", I::ExternalExchange::Tile)
      .value("Unknown", I::ExternalExchange::Unknown);
  settings("compute", &I::compute, "Compute sets.")("externalExchange", &I::externalExchange,
                                                    "Stream copies.");

  Attributes<DebugContext> context(m, "DebugContext", "An entry of the debug-information file.");
  Attributes<DebugContext::Location>(context.python(), "Location", "A line of a program.")(
      "fileName", [](const DebugContext::Location &l) { return l.fileName(); }, "The file.")(
      "functionName", [](const DebugContext::Location &l) { return l.functionName(); },
      "The function.")("lineNumber", &DebugContext::Location::lineNumber, "The line.");
  context("id", &DebugContext::id, "Its number.")("parentId", &DebugContext::parentId,
                                                  "The one around it; 0: none.")(
      "name", &DebugContext::name, "Its name.")("layer", &DebugContext::layer,
                                                "The library that made it.")(
      "json", &DebugContext::json, "The whole entry.")("location", &DebugContext::location,
                                                       "Where it was made.");
  context(
      "parent",
      [](const DebugContext &self) {
        return self.hasParent() ? py::cast(self.parent()) : py::object(py::none());
      },
      "The one around it, or None.");
  shownByName(context.python(), "DebugContext");

  Attributes<Operation> operation(m, "Operation", "What a program's author called.");
  operation("name", &Operation::name, "The framework's name of it, or the context's.")(
      "debugContext", &Operation::debugContext, "Where it was called.")(
      "replacedDebugContext", &Operation::replacedDebugContext, "Contexts merged into it: none.")(
      "vars", &Operation::vars, "Variables that its programs read or write.")(
      "firstStepIndex", &Operation::firstStepIndex, "Among the report's steps; -1: not traced.")(
      "lastStepIndex", &Operation::lastStepIndex, "Among the report's steps; -1: not traced.");
  operation.python().def("programs", &Operation::programs, "The programs that it made.");
  shownByName(operation.python(), "Operation");

  Attributes<Report> report(m, "Report", "A profile.");
  report("compilation", &Report::compilation, "What was compiled.")(
      "execution", &Report::execution, "What ran.")("poplarVersion", &Report::poplarVersion,
                                                    "Who wrote it.")("version", &Report::version,
                                                                     "Of the file format.")(
      "instrumentationSettings", &Report::instrumentationSettings, "What was instrumented.")(
      "engineOptions",
      [](const Report &self) {
        py::dict options;
        for (const auto &[name, value] : self.engineOptions())
          options[py::str(name)] = value;
        return options;
      },
      "Those that were set.")("debugContexts", &Report::debugContexts,
                              "Empty without a debug file.");

  report.python()
      .def(
          "listPrintLength", [](const Report &self, std::uint64_t n) { self.listPrintLength(n); },
          py::arg("length"), "How many elements of a list are printed.")
      .def("__str__", [](const Report &self) {
        std::ostringstream out;
        out << self;
        return out.str();
      });

  py::class_<OperationAnalysis>(m, "OperationAnalysis",
                                "The operations of a report that was opened with its debug file.")
      .def(py::init<const Report &>(), py::arg("report"), "Looks at a report.")
      .def_property_readonly("operations", &OperationAnalysis::operations, "In order.");
}

std::string pathOf(const py::object &path) {
  return py::str(py::module_::import("os").attr("fsdecode")(path));
}

} // namespace

PYBIND11_MODULE(_core, m) {
  m.attr("__name__") = "pva"; // the package that shows all of it
  py::register_exception<Error>(m, "Error", PyExc_RuntimeError).attr("__doc__") =
      "A profile that cannot be read.";
  bindVariables(m);
  bindPrograms(m);
  bindTarget(m);
  bindMemory(m);
  bindLiveness(m);
  bindCompilation(m);
  bindExecution(m);
  bindReport(m);
  m.def(
      "openReport",
      [](const py::object &profile, const py::object &debug) {
        const auto path = pathOf(profile);
        const auto second = debug.is_none() ? std::string() : pathOf(debug);
        const py::gil_scoped_release unlocked;
        return second.empty() ? openReport(path) : openReport(path, second);
      },
      py::arg("profilePath"), py::arg("debugPath") = py::none(),
      "Reads profile.pop, and debug.cbor or its JSON twin if it is given.");
  m.attr("__name__") = "pva._core";
}
