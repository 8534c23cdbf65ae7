// SPDX-License-Identifier: MIT
#include "backend/cpu/VertexPlan.hpp"
#include "base/Arithmetic.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cstring>

namespace poplar::backend::cpu {
namespace {

using codelet::Field;
using codelet::FieldDirection;
using codelet::FieldShape;
using executable::SlotKind;

constexpr std::uint64_t scratchGap = 16; // codelets touch a little beyond the end of their vectors
constexpr std::uint64_t fence = 64;      // bytes that nobody may touch, in checked mode

bool isNested(const Field &field) {
  return field.shape == FieldShape::VectorOfVectors || field.shape == FieldShape::VectorList;
}

// What the codelet asked for. The tiles give every vector eight bytes, and codelets cast to pairs
// of floats on the strength of that; the host loads such pairs from any address (VectorTypes.hpp),
// so data stay where they are.
std::uint64_t alignOf(const Field &field) {
  return std::max<std::uint64_t>(sizeOf(field.type), field.minAlign);
}

// Bytes that one vertex takes: its own, then the tables and values that its fields point to.
class Sizes {
public:
  Sizes(const executable::Image &image, const codelet::VertexType &type)
      : image_(image), type_(type) {}
  std::uint64_t of(const executable::Vertex &vertex) const {
    auto bytes = base::roundUp(type_.hostSize, 16);
    for (std::size_t f = 0; f < type_.fields.size(); ++f) {
      const auto &field = type_.fields[f];
      const auto &slot = image_.slots[vertex.firstSlot + f];
      if (isNested(field))
        bytes += base::roundUp(std::uint64_t(slot.count) * field.hostInnerStride, 16);
      else if (slot.kind == SlotKind::Value && field.shape == FieldShape::Vector)
        bytes += base::roundUp(slot.count * sizeOf(field.type) + scratchGap, 16);
    }
    return bytes;
  }

private:
  const executable::Image &image_;
  const codelet::VertexType &type_;
};

} // namespace

VertexPlan::VertexPlan(const executable::Image &image, std::uint32_t computeSet,
                       const Modules &modules, bool checked)
    : image_(&image), computeSet_(computeSet), modules_(modules), checked_(checked) {
  group();
  measure();
  gather_ = MoveList(in_, SameMemory::No);
  scatter_ = MoveList(out_, SameMemory::No);
  in_ = {};
  out_ = {};
}

std::uint64_t VertexPlan::storageBytes() const {
  return base::roundUp(storageBytes_, 64) + (checked_ ? checks_ * sizeof(codelet::FieldCheck) : 0);
}

void VertexPlan::group() {
  const auto &vertices = image_->computeSets[computeSet_].vertices;
  position_.resize(vertices.size());
  for (std::uint32_t i = 0; i < vertices.size(); ++i)
    position_[i] = i;
  auto typeOf = [&](std::uint32_t i) { return image_->vertices[vertices[i]].type; };
  std::stable_sort(position_.begin(), position_.end(),
                   [&](auto a, auto b) { return typeOf(a) < typeOf(b); });
  for (std::uint32_t i = 0; i < position_.size(); ++i) {
    order_.push_back(vertices[position_[i]]);
    const auto ref = image_->vertexTypes[typeOf(position_[i])];
    if (i == 0 || typeOf(position_[i]) != typeOf(position_[i - 1]))
      batches_.push_back({ref.module, ref.type, i, 0});
    ++batches_.back().count;
  }
}

void VertexPlan::measure() {
  if (checked_)
    shared_ = findShared();
  for (const auto &batch : batches_) {
    const auto &type = modules_[batch.module]->types[batch.type];
    Sizes sizes(*image_, type);
    for (auto i = batch.first; i < batch.first + batch.count; ++i) {
      const auto &vertex = image_->vertices[order_[i]];
      storageBytes_ = base::roundUp(storageBytes_, std::max<std::uint64_t>(16, type.hostAlign)) +
                      sizes.of(vertex);
      firstCheck_.push_back(checks_);
      checks_ += isChecked(batch.module);
      planVertex(vertex, type, isChecked(batch.module));
    }
  }
  firstCheck_.push_back(checks_);
}

namespace {

// Bytes from the first to behind the last of an edge, which may leave some between them alone.
struct Box {
  std::int64_t begin, end;
  bool isWritten;
  std::size_t edge;
};

Box boxOf(const executable::Image &image, const Field &field, const executable::Edge &edge,
          std::size_t index) {
  Box box{INT64_MAX, INT64_MIN, field.direction != FieldDirection::Input, index};
  const auto size = std::int64_t(sizeOf(field.type));
  for (auto r = edge.firstRun; r < edge.firstRun + edge.numRuns; ++r) {
    const auto &run = image.runs[r];
    const auto first = std::int64_t(image.variables[run.var].arenaOffset) + run.offset * size;
    const auto last = first + (std::int64_t(run.count) - 1) * run.stride * size;
    box.begin = std::min({box.begin, first, last});
    box.end = std::max({box.end, first + size, last + size});
  }
  return box;
}

// Which edges of one vertex may have a copy of their own: those that share no byte with another
// edge, where one of the two is written to.
std::vector<bool> separable(std::vector<Box> boxes) {
  std::vector<bool> result(boxes.size(), true);
  std::sort(boxes.begin(), boxes.end(), [](auto &a, auto &b) { return a.begin < b.begin; });
  for (std::size_t i = 0; i < boxes.size();) {
    auto end = boxes[i].end;
    bool written = boxes[i].isWritten;
    auto next = i + 1;
    for (; next < boxes.size() && boxes[next].begin < end; ++next) {
      end = std::max(end, boxes[next].end);
      written = written || boxes[next].isWritten;
    }
    if (written && next > i + 1)
      for (auto k = i; k < next; ++k)
        result[boxes[k].edge] = false;
    i = next;
  }
  return result;
}

// Edges in place that vertices of one compute set share (debug.allowOverlappingInOut): each sees
// what the others write.
std::vector<std::uint32_t> sharedEdges(std::vector<Box> boxes) {
  std::vector<std::uint32_t> shared;
  std::sort(boxes.begin(), boxes.end(), [](auto &a, auto &b) { return a.begin < b.begin; });
  for (std::size_t i = 0, farthest = 0; i < boxes.size(); ++i) {
    if (i > 0 && boxes[i].begin < boxes[farthest].end)
      shared.insert(shared.end(),
                    {std::uint32_t(boxes[i].edge), std::uint32_t(boxes[farthest].edge)});
    if (boxes[i].end > boxes[farthest].end)
      farthest = i;
  }
  std::sort(shared.begin(), shared.end());
  return shared;
}

} // namespace

std::vector<std::uint32_t> VertexPlan::findShared() const {
  std::vector<Box> boxes;
  for (const auto &batch : batches_) {
    const auto &type = modules_[batch.module]->types[batch.type];
    for (auto i = batch.first; i < batch.first + batch.count; ++i)
      for (std::size_t f = 0; f < type.fields.size(); ++f) {
        const auto &slot = image_->slots[image_->vertices[order_[i]].firstSlot + f];
        if (slot.kind != SlotKind::Edges || type.fields[f].direction == FieldDirection::Input)
          continue;
        for (auto e = slot.first; e < slot.first + slot.count; ++e)
          if (const auto &edge = image_->edges[e]; edge.numRuns == 1 && edge.elements > 0)
            boxes.push_back(boxOf(*image_, type.fields[f], edge, e));
      }
  }
  return sharedEdges(std::move(boxes));
}

void VertexPlan::planVertex(const executable::Vertex &vertex, const codelet::VertexType &type,
                            bool checked) {
  auto forEdges = [&](auto work) {
    for (std::size_t f = 0; f < type.fields.size(); ++f) {
      const auto &slot = image_->slots[vertex.firstSlot + f];
      if (slot.kind == SlotKind::Edges)
        for (std::uint32_t e = 0; e < slot.count; ++e)
          work(type.fields[f], image_->edges[slot.first + e]);
    }
  };
  std::vector<bool> fenced;
  if (checked) {
    std::vector<Box> boxes;
    forEdges([&](const Field &field, const executable::Edge &edge) {
      boxes.push_back(boxOf(*image_, field, edge, boxes.size()));
    });
    fenced = separable(std::move(boxes));
    std::size_t next = 0;
    forEdges([&](const Field &, const executable::Edge &edge) {
      const auto number = std::uint32_t(&edge - image_->edges.data());
      if (std::binary_search(shared_.begin(), shared_.end(), number))
        fenced[next] = false;
      ++next;
    });
    for (std::size_t f = 0; f < type.fields.size(); ++f)
      checks_ += isNested(type.fields[f]) ? 1 + image_->slots[vertex.firstSlot + f].count : 1;
  }
  std::size_t index = 0;
  forEdges([&](const Field &field, const executable::Edge &edge) {
    planEdge(field, edge, checked && fenced[index++]);
    if (checked_ && !checked && field.direction != FieldDirection::Input)
      unchecked_.push_back({edgeOffsets_.back(), edge.elements * sizeOf(field.type)});
  });
}

void VertexPlan::planEdge(const Field &field, const executable::Edge &edge, bool fenced) {
  if (checked_)
    edgeFenced_.push_back(fenced);
  const auto size = std::int64_t(sizeOf(field.type));
  auto place = [&](const executable::Run &run) {
    return std::int64_t(image_->variables[run.var].arenaOffset) + run.offset * size;
  };
  const auto *runs = image_->runs.data() + edge.firstRun;
  const auto align = std::int64_t(alignOf(field));
  if (edge.elements == 0 && !fenced)
    return edgeOffsets_.push_back(0);
  bool direct = !fenced && edge.numRuns == 1 && (runs->stride == 1 || runs->count == 1) &&
                place(*runs) % align == 0;
  if (direct)
    return edgeOffsets_.push_back(place(*runs));
  scratchBytes_ = base::roundUp(scratchBytes_, std::max<std::uint64_t>(align, 16));
  auto at = std::int64_t(scratchStart(*image_)) + std::int64_t(scratchBytes_);
  edgeOffsets_.push_back(at);
  scratchBytes_ += edge.elements * size + (fenced ? fence : scratchGap);
  for (std::uint32_t r = 0; r < edge.numRuns; ++r) {
    const auto &run = runs[r];
    in_.push_back({place(run), at, std::uint64_t(size), {{run.count, run.stride * size, size}}});
    if (field.direction != FieldDirection::Input)
      out_.push_back({at, place(run), std::uint64_t(size), {{run.count, size, run.stride * size}}});
    at += std::int64_t(run.count) * size;
  }
}

// ---- writing ----

class VertexWriter {
public:
  VertexWriter(const VertexPlan &plan, std::byte *storage, Arena &arena)
      : plan_(plan), image_(*plan.image_), arena_(arena), next_(storage) {
    checks_ =
        reinterpret_cast<codelet::FieldCheck *>(storage + base::roundUp(plan.storageBytes_, 64));
  }

  void *write(std::size_t index, const codelet::VertexType &type, bool checked) {
    const auto id = plan_.order_[index];
    checked_ = checked;
    check_ = checks_ + plan_.firstCheck_[index];
    const auto &vertex = image_.vertices[id];
    auto at = reinterpret_cast<std::uintptr_t>(next_);
    next_ += base::roundUp(at, std::max<std::uint64_t>(16, type.hostAlign)) - at;
    auto *object = next_;
    next_ += base::roundUp(type.hostSize, 16);
    if (checked_)
      *check_++ = {
          type.name.c_str(), nullptr, id,   nullptr, 1, codelet::FieldCheck::noOuter, object,
          type.hostSize,     true,    false};
    for (std::size_t f = 0; f < type.fields.size(); ++f)
      writeField(object + type.fields[f].hostOffset, type, type.fields[f],
                 image_.slots[vertex.firstSlot + f], id);
    return object;
  }

private:
  void writeField(std::byte *to, const codelet::VertexType &type, const Field &field,
                  const executable::Slot &slot, std::uint32_t vertex) {
    const auto *values = image_.values.data() + slot.first;
    if (slot.kind == SlotKind::Value && field.shape == FieldShape::Scalar) {
      std::memcpy(to, values, sizeOf(field.type));
    } else if (isNested(field)) {
      auto *inner = take(std::uint64_t(slot.count) * field.hostInnerStride);
      for (std::uint32_t i = 0; i < slot.count; ++i)
        writeEdge(inner + std::uint64_t(i) * field.hostInnerStride, type, field, slot, i, vertex,
                  i);
      writeRecord(to, field, inner, slot.count,
                  check(type, field, vertex, codelet::FieldCheck::noOuter,
                        {inner, std::uint64_t(slot.count) * field.hostInnerStride},
                        field.hostInnerStride),
                  false);
    } else if (slot.kind == SlotKind::Edges) {
      writeEdge(to, type, field, slot, 0, vertex, codelet::FieldCheck::noOuter);
    } else if (field.shape == FieldShape::Vector) { // a plain vector, or an unset one
      auto bytes = slot.kind == SlotKind::Value ? slot.count * sizeOf(field.type) : 0;
      auto *data = bytes ? take(bytes + scratchGap) : arena_.data();
      std::memcpy(data, values, bytes);
      writeRecord(to, field, data, bytes / sizeOf(field.type),
                  check(type, field, vertex, codelet::FieldCheck::noOuter, {data, bytes},
                        std::uint32_t(sizeOf(field.type)), nullptr, true, bytes != 0),
                  false);
    }
  }

  void writeEdge(std::byte *to, const codelet::VertexType &type, const Field &field,
                 const executable::Slot &slot, std::uint32_t index, std::uint32_t vertex,
                 std::uint32_t outer) {
    const auto &edge = image_.edges[slot.first + index];
    const bool fenced = checked_ && plan_.edgeFenced_[edge_];
    auto offset = plan_.edgeOffsets_[edge_++];
    auto *shadow =
        arena_.shadow() ? reinterpret_cast<std::uint8_t *>(arena_.shadow() + offset) : nullptr;
    const auto size = std::uint32_t(sizeOf(field.type));
    writeRecord(to, field, arena_.data() + offset, edge.elements,
                check(type, field, vertex, outer, {arena_.data() + offset, edge.elements * size},
                      size, shadow, field.direction != FieldDirection::Input, fenced),
                true);
  }

  // The record kinds of Module.hpp, member after member.
  void writeRecord(std::byte *to, const Field &field, void *data, std::uint64_t size,
                   const codelet::FieldCheck *check, bool isData) {
    auto put = [&](const auto &value) {
      std::memcpy(to, &value, sizeof value);
      to += sizeof value;
    };
    put(data);
    if (field.shape != FieldShape::Scalar)
      put(size);
    if (field.type == TypeId::Quarter && isData)
      put(metadata_);
    if (checked_)
      put(check);
  }

  const codelet::FieldCheck *check(const codelet::VertexType &type, const Field &field,
                                   std::uint32_t vertex, std::uint32_t outer,
                                   std::span<const std::byte> data, std::uint32_t elementBytes,
                                   std::uint8_t *shadow = nullptr, bool writable = false,
                                   bool watched = false) {
    if (!checked_)
      return nullptr;
    *check_ = {type.name.c_str(), field.name.c_str(), vertex,   shadow, elementBytes, outer,
               data.data(),       data.size(),        writable, watched};
    return check_++;
  }

  std::byte *take(std::uint64_t bytes) {
    auto *p = next_;
    next_ += base::roundUp(bytes, 16);
    return p;
  }

  static constexpr std::uint8_t plainMetadata = 0; // F143, scale 0
  const std::uint8_t *metadata_ = &plainMetadata;
  const VertexPlan &plan_;
  const executable::Image &image_;
  Arena &arena_;
  std::byte *next_;
  std::size_t edge_ = 0;
  codelet::FieldCheck *checks_, *check_ = nullptr;
  bool checked_ = false; // the vertex that is written
};

void VertexPlan::build(std::byte *storage, Arena &arena, std::vector<void *> &vertices) const {
  std::memset(storage, 0, storageBytes());
  vertices.resize(order_.size());
  VertexWriter writer(*this, storage, arena);
  for (const auto &batch : batches_)
    for (auto i = batch.first; i < batch.first + batch.count; ++i)
      vertices[i] =
          writer.write(i, modules_[batch.module]->types[batch.type], isChecked(batch.module));
}

std::span<const codelet::FieldCheck> VertexPlan::operands(const std::byte *storage,
                                                          std::size_t i) const {
  const auto *checks =
      reinterpret_cast<const codelet::FieldCheck *>(storage + base::roundUp(storageBytes_, 64));
  return {checks + firstCheck_[i], checks + firstCheck_[i + 1]};
}

void VertexPlan::markUnchecked(Arena &arena) const {
  for (const auto &range : unchecked_)
    std::memset(arena.shadow() + range.offset, 1, range.bytes);
}

} // namespace poplar::backend::cpu
