// SPDX-License-Identifier: MIT
// What moves bytes between instances: Open MPI, in a library of its own that is loaded when it is
// needed. Engines load it by themselves.
#ifndef POPDIST_BACKEND_HPP
#define POPDIST_BACKEND_HPP
#include <set>
#include <string>

namespace popdist {

void registerDefaultBackend(); // Chooses Open MPI; this is what happens if nothing is registered.
void registerBackend(const std::string &file); // another library; before the first use

// All instances call it. Throws when this process was not started by poprun or mpirun, or when
// there is no Open MPI.
void initializeBackend();
bool isBackendInitialized(); // whether the connections stand
void finalizeBackend(); // waits for all instances; connections are closed when the process ends

// Some of the instances, under a number: collectives of the host (popdist/collectives.hpp) may be
// among these alone. The members of one register it alike; nobody waits for that.
using CommunicatorId = unsigned;
constexpr CommunicatorId defaultCommunicatorId = 0; // all instances
// Throws std::invalid_argument for instances that do not exist, an empty set, and a number that is
// the default's or has other instances already.
void registerCommunicator(const std::set<unsigned> &instances, CommunicatorId id);

} // namespace popdist

#endif
