// SPDX-License-Identifier: MIT
// Backends as the interpreter sees them: openipu/Backend.hpp, and what only those of this library
// are made from.
#pragma once
#include "arch/System.hpp"
#include "backend/Host.hpp"
#include "executable/Image.hpp"
#include "openipu/Backend.hpp"
#include <memory>
#include <string>

namespace poplar::backend {

using openipu::Backend;
using openipu::BackendKind;
using openipu::BoundStep;
using openipu::BoundTensor;
using openipu::Place;
using openipu::RawMove;
using openipu::registerBackend;
using openipu::Segment;
using openipu::SegmentFault;
using openipu::SegmentId;
using openipu::StepKind;
using openipu::StepRunner;
using openipu::Times;
using openipu::Transfer;
using openipu::Turn;

struct RunOptions {
  bool checked = false;            // debug.checkedCodelets
  bool poison = false;             // debug.poisonMemory
  bool threads = true;             // debug.cpuMultiThreadExecution
  std::uint32_t floatingPoint = 0; // FloatingPointState at load
  bool halvesSaturate = false;     // as on hardware; else too large halves are infinite
  std::uint64_t seed = 0;          // prng.seed
  bool trace = false;              // debug.trace
  std::string traceFile;
  std::string hostTimesFile; // debug.hostTimesFile
  unsigned firstReplica = 0; // of those that run in this process
  unsigned numReplicas = 0;  // 0: all
};

// What every backend is made from, and what runs vertices needs besides. The interpreter gives no
// other.
struct HostSetup : openipu::Setup {
  std::shared_ptr<const executable::Image> image;
  arch::System system;                // of one replica
  RunOptions options;                 // numReplicas is never 0
  Host *host;                         // for what vertices print
  std::vector<std::uint8_t> recounts; // by compute set: its cycles change with the data
};

// Throws poplar_error with near matches.
const BackendKind &findBackend(const std::string &name);

} // namespace poplar::backend
