// SPDX-License-Identifier: MIT
// What streams from and to the host and remote buffers cost the device. Rearranging on the host is
// host time and not counted here.
#pragma once
#include "arch/Exchange.hpp"
#include "arch/Sync.hpp"

namespace arch {

enum class HostDirection { ToDevice, FromDevice };

struct HostTransfer {
  HostDirection direction = HostDirection::ToDevice;
  std::uint64_t bytesPerIpu = 0;      // of the busiest IPU
  std::uint64_t bytesAllIpus = 0;     // 0: only one IPU transfers
  std::uint64_t busiestTileBytes = 0; // 0: spread evenly over the IPU
  HostWait wait = HostWait::Synchronous;
  unsigned packetBytes = 0; // 0: the largest the chip can do
};

struct HostCost {
  Cycles sync = 0; // all participants ready; with a synchronous stream also waiting for the host
  Cycles transfer = 0; // data on the port, with its latency
  Cycles exchange = 0; // the same bytes inside the IPU
  Cycles total() const { return sync + transfer + exchange; }
};

HostCost streamCopy(const System &system, const HostTransfer &transfer);
// Streaming memory beside the IPUs: no host to wait for, one sync of all IPUs.
HostCost remoteBufferCopy(const System &system, const HostTransfer &transfer);

} // namespace arch
