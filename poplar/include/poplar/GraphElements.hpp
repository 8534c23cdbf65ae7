// SPDX-License-Identifier: MIT
// Small handles onto parts of a graph: compute sets, functions, vertices and their fields.
#pragma once
#include <cstddef>
#include <cstdint>
#include <poplar/StringRef.hpp>

namespace poplar {

struct Access;
namespace graph {
struct GraphState;
}

using vertex_id = std::uint64_t;

class ComputeSet {
public:
  constexpr ComputeSet() : id_(0xffffffffu) {}
  constexpr explicit ComputeSet(unsigned id) : id_(id) {}
  constexpr unsigned getId() const { return id_; }
  friend constexpr bool operator==(ComputeSet a, ComputeSet b) { return a.id_ == b.id_; }
  friend constexpr bool operator!=(ComputeSet a, ComputeSet b) { return a.id_ != b.id_; }

private:
  unsigned id_;
};

class Function {
public:
  constexpr Function() : id_(0xffffffffu) {}
  constexpr explicit Function(unsigned id) : id_(id) {}
  constexpr unsigned getId() const { return id_; }
  friend constexpr bool operator==(Function a, Function b) { return a.id_ == b.id_; }
  friend constexpr bool operator!=(Function a, Function b) { return a.id_ != b.id_; }
  friend constexpr bool operator<(Function a, Function b) { return a.id_ < b.id_; }

private:
  unsigned id_;
};

// A function whose code is kept off the tiles until it is copied in.
class FunctionBuffer {
public:
  constexpr FunctionBuffer() : id_(0xffffffffu) {}
  constexpr explicit FunctionBuffer(unsigned id) : id_(id) {}
  constexpr unsigned getId() const { return id_; }
  friend constexpr bool operator==(FunctionBuffer a, FunctionBuffer b) { return a.id_ == b.id_; }
  friend constexpr bool operator!=(FunctionBuffer a, FunctionBuffer b) { return a.id_ != b.id_; }

private:
  unsigned id_;
};

// A function that runs on the host, called from the device program.
class HostFunction {
public:
  constexpr HostFunction() : id_(0xffffffffu) {}
  constexpr explicit HostFunction(unsigned id) : id_(id) {}
  constexpr unsigned getId() const { return id_; }
  friend constexpr bool operator==(HostFunction a, HostFunction b) { return a.id_ == b.id_; }
  friend constexpr bool operator!=(HostFunction a, HostFunction b) { return a.id_ != b.id_; }

private:
  unsigned id_;
};

struct FieldRef;

class VertexRef {
public:
  VertexRef() : graph_(nullptr), id_(0) {}
  // Throws unknown_field, with near matches, if the vertex has no such field.
  FieldRef operator[](StringRef fieldName) const;
  vertex_id getId() const { return id_; }
  friend bool operator==(const VertexRef &a, const VertexRef &b) {
    return a.graph_ == b.graph_ && a.id_ == b.id_;
  }
  friend bool operator!=(const VertexRef &a, const VertexRef &b) { return !(a == b); }

private:
  friend struct Access;
  VertexRef(graph::GraphState *graph, vertex_id id) : graph_(graph), id_(id) {}
  graph::GraphState *graph_; // not owned
  vertex_id id_;
};

struct FieldRef {
  VertexRef vertex;
  unsigned fieldId = 0;
  std::size_t index = 0;
  bool indexed = false;

  FieldRef() = default;
  FieldRef(const VertexRef &v, unsigned field) : vertex(v), fieldId(field) {}
  FieldRef(const VertexRef &v, unsigned field, std::size_t i)
      : vertex(v), fieldId(field), index(i), indexed(true) {}

  // The i-th inner vector of a two-dimensional field; throws index_error if this is one already.
  FieldRef operator[](std::size_t i) const;
  bool isIndexed() const { return indexed; }
  std::size_t getIndex() const { return index; }
};

} // namespace poplar
