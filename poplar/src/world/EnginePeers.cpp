// SPDX-License-Identifier: MIT
// An engine whose program has replicas in other processes finds them when it is loaded, and sees
// that they run the same program.
#include "base/Text.hpp"
#include "engine/EngineImpl.hpp"
#include "executable/Fields.hpp"
#include "openipu/Transport.hpp"
#include <sstream>

namespace poplar {

using base::str;

namespace {

struct Part { // of one process
  unsigned first, number;
  std::string hash;
};

// Whatever the program is: its executable.
std::string hashOf(const executable::Image &image) {
  const auto hash = base::hashBytes(image.target.data(), image.target.size(), image.steps.size());
  std::uint64_t all = hash;
  const auto add = [&](const void *data, std::size_t size) {
    all = base::hashBytes(data, size, all);
  };
  for (const auto &step : image.steps) {
    const auto kind = step.kind.index();
    add(&kind, sizeof kind);
    add(step.name.data(), step.name.size());
    const auto fields = executable::fieldsOf(step);
    add(fields.numbers.data(), fields.numbers.size() * sizeof(std::uint64_t));
    for (const auto &text : fields.texts)
      add(text.data(), text.size());
  }
  for (const auto &variable : image.variables) {
    add(&variable.arenaOffset, sizeof variable.arenaOffset);
    for (const auto &value : variable.initial)
      add(value.bytes.data(), value.bytes.size());
  }
  return str(all);
}

std::vector<Part> partsOf(openipu::Transport &transport, const Part &mine) {
  std::vector<Part> parts;
  for (const auto &text :
       openipu::gatherBytes(transport, str(mine.first, ' ', mine.number, ' ', mine.hash))) {
    std::istringstream in(text);
    in >> parts.emplace_back().first >> parts.back().number >> parts.back().hash;
  }
  return parts;
}

} // namespace

void Engine::Impl::findPeers() {
  auto &transport = openipu::transport();
  const auto total = image->replicationFactor;
  const Part mine{shareOfReplicas.first, shareOfReplicas.number, hashOf(*image)};
  const auto parts = partsOf(transport, mine);
  openipu::Peers peers{&transport, {0}};
  for (unsigned r = 0; r < parts.size(); ++r) {
    const auto &part = parts[r];
    if (part.hash != mine.hash)
      throw poplar_error(str("Engine::load: instance ", r, " on host ", transport.host(r),
                             " has another program than instance ", transport.rank(), " on host ",
                             transport.host(transport.rank()),
                             ". All instances must build the same graph with the same options."));
    if (part.first != peers.firsts.back())
      throw poplar_error(str("Engine::load: instance ", r, " on host ", transport.host(r),
                             " has replicas from ", part.first, " on, but those before it have ",
                             peers.firsts.back(),
                             ". Instances must share all replicas in order of rank."));
    peers.firsts.push_back(part.first + part.number);
  }
  if (peers.firsts.back() != total)
    throw poplar_error(str("Engine::load: the ", parts.size(), " instances have ",
                           peers.firsts.back(), " replicas together, but the program has ", total,
                           "."));
  interpreter->setPeers(std::move(peers));
}

} // namespace poplar
