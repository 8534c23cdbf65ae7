// SPDX-License-Identifier: MIT
// A compiled codelet source as plain data: its vertex types (what popc would put into a .gp) and
// the host code that runs them. Produced by compileSource (Compile.hpp) or readGp (Gp.hpp), run
// through LoadedModule (Load.hpp).
//
// A vertex on the host is `hostSize` raw bytes, aligned to `hostAlign`, zeroed, never constructed.
// The engine writes each field at `hostOffset` as one of the records below, then calls the type's
// entry. Plain scalar fields hold their value and keep it between executions; edge records may be
// written once if the storage does not move.
#pragma once
#include "openipu/TypeId.hpp"
#include "poplar/codelet/Layouts.hpp"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace poplar::codelet {

enum class VertexKind : std::uint8_t { Vertex, MultiVertex, SupervisorVertex, ExternalExchange };
enum class FieldDirection : std::uint8_t { Plain, Input, Output, InOut };
// VectorOfVectors is Vector<Input<Vector<T>>> and its Output and InOut forms; VectorList has the
// same host records.
enum class FieldShape : std::uint8_t { Scalar, Vector, VectorOfVectors, VectorList };

// What stands at hostOffset in the fast and counted images. Plain scalars are the bare value.
struct ScalarRecord { // Input<T>, Output<T>, InOut<T>
  void *data;
};
struct VectorRecord { // any one-dimensional field of any layout, and each inner vector
  void *data;         // VectorOfVectors and VectorList: points to `size` inner VectorRecords
  std::uint64_t size; // elements; written for every layout, also for those without size()
};
struct QuarterVectorRecord { // the same when the element type is Quarter
  void *data;
  std::uint64_t size;
  const std::uint8_t *metadata; // the tensor's one metadata byte
};
struct QuarterScalarRecord {
  void *data;
  const std::uint8_t *metadata;
};

// Checked images (Load.hpp explains) append this pointer to every record above, as the last member.
struct FieldCheck {
  const char *vertex; // type name, for the message
  const char *field;
  std::uint64_t vertexId;
  std::uint8_t
      *written; // shadow of element 0: non-zero when the element was ever written; null: unknown
  std::uint32_t shadowStride; // shadow bytes from one element to the next
  std::uint32_t outer;        // index of this inner vector, or noOuter
  // For accesses through pointers (Checks.hpp). `field` is null for the vertex itself.
  const void *data = nullptr;
  std::uint64_t bytes = 0;
  bool writable = false;
  bool watched = false; // memory of no other operand is near
  static constexpr std::uint32_t noOuter = 0xffffffffu;
};
struct CheckedScalarRecord {
  void *data;
  const FieldCheck *check;
};
struct CheckedVectorRecord {
  void *data;
  std::uint64_t size;
  const FieldCheck *check;
};

struct Field {
  std::string name;
  FieldDirection direction = FieldDirection::Plain;
  FieldShape shape = FieldShape::Scalar;
  TypeId type = TypeId::Float;                           // element type
  VectorLayout layout = VectorLayout::NOT_A_VECTOR;      // of the outer (or only) vector
  VectorLayout innerLayout = VectorLayout::NOT_A_VECTOR; // VectorOfVectors only
  VectorListLayout listLayout = VectorListLayout::NOT_A_VECTOR;
  std::uint32_t minAlign = 1; // bytes, of element 0 of each data vector
  bool interleaved = false;
  std::uint32_t hostOffset = 0, hostSize = 0;
  std::uint32_t hostInnerStride =
      0; // bytes from one inner record to the next (VectorOfVectors, VectorList)
  std::uint32_t deviceOffset = 0; // in the IPU's 32-bit vertex state
  std::uint32_t deviceBytes =
      0; // bytes in the vertex state itself: pointer 4, SPAN 8, SHORT_SPAN 4, ...
  std::uint32_t deviceInnerBytes =
      0; // further bytes for each inner vector (pointer tables of 2-D fields)
};

struct VertexType {
  std::string name; // canonical: ns::Foo<float,unsigned int,true,ns::Enum::VALUE>
  VertexKind kind = VertexKind::Vertex;
  std::uint32_t hostSize = 0, hostAlign = 1;
  std::uint32_t deviceBytes = 0; // vertex state on the device, without vector data
  bool returnsBool = false;      // compute() returns bool rather than void
  std::vector<Field> fields;     // in declaration order, bases first
  std::uint32_t codeBytes = 0;   // estimated device code, with the helpers it calls
  bool dependsOnData = false;    // one count of its cycles is not right for every run

  const Field *find(std::string_view fieldName) const; // null when there is none
};

// Another source of the same graph that defines what a codelet only declares.
struct Companion {
  std::string sourceName, flags, preprocessedSource;
};

struct Module {
  std::string contentHash;      // of preprocessed source, flags, compiler, headers: names this code
  std::string sourceName;       // as the user gave it
  std::string flags;            // the user's flags
  std::string arch;             // what it was compiled for: ipu1, ipu2, ipu21, cpu
  std::string machine;          // -march of the images: "x86-64-v3" or "x86-64"
  std::string diagnostics;      // the compiler's warnings, for popc to print
  std::uint32_t numWorkers = 6; // what MultiVertex::numWorkers() says: 1 on the CPU target
  bool mutableStatics = false;  // has writable static data; see LoadedModule::entry
  std::vector<VertexType> types;  // sorted by name
  std::string image;              // host shared object, fast code
  std::string countedImage;       // the same code, un-vectorised, counting bundles
  std::string checkedImage;       // filled by compileChecked only
  std::string preprocessedSource; // so that the checked image can be built on demand
  std::vector<std::string>
      needs; // symbols that another source of the graph must define: linkModule
  std::vector<Companion> companions; // that are linked into the images

  const VertexType *find(std::string_view typeName) const; // any spelling of the name
};

// One spelling for every way to write a vertex type: no spaces after commas, `unsigned` ->
// `unsigned int`, uint32_t -> `unsigned int`, `short int` -> `short`, integer suffixes dropped,
// `_Float16` -> `half`.
std::string canonicalName(std::string_view name);

// Throws FormatError (base/Bytes.hpp) when the field's record does not fit its place in the vertex.
void checkField(const Field &field, const VertexType &type);

// Bytes for executables, caches and .gp files; parseModule checks every size and throws
// FormatError (base/Bytes.hpp).
std::string serialise(const Module &module);
Module parseModule(std::string_view bytes);

} // namespace poplar::codelet
