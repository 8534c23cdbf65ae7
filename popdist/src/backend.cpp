// SPDX-License-Identifier: MIT
#include "popdist/backend.hpp"
#include "openipu/Transport.hpp"
#include "popdist/context.hpp"
#include "popdist/run.hpp"

namespace popdist {

void registerDefaultBackend() { openipu::setTransportLibrary(""); }
void registerBackend(const std::string &file) { openipu::setTransportLibrary(file); }
void initializeBackend() { openipu::transport(); }
bool isBackendInitialized() { return openipu::transportLoaded(); }
void finalizeBackend() {
  if (openipu::transportLoaded())
    openipu::barrier(openipu::transport());
}

void run(poplar::Engine &engine, unsigned program, const std::string &name) {
  if (getNumInstances() > 1)
    openipu::barrier(openipu::transport());
  engine.run(program, name);
}

} // namespace popdist
