// SPDX-License-Identifier: MIT
// Profile files. Whatever opens is walked through every list that the library offers.
#include "Fuzz.hpp"
#include "pva/pva.hpp"
#include "pva/Writer.hpp"

namespace {

struct Visitor : pva::ProgramVisitor {};

void walkPrograms(const pva::CompilationReport &compilation) {
  Visitor visitor;
  for (const auto &program : compilation.allPrograms()) {
    program->accept(visitor);
    program->name();
    program->children();
    program->vars();
    program->estimatedCyclesByTile();
  }
  compilation.programs();
  compilation.functions();
}

void walkMemory(const pva::CompilationReport &compilation) {
  for (const auto &tile : compilation.tiles()) {
    tile.memory().total();
    tile.memory().overflowed();
    tile.memory().peakProgram();
    tile.memory().vertices();
    for (const auto &name : tile.memory().category().names())
      tile.memory().category().find(name);
  }
  for (const auto &step : compilation.livenessProgramSteps()) {
    step.program();
    step.notAlwaysLiveMemory();
    step.notAlwaysLiveMemoryForTile(0);
  }
  compilation.variables();
  compilation.alwaysLiveVariables();
  if (compilation.target().numTiles() <= 64) // a row of the file may stand for a part on each
    compilation.loweredVariables().allBriefVars();
  compilation.loweredVariables().forTile(0);
}

void walkVertices(const pva::CompilationReport &compilation) {
  for (const auto &set : compilation.computeSets()) {
    set.name();
    set.estimatedCyclesByTile();
    for (const auto &group : set.vertices()) {
      group.type();
      group.countByTile();
    }
  }
  compilation.vertexTypes();
  compilation.ipus();
}

void walkExecution(const pva::ExecutionReport &execution) {
  for (const auto &step : execution.steps()) {
    step.program();
    step.cyclesByTile();
    step.computeSets();
    for (const auto &ipu : step.ipus()) {
      ipu.activeCycles();
      ipu.tileBalance();
    }
  }
  for (const auto &run : execution.runs()) {
    run.program();
    run.steps();
    run.microseconds();
  }
  for (const auto &block : execution.blocks())
    block.program();
  execution.blocks(0);
  execution.totals();
  execution.energy();
}

} // namespace

bool fuzz::accepts(std::string_view input) {
  try {
    auto report = pva::openReportFromMemory(input.data(), input.size(), "fuzz.pop");
    report.poplarVersion();
    report.engineOptions();
    walkPrograms(report.compilation());
    walkMemory(report.compilation());
    walkVertices(report.compilation());
    walkExecution(report.execution());
    return true;
  } catch (const pva::Error &) {
    return false;
  }
}

// Two tiles; an exchange and a compute set, run once.
std::vector<std::string> fuzz::validInputs() {
  pva::Writer w;
  const pva::Writer::Null null;
  w.table("meta").row("poplarVersion", "3.3.0 (abc)");
  w.table("meta").row("packageHash", "abc");
  w.table("meta").row("instrumentCompute", "tile");
  w.table("meta").row("instrumentExternalExchange", "off");
  w.table("options").row("debug.instrument", "true");
  w.table("target").row("IPU_MODEL", "ipu2", 1, 1, 2, 1000, 1000000000, 6);
  w.table("graph").row(2, 2, 2, 1);
  w.table("compute_sets").row(0, "cs");
  w.table("vertex_types").row(0, "Add", 64, 32);
  w.table("vertex_groups").row(0, 0, 0, 2, 1, 40, 8);
  w.table("vars").row(0, "x", "float", 100, 1, 0);
  w.table("vars").row(1, "t", "half", 60, 0, 1);
  w.table("var_categories").row(0, "variable");
  w.table("var_parts").row(0, 0, 0, 1, 100);
  w.table("var_parts").row(1, 0, 1, 1, 60);
  w.table("programs").row(0, "main", "Sequence", null, 0, 0, 0, 0, 7);
  w.table("programs").row(1, "in", "DoExchange", null, 0, 10, 64, 2, 8);
  w.table("programs").row(2, "cs", "OnTileExecute", 0, 0, 20, 0, 0, 9);
  w.table("program_children").row(0, 1);
  w.table("program_children").row(0, 2);
  w.table("program_roots").row(0, 0, 1);
  w.table("program_tiles").row(2, 0, 2, 20, 100, 0, 0);
  w.table("program_vars").row(1, 0);
  w.table("memory_by_tile").row(0, 132, 8, 132, 0, null);
  w.table("memory_by_tile").row(1, 60, 0, 0, 60, 2);
  w.table("memory_by_category").row(0, 0, 2, 32);
  w.table("liveness_steps").row(0, 1, 60);
  w.table("liveness_spans").row(1, 0, 1);
  w.table("steps").row(0, "DoExchange", 1, null);
  w.table("steps").row(1, "OnTileExecute", 2, 0);
  w.table("steps_by_ipu").row(0, 0, 10, 2, 0, 0, 0, 10, 10);
  w.table("steps_by_ipu").row(1, 0, 20, 2, 10, 10, 10, 30, 30);
  w.table("runs").row(0, "first", 0, 0, 30, 0, 2);
  w.table("blocks").row(0, 0, 0, 0, 30, 0, 0, 0, 1);
  w.table("totals").row(1, 1, 10);
  w.table("execution").row(30, 0, 0);
  w.table("energy").row("compute", 0.5);
  return {w.bytes()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
