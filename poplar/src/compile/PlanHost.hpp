// SPDX-License-Identifier: MIT
// Phases of steps that meet the host, streaming memory or other replicas.
#pragma once
#include "compile/PlanCopies.hpp"

namespace poplar::compile {

// The host has the data ready when a stream is buffered ahead, or when buffers do not overlap and
// prefetch is on.
bool isFetchedAhead(const executable::Image &image, const executable::step::HostToDevice &step);

class PlanHost {
public:
  PlanHost(executable::Image &image, Placement &placement, const arch::System &device,
           const arch::System &replica)
      : image_(image), placement_(placement), device_(device), replica_(replica),
        shares_(replica.tiles()) {}

  // Streams, remote buffers, host functions, printing, copies between replicas; nothing for others.
  void plan(executable::Step &step);

private:
  enum class Partner { Host, PrefetchedHost, RemoteBuffer };
  using Phases = std::vector<executable::Phase>;
  void stream(const std::vector<executable::Move> &moves, Side side, Partner partner,
              Phases &phases);
  void views(const std::vector<tensor::View> &views, Side side, Phases &phases);
  void transfer(Side side, Partner partner, Phases &phases);
  void betweenReplicas(const executable::step::CrossReplicaCopy &step, Phases &phases);

  executable::Image &image_;
  Placement &placement_;
  const arch::System &device_, &replica_;
  ByTile<SideShare> shares_;
};

} // namespace poplar::compile
