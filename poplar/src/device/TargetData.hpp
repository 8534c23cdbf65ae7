// SPDX-License-Identifier: MIT
// What a poplar::Target holds: a system of the machine model, and what the options and an IPUModel
// add to it.
#pragma once
#include "arch/System.hpp"
#include "poplar/Target.hpp"
#include <memory>
#include <optional>

namespace poplar::device {

// Which IPUs wait for each other at the two kinds of external sync.
enum class SyncConfiguration { IntraReplicaAndAll, IpuAndAll, IntraReplicaAndLadder };

struct PipelineDepths {
  unsigned quarter, half, single;
  bool operator==(const PipelineDepths &) const = default;
};

// Throws invalid_machine_model for a system without tiles or of more than anybody could simulate.
void requireSize(const arch::System &system);

} // namespace poplar::device

namespace poplar::openipu {

struct TargetData {
  TargetType type = TargetType::IPU;
  arch::System system;
  std::string systemName; // as asked for: "ipu2", "IPU-POD16"
  OptionFlags options;    // those in force, the environment's included
  device::SyncConfiguration sync = device::SyncConfiguration::IntraReplicaAndAll;
  IpuLinkConfiguration linkConfiguration = IpuLinkConfiguration::Default;
  bool accurateHalf = true;
  bool compileIpuCode = true;
  std::vector<GlobalExchangeConstraint>
      constraints;                              // of an IPUModel; empty: derived from the links
  std::optional<device::PipelineDepths> depths; // of an IPUModel; otherwise the chip's
};

struct TargetAccess {
  static Target make(TargetData data) {
    device::requireSize(data.system);
    return Target(std::make_shared<const TargetData>(std::move(data)));
  }
  static const TargetData &data(const Target &target) { return target.data(); }
};

} // namespace poplar::openipu

namespace poplar::device {

using openipu::TargetAccess;
using openipu::TargetData;

// The machine behind a target, for the compiler and the timing model. Throws poplar_error for a
// default-constructed Target.
inline const TargetData &dataOf(const Target &target) { return TargetAccess::data(target); }
inline const arch::System &systemOf(const Target &target) { return dataOf(target).system; }

// A chip by name ("ipu2"), or from a description file when the text is a path. Throws
// invalid_machine_model with near matches, or file_load_error.
arch::Chip findChip(const std::string &nameOrPath);

// Checks target options, with POPLAR_TARGET_OPTIONS over them, and applies them. Throws
// invalid_option.
void applyOptions(TargetData &data, const OptionFlags &given);

// Who runs its programs (backend/Backend.hpp): the option "backend", or the cpu.
std::string backendOf(const TargetData &data);

// One line of text that says everything about the target; what serialize writes. parse throws
// parse_error.
std::string describe(const TargetData &data);
TargetData parseTarget(const std::string &text);
// The fields in which a device differs from what a program was compiled for, one per line; empty if
// there are none.
std::string differences(const TargetData &compiledFor, const TargetData &device);

} // namespace poplar::device
