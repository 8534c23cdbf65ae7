// SPDX-License-Identifier: MIT
// Phases of steps that meet the host, streaming memory or other replicas.
#pragma once
#include "compile/PlanCopies.hpp"

namespace poplar::compile {

class PlanHost {
public:
  PlanHost(executable::Image &image, Placement &placement, const arch::System &device,
           const arch::System &replica)
      : image_(image), placement_(placement), device_(device), replica_(replica),
        shares_(replica.tiles()) {}

  // Streams, remote buffers, host functions, printing, copies between replicas. False: none of
  // these.
  bool plan(executable::Step &step);

private:
  enum class Partner { Host, PrefetchedHost, RemoteBuffer };
  void stream(executable::Step &step, Side side, Partner partner);
  void views(executable::Step &step, std::size_t first, std::size_t last, Side side);
  void transfer(executable::Step &step, Side side, Partner partner);
  void betweenReplicas(executable::Step &step);
  Partner partnerOf(const executable::Step &step) const;

  executable::Image &image_;
  Placement &placement_;
  const arch::System &device_, &replica_;
  ByTile<SideShare> shares_;
};

} // namespace poplar::compile
