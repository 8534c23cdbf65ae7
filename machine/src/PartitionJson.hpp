// SPDX-License-Identifier: MIT
// The part that configuration files and the machine's state have in common.
#pragma once
#include "Json.hpp"
#include "machine/Partition.hpp"

namespace machine {

void writePartition(Json &out, const Partition &partition);
std::vector<std::string> partitionKeys(std::vector<std::string> others);
Partition readPartition(const JsonObject &object);

} // namespace machine
