// SPDX-License-Identifier: MIT
// Every public name of libpva, used once: compiled, never run.
#include <pva/pva.hpp>

#include <iostream>

struct Visitor : pva::ProgramVisitor {
  void visitOnTileExecute(const pva::OnTileExecuteProgram &p) override {
    p.computeset().name(), p.computeset().estimatedCyclesByTile();
    for (auto &group : p.computeset().vertices())
      group.type().name(), group.countByTile();
  }
  void visitDoExchange(const pva::DoExchangeProgram &p) override { p.name(); }
};

void report(const pva::Report &r) {
  r.poplarVersion().string(), r.poplarVersion().packageHash(), r.poplarVersion().majorVer(),
      r.poplarVersion().minorVer(), r.poplarVersion().pointVer();
  r.version().majorVer(), r.version().isUnstableFormat();
  r.instrumentationSettings().compute() == pva::InstrumentationSettings::Compute::Device,
      r.instrumentationSettings().externalExchange() ==
          pva::InstrumentationSettings::ExternalExchange::Tile;
  r.listPrintLength(3);
  std::cout << r;
}

void compilation(const pva::CompilationReport &c) {
  auto target = c.target();
  target.type() == pva::Target::Type::IpuModel,
      target.architecture() == pva::IPU::Architecture::Ipu2, target.numIPUs(), target.numReplicas(),
      target.ipusPerReplica(), target.numTiles(), target.tilesPerIpu(), target.tilesPerReplica(),
      target.bytesPerTile(), target.bytesPerIPU(), target.totalMemory(), target.memoryPerReplica(),
      target.clockFrequency();
  c.graph().numComputeSets(), c.graph().numVertices(), c.graph().numEdges(), c.graph().numVars();
  for (auto &tile : c.tiles()) {
    auto memory = tile.memory();
    memory.total().includingGaps(), memory.total().excludingGaps(),
        memory.overflowed().includingGaps(), memory.alwaysLiveBytes(), memory.notAlwaysLiveBytes();
    auto category = memory.category();
    category.constant().total(), category.controlCode().interleaved(),
        category.controlTable().nonInterleaved(), category.vertexCode().overflowed(),
        category.variable().alwaysLiveBytes();
    for (auto &vertex : memory.vertices())
      vertex.type().name(), vertex.type().size(), vertex.codeBytes();
  }
  for (auto &ipu : c.ipus())
    ipu.tiles();
  for (auto &set : c.computeSets())
    set.name();
  for (auto &variable : c.alwaysLiveVariables())
    variable.name(), variable.size();
  c.alwaysLiveVariablesForTile(0);
  for (auto &step : c.livenessProgramSteps())
    step.program(), step.notAlwaysLiveMemory().bytes(), step.notAlwaysLiveMemory().variables(),
        step.notAlwaysLiveMemoryForTile(0), step.notAlwaysLiveMemoryForIpu(0);
  for (auto &var : c.loweredVariables().allBriefVars())
    var.id(), var.bytes(), var.tileId(), var.equivalenceClass().id(),
        var.equivalenceClass().steps();
  for (auto &var : c.loweredVariables().forTile(0))
    var._id(), var.name(), var.bytes(), var.hasUnloweredVar(), var.unloweredVar();
  Visitor visitor;
  for (auto &program : c.programs()) {
    program->_id(), program->name(), program->children(), program->accept(visitor),
        program->estimatedCyclesByTile(), program->controlCodeByTile(), program->codeBytesByTile();
    for (auto &var : program->vars())
      var.name(), var.bytes(), var.alwaysLive(), var._id();
    switch (program->type()) {
    case pva::Program::Type::Sequence:
    case pva::Program::Type::OnEveryTileSwitch:
    case pva::Program::Type::StreamCopyMid:
    default:
      break;
    }
  }
}

void execution(const pva::ExecutionReport &e) {
  for (auto &step : e.steps()) {
    step.program(), step.cyclesByTile();
    for (auto &ipu : step.ipus())
      ipu.cycles(), ipu.activeCycles().cyclesFrom().min(), ipu.activeCycles().cyclesTo().max(),
          ipu.tileBalance(), ipu.activeTileBalance(), ipu.activeTiles(), ipu.dataIn(),
          ipu.dataOut();
    for (auto &set : step.computeSets())
      set.name(), set.cyclesByTile(), set.estimatedCyclesByTile();
  }
  for (auto &run : e.runs())
    run.name(), run.steps(), run.microseconds().start(), run.microseconds().end();
  for (auto &block : e.blocks(0))
    block.program(), block.cyclesFrom(), block.cyclesTo(), block.tile(), block.isCommon(),
        block.isOverflow(), block.isBlockFlush(), block.isStreamCopy();
}

void operations(const pva::Report &r) {
  pva::OperationAnalysis analysis(r);
  for (auto &operation : analysis.operations()) {
    operation.name(), operation.programs(), operation.vars(), operation.firstStepIndex(),
        operation.lastStepIndex(), operation.replacedDebugContext();
    auto context = operation.debugContext();
    context.id(), context.json(), context.layer(), context.location().fileName(),
        context.location().lineNumber(), context.parent();
  }
}

int main() {
  auto r = pva::openReport("profile.pop"), d = pva::openReport("profile.pop", "debug.cbor");
  report(r), compilation(r.compilation()), execution(r.execution()), operations(d);
}
