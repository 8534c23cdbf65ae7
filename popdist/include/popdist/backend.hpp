// SPDX-License-Identifier: MIT
// What moves bytes between instances: Open MPI, in a library of its own that is loaded when it is
// needed. Engines load it by themselves.
#ifndef POPDIST_BACKEND_HPP
#define POPDIST_BACKEND_HPP
#include <string>

namespace popdist {

void registerDefaultBackend();
void registerBackend(const std::string &file); // another library; before the first use

// All instances call it. Throws when this process was not started by poprun or mpirun, or when
// there is no Open MPI.
void initializeBackend();
bool isBackendInitialized();
void finalizeBackend(); // waits for all instances; connections are closed when the process ends

} // namespace popdist

#endif
