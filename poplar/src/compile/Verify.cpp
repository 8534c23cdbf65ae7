// SPDX-License-Identifier: MIT
#include "compile/Verify.hpp"
#include "analysis/RangeSet.hpp"
#include "analysis/Reach.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <set>

namespace poplar::compile {

using namespace analysis;
using namespace executable;

namespace {

std::string describe(const Variable &var, std::uint32_t id) {
  auto name = var.name.empty() ? base::str("number ", id) : base::str('"', var.name, '"');
  return base::str(var.kind == VariableKind::Ordinary ? "Variable " : "Constant ", name,
                   " of type ", spelling(var.type), " and shape ", base::list(var.shape));
}

[[noreturn]] void failUnmapped(const Variable &var, std::uint32_t id) {
  std::uint64_t missing = var.elements, at = 0;
  Range first{var.elements, var.elements};
  for (const auto &range : var.mapping) {
    missing -= range.end - range.begin;
    if (range.begin > at && first.begin == var.elements)
      first = {at, range.begin};
    at = range.end;
  }
  if (first.begin == var.elements)
    first.begin = at;
  throw invalid_tile_mapping(
      base::str(describe(var, id), ": ", missing, " of ", var.elements,
                " elements have no tile, the first are [", first.begin, ", ", first.end,
                "). Map every element with graph.setTileMapping or poputil::mapTensorLinearly "
                "before the graph is compiled."));
}

void checkMapping(const Variable &var, std::uint32_t id, unsigned tiles) {
  std::uint64_t at = 0;
  for (const auto &range : var.mapping) {
    if (range.tile >= tiles)
      throw invalid_tile_mapping(
          base::str(describe(var, id), ": elements [", range.begin, ", ", range.end,
                    ") are mapped to tile ", range.tile, ", but there are tiles 0 to ", tiles - 1,
                    " only. Map them to one of these with graph.setTileMapping."));
    if (range.begin < at)
      throw invalid_tile_mapping(base::str(describe(var, id), ": elements [", range.begin, ", ",
                                           std::min(at, range.end), ") are mapped twice."));
    if (range.begin > at)
      failUnmapped(var, id);
    at = range.end;
  }
  if (at != var.elements)
    failUnmapped(var, id);
}

void checkVertex(const Image &image, std::uint32_t vertex, unsigned tiles) {
  const auto &v = image.vertices[vertex];
  if (v.tile == none)
    throw invalid_tile_mapping(
        base::str(describeVertex(image, vertex),
                  " has no tile. Give it one with graph.setTileMapping(vertex, tile)."));
  if (v.tile >= tiles)
    throw invalid_tile_mapping(base::str(
        describeVertex(image, vertex), " is mapped to tile ", v.tile, ", but there are tiles 0 to ",
        tiles - 1, " only. Map it to one of these with graph.setTileMapping."));
  const auto &fields = image.vertexType(vertex).fields;
  auto unconnected = [&](const std::string &field, const std::string &index) {
    return graph_connection_error(
        base::str(describeVertex(image, vertex), ": field \"", field, index,
                  "\" is not connected. Connect it with graph.connect(vertex[\"", field, "\"]",
                  index, ", tensor)."));
  };
  for (std::size_t f = 0; f != fields.size(); ++f) {
    if (fields[f].direction == codelet::FieldDirection::Plain)
      continue;
    const auto &slot = image.slots[v.firstSlot + f];
    if (slot.kind != SlotKind::Edges)
      throw unconnected(fields[f].name, "");
    for (std::uint32_t i = 0; i != slot.count;
         ++i) // sized by setFieldSize, then connected one by one
      if (image.edges[slot.first + i].firstRun == none)
        throw unconnected(fields[f].name, base::str("[", i, "]"));
  }
}

// Programs that write to constants are stopped where they are built; a deserialised image may still
// try.
void checkTargets(const Image &image, const Step &step) {
  for (const auto &move : movesOf(step))
    if (move.toVar != none && image.variables[move.toVar].kind != VariableKind::Ordinary)
      throw control_program_error(base::str("The copy \"", step.name, "\" writes to a constant: ",
                                            describe(image.variables[move.toVar], move.toVar),
                                            ". Copy into a variable made with graph.addVariable."));
}

template <class Items> void checkHandles(const Items &items, const char *what) {
  std::set<std::string> seen;
  for (const auto &item : items)
    if (!seen.insert(item.handle).second)
      throw control_program_error(
          base::str("Two ", what, " have the handle \"", item.handle,
                    "\". Handles of one kind must differ: rename one of them."));
}

unsigned tilesPerReplica(const Image &image, const arch::System &system) {
  if (image.replicationFactor == 0 || system.ipus % image.replicationFactor != 0)
    throw graph_replication_error(
        base::str("A replication factor of ", image.replicationFactor, " does not divide the ",
                  system.ipus, " IPU(s) of the device. Use a divisor of ", system.ipus, "."));
  return system.tiles() / image.replicationFactor;
}

} // namespace

void verify(const Image &image, const arch::System &system, SharedInOut shared) {
  auto tiles = tilesPerReplica(image, system);
  auto reached = reach(image);
  checkHandles(image.streams, "streams");
  checkHandles(image.remoteBuffers, "remote buffers");
  checkHandles(image.hostFunctions, "host functions");
  checkHandles(image.hostReads, "host reads");
  checkHandles(image.hostWrites, "host writes");
  for (std::uint32_t cs = 0; cs != image.computeSets.size(); ++cs)
    if (reached.computeSets[cs])
      for (auto vertex : image.computeSets[cs].vertices)
        checkVertex(image, vertex, tiles);
  for (std::uint32_t var = 0; var != image.variables.size(); ++var)
    if (reached.variables[var])
      checkMapping(image.variables[var], var, tiles);
  for (auto step : reached.order)
    checkTargets(image, image.steps[step]);
  findConflicts(image, reached.computeSets, shared);
}

} // namespace poplar::compile
