// SPDX-License-Identifier: MIT
// Sessions of several instances (poprun) that train or run one model together. All make the same
// executable, with the replicas of all of them; each runs its own.
#include "base/Text.hpp"
#include "openipu/TargetDifferences.hpp"
#include "openipu/Transport.hpp"
#include "session/hash.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include <cstring>
#include <popart/error.hpp>
#include <sstream>

namespace popart {

namespace {

// The others learn why, instead of waiting for what never comes.
template <class Work> void orTell(openipu::Transport &transport, const Work &work) {
  try {
    work();
  } catch (const std::exception &e) {
    transport.fail(e.what());
    throw;
  }
}

std::string hashOfWeights(const session::Weights &weights) {
  session::Hasher h;
  for (const auto &[id, bytes] : weights) {
    h.text(id);
    h.text(bytes.view());
  }
  return h.hex();
}

// The values of an optimizer that may change, one to a line.
std::vector<std::string> changeable(const Optimizer &optimizer) {
  std::vector<std::string> out;
  const auto add = [&](const std::string &what, const OptimizerValue &value) {
    if (!value.isConst())
      out.push_back(base::str(what, " is ", value.val()));
  };
  add("lossScaling", optimizer.lossScaling());
  for (const auto &p : optimizer.parameters()) {
    add(p.name, p.values.getDefault());
    for (const auto &[id, value] : p.values.getSpecifics())
      add(base::str(p.name, " of \"", id, "\""), value);
  }
  return out;
}

// The first line that two of them do not share.
std::pair<std::string, std::string> difference(const std::string &a, const std::string &b) {
  std::istringstream as(a), bs(b);
  std::string one, other;
  while (std::getline(as, one) && std::getline(bs, other) && one == other)
    ;
  return {one, other};
}

} // namespace

session::Share Session::Impl::share() const {
  const auto here = options.enableReplicatedGraphs ? options.replicatedGraphCount : 1;
  return {options.enableDistributedReplicatedGraphs ? options.globalReplicaOffset : 0, here};
}

poplar::Target Session::Impl::target() const {
  const auto &own = device->getTarget();
  const auto here = unsigned(share().number);
  if (!apart() || own.getNumIPUs() % here)
    return own; // what does not divide is refused later, in words of the model
  return openipu::targetOfAll(own, here, unsigned(replicas()));
}

// Seeds that nobody chose come from the clock, which differs.
void Session::Impl::meetInstances() {
  if (!apart())
    return;
  auto &transport = openipu::transport();
  std::string bytes(sizeof seed, '\0');
  std::memcpy(bytes.data(), &seed, sizeof seed);
  openipu::broadcastBytes(transport, 0, bytes);
  std::memcpy(&seed, bytes.data(), sizeof seed);
}

void Session::Impl::compareInstances() const {
  if (!apart())
    return;
  auto &transport = openipu::transport();
  const auto hashes = openipu::gatherBytes(transport, hash());
  for (unsigned r = 0; r < hashes.size(); ++r)
    if (hashes[r] != hashes[0])
      throw error(base::str("Instance ", r, " on host ", transport.host(r),
                            " has another model or other options than instance 0 on host ",
                            transport.host(0),
                            ". All instances must run the same program: look for what depends on "
                            "the rank, on random numbers or on files that differ."));
}

// In every step, since only all instances together know that one of them has changed something.
void Session::Impl::compareOptimizers() {
  if (!apart() || io.hyperParameters.empty())
    return;
  auto &transport = openipu::transport();
  const auto values = hyperParameters(*optimizer);
  std::string bytes;
  for (const auto &spec : io.hyperParameters) {
    const auto &value = values.at(spec.id);
    bytes.append(static_cast<const char *>(value.data()), value.bytes());
  }
  session::Hasher h;
  h.text(bytes);
  const auto hashes = openipu::gatherBytes(transport, h.hex());
  for (unsigned r = 0; r < hashes.size(); ++r)
    if (hashes[r] != hashes[0])
      refuseOptimizer(r);
}
void Session::Impl::refuseOptimizer(unsigned rank) const {
  auto &transport = openipu::transport();
  std::string lines;
  for (const auto &line : changeable(*optimizer))
    lines += line + '\n';
  const auto all = openipu::gatherBytes(transport, lines);
  const auto [theirs, first] = difference(all[rank], all[0]);
  throw error(base::str("Instance ", rank, " on host ", transport.host(rank),
                        " trains with another optimizer than instance 0 on host ",
                        transport.host(0), ": ", theirs, ", and ", first,
                        " there. Their weights "
                        "would drift apart; give all instances the same values."));
}

unsigned Session::Impl::instances() const { return openipu::transport().size(); }

void Session::Impl::agreeOnWeights(unsigned root) {
  auto &transport = openipu::transport();
  const auto hashes = openipu::gatherBytes(transport, hashOfWeights(hostWeights));
  if (std::all_of(hashes.begin(), hashes.end(), [&](const auto &h) { return h == hashes[0]; }))
    return;
  session::log().info("The weights of instance ", root, " go to all instances.");
  std::string all;
  for (const auto &[id, bytes] : hostWeights)
    all += bytes.view();
  const auto size = all.size();
  openipu::broadcastBytes(transport, root, all);
  if (all.size() != size)
    throw error("The instances have weights of different sizes.");
  std::size_t at = 0;
  for (auto &[id, bytes] : hostWeights) {
    std::memcpy(bytes.writable(), all.data() + at, bytes.size());
    at += bytes.size();
  }
  source->deliver(hostWeights, replicas());
}

void Session::Impl::compileOnce() {
  if (!device->isHwCompatible()) // what is made for a model cannot be written
    return makeExecutable();
  auto &transport = openipu::transport();
  const bool first = transport.rank() == 0;
  if (first)
    orTell(transport, [&] { makeExecutable(); });
  if (!options.compileEngine)
    return;
  bool all = true;
  for (const auto &has : openipu::gatherBytes(transport, executable ? "1" : "0"))
    all = all && has == "1";
  if (all)
    return;
  std::string bytes;
  if (first) {
    base::TextStream out;
    session::ToStore what;
    what.interface = &io;
    what.executable = &*executable;
    session::writeStored(out, what);
    bytes = std::move(out).str();
  }
  openipu::broadcastBytes(transport, 0, bytes);
  if (executable)
    return;
  std::istringstream in(std::move(bytes));
  auto stored = session::readStored(in);
  io = std::move(*stored.interface);
  executable = std::move(stored.executable);
  fromFile = true;
}

} // namespace popart
