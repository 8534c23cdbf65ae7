// SPDX-License-Identifier: MIT
#include "openipu/Waiting.hpp"
#include "device/DeviceData.hpp"
#include "device/ThisMachine.hpp"

namespace poplar::openipu {

Waited attachOne(const std::vector<const Device *> &devices, std::chrono::milliseconds longest,
                 std::size_t &which, int wake) {
  std::vector<machine::Lease *> leases;
  for (which = 0; which < devices.size(); ++which) {
    const auto lease = DeviceAccess::lease(*devices[which]);
    if (!lease)
      return Waited::Attached; // nobody else could have it
    leases.push_back(lease.get());
  }
  switch (device::asPoplar([&] { return machine::acquireOne(leases, longest, which, wake); })) {
  case machine::Waited::Attached:
    return Waited::Attached;
  case machine::Waited::Interrupted:
    return Waited::Interrupted;
  case machine::Waited::TimedOut:
    break;
  }
  return Waited::TimedOut;
}

} // namespace poplar::openipu
