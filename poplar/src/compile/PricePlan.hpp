// SPDX-License-Identifier: MIT
// What an operator's plan costs: each superstep becomes a sync and an exchange, if anything
// travels, and the compute phase of its vertices. Work is by ranges of tiles and stays so.
#pragma once
#include "arch/System.hpp"
#include "executable/Image.hpp"

namespace poplar::compile {

// Appends the phases of bytesIn and bytesOut; `synced`: the sync has been paid already.
void addPlannedExchange(const arch::System &replica, const openipu::Superstep &step, bool synced,
                        std::vector<executable::Phase> &phases);
// Appends the phases of traffic between replicas, which needs all of them.
void addPlannedRing(const arch::System &device, const arch::System &replica,
                    const openipu::Superstep &step, std::vector<executable::Phase> &phases);
// Appends the phases of traffic between the IPUs of a replica.
void addPlannedCrossings(const arch::System &replica, const openipu::Superstep &step,
                         std::vector<executable::Phase> &phases);
void addPlannedCompute(const arch::System &replica, const openipu::Superstep &step,
                       std::vector<executable::Phase> &phases);

// Bytes that a range of tiles keeps for the operator's vertices and exchanges.
std::uint64_t plannedStateBytes(const openipu::TileWork &work);
std::uint64_t plannedExchangeCode(const arch::Chip &chip, const openipu::TileWork &work);

} // namespace poplar::compile
