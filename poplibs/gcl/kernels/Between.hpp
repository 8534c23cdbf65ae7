// SPDX-License-Identifier: MIT
// Collectives whose members are in several processes. Every process combines what its own members
// have, as far as the fixed order allows (Reduce.hpp), and sends that to the process that makes the
// result; so the bits do not depend on how replicas are spread over processes.
#pragma once
#include "gcl/kernels/Collective.hpp"
#include "openipu/Kernel.hpp"
#include "openipu/Transport.hpp"

namespace gcl {

using kernels::Request;

// `replicas` are those of this process; all of them take part.
void runBetween(std::span<const openipu::KernelArgs> replicas, const Request &request,
                const openipu::Peers &peers);
// The same where members of a group are all here.
void runHere(std::span<const openipu::KernelArgs> replicas, const std::vector<unsigned> &members,
             const Request &request);

} // namespace gcl
