// SPDX-License-Identifier: MIT
// Programs, what they cost per tile, and the variables they touch.
#include "profile/StepVariables.hpp"
#include "profile/WriteTables.hpp"

namespace poplar::profile {

using executable::none;
using executable::Step;
using executable::TileShare;
using pva::Writer;

static const Writer::Null null;

namespace {

// Neighbouring tiles with equal shares become one row.
void writeTiles(Writer::Table &table, std::uint32_t program, const executable::Phase &phase) {
  auto same = [](const TileShare &a, const TileShare &b) {
    return a.cycles == b.cycles && a.busyThreadCycles == b.busyThreadCycles &&
           a.bytesIn == b.bytesIn && a.bytesOut == b.bytesOut;
  };
  for (std::size_t i = 0, end = 0; i < phase.tiles.size(); i = end) {
    const auto &first = phase.tiles[i];
    std::uint32_t count = first.count;
    for (end = i + 1; end < phase.tiles.size() && phase.tiles[end].tile == first.tile + count &&
                      same(first, phase.tiles[end]);
         ++end)
      count += phase.tiles[end].count;
    table.row(program, first.tile, count, first.cycles, first.busyThreadCycles, first.bytesIn,
              first.bytesOut);
  }
}

void writeProgram(Writer::Table &table, const executable::Image &image, std::uint32_t id,
                  const LoweredProgram &p) {
  const executable::Phase idle{};
  const auto &phase = p.phase ? *p.phase : idle;
  const Step *step = p.step == none ? nullptr : &image.steps[p.step];
  const auto *repeat = step ? executable::as<executable::step::Repeat>(*step) : nullptr;
  const auto count = p.type == pva::Program::Type::Repeat && repeat ? repeat->count : 0;
  const auto debugId = step ? step->debugId : 0;
  if (p.computeSet == none)
    table.row(id, p.name, pva::toString(p.type), null, count, phase.cycles, phase.bytes,
              phase.messages, debugId);
  else
    table.row(id, p.name, pva::toString(p.type), p.computeSet, count, phase.cycles, phase.bytes,
              phase.messages, debugId);
}

} // namespace

void writePrograms(Writer &writer, const executable::Image &image, const LoweredPrograms &lowered,
                   const Recorder *recorder) {
  auto programs = writer.table("programs"), children = writer.table("program_children"),
       tiles = writer.table("program_tiles"), vars = writer.table("program_vars"),
       roots = writer.table("program_roots");
  StepVariables variablesOf(image);
  for (std::uint32_t id = 0; id < lowered.programs.size(); ++id) {
    const auto &program = lowered.programs[id];
    writeProgram(programs, image, id, program);
    for (auto child : program.children)
      children.row(id, child);
    if (program.phase)
      writeTiles(tiles, id, *program.phase);
    if (program.isMain)
      for (auto var : variablesOf(image.steps[program.step]))
        vars.row(id, var);
  }
  for (std::size_t i = 0; i < lowered.entries.size(); ++i)
    roots.row(lowered.entries[i], 0, recorder ? recorder->runsByProgram()[i] : 0);
  for (auto function : lowered.functions)
    roots.row(function, 1, 0);
  auto sets = writer.table("compute_sets");
  for (std::size_t i = 0; i < lowered.computeSets.size(); ++i)
    sets.row(i, lowered.computeSets[i]);
  // The flush of the block buffer and its overflow are programs of their own, after all others.
  if (recorder && !recorder->blocks().empty()) {
    programs.row(lowered.programs.size(), "BlockFlush",
                 pva::toString(pva::Program::Type::BlockFlush), null, 0, 0, 0, 0, 0);
    programs.row(lowered.programs.size() + 1, "Overflow",
                 pva::toString(pva::Program::Type::Unknown), null, 0, 0, 0, 0, 0);
  }
}

} // namespace poplar::profile
