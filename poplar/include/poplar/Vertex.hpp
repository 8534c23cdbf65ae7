// SPDX-License-Identifier: MIT
// The base classes of vertices. They hold nothing: a vertex is raw storage laid out by its fields,
// and only compute() is ever called on it. No vector types come from here (ipudef.h has them).
#ifndef POPLAR_VERTEX_HPP
#define POPLAR_VERTEX_HPP
#include "poplar/HalfFloat.hpp"
#include "poplar/InOutTypes.hpp"
#include <cstdint>
#include <type_traits>
#ifdef __POPC__
#include "poplar/codelet/Builtins.hpp"
#include <cstring>
#endif

#ifndef OPENIPU_NUM_WORKERS
#define OPENIPU_NUM_WORKERS 6
#endif

// Asks for worker code aligned to the instruction fetch of the supervisor; without a meaning on the
// host.
#define WORKER_ALIGN

namespace poplar {

// One worker thread runs `bool compute()` or `void compute()`.
class Vertex {};

// compute(unsigned workerId) is called once for each worker, on the same state.
class MultiVertex {
public:
  // How many workers share the vertex.
  static constexpr unsigned numWorkers() { return OPENIPU_NUM_WORKERS; }
};

// compute() runs on the supervisor.
class SupervisorVertex {};
// A vertex that exchanges data outside of the IPU; there is none on this machine.
class ExternalExchangeVertex {};

namespace codelet {
template <bool Supervisor> struct SupervisorOrWorker { typedef Vertex type; };
template <> struct SupervisorOrWorker<true> { typedef SupervisorVertex type; };
} // namespace codelet
// Derive from it: a supervisor vertex or a plain one.
template <bool Supervisor>
using SupervisorVertexIf = typename codelet::SupervisorOrWorker<Supervisor>::type;

} // namespace poplar

#endif
