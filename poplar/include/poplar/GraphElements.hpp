// SPDX-License-Identifier: MIT
// Small handles onto parts of a graph: compute sets, functions, vertices and their fields.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <poplar/StringRef.hpp>

namespace poplar {

namespace openipu {
struct Access;
struct GraphTag;

// A part of a graph by its number, and the graph's number: 0 if the handle was made from a plain
// number.
class Part {
public:
  constexpr unsigned getId() const { return id_; }

protected:
  constexpr explicit Part(unsigned id = 0xffffffffu, std::uint64_t graph = 0)
      : id_(id), graph_(graph) {}

private:
  friend struct Access;
  unsigned id_;
  std::uint64_t graph_;
};
} // namespace openipu

using vertex_id = std::uint64_t; // the number of a vertex in its graph

// A set of vertices that run at the same time: Graph::addComputeSet makes it, Execute runs it.
class ComputeSet : public openipu::Part {
public:
  constexpr ComputeSet() = default;
  constexpr explicit ComputeSet(unsigned id) : Part(id) {}
  friend constexpr bool operator==(ComputeSet a, ComputeSet b) { return a.getId() == b.getId(); }
  friend constexpr bool operator!=(ComputeSet a, ComputeSet b) { return !(a == b); }

private:
  friend struct openipu::Access;
  constexpr ComputeSet(unsigned id, std::uint64_t graph) : Part(id, graph) {}
};

// A program whose code stands once: Graph::addFunction makes it, Call runs it.
class Function : public openipu::Part {
public:
  constexpr Function() = default;
  constexpr explicit Function(unsigned id) : Part(id) {}
  friend constexpr bool operator==(Function a, Function b) { return a.getId() == b.getId(); }
  friend constexpr bool operator!=(Function a, Function b) { return !(a == b); }
  friend constexpr bool operator<(Function a, Function b) { return a.getId() < b.getId(); }

private:
  friend struct openipu::Access;
  constexpr Function(unsigned id, std::uint64_t graph) : Part(id, graph) {}
};

// A function whose code is kept off the tiles until it is copied in.
class FunctionBuffer : public openipu::Part {
public:
  constexpr FunctionBuffer() = default;
  constexpr explicit FunctionBuffer(unsigned id) : Part(id) {}
  friend constexpr bool operator==(FunctionBuffer a, FunctionBuffer b) {
    return a.getId() == b.getId();
  }
  friend constexpr bool operator!=(FunctionBuffer a, FunctionBuffer b) { return !(a == b); }

private:
  friend struct openipu::Access;
  constexpr FunctionBuffer(unsigned id, std::uint64_t graph) : Part(id, graph) {}
};

// A function that runs on the host, called from the device program.
class HostFunction : public openipu::Part {
public:
  constexpr HostFunction() = default;
  constexpr explicit HostFunction(unsigned id) : Part(id) {}
  friend constexpr bool operator==(HostFunction a, HostFunction b) {
    return a.getId() == b.getId();
  }
  friend constexpr bool operator!=(HostFunction a, HostFunction b) { return !(a == b); }

private:
  friend struct openipu::Access;
  constexpr HostFunction(unsigned id, std::uint64_t graph) : Part(id, graph) {}
};

struct FieldRef;

// A vertex of a graph; `vertex["field"]` is a field of it.
class VertexRef {
public:
  VertexRef() : id_(0) {}
  // Throws unknown_field, with near matches, if the vertex has no such field.
  FieldRef operator[](StringRef fieldName) const;
  vertex_id getId() const { return id_; } // its number in the graph
  friend bool operator==(const VertexRef &a, const VertexRef &b) {
    return a.graph_ == b.graph_ && a.id_ == b.id_;
  }
  friend bool operator!=(const VertexRef &a, const VertexRef &b) { return !(a == b); }

private:
  friend struct openipu::Access;
  VertexRef(std::shared_ptr<const openipu::GraphTag> graph, vertex_id id)
      : graph_(std::move(graph)), id_(id) {}
  std::shared_ptr<const openipu::GraphTag> graph_;
  vertex_id id_;
};

// A field of a vertex, or one inner vector of it.
struct FieldRef {
  VertexRef vertex;      // the vertex it belongs to
  unsigned fieldId = 0;  // its position among the fields of the codelet
  std::size_t index = 0; // of the inner vector, if `indexed`
  bool indexed = false;  // whether it is one inner vector

  FieldRef() = default;
  FieldRef(const VertexRef &v, unsigned field) : vertex(v), fieldId(field) {}
  FieldRef(const VertexRef &v, unsigned field, std::size_t i)
      : vertex(v), fieldId(field), index(i), indexed(true) {}

  // The i-th inner vector of a two-dimensional field; throws index_error if this is one already.
  FieldRef operator[](std::size_t i) const;
  bool isIndexed() const { return indexed; }     // whether it is one inner vector
  std::size_t getIndex() const { return index; } // of the inner vector; 0 if it is none
};

} // namespace poplar
