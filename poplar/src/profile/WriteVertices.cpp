// SPDX-License-Identifier: MIT
// The graph's size, vertex types, and how many vertices of each type stand where, with their
// cycles.
#include "executable/LibraryVertex.hpp"
#include "profile/WriteTables.hpp"
#include <algorithm>
#include <map>
#include <tuple>

namespace poplar::profile {

using codelet::FieldDirection;
using executable::Image;
using executable::MemoryCategory;
using pva::Writer;

namespace {

struct Group { // vertices of one type on one tile, of one compute set
  std::uint32_t type, tile;
  std::uint64_t count, cycles, flops;
};

std::vector<Group> groupsOf(const Image &image, const executable::ComputeSet &set,
                            const Recorder *recorder, bool flops) {
  std::vector<Group> groups;
  for (auto id : set.vertices) {
    const auto &v = image.vertices[id];
    const auto estimate = v.cycles == executable::noEstimate ? 0 : v.cycles;
    groups.push_back(
        {v.type, v.tile, 1, recorder ? recorder->vertexCycles(id) : estimate, flops ? v.flops : 0});
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group &a, const Group &b) {
    return std::tie(a.type, a.tile) < std::tie(b.type, b.tile);
  });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    auto &last = groups[kept];
    if (last.type == groups[i].type && last.tile == groups[i].tile) {
      last.count += groups[i].count;
      last.cycles += groups[i].cycles;
      last.flops += groups[i].flops;
    } else {
      groups[++kept] = groups[i];
    }
  }
  groups.resize(groups.empty() ? 0 : kept + 1);
  return groups;
}

void writeGroups(Writer::Table &table, std::size_t set, const std::vector<Group> &groups) {
  for (std::size_t i = 0, end = 0; i < groups.size(); i = end) {
    const auto &first = groups[i];
    for (end = i + 1; end < groups.size(); ++end) {
      const auto &g = groups[end];
      if (g.type != first.type || g.tile != first.tile + (end - i) || g.count != first.count ||
          g.cycles != first.cycles || g.flops != first.flops)
        break;
    }
    table.row(set, first.type, first.tile, end - i, first.count, first.cycles, first.flops);
  }
}

// Device bytes of vertex state by what they hold.
struct StateBytes {
  std::uint64_t internal = 0, edges = 0, padding = 0;
};

StateBytes stateOf(const Image &image, std::uint32_t vertex) {
  const auto &type = image.vertexType(vertex);
  StateBytes bytes;
  std::uint64_t fields = 0;
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    const auto &field = type.fields[f];
    const auto &slot = image.slots[image.vertices[vertex].firstSlot + f];
    fields += field.deviceBytes;
    (field.direction == FieldDirection::Plain ? bytes.internal : bytes.edges) += field.deviceBytes;
    if (slot.kind == executable::SlotKind::Edges)
      bytes.edges += std::uint64_t(field.deviceInnerBytes) *
                     (field.shape == codelet::FieldShape::Vector && field.deviceInnerBytes
                          ? image.edges[slot.first].elements // a pointer for each
                          : slot.count);
  }
  bytes.padding = type.deviceBytes > fields ? type.deviceBytes - fields : 0;
  return bytes;
}

void writeVertexMemory(Writer &writer, const Image &image) {
  StateBytes sum;
  for (std::uint32_t v = 0; v < image.vertices.size(); ++v) {
    const auto bytes = stateOf(image, v);
    sum.internal += bytes.internal;
    sum.edges += bytes.edges;
    sum.padding += bytes.padding;
  }
  std::uint64_t copies = 0, lists = 0;
  for (const auto &tile : image.memory.tiles) {
    copies += tile.category[unsigned(MemoryCategory::CopyDescriptor)];
    lists += tile.category[unsigned(MemoryCategory::VectorListDescriptor)];
  }
  auto table = writer.table("vertex_memory");
  table.row("internalState", sum.internal);
  table.row("edgePointers", sum.edges);
  table.row("copyPointers", copies);
  table.row("padding", sum.padding);
  table.row("descriptors", lists);
}

std::uint64_t countEdges(const Image &image) {
  std::uint64_t edges = 0;
  for (std::uint32_t v = 0; v < image.vertices.size(); ++v)
    for (std::size_t f = 0; f < image.vertexType(v).fields.size(); ++f) {
      const auto &slot = image.slots[image.vertices[v].firstSlot + f];
      edges += slot.kind == executable::SlotKind::Edges ? slot.count : 0;
    }
  return edges;
}

// Vertices that operators would have: types by name behind the graph's own, groups from the phases.
class Planned {
public:
  Planned(const LoweredPrograms &programs, std::size_t firstType) {
    for (const auto &program : programs.programs)
      if (program.phase && !program.phase->vertex.empty())
        if (sets_.emplace(program.computeSet, program.phase).second)
          for (const auto &share : program.phase->tiles)
            types_.emplace(program.phase->vertexOf(share), 0);
    for (auto &[name, id] : types_)
      id = firstType++;
  }
  std::uint64_t vertices() const {
    std::uint64_t sum = 0;
    for (const auto &[set, phase] : sets_)
      for (const auto &share : phase->tiles)
        sum += std::uint64_t(share.vertices) * share.count;
    return sum;
  }
  std::size_t computeSets() const { return sets_.size(); }
  void writeTypes(Writer::Table &table, const Image &image) const {
    for (const auto &[name, id] : inOrder()) {
      const auto bytes = image.memory.vertexBytesByType.find(id);
      table.row(name, id, bytes == image.memory.vertexBytesByType.end() ? 0 : bytes->second,
                executable::libraryVertexCodeBytes);
    }
  }
  void writeGroups(Writer::Table &table, bool flops) const {
    for (const auto &[set, phase] : sets_) {
      std::uint64_t vertices = 0;
      for (const auto &share : phase->tiles)
        vertices += std::uint64_t(share.vertices) * share.count;
      for (const auto &share : phase->tiles)
        table.row(set, types_.at(phase->vertexOf(share)), share.tile, share.count, share.vertices,
                  share.cycles, flops && vertices ? phase->flops * share.vertices / vertices : 0);
    }
  }

private:
  std::map<std::size_t, std::string> inOrder() const {
    std::map<std::size_t, std::string> out;
    for (const auto &[name, id] : types_)
      out[id] = name;
    return out;
  }
  std::map<std::uint32_t, const executable::Phase *> sets_;
  std::map<std::string, std::size_t> types_;
};

} // namespace

void writeVertices(Writer &writer, const Image &image, const LoweredPrograms &programs,
                   const Recorder *recorder, bool flops) {
  const Planned planned(programs, image.vertexTypes.size());
  writer.table("graph").row(image.vertices.size() + planned.vertices(), countEdges(image),
                            image.variables.size(),
                            image.computeSets.size() + planned.computeSets());
  std::vector<std::uint64_t> stateBytes(image.vertexTypes.size());
  for (const auto &vertex : image.vertices)
    stateBytes[vertex.type] += image.modules[image.vertexTypes[vertex.type].module]
                                   ->types[image.vertexTypes[vertex.type].type]
                                   .deviceBytes;
  auto types = writer.table("vertex_types"), groups = writer.table("vertex_groups");
  for (std::size_t i = 0; i < image.vertexTypes.size(); ++i) {
    const auto &type = image.modules[image.vertexTypes[i].module]->types[image.vertexTypes[i].type];
    const auto reported = image.memory.vertexBytesByType.find(type.name);
    const bool known = reported != image.memory.vertexBytesByType.end();
    types.row(i, type.name, known ? reported->second : stateBytes[i], type.codeBytes);
  }
  planned.writeTypes(types, image);
  for (std::size_t i = 0; i < image.computeSets.size(); ++i)
    writeGroups(groups, i, groupsOf(image, image.computeSets[i], recorder, flops));
  planned.writeGroups(groups, flops);
  writeVertexMemory(writer, image);
}

} // namespace poplar::profile
