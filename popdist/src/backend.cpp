// SPDX-License-Identifier: MIT
#include "popdist/backend.hpp"
#include "openipu/Transport.hpp"
#include "popdist/collectives.hpp"
#include "popdist/context.hpp"
#include "popdist/run.hpp"
#include <cstring>
#include <stdexcept>

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

namespace collectives::detail {

void broadcast(void *data, std::size_t bytes, unsigned root) {
  if (root >= getNumInstances())
    throw std::invalid_argument("popdist::collectives::broadcast: there is no such instance.");
  if (getNumInstances() == 1)
    return;
  std::string all(static_cast<const char *>(data), bytes);
  openipu::broadcastBytes(openipu::transport(), root, all);
  if (all.size() != bytes)
    throw std::invalid_argument("popdist::collectives::broadcast: instances gave arrays of "
                                "different sizes.");
  std::memcpy(data, all.data(), bytes);
}

void allGather(const void *data, std::size_t bytes, void *all) {
  const std::string mine(static_cast<const char *>(data), bytes);
  const auto parts = getNumInstances() == 1 ? std::vector<std::string>{mine}
                                            : openipu::gatherBytes(openipu::transport(), mine);
  auto *to = static_cast<char *>(all);
  for (const auto &part : parts) {
    if (part.size() != bytes)
      throw std::invalid_argument(
          "popdist::collectives: instances gave arrays of different sizes.");
    std::memcpy(to, part.data(), bytes);
    to += bytes;
  }
}

} // namespace collectives::detail

} // namespace popdist
