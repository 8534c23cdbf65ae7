// SPDX-License-Identifier: MIT
// The tables of an image. Steps are checked in ValidateSteps.cpp.
#include "executable/Validate.hpp"
#include "base/Bytes.hpp"
#include "device/TargetData.hpp"
#include "executable/ValidateBounds.hpp"
#include "executable/ValidateSteps.hpp"
#include "poplar/exceptions.hpp"
#include <unordered_set>

namespace poplar::executable {

void throwInconsistent(const std::string &what) {
  throw poplar_error(
      "Executable is inconsistent: " + what +
      ". Compile the program again with this version of the library and write a new file.");
}

namespace {

void checkIndex(std::uint64_t index, std::size_t size, const Where &where, const char *table) {
  if (index >= size)
    inconsistent(where, " refers to ", table, " ", index, " of ", size);
}

void checkRange(std::uint64_t first, std::uint64_t count, std::size_t size, const Where &where,
                const char *table) {
  if (count > size || first > size - count)
    inconsistent(where, " refers to ", table, " ", first, " and ", count, " in all, of ", size);
}

// The engine rebuilds the machine from the target's text; all tile numbers are checked against its
// tiles per replica, which are returned.
std::uint32_t checkTarget(const Image &image, Made made) {
  arch::System system;
  try {
    system = device::parseTarget(image.target).system;
  } catch (const poplar_error &error) {
    inconsistent("the target: ", error.what());
  }
  auto replicas = image.replicationFactor;
  if (replicas == 0 || system.ipus % replicas != 0)
    inconsistent("the replication factor is ", replicas, " on ", system.ipus, " IPUs");
  auto tiles = std::uint64_t(system.chip.tiles) * (system.ipus / replicas);
  if (made != Made::Tables && tiles != image.memory.tiles.size())
    inconsistent("the memory of ", image.memory.tiles.size(), " tiles is given for ", tiles,
                 " tiles per replica");
  return std::uint32_t(tiles);
}

// ---- variables --------------------------------------------------------------------------------

// A list that many variables share is looked at once; for the others its end must fit.
class MappingChecker {
public:
  explicit MappingChecker(std::uint32_t numTiles) : numTiles_(numTiles) {}

  void check(const Variable &variable, const Where &where) {
    const auto &ranges = variable.mapping.list();
    if (ranges.empty() || (checked_.count(ranges.data()) && ranges.back().end <= variable.elements))
      return;
    std::uint64_t before = 0;
    for (const auto &range : ranges) {
      if (range.begin < before || range.end < range.begin || range.end > variable.elements)
        inconsistent(where, " maps elements ", range.begin, " to ", range.end, " of ",
                     variable.elements, " after ", before);
      checkIndex(range.tile, numTiles_, where, "tile");
      before = range.end;
    }
    checked_.insert(ranges.data());
  }

private:
  std::uint32_t numTiles_;
  std::unordered_set<const MappedRange *> checked_;
};

void checkInitialValues(const Variable &variable, const Where &where) {
  std::uint64_t before = 0, size = sizeOf(variable.type);
  for (const auto &initial : variable.initial) {
    if (initial.begin < before || initial.begin > variable.elements ||
        initial.bytes.size() % size != 0 ||
        initial.bytes.size() / size > variable.elements - initial.begin)
      inconsistent(where, " has ", initial.bytes.size(), " bytes of initial values from element ",
                   initial.begin, " of ", variable.elements);
    before = initial.begin + initial.bytes.size() / size;
  }
}

void checkVariable(const Variable &variable, const Where &where) {
  auto bytes = checkedBytes(variable.elements, variable.type, where);
  if (checkedProduct(variable.shape, where) != variable.elements)
    inconsistent(where, " has ", variable.elements, " elements in shape ",
                 base::list(variable.shape));
  if (static_cast<unsigned>(variable.kind) > static_cast<unsigned>(VariableKind::ReplicationIndex))
    inconsistent(where, " has unknown kind ", static_cast<unsigned>(variable.kind));
  if (variable.kind == VariableKind::ReplicationIndex && bytes != sizeof(std::uint32_t))
    inconsistent(where, " is a replication index of ", bytes, " bytes");
}

void checkPlace(const Variable &variable, std::uint64_t arenaBytes, const Where &where) {
  const auto bytes = variable.bytes();
  if (variable.arenaOffset % 64 != 0 || bytes > arenaBytes ||
      variable.arenaOffset > arenaBytes - bytes)
    inconsistent(where, " has ", bytes, " bytes at offset ", variable.arenaOffset,
                 " of an arena of ", arenaBytes);
}

void checkVariables(const Image &image, std::uint32_t tiles, Made made) {
  MappingChecker mappings(tiles);
  for (std::size_t i = 0; i < image.variables.size(); ++i) {
    const auto &variable = image.variables[i];
    const Where where{"variable", i};
    checkVariable(variable, where);
    if (made == Made::All)
      checkPlace(variable, image.arenaBytes, where);
    mappings.check(variable, where);
    checkInitialValues(variable, where);
  }
}

// ---- vertices ---------------------------------------------------------------------------------

bool isNested(const codelet::Field &field) {
  return field.shape == codelet::FieldShape::VectorOfVectors ||
         field.shape == codelet::FieldShape::VectorList;
}

void checkValue(const Slot &slot, const codelet::Field &field, const Image &image,
                const Where &where) {
  if (isNested(field) || (field.shape == codelet::FieldShape::Scalar && slot.count != 1))
    inconsistent(where, " (\"", field.name, "\") has ", slot.count, " values");
  checkRange(slot.first, std::uint64_t(slot.count) * sizeOf(field.type), image.values.size(), where,
             "value byte");
}

void checkEdge(const Edge &edge, const codelet::Field &field, const Image &image,
               const Where &where) {
  if (field.shape == codelet::FieldShape::Scalar && edge.elements != 1)
    inconsistent(where, " (\"", field.name, "\") has ", edge.elements, " elements for one");
  for (auto run = edge.firstRun; run < edge.firstRun + edge.numRuns; ++run)
    if (auto type = image.variables[image.runs[run].var].type; sizeOf(type) != sizeOf(field.type))
      inconsistent(where, " (\"", field.name, "\") has elements of ", sizeOf(field.type),
                   " bytes, its variable of ", sizeOf(type));
}

void checkSlot(const Slot &slot, const codelet::Field &field, const Image &image,
               const Where &where) {
  using codelet::FieldDirection, codelet::FieldShape;
  bool plain = field.direction == FieldDirection::Plain;
  switch (slot.kind) {
  case SlotKind::Unset:
    if (!plain || slot.first != 0 || slot.count != 0)
      inconsistent(where, " (\"", field.name, "\") is not connected");
    return;
  case SlotKind::Value:
    if (!plain)
      inconsistent(where, " (\"", field.name, "\") has a value where a connection belongs");
    return checkValue(slot, field, image, where);
  case SlotKind::Edges:
    if (plain && field.shape == FieldShape::Scalar)
      inconsistent(where, " (\"", field.name, "\") is connected where a value belongs");
    if (!isNested(field) && slot.count != 1)
      inconsistent(where, " (\"", field.name, "\") has ", slot.count, " vectors for one");
    checkRange(slot.first, slot.count, image.edges.size(), where, "edge");
    for (std::uint32_t i = 0; i < slot.count; ++i)
      checkEdge(image.edges[slot.first + i], field, image, where);
    return;
  }
  inconsistent(where, " has unknown kind ", static_cast<unsigned>(slot.kind));
}

void checkVertex(std::uint32_t index, const Image &image, std::uint32_t tiles) {
  const auto &vertex = image.vertices[index];
  Where where{"vertex", index};
  checkIndex(vertex.type, image.vertexTypes.size(), where, "vertex type");
  checkIndex(vertex.computeSet, image.computeSets.size(), where, "compute set");
  checkIndex(vertex.tile, tiles, where, "tile");
  const auto &fields = image.vertexType(index).fields;
  checkRange(vertex.firstSlot, fields.size(), image.slots.size(), where, "slot");
  for (std::size_t i = 0; i < fields.size(); ++i)
    checkSlot(image.slots[vertex.firstSlot + i], fields[i], image, {"vertex", index, "field", i});
}

void checkEdges(const Image &image) {
  Bounds bounds{image};
  for (std::size_t i = 0; i < image.runs.size(); ++i)
    bounds.run(image.runs[i], {"run", i});
  for (std::size_t i = 0; i < image.edges.size(); ++i) {
    const auto &edge = image.edges[i];
    Where where{"edge", i};
    if (edge.numRuns != 0)
      checkRange(edge.firstRun, edge.numRuns, image.runs.size(), where, "run");
    std::uint64_t elements = 0;
    for (std::uint32_t run = 0; run < edge.numRuns; ++run)
      elements += image.runs[edge.firstRun + run].count;
    if (elements != edge.elements)
      inconsistent(where, " has ", edge.elements, " elements, its runs ", elements);
  }
}

// The records that the engine writes into a vertex (Module.hpp) fit where the field says they are.
void checkVertexTypes(const Image &image) {
  for (const auto &module : image.modules) {
    if (!module)
      inconsistent("a codelet module is missing");
    for (const auto &type : module->types)
      for (const auto &field : type.fields)
        try {
          codelet::checkField(field, type);
        } catch (const base::FormatError &error) {
          inconsistent(error.what());
        }
  }
  for (std::size_t i = 0; i < image.vertexTypes.size(); ++i) {
    auto ref = image.vertexTypes[i];
    checkIndex(ref.module, image.modules.size(), {"vertex type", i}, "codelet module");
    checkIndex(ref.type, image.modules[ref.module]->types.size(), {"vertex type", i}, "type");
  }
}

void checkComputeSets(const Image &image) {
  std::vector<bool> seen(image.vertices.size());
  for (std::size_t i = 0; i < image.computeSets.size(); ++i)
    for (auto vertex : image.computeSets[i].vertices) {
      Where where{"compute set", i};
      checkIndex(vertex, image.vertices.size(), where, "vertex");
      if (seen[vertex] || image.vertices[vertex].computeSet != i)
        inconsistent(where, " holds vertex ", vertex,
                     seen[vertex] ? " twice" : ", which belongs to another");
      seen[vertex] = true;
    }
}

// ---- the host's side, memory ------------------------------------------------------------------

void checkHostSide(const Image &image) {
  for (std::size_t i = 0; i < image.streams.size(); ++i)
    checkedBytes(image.streams[i].elements, image.streams[i].type, {"stream", i});
  for (std::size_t i = 0; i < image.remoteBuffers.size(); ++i) {
    const auto &buffer = image.remoteBuffers[i];
    auto elements = checkedProduct({buffer.elements, buffer.repeats}, {"remote buffer", i});
    checkedBytes(elements, buffer.type, {"remote buffer", i});
  }
  for (std::size_t i = 0; i < image.hostFunctions.size(); ++i)
    for (const auto *list : {&image.hostFunctions[i].inputs, &image.hostFunctions[i].outputs})
      for (const auto &[type, elements] : *list)
        checkedBytes(elements, type, {"host function", i});
}

void checkHostAccess(const std::vector<HostAccess> &table, Bounds::Host host, const Image &image,
                     const char *name) {
  Bounds bounds{image};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto &access = table[i];
    Where where{name, i};
    auto bytes = checkedBytes(access.elements, access.type, where);
    bounds.moves(access.moves, host, bytes, where);
    bounds.view(access.view, where);
    if (access.view.type != access.type || access.view.numElements() != access.elements)
      inconsistent(where, " has ", access.elements, " elements, its view ",
                   access.view.numElements(), " or another type");
  }
}

void checkMemory(const Image &image) {
  const auto &memory = image.memory;
  for (std::size_t i = 0; i < memory.steps.size(); ++i)
    checkIndex(memory.steps[i].step, image.steps.size(), {"liveness", i}, "step");
  for (std::size_t i = 0; i < memory.spans.size(); ++i) {
    const auto &span = memory.spans[i];
    checkIndex(span.var, image.variables.size(), {"span of liveness", i}, "variable");
    if (span.count == 0 || span.first >= memory.steps.size() ||
        span.count > memory.steps.size() - span.first)
      inconsistent(Where{"span of liveness", i}, " has ", span.count, " steps from ", span.first,
                   " on, of ", memory.steps.size());
  }
  for (std::size_t i = 0; i < memory.tiles.size(); ++i)
    if (memory.tiles[i].peakStep != none)
      checkIndex(memory.tiles[i].peakStep, image.steps.size(), {"memory of tile", i}, "step");
}

} // namespace

void validate(const Image &image, Made made) {
  const auto tiles = checkTarget(image, made);
  checkVariables(image, tiles, made);
  checkVertexTypes(image);
  checkEdges(image);
  for (std::size_t i = 0; i < image.vertices.size(); ++i)
    checkVertex(std::uint32_t(i), image, tiles);
  checkComputeSets(image);
  checkHostSide(image);
  checkHostAccess(image.hostReads, Bounds::Host::To, image, "host read");
  checkHostAccess(image.hostWrites, Bounds::Host::From, image, "host write");
  checkSteps(image, tiles);
  checkMemory(image);
}

} // namespace poplar::executable
