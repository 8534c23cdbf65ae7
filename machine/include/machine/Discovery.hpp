// SPDX-License-Identifier: MIT
// Which partition this process uses. The first that is there counts:
//   IPUOF_CONFIG_PATH                       one configuration file
//   IPUOF_VIPU_API_PARTITION_ID, _GCD_ID    a partition of the controller (IPUOF_VIPU_API_HOST),
//   else
//                                           of this machine's record
//   OPENIPU_MACHINE                         the machine of that name
//   OPENIPU_NUM_IPUS, OPENIPU_CHIP, OPENIPU_IPU   the machine that they describe
//   ~/.ipuof.conf.d, /etc/ipuof.conf.d      configuration files, by name the first is active
//   the machine's record (State.hpp)        the first partition is active
// and else 16 IPUs of the chip ipu2. Throws Error, BadVariable for a variable that is no number
// or names no machine, and what chipOf throws.
#pragma once
#include "machine/Partition.hpp"

namespace machine {

Domain activeDomain();

// The active one first, then the others of the same place.
std::vector<Domain> allDomains();

} // namespace machine
