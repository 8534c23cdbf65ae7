// SPDX-License-Identifier: MIT
// Part messages -> Image. Every number that is narrower in the Image than in the message is checked
// here, and so are columns of one table that differ in length; what the numbers mean is checked by
// validate().
#include "base/Text.hpp"
#include "codelet/Module.hpp"
#include "Executable.pb.h"
#include "executable/Fields.hpp"
#include "executable/SerialiseParts.hpp"
#include "executable/Validate.hpp"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <limits>

namespace poplar::executable {
namespace proto = openipu::file;
namespace {

template <class Number> Number narrow(std::uint64_t value, const char *what) {
  if (value > std::numeric_limits<Number>::max())
    inconsistent(what, " ", value, " is larger than ",
                 std::uint64_t(std::numeric_limits<Number>::max()));
  return static_cast<Number>(value);
}

std::uint32_t index(std::uint32_t before, std::int64_t delta, const char *what) {
  return narrow<std::uint32_t>(before + static_cast<std::uint64_t>(delta), what);
}

template <class Enum> Enum enumerator(std::uint32_t value, Enum last, const char *what) {
  if (value > static_cast<std::uint32_t>(last))
    inconsistent("unknown ", what, " ", value);
  return static_cast<Enum>(value);
}
TypeId typeId(std::uint32_t value) {
  return enumerator(value, TypeId::QuarterMetadata, "element type");
}

template <class... Columns> void sameSize(const char *what, int size, const Columns &...columns) {
  if (!((columns.size() == size) && ...))
    inconsistent("the columns of ", what, " differ in length");
}

template <class T, class Column> std::vector<T> values(const Column &column) {
  return std::vector<T>(column.begin(), column.end());
}

// Hands out a column's entries in order; running past the end is an inconsistency of the file.
class Cursor {
public:
  Cursor(const char *what, std::uint64_t size) : what_(what), size_(size) {}
  int take() {
    if (next_ == size_)
      inconsistent("too few entries for ", what_);
    return int(next_++);
  }
  void finish() const {
    if (next_ != size_)
      inconsistent(size_ - next_, " entries too many for ", what_);
  }

private:
  const char *what_;
  std::uint64_t size_, next_ = 0;
};

// ---- pieces of messages -----------------------------------------------------------------------

std::vector<Move> moves(const proto::Moves &from) {
  int n = from.fromvar_size();
  sameSize("moves", n, from.tovar(), from.fromoffset(), from.tooffset(), from.elementbytes(),
           from.numloops());
  sameSize("move loops", from.loopextent_size(), from.loopfrom(), from.loopto());
  Cursor loops("move loops", from.loopextent_size());
  std::vector<Move> out(n);
  for (int i = 0; i < n; ++i) {
    out[i] = {from.fromvar(i),
              from.tovar(i),
              from.fromoffset(i),
              from.tooffset(i),
              narrow<std::uint8_t>(from.elementbytes(i), "element size of a move"),
              {}};
    for (std::uint32_t k = 0; k < from.numloops(i); ++k) {
      int at = loops.take();
      out[i].loops.push_back({from.loopextent(at), from.loopfrom(at), from.loopto(at)});
    }
  }
  loops.finish();
  return out;
}

tensor::View view(const proto::View &from) {
  tensor::View out;
  out.type = typeId(from.type());
  out.shape = values<std::size_t>(from.shape());
  int n = from.var_size();
  sameSize("view pieces", n, from.offset(), from.numloops());
  sameSize("view boxes", from.boxbegin_size(), from.boxextent());
  sameSize("view loops", from.loopextent_size(), from.loopstride(), from.loopdim());
  Cursor boxes("view boxes", from.boxbegin_size()), loops("view loops", from.loopextent_size());
  out.pieces.resize(n);
  for (int i = 0; i < n; ++i) {
    auto &piece = out.pieces[i];
    piece.var = tensor::VarId(from.var(i));
    piece.offset = from.offset(i);
    for (std::size_t dim = 0; dim < out.shape.size(); ++dim) {
      int at = boxes.take();
      piece.box.push_back({from.boxbegin(at), from.boxextent(at)});
    }
    for (std::uint32_t k = 0; k < from.numloops(i); ++k) {
      int at = loops.take();
      piece.loops.push_back({from.loopextent(at), from.loopstride(at), from.loopdim(at)});
    }
  }
  boxes.finish();
  loops.finish();
  if (from.has_metadata())
    out.metadata = std::make_shared<const tensor::View>(view(from.metadata()));
  return out;
}

template <class T>
const SharedList<T> &listOf(std::uint32_t number, const std::vector<SharedList<T>> &lists,
                            const char *what) {
  static const SharedList<T> nothing;
  if (number > lists.size())
    inconsistent(what, " ", number - 1, " of ", lists.size());
  return number ? lists[number - 1] : nothing;
}

SharedList<MappedRange> mapping(const proto::Mapping &from) {
  sameSize("tile mappings", from.begin_size(), from.length(), from.tile());
  std::vector<MappedRange> out;
  out.reserve(std::size_t(from.begin_size()));
  MappedRange range{0, 0, 0};
  for (int i = 0; i < from.begin_size(); ++i) {
    range.begin = range.end + static_cast<std::uint64_t>(from.begin(i));
    range.end = range.begin + from.length(i);
    range.tile = index(range.tile, from.tile(i), "tile of a mapping");
    out.push_back(range);
  }
  return out;
}

SharedList<TileShare> tileShares(const proto::TileShares &from) {
  const int n = from.tile_size();
  sameSize("tile costs", n, from.cycles(), from.busythreadcycles(), from.bytesin(), from.bytesout(),
           from.count(), from.vertices());
  if (from.codebytes_size() > 0)
    sameSize("tile costs", n, from.codebytes());
  if (from.vertexkind_size() > 0)
    sameSize("tile costs", n, from.vertexkind());
  std::vector<TileShare> out;
  out.reserve(std::size_t(n));
  std::uint32_t tile = 0;
  for (int i = 0; i < n; ++i) {
    tile = index(tile, from.tile(i), "tile of a cost");
    out.push_back({tile, from.cycles(i), from.busythreadcycles(i), from.bytesin(i),
                   from.bytesout(i), from.count(i), from.vertices(i),
                   from.codebytes_size() > 0 ? from.codebytes(i) : 0,
                   from.vertexkind_size() > 0 ? from.vertexkind(i) : 0});
  }
  return out;
}

Phase phase(const proto::Phase &from, const ReadLists &lists) {
  return {enumerator(from.kind(), PhaseKind::Control, "kind of phase"),
          from.name(),
          from.cycles(),
          from.bytesmoved(),
          from.messages(),
          listOf(from.tiles(), lists.tiles, "a phase refers to the costs of tiles"),
          from.vertex(),
          from.flops(),
          0,
          values<std::string>(from.othervertices())};
}

Step stepOf(const proto::Step &from, const ReadLists &lists) {
  Step out;
  out.name = from.name();
  out.debugId = from.debugid();
  Fields fields{values<std::uint32_t>(from.parts()),
                {},
                moves(from.moves()),
                values<std::uint64_t>(from.numbers()),
                values<std::string>(from.texts())};
  for (const auto &item : from.views())
    fields.views.push_back(view(item));
  take(std::move(fields), from.kind(), out);
  for (const auto &item : from.phases())
    out.cost.phases.push_back(phase(item, lists));
  out.cost.measured = from.measured();
  return out;
}

Variable variable(const proto::Variable &from, const ReadLists &lists) {
  Variable out{};
  out.name = from.name();
  out.type = typeId(from.type());
  out.kind = enumerator(from.kind(), VariableKind::ReplicationIndex, "kind of variable");
  out.shape = values<std::size_t>(from.shape());
  out.elements = from.elements();
  out.mapping = listOf(from.mapping(), lists.mappings, "a variable refers to mapping");
  out.alwaysLive = from.alwayslive();
  out.arenaOffset = from.arenaoffset();
  return out;
}

HostAccess hostAccess(const proto::HostAccess &from) {
  return {from.handle(), typeId(from.type()), from.elements(), moves(from.moves()),
          view(from.view())};
}

template <class Types, class Elements>
std::vector<std::pair<TypeId, std::uint64_t>> arguments(const Types &types,
                                                        const Elements &elements) {
  sameSize("host function arguments", types.size(), elements);
  std::vector<std::pair<TypeId, std::uint64_t>> out;
  for (int i = 0; i < types.size(); ++i)
    out.emplace_back(typeId(types.Get(i)), elements.Get(i));
  return out;
}

// ---- tables -----------------------------------------------------------------------------------

void takeHead(const proto::Head &from, Image &image) {
  image.target = from.target();
  image.replicationFactor = from.replicationfactor();
  for (const auto &entry : from.options())
    image.options[entry.key()] = entry.text();
  image.programs = values<std::uint32_t>(from.programs());
  image.functions = values<std::uint32_t>(from.functions());
  image.arenaBytes = from.arenabytes();
  for (const auto &entry : from.vertexbytesbytype())
    image.memory.vertexBytesByType[entry.key()] = entry.number();
  image.memory.outOfMemory = from.outofmemory();
  image.memory.outOfMemoryText = from.outofmemorytext();
}

void takeLists(const proto::Part &from, ReadLists &lists) {
  for (const auto &item : from.mappings())
    lists.mappings.push_back(mapping(item));
  for (const auto &item : from.tileshares())
    lists.tiles.push_back(tileShares(item));
}

void takeVariables(const proto::Part &from, Image &image, const ReadLists &lists) {
  for (const auto &item : from.variables())
    image.variables.push_back(variable(item, lists));
  for (const auto &item : from.initialvalues()) {
    if (item.variable() >= image.variables.size())
      inconsistent("initial values of variable ", item.variable(), " of ", image.variables.size());
    auto &initial = image.variables[item.variable()].initial;
    if (!item.continued())
      initial.push_back({item.begin(), item.data()});
    else if (initial.empty())
      inconsistent("initial values of variable ", item.variable(), " begin in the middle");
    else
      initial.back().bytes += item.data();
  }
}

void takeModules(const proto::Part &from, Image &image) {
  for (const auto &bytes : from.modules())
    try {
      image.modules.push_back(std::make_shared<const codelet::Module>(codelet::parseModule(bytes)));
    } catch (const std::runtime_error &error) {
      inconsistent("codelet module ", image.modules.size(), ": ", error.what());
    }
}

void takeVertices(const proto::Part &part, Image &image) {
  const auto &types = part.vertextypes();
  sameSize("vertex types", types.module_size(), types.type());
  for (int i = 0; i < types.module_size(); ++i)
    image.vertexTypes.push_back({types.module(i), types.type(i)});
  const auto &from = part.vertices();
  int n = from.type_size();
  sameSize("vertices", n, from.computeset(), from.tile(), from.firstslot(), from.cycles(),
           from.flops());
  auto row = image.vertices.empty() ? Vertex{} : image.vertices.back();
  for (int i = 0; i < n; ++i) {
    row = {from.type(i),
           index(row.computeSet, from.computeset(i), "compute set of a vertex"),
           index(row.tile, from.tile(i), "tile of a vertex"),
           index(row.firstSlot, from.firstslot(i), "first slot of a vertex"),
           from.cycles(i) - 1,
           from.flops(i)};
    image.vertices.push_back(row);
  }
}

void takeSlots(const proto::Slots &from, Image &image) {
  sameSize("slots", from.kind_size(), from.first(), from.count());
  auto row = image.slots.empty() ? Slot{} : image.slots.back();
  for (int i = 0; i < from.kind_size(); ++i) {
    row = {enumerator(from.kind(i), SlotKind::Edges, "kind of slot"),
           index(row.first, from.first(i), "start of a slot"), from.count(i)};
    image.slots.push_back(row);
  }
}

void takeEdges(const proto::Edges &from, Image &image) {
  sameSize("edges", from.firstrun_size(), from.numruns(), from.elements());
  auto row = image.edges.empty() ? Edge{} : image.edges.back();
  for (int i = 0; i < from.firstrun_size(); ++i) {
    row = {index(row.firstRun, from.firstrun(i), "first run of an edge"), from.numruns(i),
           from.elements(i)};
    image.edges.push_back(row);
  }
}

void takeRuns(const proto::Runs &from, Image &image) {
  sameSize("runs", from.var_size(), from.offset(), from.count(), from.stride());
  auto row = image.runs.empty() ? Run{} : image.runs.back();
  for (int i = 0; i < from.var_size(); ++i) {
    auto offset =
        static_cast<std::uint64_t>(row.offset) + static_cast<std::uint64_t>(from.offset(i));
    row = {index(row.var, from.var(i), "variable of a run"), static_cast<std::int64_t>(offset),
           from.count(i), from.stride(i)};
    image.runs.push_back(row);
  }
}

void takeComputeSets(const proto::Part &from, Image &image) {
  for (const auto &item : from.computesets()) {
    auto &set = image.computeSets.emplace_back();
    set.name = item.name();
    set.vertices.reserve(item.vertices_size());
    std::uint32_t vertex = 0;
    for (auto delta : item.vertices())
      set.vertices.push_back(vertex = index(vertex, delta, "vertex of a compute set"));
  }
}

void takeHostSide(const proto::Part &from, Image &image) {
  for (const auto &item : from.streams())
    image.streams.push_back({item.handle(), typeId(item.type()), item.elements(), item.todevice(),
                             item.broadcast(), item.bufferingdepth()});
  for (const auto &item : from.remotebuffers())
    image.remoteBuffers.push_back(
        {item.handle(), typeId(item.type()), item.elements(), item.repeats()});
  for (const auto &item : from.hostfunctions())
    image.hostFunctions.push_back({item.handle(),
                                   arguments(item.inputtypes(), item.inputelements()),
                                   arguments(item.outputtypes(), item.outputelements())});
  for (const auto &item : from.hostreads())
    image.hostReads.push_back(hostAccess(item));
  for (const auto &item : from.hostwrites())
    image.hostWrites.push_back(hostAccess(item));
}

void takeTileMemories(const proto::TileMemories &from, MemoryReport &memory) {
  int n = from.alwayslive_size();
  sameSize("tile memory", n, from.peaknotalwayslive(), from.peakstep(), from.gaps());
  if (from.category_size() % int(numMemoryCategories) != 0 ||
      from.category_size() / int(numMemoryCategories) != n)
    inconsistent("the columns of tile memory differ in length");
  for (int i = 0; i < n; ++i) {
    auto &tile = memory.tiles.emplace_back();
    for (unsigned c = 0; c < numMemoryCategories; ++c)
      tile.category[c] = from.category(i * int(numMemoryCategories) + int(c));
    tile.alwaysLive = from.alwayslive(i);
    tile.peakNotAlwaysLive = from.peaknotalwayslive(i);
    tile.peakStep = from.peakstep(i);
    tile.gaps = from.gaps(i);
  }
}

void takeLiveness(const proto::LivenessSteps &from, MemoryReport &memory) {
  sameSize("liveness", from.step_size(), from.notalwayslivebytes());
  std::uint32_t step = memory.steps.empty() ? 0 : memory.steps.back().step;
  for (int i = 0; i < from.step_size(); ++i) {
    step = index(step, from.step(i), "step of the liveness");
    memory.steps.push_back({step, from.notalwayslivebytes(i)});
  }
  sameSize("spans of liveness", from.spanvariable_size(), from.spanfirst(), from.spancount());
  std::uint32_t variable = memory.spans.empty() ? 0 : memory.spans.back().var;
  for (int i = 0; i < from.spanvariable_size(); ++i) {
    variable = index(variable, from.spanvariable(i), "live variable");
    memory.spans.push_back({variable, from.spanfirst(i), from.spancount(i)});
  }
}

} // namespace

void decode(std::string_view bytes, Image &image, ReadLists &lists) {
  google::protobuf::io::ArrayInputStream array(
      bytes.data(), narrow<std::int32_t>(bytes.size(), "size of a part"));
  google::protobuf::io::CodedInputStream input(&array);
  input.SetTotalBytesLimit(std::numeric_limits<int>::max());
  proto::Part part;
  if (!part.ParseFromCodedStream(&input) || !input.ConsumedEntireMessage())
    inconsistent("a part of ", bytes.size(), " bytes is not a message of this format");
  if (part.has_head())
    takeHead(part.head(), image);
  takeLists(part, lists);
  takeVariables(part, image, lists);
  takeModules(part, image);
  takeVertices(part, image);
  takeSlots(part.slots(), image);
  takeEdges(part.edges(), image);
  takeRuns(part.runs(), image);
  image.values += part.values();
  takeComputeSets(part, image);
  for (const auto &item : part.steps())
    image.steps.push_back(stepOf(item, lists));
  takeHostSide(part, image);
  takeTileMemories(part.tilememories(), image.memory);
  takeLiveness(part.livenesssteps(), image.memory);
}

} // namespace poplar::executable
