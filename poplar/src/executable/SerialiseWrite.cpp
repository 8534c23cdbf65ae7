// SPDX-License-Identifier: MIT
// Image -> Part messages. Tables are written in the order of Image.hpp, rows in their order.
#include "base/Text.hpp"
#include "codelet/Module.hpp"
#include "Executable.pb.h"
#include "executable/Fields.hpp"
#include "executable/SerialiseParts.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <tuple>

namespace poplar::executable {
namespace proto = openipu::file;
namespace {

std::int64_t delta(std::uint64_t value, std::uint64_t before) {
  return static_cast<std::int64_t>(value - before);
}

class PartWriter {
public:
  explicit PartWriter(std::size_t partBytes) : partBytes_(partBytes) {}

  // The part to which the next `bytes` bytes belong.
  proto::Part &room(std::size_t bytes) {
    if (used_ != 0 && used_ + bytes > partBytes_)
      flush();
    used_ += bytes;
    return part_;
  }
  std::vector<std::string> finish() {
    flush();
    return std::move(parts_);
  }
  std::size_t partBytes() const { return partBytes_; }

  // The number of a list, plus one; the parts get to hold it.
  template <class T> std::uint32_t number(const SharedList<T> &list) {
    if (list.empty())
      return 0;
    auto &pool = std::get<ListPool<T>>(pools_);
    const auto before = pool.size();
    const auto index = pool.index(list);
    if (pool.size() != before)
      put(room(sizeof(T) * list.size()), list);
    return index + 1;
  }

private:
  static void put(proto::Part &part, const SharedList<MappedRange> &mapping) {
    auto &to = *part.add_mappings();
    MappedRange before{0, 0, 0};
    for (const auto &range : mapping) {
      to.add_begin(delta(range.begin, before.end));
      to.add_length(range.end - range.begin);
      to.add_tile(delta(range.tile, before.tile));
      before = range;
    }
  }
  static void put(proto::Part &part, const SharedList<TileShare> &shares) {
    auto &to = *part.add_tileshares();
    std::uint32_t before = 0;
    for (const auto &share : shares) {
      to.add_tile(delta(share.tile, before));
      to.add_cycles(share.cycles);
      to.add_busythreadcycles(share.busyThreadCycles);
      to.add_bytesin(share.bytesIn);
      to.add_bytesout(share.bytesOut);
      to.add_count(share.count);
      to.add_vertices(share.vertices);
      before = share.tile;
    }
    if (std::any_of(shares.begin(), shares.end(), [](const auto &s) { return s.codeBytes; }))
      for (const auto &share : shares)
        to.add_codebytes(share.codeBytes);
    if (std::any_of(shares.begin(), shares.end(), [](const auto &s) { return s.vertexKind; }))
      for (const auto &share : shares)
        to.add_vertexkind(share.vertexKind);
  }
  void flush() {
    if (used_ == 0)
      return;
    if (part_.ByteSizeLong() > std::size_t(INT32_MAX))
      throw poplar_error(
          base::str("Executable: one step, variable or codelet module needs ",
                    base::thousands(part_.ByteSizeLong()),
                    " bytes, more than a part of the file can hold (2 GiB). Split it."));
    parts_.push_back(part_.SerializeAsString());
    part_.Clear();
    used_ = 0;
  }
  std::size_t partBytes_, used_ = 0;
  proto::Part part_;
  std::vector<std::string> parts_;
  std::tuple<ListPool<MappedRange>, ListPool<TileShare>> pools_;
};

template <class Enum> std::uint32_t number(Enum value) { return static_cast<std::uint32_t>(value); }

template <class Column, class Values> void fill(Column &column, const Values &values) {
  column.Assign(values.begin(), values.end());
}

// ---- pieces of messages -----------------------------------------------------------------------

void put(proto::Moves &to, const std::vector<Move> &moves) {
  for (const auto &move : moves) {
    to.add_fromvar(move.fromVar);
    to.add_tovar(move.toVar);
    to.add_fromoffset(move.fromOffset);
    to.add_tooffset(move.toOffset);
    to.add_elementbytes(move.elementBytes);
    to.add_numloops(std::uint32_t(move.loops.size()));
    for (const auto &loop : move.loops) {
      to.add_loopextent(loop.extent);
      to.add_loopfrom(loop.from);
      to.add_loopto(loop.to);
    }
  }
}

void put(proto::View &to, const tensor::View &view) {
  to.set_type(number(view.type));
  fill(*to.mutable_shape(), view.shape);
  for (const auto &piece : view.pieces) {
    to.add_var(piece.var.value);
    to.add_offset(piece.offset);
    to.add_numloops(std::uint32_t(piece.loops.size()));
    for (const auto &range : piece.box) {
      to.add_boxbegin(range.begin);
      to.add_boxextent(range.extent);
    }
    for (const auto &loop : piece.loops) {
      to.add_loopextent(loop.extent);
      to.add_loopstride(loop.stride);
      to.add_loopdim(loop.dim);
    }
  }
  if (view.metadata)
    put(*to.mutable_metadata(), *view.metadata);
}

void put(PartWriter &parts, proto::Phase &to, const Phase &phase) {
  to.set_kind(number(phase.kind));
  to.set_name(phase.name);
  to.set_cycles(phase.cycles);
  to.set_bytesmoved(phase.bytes);
  to.set_messages(phase.messages);
  to.set_vertex(phase.vertex);
  to.set_flops(phase.flops);
  for (const auto &name : phase.otherVertices)
    to.add_othervertices(name);
  to.set_tiles(parts.number(phase.tiles));
}

void put(PartWriter &parts, proto::Step &to, const Step &step) {
  to.set_kind(std::uint32_t(step.kind.index()));
  to.set_name(step.name);
  to.set_debugid(step.debugId);
  const auto fields = fieldsOf(step);
  fill(*to.mutable_parts(), fields.parts);
  fill(*to.mutable_numbers(), fields.numbers);
  if (!fields.moves.empty())
    put(*to.mutable_moves(), fields.moves);
  for (const auto &view : fields.views)
    put(*to.add_views(), view);
  for (const auto &text : fields.texts)
    to.add_texts(text);
  for (const auto &phase : step.cost.phases)
    put(parts, *to.add_phases(), phase);
  to.set_measured(step.cost.measured);
}

void put(PartWriter &parts, proto::Variable &to, const Variable &variable) {
  to.set_name(variable.name);
  to.set_type(number(variable.type));
  to.set_kind(number(variable.kind));
  fill(*to.mutable_shape(), variable.shape);
  to.set_elements(variable.elements);
  to.set_mapping(parts.number(variable.mapping));
  to.set_alwayslive(variable.alwaysLive);
  to.set_arenaoffset(variable.arenaOffset);
}

void put(proto::HostAccess &to, const HostAccess &access) {
  to.set_handle(access.handle);
  to.set_type(number(access.type));
  to.set_elements(access.elements);
  put(*to.mutable_moves(), access.moves);
  put(*to.mutable_view(), access.view);
}

// ---- tables -----------------------------------------------------------------------------------

void putHead(PartWriter &parts, const Image &image) {
  auto &head = *parts.room(1).mutable_head();
  head.set_target(image.target);
  head.set_replicationfactor(image.replicationFactor);
  for (const auto &[key, value] : image.options) {
    auto &entry = *head.add_options();
    entry.set_key(key);
    entry.set_text(value);
  }
  fill(*head.mutable_programs(), image.programs);
  fill(*head.mutable_functions(), image.functions);
  head.set_arenabytes(image.arenaBytes);
  for (const auto &[key, bytes] : image.memory.vertexBytesByType) {
    auto &entry = *head.add_vertexbytesbytype();
    entry.set_key(key);
    entry.set_number(bytes);
  }
  head.set_outofmemory(image.memory.outOfMemory);
  head.set_outofmemorytext(image.memory.outOfMemoryText);
}

void putInitialValues(PartWriter &parts, std::uint32_t variable, const InitialValue &initial) {
  std::size_t done = 0;
  do {
    auto size = std::min(initial.bytes.size() - done, parts.partBytes());
    auto &to = *parts.room(size + 16).add_initialvalues();
    to.set_variable(variable);
    to.set_begin(initial.begin);
    to.set_data(initial.bytes.data() + done, size);
    to.set_continued(done != 0);
    done += size;
  } while (done < initial.bytes.size());
}

void putVariables(PartWriter &parts, const Image &image) {
  for (const auto &variable : image.variables) {
    proto::Variable to;
    put(parts, to, variable);
    *parts.room(to.ByteSizeLong()).add_variables() = std::move(to);
  }
  for (std::size_t i = 0; i < image.variables.size(); ++i)
    for (const auto &initial : image.variables[i].initial)
      putInitialValues(parts, std::uint32_t(i), initial);
}

void putVertices(PartWriter &parts, const Image &image) {
  for (const auto &ref : image.vertexTypes) {
    auto &to = *parts.room(sizeof(ref)).mutable_vertextypes();
    to.add_module(ref.module);
    to.add_type(ref.type);
  }
  Vertex before{};
  for (const auto &vertex : image.vertices) {
    auto &to = *parts.room(sizeof(vertex)).mutable_vertices();
    to.add_type(vertex.type);
    to.add_computeset(delta(vertex.computeSet, before.computeSet));
    to.add_tile(delta(vertex.tile, before.tile));
    to.add_firstslot(delta(vertex.firstSlot, before.firstSlot));
    to.add_cycles(vertex.cycles + 1);
    to.add_flops(vertex.flops);
    before = vertex;
  }
}

void putFields(PartWriter &parts, const Image &image) {
  Slot slotBefore{};
  for (const auto &slot : image.slots) {
    auto &to = *parts.room(sizeof(slot)).mutable_slots();
    to.add_kind(number(slot.kind));
    to.add_first(delta(slot.first, slotBefore.first));
    to.add_count(slot.count);
    slotBefore = slot;
  }
  Edge edgeBefore{};
  for (const auto &edge : image.edges) {
    auto &to = *parts.room(sizeof(edge)).mutable_edges();
    to.add_firstrun(delta(edge.firstRun, edgeBefore.firstRun));
    to.add_numruns(edge.numRuns);
    to.add_elements(edge.elements);
    edgeBefore = edge;
  }
  Run runBefore{};
  for (const auto &run : image.runs) {
    auto &to = *parts.room(sizeof(run)).mutable_runs();
    to.add_var(delta(run.var, runBefore.var));
    to.add_offset(delta(run.offset, runBefore.offset));
    to.add_count(run.count);
    to.add_stride(run.stride);
    runBefore = run;
  }
  for (std::size_t done = 0; done < image.values.size(); done += parts.partBytes()) {
    auto size = std::min(image.values.size() - done, parts.partBytes());
    parts.room(size).mutable_values()->append(image.values, done, size);
  }
}

void putComputeSets(PartWriter &parts, const Image &image) {
  for (const auto &set : image.computeSets) {
    auto &to = *parts.room(set.name.size() + 2 * set.vertices.size() + 8).add_computesets();
    to.set_name(set.name);
    std::uint32_t before = 0;
    for (auto vertex : set.vertices) {
      to.add_vertices(delta(vertex, before));
      before = vertex;
    }
  }
}

void putSteps(PartWriter &parts, const Image &image) {
  for (const auto &step : image.steps) {
    proto::Step to;
    put(parts, to, step);
    *parts.room(to.ByteSizeLong()).add_steps() = std::move(to);
  }
}

void putStreams(PartWriter &parts, const Image &image) {
  for (const auto &stream : image.streams) {
    auto &to = *parts.room(stream.handle.size() + 32).add_streams();
    to.set_handle(stream.handle);
    to.set_type(number(stream.type));
    to.set_elements(stream.elements);
    to.set_todevice(stream.toDevice);
    to.set_broadcast(stream.broadcast);
    to.set_bufferingdepth(stream.bufferingDepth);
  }
  for (const auto &buffer : image.remoteBuffers) {
    auto &to = *parts.room(buffer.handle.size() + 32).add_remotebuffers();
    to.set_handle(buffer.handle);
    to.set_type(number(buffer.type));
    to.set_elements(buffer.elements);
    to.set_repeats(buffer.repeats);
  }
}

void putHostSide(PartWriter &parts, const Image &image) {
  for (const auto &function : image.hostFunctions) {
    auto &to = *parts.room(function.handle.size() + 32).add_hostfunctions();
    to.set_handle(function.handle);
    for (const auto &[type, elements] : function.inputs) {
      to.add_inputtypes(number(type));
      to.add_inputelements(elements);
    }
    for (const auto &[type, elements] : function.outputs) {
      to.add_outputtypes(number(type));
      to.add_outputelements(elements);
    }
  }
  for (const auto &access : image.hostReads) {
    proto::HostAccess to;
    put(to, access);
    *parts.room(to.ByteSizeLong()).add_hostreads() = std::move(to);
  }
  for (const auto &access : image.hostWrites) {
    proto::HostAccess to;
    put(to, access);
    *parts.room(to.ByteSizeLong()).add_hostwrites() = std::move(to);
  }
}

void putMemory(PartWriter &parts, const MemoryReport &memory) {
  for (const auto &tile : memory.tiles) {
    auto &to = *parts.room(sizeof(tile)).mutable_tilememories();
    to.mutable_category()->Add(std::begin(tile.category), std::end(tile.category));
    to.add_alwayslive(tile.alwaysLive);
    to.add_peaknotalwayslive(tile.peakNotAlwaysLive);
    to.add_peakstep(tile.peakStep);
    to.add_gaps(tile.gaps);
  }
  std::uint32_t stepBefore = 0, variableBefore = 0;
  for (const auto &step : memory.steps) {
    auto &to = *parts.room(16).mutable_livenesssteps();
    to.add_step(delta(step.step, stepBefore));
    to.add_notalwayslivebytes(step.notAlwaysLiveBytes);
    stepBefore = step.step;
  }
  for (const auto &span : memory.spans) {
    auto &to = *parts.room(8).mutable_livenesssteps();
    to.add_spanvariable(delta(span.var, variableBefore));
    to.add_spanfirst(span.first);
    to.add_spancount(span.count);
    variableBefore = span.var;
  }
}

} // namespace

std::vector<std::string> encode(const Image &image, std::size_t partBytes) {
  PartWriter parts(partBytes);
  putHead(parts, image);
  putVariables(parts, image);
  for (const auto &module : image.modules) {
    auto bytes = codelet::serialise(*module);
    auto &part = parts.room(bytes.size());
    part.add_modules(std::move(bytes));
  }
  putVertices(parts, image);
  putFields(parts, image);
  putComputeSets(parts, image);
  putSteps(parts, image);
  putStreams(parts, image);
  putHostSide(parts, image);
  putMemory(parts, image.memory);
  return parts.finish();
}

} // namespace poplar::executable
