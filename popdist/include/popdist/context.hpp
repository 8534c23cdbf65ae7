// SPDX-License-Identifier: MIT
// What the environment of poprun says: this process is one of several instances that share the
// replicas of one program. Outside poprun there is one instance with one replica. A variable that
// is no number, or numbers that do not fit together, are std::runtime_error.
#ifndef POPDIST_CONTEXT_HPP
#define POPDIST_CONTEXT_HPP

namespace popdist {

bool isPopdistEnvSet(); // poprun started this process

unsigned getInstanceIndex();          // from 0
unsigned getNumInstances();           // processes that share the program
unsigned getLocalInstanceIndex();     // on its host
unsigned getNumTotalReplicas();       // of all instances
unsigned getNumLocalReplicas();       // of this instance
unsigned getReplicaIndexOffset();     // of its first replica among all
unsigned getNumIpusPerReplica();      // 1 if poprun was not told
bool getUniformReplicasPerInstance(); // every instance has as many

// std::runtime_error if poprun was told another number.
void checkNumIpusPerReplica(unsigned ipusPerReplica);

// Id of the device with this instance's IPUs in the active partition; 0: as many IPUs per replica
// as poprun was told.
unsigned getDeviceId(unsigned ipusPerReplica = 0);

} // namespace popdist

#endif
