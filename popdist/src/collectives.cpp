// SPDX-License-Identifier: MIT
// Which instances a communicator has, and bytes among them.
#include "popdist/collectives.hpp"
#include "base/Text.hpp"
#include "openipu/Transport.hpp"
#include "popdist/context.hpp"
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>

namespace popdist {

namespace {

using base::str;
using Channel = openipu::Transport::Channel;
using Members = std::vector<unsigned>; // in order

std::mutex guard;
std::map<CommunicatorId, Members> &registered() {
  static std::map<CommunicatorId, Members> all;
  return all;
}

Members membersOf(CommunicatorId id) {
  if (id == defaultCommunicatorId) {
    Members all(getNumInstances());
    for (unsigned i = 0; i < all.size(); ++i)
      all[i] = i;
    return all;
  }
  const std::lock_guard hold(guard);
  const auto found = registered().find(id);
  if (found == registered().end())
    throw std::invalid_argument(str("popdist::collectives: there is no communicator ", id,
                                    ". Call popdist::registerCommunicator first."));
  return found->second;
}

// Those that this instance is among.
Members mine(CommunicatorId id) {
  auto members = membersOf(id);
  if (!std::binary_search(members.begin(), members.end(), getInstanceIndex()))
    throw std::invalid_argument(str("popdist::collectives: instance ", getInstanceIndex(),
                                    " is not in communicator ", id, ", which has ",
                                    base::list(members), "."));
  return members;
}

// To and from everybody else; sizes first, so that a difference is said instead of waited for.
class Round {
public:
  Round() : t(openipu::transport()) {}
  void finish() { t.wait(under_); }
  void send(unsigned to, const void *data, std::size_t bytes) {
    openipu::sendAll(t, to, Channel::Control, data, bytes, under_);
  }
  void receive(unsigned from, void *data, std::size_t bytes) {
    openipu::receiveAll(t, from, Channel::Control, data, bytes, under_);
  }

private:
  openipu::Transport &t;
  std::vector<openipu::Transport::Transfer> under_;
};

template <class Work> void others(const Members &members, const Work &work) {
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i] != getInstanceIndex())
      work(members[i], i);
}

void requireEqual(const Members &members, std::uint64_t bytes) {
  std::vector<std::uint64_t> sizes(members.size(), bytes);
  Round round;
  others(members, [&](unsigned who, std::size_t i) {
    round.receive(who, &sizes[i], sizeof sizes[i]);
    round.send(who, &bytes, sizeof bytes);
  });
  round.finish();
  if (std::ranges::any_of(sizes, [&](auto size) { return size != bytes; }))
    throw std::invalid_argument("popdist::collectives: instances gave arrays of different sizes.");
}

} // namespace

void registerCommunicator(const std::set<unsigned> &instances, CommunicatorId id) {
  const auto refuse = [&](const std::string &why) {
    throw std::invalid_argument(str("popdist::registerCommunicator(", id, "): ", why));
  };
  if (id == defaultCommunicatorId)
    refuse("this number is that of all instances. Choose another.");
  if (instances.empty())
    refuse("there are no instances in it.");
  if (*instances.rbegin() >= getNumInstances())
    refuse(str("there is no instance ", *instances.rbegin(), ", only 0 to ", getNumInstances() - 1,
               "."));
  const Members members(instances.begin(), instances.end());
  const std::lock_guard hold(guard);
  if (registered().try_emplace(id, members).first->second != members)
    refuse(str("it has the instances ", base::list(registered()[id]), " already."));
}

namespace collectives::detail {

std::size_t members(CommunicatorId communicator) { return mine(communicator).size(); }

void broadcast(void *data, std::size_t bytes, unsigned root, CommunicatorId communicator) {
  const auto among = mine(communicator);
  if (!std::binary_search(among.begin(), among.end(), root))
    throw std::invalid_argument(str("popdist::collectives::broadcast: there is no such instance: ",
                                    root, ". There are ", base::list(among), "."));
  if (among.size() == 1)
    return;
  requireEqual(among, bytes);
  Round round;
  if (root != getInstanceIndex())
    round.receive(root, data, bytes);
  else
    others(among, [&](unsigned who, std::size_t) { round.send(who, data, bytes); });
  round.finish();
}

void allGather(const void *data, std::size_t bytes, void *all, CommunicatorId communicator) {
  const auto among = mine(communicator);
  auto *to = static_cast<std::byte *>(all);
  const auto here =
      std::size_t(std::lower_bound(among.begin(), among.end(), getInstanceIndex()) - among.begin());
  if (bytes)
    std::memcpy(to + here * bytes, data, bytes);
  if (among.size() == 1)
    return;
  requireEqual(among, bytes);
  Round round;
  others(among, [&](unsigned who, std::size_t i) {
    round.receive(who, to + i * bytes, bytes);
    round.send(who, data, bytes);
  });
  round.finish();
}

} // namespace collectives::detail

} // namespace popdist
