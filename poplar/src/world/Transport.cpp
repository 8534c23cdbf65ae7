// SPDX-License-Identifier: MIT
// Finds the library that moves bytes between processes, and what is made of it.
#include "openipu/Transport.hpp"
#include "base/Environment.hpp"
#include "base/OwnLibrary.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <stdexcept>

namespace poplar::openipu {
namespace {

constexpr const char *defaultLibrary = "libpopdist_mpi.so";
constexpr std::size_t mostBytes = std::size_t(1) << 30; // of one transfer: MPI counts with an int

std::mutex &guard() {
  static std::mutex mutex;
  return mutex;
}
std::string &library() {
  static std::string file;
  return file;
}
Transport *&loaded() {
  static Transport *transport = nullptr;
  return transport;
}

std::string libpoplar() { return base::libraryOf(reinterpret_cast<const void *>(&amongProcesses)); }

std::string besideLibpoplar() {
  const auto file = std::filesystem::path(libpoplar()).parent_path() / defaultLibrary;
  std::error_code ignored;
  return std::filesystem::exists(file, ignored) ? file.string() : defaultLibrary;
}

// Never closed: MPI has threads and handlers of its own until the process ends.
Transport *load(const std::string &file) {
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!handle) {
    const char *why = dlerror();
    throw poplar_error(base::str("Replicas in several processes need the library ", file,
                                 ", which cannot be loaded: ", why ? why : "no reason given",
                                 ". Install Open MPI (libopenmpi3, openmpi-bin) and build with "
                                 "libopenmpi-dev, or run all replicas in one process.",
                                 base::moveNote(libpoplar())));
  }
  const auto make = reinterpret_cast<MakeTransport>(dlsym(handle, makeTransportName));
  if (!make)
    throw poplar_error(base::str("The library ", file, " has no function ", makeTransportName,
                                 ", so it moves no bytes between processes."));
  return make();
}

unsigned processes() {
  try {
    return unsigned(base::numberFromEnvironment("OMPI_COMM_WORLD_SIZE", 1, 1, 1u << 20));
  } catch (const std::invalid_argument &e) {
    throw poplar_error(base::str(e.what(), " mpirun sets it."));
  }
}

} // namespace

bool amongProcesses() { return processes() > 1; }

Transport &transport() {
  const std::lock_guard hold(guard());
  if (!loaded()) {
    if (!amongProcesses())
      throw poplar_error("Some replicas belong to other processes, but this one was started "
                         "alone. Start it with poprun or mpirun.");
    loaded() = load(library().empty() ? besideLibpoplar() : library());
  }
  return *loaded();
}

bool transportLoaded() {
  const std::lock_guard hold(guard());
  return loaded() != nullptr;
}

void setTransportLibrary(const std::string &file) {
  const std::lock_guard hold(guard());
  if (loaded() && file != library())
    throw poplar_error("The library that moves bytes between processes is in use already. Choose "
                       "it before the first engine is loaded.");
  library() = file;
}

using Channel = Transport::Channel;
using Transfers = std::vector<Transport::Transfer>;

void sendAll(Transport &t, unsigned to, Channel channel, const void *from, std::size_t bytes,
             Transfers &under) {
  const auto *data = static_cast<const std::byte *>(from);
  for (std::size_t at = 0; at < bytes; at += mostBytes)
    under.push_back(t.send(to, channel, data + at, std::min(mostBytes, bytes - at)));
}
void receiveAll(Transport &t, unsigned from, Channel channel, void *to, std::size_t bytes,
                Transfers &under) {
  auto *data = static_cast<std::byte *>(to);
  for (std::size_t at = 0; at < bytes; at += mostBytes)
    under.push_back(t.receive(from, channel, data + at, std::min(mostBytes, bytes - at)));
}

std::vector<std::string> gatherBytes(Transport &t, const std::string &mine) {
  std::vector<std::uint64_t> sizes(t.size());
  sizes[t.rank()] = mine.size();
  Transfers under;
  const auto others = [&](auto work) {
    under.clear();
    for (unsigned r = 0; r < t.size(); ++r)
      if (r != t.rank())
        work(r);
    t.wait(under);
  };
  others([&](unsigned r) {
    receiveAll(t, r, Channel::Control, &sizes[r], sizeof sizes[r], under);
    sendAll(t, r, Channel::Control, &sizes[t.rank()], sizeof sizes[r], under);
  });
  std::vector<std::string> all(t.size());
  all[t.rank()] = mine;
  others([&](unsigned r) {
    all[r].resize(sizes[r]);
    receiveAll(t, r, Channel::Control, all[r].data(), sizes[r], under);
    sendAll(t, r, Channel::Control, mine.data(), mine.size(), under);
  });
  return all;
}

void broadcastBytes(Transport &t, unsigned root, std::string &bytes) {
  Transfers under;
  std::uint64_t size = bytes.size();
  const auto move = [&](void *data, std::size_t n) {
    under.clear();
    if (t.rank() != root)
      receiveAll(t, root, Channel::Control, data, n, under);
    else
      for (unsigned r = 0; r < t.size(); ++r)
        if (r != root)
          sendAll(t, r, Channel::Control, data, n, under);
    t.wait(under);
  };
  move(&size, sizeof size);
  bytes.resize(size);
  move(bytes.data(), size);
}

void barrier(Transport &t) { gatherBytes(t, ""); }

static thread_local const Peers *ofKernel = nullptr;
const Peers *peersOfKernel() { return ofKernel; }
PeersScope::PeersScope(const Peers *peers) { ofKernel = peers; }
PeersScope::~PeersScope() { ofKernel = nullptr; }

unsigned Peers::ownerOf(unsigned replica) const {
  return unsigned(std::upper_bound(firsts.begin(), firsts.end(), replica) - firsts.begin()) - 1;
}

} // namespace poplar::openipu
