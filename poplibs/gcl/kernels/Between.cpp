// SPDX-License-Identifier: MIT
// The parts of a reduction go to their owners and the results come back, cut into pieces that are
// under way at the same time: while one is added up, the next one travels.
#include "Between.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "Operands.hpp"
#include "poplar/exceptions.hpp"
#include "Reduce.hpp"
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>

namespace gcl {

namespace {

using openipu::KernelArgs;
using openipu::TypeId;
using Channel = openipu::Transport::Channel;
using Transfers = std::vector<openipu::Transport::Transfer>;

// One group, as this process sees it.
struct Team {
  struct Process {
    unsigned rank;
    Range members; // of the group
  };
  openipu::Transport &transport;
  unsigned members;               // of the group
  std::vector<Process> processes; // that have some, in order
  std::size_t me = 0;

  Team(const openipu::Peers &peers, const std::vector<unsigned> &replicas)
      : transport(*peers.transport), members(unsigned(replicas.size())) {
    for (unsigned m = 0; m != replicas.size(); ++m) {
      const auto rank = peers.ownerOf(replicas[m]);
      if (processes.empty() || processes.back().rank != rank) {
        if (rank == transport.rank())
          me = processes.size();
        processes.push_back({rank, {m, m}});
      }
      processes.back().members.end = m + 1;
    }
  }
  Range mine() const { return processes[me].members; }
  template <class Work> void others(const Work &work) const { // begins behind itself, so that not
    for (std::size_t i = 1; i < processes.size(); ++i) {      // all send to the same one first
      const auto p = (me + i) % processes.size();
      work(p, processes[p]);
    }
  }
};

// Neighbouring elements of what is reduced: where the members of this process have them, and where
// the results go.
struct Stretch {
  std::size_t begin, n;
  std::vector<const std::byte *> from;
  std::vector<std::byte *> to;
};

// A reduction of the elements of all stretches, as one long vector.
struct Flow {
  TypeId type;
  CollectiveOperator op;
  std::vector<Stretch> stretches;
  std::vector<std::size_t> bounds; // by process: what it makes the results of
  bool share;                      // results go to all
};

class FlowRun {
public:
  FlowRun(const Team &team, const Flow &flow)
      : team_(team), flow_(flow), element_(sizeOf(flow.type)),
        partial_(partialBytes(flow.op, flow.type)) {}

  // Pieces go through three stages: parts are sent, added up, results are received.
  void run() {
    std::size_t longest = 0;
    for (std::size_t p = 0; p != team_.processes.size(); ++p)
      longest = std::max(longest, flow_.bounds[p + 1] - flow_.bounds[p]);
    const auto pieces = base::ceilDiv(longest, pieceElements());
    std::deque<Piece> parts, results;
    for (std::size_t i = 0; i < pieces + 2 * ahead; ++i) {
      if (i < pieces)
        startParts(parts.emplace_back(), i);
      if (i >= ahead && i - ahead < pieces) {
        addUp(parts.front());
        results.push_back(std::move(parts.front()));
        parts.pop_front();
      }
      if (i >= 2 * ahead) {
        finish(results.front());
        results.pop_front();
      }
    }
  }

  // Little is quicker sent to everybody, who all add it up.
  void runEverywhere() {
    Piece piece;
    piece.ranges.assign(team_.processes.size(), {0, elements()});
    startParts(piece);
    team_.transport.wait(piece.under);
    reduce(piece);
  }

  std::size_t elements() const { return flow_.bounds.back(); }

private:
  static constexpr std::size_t ahead = 2;
  static constexpr std::size_t pieceBytes = 1 << 19;
  struct Elements {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
  };
  struct Piece {
    std::vector<Elements> ranges;                       // by process: what it adds up
    std::vector<std::vector<std::byte>> sent, received; // by process
    std::vector<std::byte> result;
    Transfers under; // parts, then results
  };
  std::size_t pieceElements() const { return pieceBytes / element_; }

  std::size_t blockBytes(const Range &block, std::size_t n) const { // kept aligned
    return (n * (block.end - block.begin > 1 ? partial_ : element_) + 7) / 8 * 8;
  }
  template <class Work> void within(Elements range, const Work &work) const {
    auto it = std::upper_bound(flow_.stretches.begin(), flow_.stretches.end(), range.begin,
                               [](std::size_t at, const Stretch &s) { return at < s.begin + s.n; });
    for (; it != flow_.stretches.end() && it->begin < range.end; ++it) {
      const auto begin = std::max(range.begin, it->begin);
      const auto end = std::min(range.end, it->begin + it->n);
      work(*it, begin - it->begin, begin - range.begin, end - begin);
    }
  }
  // Memory that has all of the range, if it lies in one stretch.
  const Stretch *single(Elements range) const {
    const Stretch *found = nullptr;
    within(range, [&](const Stretch &s, std::size_t, std::size_t, std::size_t n) {
      if (n == range.size())
        found = &s;
    });
    return found;
  }
  static void inParts(std::size_t n, std::size_t work,
                      const std::function<void(std::size_t, std::size_t)> &body) {
    constexpr std::size_t elementsPerThread = 1 << 15;
    base::parallelFor(n, std::max<std::size_t>(1024, elementsPerThread / work),
                      [&](std::size_t begin, std::size_t end, unsigned) { body(begin, end); });
  }

  // What the members here have of the range: block after block of the tree.
  const std::byte *parts(Elements range, std::vector<std::byte> &memory, std::size_t &bytes) const {
    const auto blocks = blocksOf(team_.mine(), team_.members);
    const auto first = team_.mine().begin;
    if (blocks.size() == 1 && blocks[0].end - blocks[0].begin == 1)
      if (const auto *whole = single(range)) {
        bytes = range.size() * element_;
        return whole->from[0] + (range.begin - whole->begin) * element_;
      }
    bytes = partsBytes(team_.mine(), range.size());
    memory.resize(bytes);
    auto *to = memory.data();
    for (const auto &block : blocks) {
      within(range, [&](const Stretch &s, std::size_t from, std::size_t at, std::size_t n) {
        put(block, s.from.data() + (block.begin - first), from, to, at, n);
      });
      to += blockBytes(block, range.size());
    }
    return memory.data();
  }
  std::size_t partsBytes(Range members, std::size_t n) const {
    std::size_t bytes = 0;
    const auto blocks = blocksOf(members, team_.members);
    if (blocks.size() == 1 && blocks[0].end - blocks[0].begin == 1)
      return n * element_;
    for (const auto &block : blocks)
      bytes += blockBytes(block, n);
    return bytes;
  }
  void put(const Range &block, const std::byte *const *from, std::size_t offset, std::byte *to,
           std::size_t at, std::size_t n) const {
    if (block.end - block.begin == 1) {
      std::memcpy(to + at * element_, from[0] + offset * element_, n * element_);
      return;
    }
    inParts(n, block.end - block.begin, [&](std::size_t begin, std::size_t end) {
      std::vector<Node> nodes;
      for (auto m = block.begin; m != block.end; ++m)
        nodes.push_back({from[m - block.begin] + (offset + begin) * element_, m, m + 1, false});
      reduceTree(flow_.op, flow_.type, {nodes, team_.members, {}, 1, 1, end - begin},
                 to + (at + begin) * partial_);
    });
  }

  void startParts(Piece &piece, std::size_t index) const {
    for (std::size_t p = 0; p != team_.processes.size(); ++p) {
      const auto begin = flow_.bounds[p] + index * pieceElements();
      const auto end = std::min(begin + pieceElements(), flow_.bounds[p + 1]);
      piece.ranges.push_back({std::min(begin, end), end});
    }
    startParts(piece);
  }
  void startParts(Piece &piece) const {
    piece.sent.resize(team_.processes.size());
    piece.received.resize(team_.processes.size());
    auto &t = team_.transport;
    const auto mine = piece.ranges[team_.me];
    team_.others([&](std::size_t p, const Team::Process &other) {
      if (!mine.size())
        return;
      auto &memory = piece.received[p];
      memory.resize(partsBytes(other.members, mine.size()));
      openipu::receiveAll(t, other.rank, Channel::Parts, memory.data(), memory.size(), piece.under);
    });
    std::size_t bytes = 0;
    const std::byte *data = nullptr;
    Elements last{0, 0}; // where all get the same, it is made once
    team_.others([&](std::size_t p, const Team::Process &other) {
      const auto range = piece.ranges[p];
      if (!range.size())
        return;
      if (!data || range.begin != last.begin || range.end != last.end)
        data = parts(range, piece.sent[p], bytes);
      last = range;
      openipu::sendAll(t, other.rank, Channel::Parts, data, bytes, piece.under);
    });
  }

  void reduce(const Piece &piece) const {
    const auto mine = piece.ranges[team_.me];
    within(mine, [&](const Stretch &s, std::size_t offset, std::size_t at, std::size_t n) {
      inParts(n, team_.members, [&](std::size_t begin, std::size_t end) {
        const auto nodes = nodesOf(piece, s, offset + begin, at + begin, mine.size());
        std::vector<std::byte *> to;
        for (auto *sink : s.to)
          to.push_back(sink + (offset + begin) * element_);
        reduceTree(flow_.op, flow_.type, {nodes, team_.members, to, 1, 1, end - begin}, nullptr);
      });
    });
  }
  std::vector<Node> nodesOf(const Piece &piece, const Stretch &s, std::size_t offset,
                            std::size_t at, std::size_t n) const {
    std::vector<Node> nodes;
    for (std::size_t p = 0; p != team_.processes.size(); ++p) {
      const auto members = team_.processes[p].members;
      if (p == team_.me) {
        for (auto m = members.begin; m != members.end; ++m)
          nodes.push_back({s.from[m - members.begin] + offset * element_, m, m + 1, false});
        continue;
      }
      const auto *data = piece.received[p].data();
      for (const auto &block : blocksOf(members, team_.members)) {
        const bool partial = block.end - block.begin > 1;
        // reduceTree counts elements of partial blocks itself: it begins at 0 here too.
        nodes.push_back(
            {data + at * (partial ? partial_ : element_), block.begin, block.end, partial});
        data += blockBytes(block, n);
      }
    }
    return nodes;
  }

  void addUp(Piece &piece) const {
    auto &t = team_.transport;
    t.wait(piece.under);
    piece.under.clear();
    reduce(piece);
    if (!flow_.share)
      return;
    team_.others([&](std::size_t p, const Team::Process &other) {
      const auto range = piece.ranges[p];
      if (!range.size())
        return;
      auto *to = placeOf(range, piece.received[p]);
      openipu::receiveAll(t, other.rank, Channel::Results, to, range.size() * element_,
                          piece.under);
    });
    const auto mine = piece.ranges[team_.me];
    if (!mine.size())
      return;
    const auto *result = placeOf(mine, piece.result);
    if (result == piece.result.data())
      within(mine, [&](const Stretch &s, std::size_t offset, std::size_t at, std::size_t n) {
        std::memcpy(piece.result.data() + at * element_, s.to[0] + offset * element_, n * element_);
      });
    team_.others([&](std::size_t, const Team::Process &other) {
      openipu::sendAll(t, other.rank, Channel::Results, result, mine.size() * element_,
                       piece.under);
    });
  }
  // The first member's memory, or other that is copied there later.
  std::byte *placeOf(Elements range, std::vector<std::byte> &memory) const {
    if (const auto *whole = single(range)) {
      memory.clear();
      return whole->to[0] + (range.begin - whole->begin) * element_;
    }
    memory.resize(range.size() * element_);
    return memory.data();
  }

  void finish(Piece &piece) const {
    if (!flow_.share)
      return;
    team_.transport.wait(piece.under);
    team_.others([&](std::size_t p, const Team::Process &) {
      const auto &memory = piece.received[p];
      const auto range = piece.ranges[p];
      within(range, [&](const Stretch &s, std::size_t offset, std::size_t at, std::size_t n) {
        const auto *from =
            memory.empty() ? s.to[0] + offset * element_ : memory.data() + at * element_;
        for (auto *to : s.to)
          if (to + offset * element_ != from)
            std::memcpy(to + offset * element_, from, n * element_);
      });
    });
  }

  const Team &team_;
  const Flow &flow_;
  std::size_t element_, partial_;
};

// Whether the elements lie without gaps, in whatever order.
bool gapless(const openipu::KernelOperand &t) {
  std::vector<std::pair<std::int64_t, std::size_t>> loops;
  for (std::size_t d = 0; d != t.shape.size(); ++d)
    if (t.shape[d] != 1)
      loops.emplace_back(t.strides[d], t.shape[d]);
  std::sort(loops.begin(), loops.end());
  std::int64_t next = 1;
  for (const auto &[stride, size] : loops) {
    if (stride != next)
      return false;
    next *= std::int64_t(size);
  }
  return true;
}

// What a kernel works on here: dense copies of operands that are not. `anyOrder`: every element is
// treated alike, and operands of all replicas lie alike, so that none is copied only for its order.
class Dense {
public:
  Dense(std::span<const KernelArgs> replicas, const std::vector<unsigned> &here, bool anyOrder) {
    for (auto r : here) {
      const auto &args = replicas[r];
      auto &to = to_.emplace_back(), &from = from_.emplace_back();
      for (std::size_t t = 0; t != args.outputs.size(); ++t) {
        const bool inPlace = args.inputs.empty();
        const auto &out = args.outputs[t];
        if (anyOrder && gapless(out) &&
            (inPlace || std::ranges::equal(out.strides, args.inputs[t].strides))) {
          to.push_back(out.data);
          from.push_back(inPlace ? out.data : args.inputs[t].data);
          continue;
        }
        to.push_back(dense(args.outputs[t], inPlace, true));
        from.push_back(inPlace ? to.back() : dense(args.inputs[t], true, false));
      }
    }
  }
  std::byte *to(std::size_t member, std::size_t tensor) const { return to_[member][tensor]; }
  std::byte *from(std::size_t member, std::size_t tensor) const { return from_[member][tensor]; }
  void putBack() {
    for (auto &copy : copies_)
      if (copy.written)
        copyOperand(copy.original, copy.memory.data(), false);
  }

private:
  struct Copy {
    openipu::KernelOperand original;
    std::vector<std::byte> memory;
    bool written;
  };
  std::byte *dense(const openipu::KernelOperand &t, bool read, bool written) {
    if (t.contiguous)
      return t.data;
    copies_.push_back({t, std::vector<std::byte>(t.elements * sizeOf(t.type)), written});
    auto &copy = copies_.back();
    if (read)
      copyOperand(t, copy.memory.data(), true);
    return copy.memory.data();
  }
  std::deque<Copy> copies_;
  std::vector<std::vector<std::byte *>> to_, from_;
};

struct Job {
  std::span<const KernelArgs> replicas;
  const Request &request;
  const Team &team;
  std::vector<unsigned> here; // replicas of this process that are members
  Dense &memory;

  std::size_t tensors() const { return replicas[0].outputs.size(); }
  const openipu::KernelOperand &out(std::size_t t) const { return replicas[here[0]].outputs[t]; }
  std::size_t inElements(std::size_t t) const {
    const auto &args = replicas[here[0]];
    return args.inputs.empty() ? args.outputs[t].elements : args.inputs[t].elements;
  }
  std::size_t bytes(std::size_t t) const { return sizeOf(out(t).type); }
};

Stretch stretchOf(const Job &job, std::size_t t, std::size_t begin, std::size_t from,
                  std::size_t n) {
  Stretch s{begin, n, {}, {}};
  for (std::size_t m = 0; m != job.here.size(); ++m)
    s.from.push_back(job.memory.from(m, t) + from * job.bytes(t));
  return s;
}

// Tensors of one type are reduced as one.
template <class Work> void byType(const Job &job, const Work &work) {
  std::map<TypeId, std::vector<std::size_t>> types;
  for (std::size_t t = 0; t != job.tensors(); ++t)
    types[job.out(t).type].push_back(t);
  for (const auto &[type, tensors] : types)
    work(type, tensors);
}

void allReduce(const Job &job) {
  constexpr std::size_t little = 1 << 14; // bytes that are sent to everybody
  byType(job, [&](TypeId type, const std::vector<std::size_t> &tensors) {
    Flow flow{type, job.request.op, {}, {0}, true};
    std::size_t n = 0;
    for (auto t : tensors) {
      auto &s = flow.stretches.emplace_back(stretchOf(job, t, n, 0, job.inElements(t)));
      for (std::size_t m = 0; m != job.here.size(); ++m)
        s.to.push_back(job.memory.to(m, t));
      n += s.n;
    }
    const auto processes = job.team.processes.size();
    for (std::size_t p = 1; p <= processes; ++p)
      flow.bounds.push_back(n * p / processes);
    FlowRun run(job.team, flow);
    n *sizeOf(type) <= little ? run.runEverywhere() : run.run();
  });
}

// Member i has part i: what a process makes the results of are the parts of its members.
void reduceScatter(const Job &job) {
  byType(job, [&](TypeId type, const std::vector<std::size_t> &tensors) {
    Flow flow{type, job.request.op, {}, {0}, false};
    std::size_t at = 0;
    for (std::size_t p = 0; p != job.team.processes.size(); ++p) {
      const auto members = job.team.processes[p].members;
      for (auto t : tensors)
        for (auto m = members.begin; m != members.end; ++m) {
          const auto part = job.out(t).elements, all = job.inElements(t);
          const auto begin = std::min(all, m * part), n = std::min(part, all - begin);
          if (!n)
            continue;
          auto &s = flow.stretches.emplace_back(stretchOf(job, t, at, begin, n));
          if (p == job.team.me)
            s.to.push_back(job.memory.to(m - members.begin, t));
          at += n;
        }
      flow.bounds.push_back(at);
    }
    FlowRun(job.team, flow).run();
  });
  for (std::size_t m = 0; m != job.here.size(); ++m)
    for (std::size_t t = 0; t != job.tensors(); ++t) { // zeros behind the last element
      const auto part = job.out(t).elements, all = job.inElements(t);
      const auto n = std::min(part, all - std::min(all, (job.team.mine().begin + m) * part));
      std::memset(job.memory.to(m, t) + n * job.bytes(t), 0, (part - n) * job.bytes(t));
    }
}

// No arithmetic, no process but the own.
void local(const Job &job) {
  for (std::size_t m = 0; m != job.here.size(); ++m)
    for (std::size_t t = 0; t != job.tensors(); ++t) {
      const auto part = job.out(t).elements, all = job.inElements(t);
      const bool scatter = job.request.kind == kernels::Kind::ReduceScatter;
      const auto begin = scatter ? std::min(all, (job.team.mine().begin + m) * part) : 0;
      const auto n = std::min(part, all - begin);
      auto *to = job.memory.to(m, t);
      std::memmove(to, job.memory.from(m, t) + begin * job.bytes(t), n * job.bytes(t));
      std::memset(to + n * job.bytes(t), 0, (part - n) * job.bytes(t));
    }
}

// What members of other processes have is received by the first member here and copied on.
void allGather(const Job &job) {
  auto &t = job.team.transport;
  Transfers under;
  const auto row = [&](std::size_t tensor) { return job.inElements(tensor) * job.bytes(tensor); };
  for (std::size_t tensor = 0; tensor != job.tensors(); ++tensor)
    job.team.others([&](std::size_t, const Team::Process &other) {
      for (auto m = other.members.begin; m != other.members.end; ++m)
        openipu::receiveAll(t, other.rank, Channel::Parts,
                            job.memory.to(0, tensor) + m * row(tensor), row(tensor), under);
    });
  for (std::size_t tensor = 0; tensor != job.tensors(); ++tensor)
    job.team.others([&](std::size_t, const Team::Process &other) {
      for (std::size_t m = 0; m != job.here.size(); ++m)
        openipu::sendAll(t, other.rank, Channel::Parts, job.memory.from(m, tensor), row(tensor),
                         under);
    });
  const auto mine = job.team.mine();
  for (std::size_t tensor = 0; tensor != job.tensors(); ++tensor)
    for (std::size_t m = 0; m != job.here.size(); ++m)
      std::memcpy(job.memory.to(0, tensor) + (mine.begin + m) * row(tensor),
                  job.memory.from(m, tensor), row(tensor));
  t.wait(under);
  for (std::size_t tensor = 0; tensor != job.tensors(); ++tensor)
    for (std::size_t m = 1; m != job.here.size(); ++m)
      std::memcpy(job.memory.to(m, tensor), job.memory.to(0, tensor),
                  job.team.members * row(tensor));
}

// Row i of member j becomes row j of member i.
void allToAll(const Job &job) {
  auto &t = job.team.transport;
  Transfers under;
  const auto mine = job.team.mine();
  for (std::size_t tensor = 0; tensor != job.tensors(); ++tensor) {
    const auto row = job.out(tensor).elements / job.team.members * job.bytes(tensor);
    job.team.others([&](std::size_t, const Team::Process &other) {
      for (auto j = other.members.begin; j != other.members.end; ++j)
        for (std::size_t i = 0; i != job.here.size(); ++i)
          openipu::receiveAll(t, other.rank, Channel::Parts, job.memory.to(i, tensor) + j * row,
                              row, under);
      for (std::size_t j = 0; j != job.here.size(); ++j)
        for (auto i = other.members.begin; i != other.members.end; ++i)
          openipu::sendAll(t, other.rank, Channel::Parts, job.memory.from(j, tensor) + i * row, row,
                           under);
    });
    for (std::size_t j = 0; j != job.here.size(); ++j)
      for (std::size_t i = 0; i != job.here.size(); ++i)
        std::memcpy(job.memory.to(i, tensor) + (mine.begin + j) * row,
                    job.memory.from(j, tensor) + (mine.begin + i) * row, row);
  }
  t.wait(under);
}

void broadcast(const Job &job) {
  auto &t = job.team.transport;
  Transfers under;
  const bool root = job.team.me == 0;
  for (std::size_t tensor = 0; tensor != job.tensors(); ++tensor) {
    const auto bytes = job.inElements(tensor) * job.bytes(tensor);
    if (root)
      job.team.others([&](std::size_t, const Team::Process &other) {
        openipu::sendAll(t, other.rank, Channel::Parts, job.memory.from(0, tensor), bytes, under);
      });
    else
      openipu::receiveAll(t, job.team.processes[0].rank, Channel::Parts, job.memory.to(0, tensor),
                          bytes, under);
  }
  t.wait(under);
  for (std::size_t tensor = 0; tensor != job.tensors(); ++tensor) {
    const auto bytes = job.inElements(tensor) * job.bytes(tensor);
    const auto *from = root ? job.memory.from(0, tensor) : job.memory.to(0, tensor);
    for (std::size_t m = 0; m != job.here.size(); ++m)
      if (job.memory.to(m, tensor) != from)
        std::memcpy(job.memory.to(m, tensor), from, bytes);
  }
}

void runJob(const Job &job) {
  const auto &r = job.request;
  const bool reduces = r.kind == kernels::Kind::AllReduce || r.kind == kernels::Kind::ReduceScatter;
  if (reduces && r.op == CollectiveOperator::LOCAL)
    local(job);
  else if (r.kind == kernels::Kind::AllReduce)
    allReduce(job);
  else if (r.kind == kernels::Kind::ReduceScatter)
    reduceScatter(job);
  else if (r.kind == kernels::Kind::AllGather)
    allGather(job);
  else if (r.kind == kernels::Kind::AllToAll)
    allToAll(job);
  else
    broadcast(job);
}

} // namespace

void runBetween(std::span<const KernelArgs> replicas, const Request &request,
                const openipu::Peers &peers) {
  for (const auto &members : kernels::membersOf(request.group, peers.total())) {
    std::vector<unsigned> here;
    for (auto r : members)
      if (peers.ownerOf(r) == peers.transport->rank())
        here.push_back(r - peers.first());
    if (here.size() == members.size())
      runHere(replicas, here, request);
    else if (!here.empty()) {
      const Team team(peers, members);
      const bool anyOrder =
          request.kind == kernels::Kind::AllReduce && request.op != CollectiveOperator::LOCAL;
      Dense memory(replicas, here, anyOrder);
      runJob({replicas, request, team, here, memory});
      memory.putBack();
    }
  }
}

} // namespace gcl
