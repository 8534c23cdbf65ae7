// SPDX-License-Identifier: MIT
// Bytes between the processes that run one program together. libpoplar has no network of its own:
// a library that is loaded when the first engine needs it does the work (popdist/mpi, on Open MPI),
// so that a machine without one runs everything else.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace poplar::openipu {

class Transport {
public:
  using Transfer = std::uint32_t;
  // Between two processes, transfers of one channel meet in the order in which they were started.
  // Places, Parts and Results are of collectives on devices, which may be under way beside what
  // hosts tell each other.
  enum class Channel : int { Control, Places, Parts, Results };

  virtual ~Transport() = default;
  virtual unsigned rank() const = 0; // of this process
  virtual unsigned size() const = 0; // processes
  virtual const std::string &host(unsigned rank) const = 0;

  // Whether several threads may call it, and MPI beside it.
  virtual bool fromAnyThread() const { return true; }

  // Both return at once. The memory must stay as it is until wait().
  virtual Transfer send(unsigned to, Channel channel, const void *from, std::size_t bytes) = 0;
  virtual Transfer receive(unsigned from, Channel channel, void *to, std::size_t bytes) = 0;
  // Each transfer is waited for once. Throws application_runtime_error, which names the process,
  // its host and its last step, when the other end is no more.
  virtual void wait(std::span<const Transfer> transfers) = 0;

  // Tells the others that this process cannot go on; those that wait for it throw.
  virtual void fail(const std::string &why) noexcept = 0;
};

// The name under which a library of this kind makes its transport.
using MakeTransport = Transport *(*)();
inline constexpr const char *makeTransportName = "openipuMakeTransport";

// Whether poprun or mpirun started several processes, of which this is one.
bool amongProcesses();
// Loads the library at the first call. Throws poplar_error when this process is alone, or when
// there is no such library here.
Transport &transport();
bool transportLoaded();
void setTransportLibrary(const std::string &file); // instead of the default; before the first use

// ---- made of it; every process must call them

// Everybody's bytes, which may differ in size, by rank.
std::vector<std::string> gatherBytes(Transport &transport, const std::string &mine);
// Those of one process, at all.
void broadcastBytes(Transport &transport, unsigned root, std::string &bytes);
// Returns when all have come here.
void barrier(Transport &transport);
// Starts a transfer of any size.
void sendAll(Transport &transport, unsigned to, Transport::Channel channel, const void *from,
             std::size_t bytes, std::vector<Transport::Transfer> &under);
void receiveAll(Transport &transport, unsigned from, Transport::Channel channel, void *to,
                std::size_t bytes, std::vector<Transport::Transfer> &under);

// The processes that share the replicas of an engine: each has a range of them, in order of rank.
struct Peers {
  Transport *transport = nullptr;
  std::vector<unsigned> firsts; // by rank: its first replica; at the end: the number of all

  unsigned first() const { return firsts[transport->rank()]; }
  unsigned total() const { return firsts.back(); }
  unsigned ownerOf(unsigned replica) const; // rank
};

// While a kernel between replicas runs on this thread: who has those that are not in this process;
// null if all are.
const Peers *peersOfKernel();
class PeersScope {
public:
  explicit PeersScope(const Peers *peers);
  ~PeersScope();
  PeersScope(const PeersScope &) = delete;
};

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
