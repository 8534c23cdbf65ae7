// SPDX-License-Identifier: MIT
// Where replicas of other processes come in.
#include "backend/Interpreter.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <cstring>

namespace poplar::backend {

using Channel = openipu::Transport::Channel;

void Interpreter::setPeers(openipu::Peers peers) {
  peers_ = std::move(peers);
  footprints_.emplace(*image_);
  if (peers_.transport->fromAnyThread())
    chooseEarly(flow_->blocks(), *footprints_);
}

void Interpreter::settle(const Instruction &in) {
  if (pending_.any() && pending_.touched().meets(footprints_->of(in)))
    pending_.wait();
}

// A collective that nobody needs at once goes on beside the steps behind it. Operands are gathered
// before, and its cycles count here.
void Interpreter::across(const Instruction &in) {
  if (apart() && in.flag) {
    requireAll(in);
    pending_.start(footprints_->of(in), [this, &in, carryOut = in.runner->start(in.step, turn_)] {
      exchangePlaces(in);
      const openipu::PeersScope others(&peers_);
      carryOut();
    });
    return;
  }
  if (apart())
    meet(in);
  const openipu::PeersScope others(apart() ? &peers_ : nullptr);
  in.runner->run(in.step, turn_);
}

void Interpreter::requireAll(const Instruction &in) const {
  if (active_.size() != replicas_.size())
    throw application_runtime_error(
        base::str("Only ", active_.size(), " of the ", replicas_.size(),
                  " replicas of this process came to \"", stepOf(in).name,
                  "\", which replicas of other processes take part in. All replicas must take the "
                  "same way to it: do not put collectives into branches whose condition differs."));
}

void Interpreter::meet(const Instruction &in) {
  pending_.wait(); // bytes of collectives travel in the order of the program
  requireAll(in);
  exchangePlaces(in);
}

// All processes must come to the same collective. Each tells its neighbour where it is: where one
// is elsewhere, somebody notices, and nobody waits for bytes that never come.
void Interpreter::exchangePlaces(const Instruction &in) {
  struct Meeting {
    std::uint64_t meeting, step;
  };
  auto &t = *peers_.transport;
  const auto size = t.size(), next = (t.rank() + 1) % size, before = (t.rank() + size - 1) % size;
  const Meeting mine{++meetings_, in.step};
  Meeting theirs{};
  const openipu::Transport::Transfer both[] = {
      t.receive(before, Channel::Places, &theirs, sizeof theirs),
      t.send(next, Channel::Places, &mine, sizeof mine)};
  t.wait(both);
  if (theirs.meeting == mine.meeting && theirs.step == mine.step)
    return;
  const auto name = [&](std::uint64_t step) {
    return step < image_->steps.size() ? image_->steps[step].name : "another program";
  };
  throw application_runtime_error(base::str(
      "Instance ", t.rank(), " came to \"", name(mine.step), "\" while instance ", before,
      " on host ", t.host(before), " came to \"", name(theirs.step),
      "\". All replicas must run the same programs in the same order, and take the same way to "
      "every collective."));
}

// What replicas of other processes copy from or to, in `packed` by replica.
void Interpreter::sendApart(const Instruction &in, std::byte *packed) {
  meet(in);
  const auto bytes = in.details->bufferBytes;
  auto &t = *peers_.transport;
  std::vector<openipu::Transport::Transfer> under;
  std::vector<std::pair<unsigned, unsigned>> sent; // a replica goes to a process once
  for (const auto &[from, to] : kindOf<step::CrossReplicaCopy>(in).pairs) {
    const auto source = peers_.ownerOf(from), sink = peers_.ownerOf(to);
    if (source == sink || std::count(sent.begin(), sent.end(), std::pair(from, sink)))
      continue;
    sent.emplace_back(from, sink);
    auto *data = packed + std::uint64_t(from) * bytes;
    if (source == t.rank())
      openipu::sendAll(t, sink, Channel::Parts, data, bytes, under);
    else if (sink == t.rank())
      openipu::receiveAll(t, source, Channel::Parts, data, bytes, under);
  }
  t.wait(under);
}

// Cycles of vertices that depend on data are those of the slowest replica of all. Within a branch
// or a loop with a condition replicas elsewhere may not come here: there they are those of this
// process. Empty if they are what was charged last.
std::vector<std::uint64_t> Interpreter::ofAll(const Instruction &in,
                                              std::vector<std::uint64_t> counted) {
  auto &counts = counts_[in.index];
  if (!counted.empty())
    counts.mine = std::move(counted);
  auto all = counts.mine;
  if (!choices_)
    takeSlowest(in, all);
  if (all == counts.charged)
    return {};
  return counts.charged = std::move(all);
}

void Interpreter::takeSlowest(const Instruction &in, std::vector<std::uint64_t> &cycles) {
  meet(in);
  const std::string mine(reinterpret_cast<const char *>(cycles.data()),
                         cycles.size() * sizeof cycles[0]);
  for (const auto &theirs : openipu::gatherBytes(*peers_.transport, mine))
    for (std::size_t i = 0; i < cycles.size() && theirs.size() == mine.size(); ++i) {
      std::uint64_t one;
      std::memcpy(&one, theirs.data() + i * sizeof one, sizeof one);
      cycles[i] = std::max(cycles[i], one);
    }
}

// Asked of its owner when generators were seeded: every process seeds them at the same step.
std::uint64_t Interpreter::firstKey() {
  if (!firstKeyChanged_)
    return firstKey_;
  firstKeyChanged_ = false;
  std::string key(sizeof firstKey_, '\0');
  std::memcpy(key.data(), &random_[0].key, sizeof firstKey_);
  openipu::broadcastBytes(*peers_.transport, 0, key);
  std::memcpy(&firstKey_, key.data(), sizeof firstKey_);
  return firstKey_;
}

} // namespace poplar::backend
