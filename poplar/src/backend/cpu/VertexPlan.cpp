// SPDX-License-Identifier: MIT
#include "backend/cpu/VertexPlan.hpp"
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

std::uint64_t alignUp(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

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
    auto bytes = alignUp(type_.hostSize, 16);
    for (std::size_t f = 0; f < type_.fields.size(); ++f) {
      const auto &field = type_.fields[f];
      const auto &slot = image_.slots[vertex.firstSlot + f];
      if (isNested(field))
        bytes += alignUp(std::uint64_t(slot.count) * field.hostInnerStride, 16);
      else if (slot.kind == SlotKind::Value && field.shape == FieldShape::Vector)
        bytes += alignUp(slot.count * sizeOf(field.type) + scratchGap, 16);
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
  return alignUp(storageBytes_, 64) + (checked_ ? checks_ * sizeof(codelet::FieldCheck) : 0);
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
  for (const auto &batch : batches_) {
    const auto &type = modules_[batch.module]->types[batch.type];
    Sizes sizes(*image_, type);
    for (auto i = batch.first; i < batch.first + batch.count; ++i) {
      const auto &vertex = image_->vertices[order_[i]];
      storageBytes_ =
          alignUp(storageBytes_, std::max<std::uint64_t>(16, type.hostAlign)) + sizes.of(vertex);
      for (std::size_t f = 0; f < type.fields.size(); ++f) {
        const auto &slot = image_->slots[vertex.firstSlot + f];
        checks_ += 1 + slot.count;
        if (slot.kind == SlotKind::Edges)
          for (std::uint32_t e = 0; e < slot.count; ++e)
            planEdge(type.fields[f], image_->edges[slot.first + e]);
      }
    }
  }
}

void VertexPlan::planEdge(const Field &field, const executable::Edge &edge) {
  const auto size = std::int64_t(sizeOf(field.type));
  auto place = [&](const executable::Run &run) {
    return std::int64_t(image_->variables[run.var].arenaOffset) + run.offset * size;
  };
  const auto *runs = image_->runs.data() + edge.firstRun;
  const auto align = std::int64_t(alignOf(field));
  if (edge.elements == 0)
    return edgeOffsets_.push_back(0);
  bool direct =
      edge.numRuns == 1 && (runs->stride == 1 || runs->count == 1) && place(*runs) % align == 0;
  if (direct)
    return edgeOffsets_.push_back(place(*runs));
  scratchBytes_ = alignUp(scratchBytes_, std::max<std::uint64_t>(align, 16));
  auto at = std::int64_t(scratchStart(*image_)) + std::int64_t(scratchBytes_);
  edgeOffsets_.push_back(at);
  scratchBytes_ += edge.elements * size + scratchGap;
  for (std::uint32_t r = 0; r < edge.numRuns; ++r) {
    const auto &run = runs[r];
    in_.push_back({place(run), at, std::uint64_t(size), {{run.count, run.stride * size, size}}});
    if (field.direction != FieldDirection::Input)
      out_.push_back({at, place(run), std::uint64_t(size), {{run.count, size, run.stride * size}}});
    at += std::int64_t(run.count) * size;
  }
}

// ---- writing
// ----------------------------------------------------------------------------------------------------

class VertexWriter {
public:
  VertexWriter(const VertexPlan &plan, std::byte *storage, Arena &arena)
      : plan_(plan), image_(*plan.image_), arena_(arena), next_(storage) {
    if (plan.checked_)
      check_ = reinterpret_cast<codelet::FieldCheck *>(storage + alignUp(plan.storageBytes_, 64));
  }

  void *write(std::uint32_t id, const codelet::VertexType &type) {
    const auto &vertex = image_.vertices[id];
    auto at = reinterpret_cast<std::uintptr_t>(next_);
    next_ += alignUp(at, std::max<std::uint64_t>(16, type.hostAlign)) - at;
    auto *object = next_;
    next_ += alignUp(type.hostSize, 16);
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
                  check(type, field, vertex, nullptr, codelet::FieldCheck::noOuter), false);
    } else if (slot.kind == SlotKind::Edges) {
      writeEdge(to, type, field, slot, 0, vertex, codelet::FieldCheck::noOuter);
    } else if (field.shape == FieldShape::Vector) { // a plain vector, or an unset one
      auto bytes = slot.kind == SlotKind::Value ? slot.count * sizeOf(field.type) : 0;
      auto *data = bytes ? take(bytes + scratchGap) : arena_.data();
      std::memcpy(data, values, bytes);
      writeRecord(to, field, data, bytes / sizeOf(field.type),
                  check(type, field, vertex, nullptr, codelet::FieldCheck::noOuter), false);
    }
  }

  void writeEdge(std::byte *to, const codelet::VertexType &type, const Field &field,
                 const executable::Slot &slot, std::uint32_t index, std::uint32_t vertex,
                 std::uint32_t outer) {
    const auto &edge = image_.edges[slot.first + index];
    auto offset = plan_.edgeOffsets_[edge_++];
    auto *shadow =
        arena_.shadow() ? reinterpret_cast<std::uint8_t *>(arena_.shadow() + offset) : nullptr;
    writeRecord(to, field, arena_.data() + offset, edge.elements,
                check(type, field, vertex, shadow, outer), true);
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
    if (plan_.checked_)
      put(check);
  }

  const codelet::FieldCheck *check(const codelet::VertexType &type, const Field &field,
                                   std::uint32_t vertex, std::uint8_t *shadow,
                                   std::uint32_t outer) {
    if (!plan_.checked_)
      return nullptr;
    *check_ = {type.name.c_str(),
               field.name.c_str(),
               vertex,
               shadow,
               std::uint32_t(sizeOf(field.type)),
               outer};
    return check_++;
  }

  std::byte *take(std::uint64_t bytes) {
    auto *p = next_;
    next_ += alignUp(bytes, 16);
    return p;
  }

  static constexpr std::uint8_t plainMetadata = 0; // F143, scale 0
  const std::uint8_t *metadata_ = &plainMetadata;
  const VertexPlan &plan_;
  const executable::Image &image_;
  Arena &arena_;
  std::byte *next_;
  std::size_t edge_ = 0;
  codelet::FieldCheck *check_ = nullptr;
};

void VertexPlan::build(std::byte *storage, Arena &arena, std::vector<void *> &vertices) const {
  std::memset(storage, 0, storageBytes());
  vertices.resize(order_.size());
  VertexWriter writer(*this, storage, arena);
  for (const auto &batch : batches_)
    for (auto i = batch.first; i < batch.first + batch.count; ++i)
      vertices[i] = writer.write(order_[i], modules_[batch.module]->types[batch.type]);
}

} // namespace poplar::backend::cpu
