// SPDX-License-Identifier: MIT
// Vertices that programs build graphs from by name, as "popops::UnaryOp1D<popops::expr::
// UnaryOpType::EXPONENT,float>". A library lists its families of vertices once: name, template
// arguments, source, cycles. From the list come the source of a vertex when a graph first asks for
// it (sources are in <lib>/codelets/), the estimators of all vertices that have a cycle formula,
// and the refusal of vertices whose fields are not public.
#pragma once
#include "openipu/Chip.hpp"
#include <cstdint>
#include <map>
#include <poplar/Graph.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <string>
#include <vector>

namespace popops {
namespace named {

using Words = std::vector<std::string>;

struct Name { // "popops::Cast1D<float,half>": Cast1D, {float, half}
  std::string family;
  Words arguments;
  poplar::Type type(std::size_t i) const; // argument i as a type
  bool flag(std::size_t i) const { return arguments[i] == "true"; }
};

// One vertex as its estimator sees it.
struct Priced {
  const Name &name;
  const poplar::VertexIntrospector &fields;
  const poplar::Target &target;
  const arch::Chip &chip() const { return openipu::chipOf(target); }
  poplar::Type type(std::size_t i) const { return name.type(i); }
  // Elements of a vector field; sizes of the regions of a vector of vectors.
  std::uint64_t size(const char *field) const;
  std::vector<std::uint64_t> sizes(const char *field) const;
  std::uint64_t total(const char *field) const; // of all regions
  std::uint64_t value(const char *field) const; // of a constant
  std::vector<std::uint64_t> values(const char *field) const;
};
// A plain Vertex: instructions of its worker. A MultiVertex, SupervisorVertex: tile cycles.
using Estimate = poplar::VertexPerfEstimate (*)(const Priced &);

struct Family {
  const char *name;
  const char *arguments;                       // one letter each: see choicesOf
  void (*source)(const Name &, Words &pieces); // adds what the vertex needs, in order
  Estimate estimate = nullptr;                 // nullptr: counted when the vertex first runs
  bool (*exists)(const Name &) = nullptr;      // whether the arguments go together
  bool (*hasFormula)(const Name &) = nullptr;  // nullptr: if there is an estimate
};

// A vertex, or all whose names begin so ("CTC*"), that programs cannot add themselves.
struct Refused {
  const char *family;
  const char *instead; // "Call popops::topK."
};

// What may stand for an argument. Every library has t any type, n float, half, int, unsigned int,
// v these and bool, l float, half, i int, unsigned int, f true, false; and adds its own.
using Choices = std::map<char, Words>;

class Library {
public:
  Library(const char *space, std::vector<Family> families, std::vector<Refused> refused,
          Choices choices = {});
  Library(const Library &) = delete; // estimators point into it

  // Source that defines and instantiates these vertices; empty if one is not of this library.
  // Throws poplar::unknown_vertex_type for near misses of a name, arguments that do not fit, and
  // refused vertices.
  std::string source(const std::string &name) const { return source(Words{name}); }
  std::string source(const Words &names) const;

  // `provide`: a function that returns source(name) of this library.
  void addTo(poplar::Graph &graph, std::string (*provide)(const std::string &)) const;

private:
  struct Entry {
    std::string spelling;
    Name name;
    const Family *family;
  };
  bool parse(const std::string &text, Name &name) const;
  void listPriced(const Family &family, Name &name);
  void refuse(const std::string &vertex, const Name &name) const;
  void suggest(const std::string &vertex, const Name &name) const;
  const Family *familyOf(const std::string &vertex, const Name &name) const;

  std::string space_; // with "::"
  std::vector<Family> families_;
  std::vector<Refused> refused_;
  Choices choices_;
  std::vector<Entry> priced_; // every vertex that has an estimate
};

} // namespace named

// The vertices of this library.
const named::Library &namedVertices();

} // namespace popops
