// SPDX-License-Identifier: MIT
// Who holds which simulated IPU, across all processes of a user on this machine. One small file per
// IPU under OPENIPU_RUNTIME_DIR (default /tmp/openipu-<uid>), held with flock, so that the death of
// a process frees it; its text says who the holder is. A folder that others may write to is refused
// with a poplar_error. The machine has OPENIPU_NUM_IPUS IPUs
// (default 16) of the chip that OPENIPU_CHIP (a description file) or else OPENIPU_IPU (a name,
// default ipu2) gives.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace poplar::device {

unsigned machineIpus(); // throws invalid_option if OPENIPU_NUM_IPUS is not a number from 1 to 4096
std::string machineChip(); // name or path, for findChip

struct Holder {
  long processId = 0;
  std::string executable, user, startTime; // startTime: 20250102T030405Z
};
std::optional<Holder> holderOf(unsigned ipu);

// The right to use some IPUs. Safe from any thread. It stays with the process that acquired it: a
// child of fork holds nothing, so that it neither keeps nor frees the IPUs of its parent.
class Lease {
public:
  explicit Lease(std::vector<unsigned> ipus);
  ~Lease();
  Lease(const Lease &) = delete;

  bool acquire(); // all of them or none; true if already held
  void release();
  bool held() const;
  void announce(); // writes who holds them; they must be held
  const std::vector<unsigned> &ipus() const { return ipus_; }

private:
  friend class Leases;
  void releaseLocked();
  void announceLocked();
  std::vector<unsigned> ipus_; // ascending, so that two holders never block each other crosswise
  std::vector<int> files_;     // open and locked, one per IPU; empty if not held
};

} // namespace poplar::device
