// SPDX-License-Identifier: MIT
// collectives OUT: every collective, operator, type and group, of sizes from nothing to several
// pieces, over the replicas of all instances that poprun started. Results are compared with loops
// over replicas, and written to OUT.<replica>, so that runs on other numbers of instances can be
// compared bit by bit.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <gcl/Collectives.hpp>
#include <iostream>
#include <openipu/TargetDifferences.hpp>
#include <popdist/collectives.hpp>
#include <popdist/context.hpp>
#include <popdist/run.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <set>
#include <stdexcept>

using namespace poplar;
using program::Sequence;
using Op = gcl::CollectiveOperator;
using Group = gcl::CommGroup;
using Doubles = std::vector<double>;

namespace {

enum class Kind { AllReduce, InPlace, ReduceScatter, AllGather, AllToAll, Broadcast, Rotate };

struct Case {
  Kind kind;
  Op op;
  Type type;
  Group group;
  std::size_t n;
  Tensor in, out;
  std::string name;
};

// Values that no order of summation leaves alike, small enough for every type.
double value(const Case &c, std::size_t number, unsigned replica, std::size_t i) {
  std::uint64_t h = (number * 1000003 + replica) * 1000003 + i;
  h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15ull;
  h ^= h >> 29;
  if (c.type == BOOL)
    return double(h % 3 != 0);
  if (c.type == INT || c.type == UNSIGNED_INT)
    return double(h % 17) - (c.type == INT ? 8 : 0);
  return double(float(double(h % 2000003) / 1000001 - 0.7));
}

std::vector<unsigned> membersOf(const Group &group, unsigned replica, unsigned all) {
  const auto size = group.replicaGroupSize() ? group.replicaGroupSize() : all;
  const bool whole = group.type() == gcl::CommGroupType::ALL;
  const auto stride = whole                                            ? 1
                      : group.type() == gcl::CommGroupType::ORTHOGONAL ? all / size
                                                                       : group.replicaGroupStride();
  const auto first = replica / (size * stride) * size * stride + replica % stride;
  std::vector<unsigned> out;
  for (unsigned i = 0; i != size; ++i)
    out.push_back(first + i * stride);
  return out;
}

double combined(Op op, const Doubles &x) {
  double out = op == Op::SQUARE_ADD ? x[0] * x[0] : x[0];
  for (std::size_t i = 1; i != x.size(); ++i)
    out = op == Op::MUL || op == Op::LOGICAL_AND  ? out * x[i]
          : op == Op::MIN                         ? std::min(out, x[i])
          : op == Op::MAX || op == Op::LOGICAL_OR ? std::max(out, x[i])
          : op == Op::SQUARE_ADD                  ? out + x[i] * x[i]
                                                  : out + x[i];
  return op == Op::MEAN ? out / double(x.size()) : out;
}

// What a replica must have afterwards; `in(replica, i)` is what they had.
Doubles expected(const Case &c, unsigned replica, unsigned all,
                 const std::function<double(unsigned, std::size_t)> &in) {
  const auto members = membersOf(c.group, replica, all);
  const auto place =
      std::size_t(std::find(members.begin(), members.end(), replica) - members.begin());
  const auto reduced = [&](std::size_t i) {
    if (c.op == Op::LOCAL)
      return in(replica, i);
    Doubles x;
    for (auto m : members)
      x.push_back(in(m, i));
    return combined(c.op, x);
  };
  Doubles out(c.out.numElements());
  for (std::size_t i = 0; i != out.size(); ++i)
    switch (c.kind) {
    case Kind::AllReduce:
    case Kind::InPlace:
      out[i] = reduced(i);
      break;
    case Kind::ReduceScatter:
      out[i] = place * out.size() + i < c.n ? reduced(place * out.size() + i) : 0;
      break;
    case Kind::AllGather:
      out[i] = in(members[i / c.n], i % c.n);
      break;
    case Kind::AllToAll: {
      const auto row = c.n / members.size();
      out[i] = in(members[i / row], place * row + i % row);
      break;
    }
    case Kind::Broadcast:
      out[i] = in(members[0], i);
      break;
    case Kind::Rotate:
      out[i] = in((replica + all - 1) % all, i);
      break;
    }
  return out;
}

void put(const Type &type, double v, char *to) {
  const auto store = [&](auto x) { std::memcpy(to, &x, sizeof x); };
  if (type == FLOAT)
    store(float(v));
  else if (type == INT)
    store(std::int32_t(v));
  else if (type == UNSIGNED_INT)
    store(std::uint32_t(v));
  else
    store(static_cast<unsigned char>(v));
}
double get(const Type &type, const char *from) {
  const auto read = [&](auto x) {
    std::memcpy(&x, from, sizeof x);
    return double(x);
  };
  return type == FLOAT          ? read(float())
         : type == INT          ? read(std::int32_t())
         : type == UNSIGNED_INT ? read(std::uint32_t())
                                : read(static_cast<unsigned char>(0));
}
std::size_t bytesOf(const Type &type) { return type == HALF ? 2 : type == BOOL ? 1 : 4; }

class Run {
public:
  Run(unsigned all, unsigned first, unsigned here)
      : all_(all), first_(first), here_(here), device_(attached(here)),
        target_(openipu::targetOfAll(device_.getTarget(), here, all)),
        graph_(target_, replication_factor(all)) {}

  void addCases() {
    const std::vector<Group> groups =
        all_ % 2 ? std::vector<Group>{{}}
                 : std::vector<Group>{{},
                                      {gcl::CommGroupType::CONSECUTIVE, 2},
                                      {gcl::CommGroupType::CONSECUTIVE, 2, all_ / 2},
                                      {gcl::CommGroupType::ORTHOGONAL, 2}};
    for (const auto &group : groups) {
      for (auto op : {Op::ADD, Op::MEAN, Op::MUL, Op::MIN, Op::MAX, Op::SQUARE_ADD, Op::LOCAL})
        for (const auto &type : {FLOAT, HALF, INT, UNSIGNED_INT})
          for (auto kind : {Kind::AllReduce, Kind::InPlace, Kind::ReduceScatter})
            add({kind, op, type, group, 37, {}, {}, {}});
      for (auto op : {Op::LOGICAL_AND, Op::LOGICAL_OR})
        add({Kind::AllReduce, op, BOOL, group, 33, {}, {}, {}});
      const auto size = group.replicaGroupSize() ? group.replicaGroupSize() : all_;
      for (const auto &type : {FLOAT, HALF, BOOL}) {
        add({Kind::AllGather, Op::LOCAL, type, group, 19, {}, {}, {}});
        add({Kind::AllToAll, Op::LOCAL, type, group, 5 * size, {}, {}, {}});
        add({Kind::Broadcast, Op::LOCAL, type, group, 23, {}, {}, {}});
      }
      // Nothing, one, fewer than members, large; with several pieces that travel at once.
      for (std::size_t n : {0ul, 1ul, 3ul, 40'001ul, 1'500'007ul})
        for (auto kind : {Kind::AllReduce, Kind::ReduceScatter})
          add({kind, Op::ADD, n == 40'001 ? HALF : FLOAT, group, n, {}, {}, {}});
    }
    add({Kind::Rotate, Op::LOCAL, FLOAT, {}, 11, {}, {}, {}});
  }

  // Several tensors in one collective, one of them a transposed view.
  void addList() {
    std::vector<Tensor> tensors;
    for (std::size_t n : {5ul, 70'000ul, 12ul})
      tensors.push_back(input(FLOAT, n));
    tensors[2] = tensors[2].reshape({3, 4}).transpose();
    auto reduced = gcl::allReduceCrossReplica(graph_, tensors, Op::ADD, program_);
    for (std::size_t i = 0; i != tensors.size(); ++i) {
      Case c{Kind::AllReduce, Op::ADD, FLOAT, {}, tensors[i].numElements(), tensors[i], {}, "list"};
      c.out = reduced[i];
      finish(c);
    }
  }

  int run(const std::string &file) {
    Engine mine(compileGraph(graph_, {program_}),
                {{"target.firstRuntimeReplica", std::to_string(first_)},
                 {"target.numberRuntimeReplica", std::to_string(here_)}});
    mine.load(device_);
    for (std::size_t c = 0; c != cases_.size(); ++c)
      write(mine, c);
    popdist::run(mine, 0, "collectives");
    std::vector<std::ofstream> files;
    for (unsigned r = 0; r != here_; ++r)
      files.emplace_back(file + "." + std::to_string(first_ + r), std::ios::binary);
    int wrong = 0;
    for (std::size_t c = 0; c != cases_.size(); ++c)
      wrong += check(mine, c, files);
    std::printf("%zu collectives, %d wrong\n", cases_.size(), wrong);
    return wrong != 0;
  }

private:
  static Device attached(unsigned ipus) { // a model has any number of IPUs, also three
    IPUModel model;
    model.numIPUs = ipus;
    model.tilesPerIPU = 16;
    auto device = model.createDevice();
    device.attach();
    return device;
  }

  Tensor input(const Type &type, std::size_t n) {
    auto t = graph_.addVariable(type, {n});
    poputil::mapTensorLinearly(graph_, t);
    return t;
  }
  void add(Case c) {
    c.in = input(c.type, c.n);
    const auto size = membersOf(c.group, 0, all_).size();
    switch (c.kind) {
    case Kind::AllReduce:
      c.out = gcl::allReduceCrossReplica(graph_, c.in, c.op, program_, c.group);
      break;
    case Kind::InPlace:
      c.out = input(c.type, c.n);
      program_.add(program::Copy(c.in, c.out));
      gcl::allReduceInPlaceCrossReplica(graph_, c.out, c.op, program_, c.group);
      break;
    case Kind::ReduceScatter:
      c.out = gcl::reduceScatterCrossReplica(graph_, c.in, c.op, program_, c.group);
      break;
    case Kind::AllGather:
      c.out = gcl::allGatherCrossReplica(graph_, c.in, program_, c.group).flatten();
      break;
    case Kind::AllToAll:
      c.out = gcl::allToAllCrossReplica(graph_, c.in.reshape({size, c.n / size}), program_, c.group)
                  .flatten();
      break;
    case Kind::Broadcast:
      c.out = gcl::broadcastCrossReplica(graph_, c.in, program_, c.group);
      break;
    case Kind::Rotate: {
      c.out = input(c.type, c.n);
      std::map<unsigned, unsigned> pairs;
      for (unsigned r = 0; r != all_; ++r)
        pairs[r] = (r + 1) % all_;
      program_.add(program::CrossReplicaCopy(c.in, c.out, pairs));
      break;
    }
    }
    std::ostringstream name;
    name << int(c.kind) << ' ' << c.op << ' ' << c.type << ' ' << c.group.type() << ' ' << c.n;
    c.name = name.str();
    finish(c);
  }
  void finish(Case c) {
    const auto number = std::to_string(cases_.size());
    graph_.createHostWrite("in" + number, c.in);
    graph_.createHostRead("out" + number, c.out);
    cases_.push_back(std::move(c));
  }

  std::vector<char> bytes(const Case &c, std::size_t number, unsigned replica) const {
    std::vector<char> out(c.n * bytesOf(c.type));
    if (c.type == HALF) {
      std::vector<float> values(c.n);
      for (std::size_t i = 0; i != c.n; ++i)
        values[i] = float(value(c, number, replica, i));
      copyFloatToDeviceHalf(target_, values.data(), out.data(), c.n);
    } else
      for (std::size_t i = 0; i != c.n; ++i)
        put(c.type, value(c, number, replica, i), out.data() + i * bytesOf(c.type));
    return out;
  }
  Doubles numbers(const Type &type, const char *from, std::size_t n) const {
    Doubles out(n);
    if (type == HALF) {
      std::vector<float> values(n);
      copyDeviceHalfToFloat(target_, from, values.data(), n);
      return {values.begin(), values.end()};
    }
    for (std::size_t i = 0; i != n; ++i)
      out[i] = get(type, from + i * bytesOf(type));
    return out;
  }
  void write(Engine &engine, std::size_t number) const {
    std::vector<char> all;
    for (unsigned r = 0; r != here_; ++r) {
      const auto one = bytes(cases_[number], number, first_ + r);
      all.insert(all.end(), one.begin(), one.end());
    }
    engine.writeTensor("in" + std::to_string(number), all.data(), all.data() + all.size());
  }
  bool check(Engine &engine, std::size_t number, std::vector<std::ofstream> &files) const {
    const auto &c = cases_[number];
    const auto size = c.out.numElements() * bytesOf(c.type);
    std::vector<char> all(size * here_);
    engine.readTensor("out" + std::to_string(number), all.data(), all.data() + all.size());
    std::vector<Doubles> in;
    for (unsigned r = 0; r != all_; ++r)
      in.push_back(numbers(c.type, bytes(c, number, r).data(), c.n));
    bool wrong = false;
    for (unsigned r = 0; r != here_; ++r) {
      files[r].write(all.data() + r * size, std::streamsize(size));
      const auto got = numbers(c.type, all.data() + r * size, c.out.numElements());
      const auto want =
          expected(c, first_ + r, all_, [&](unsigned m, std::size_t i) { return in[m][i]; });
      const double most = c.type == HALF ? 4e-3 : c.type == FLOAT ? 1e-6 : 0;
      for (std::size_t i = 0; i != want.size() && !wrong; ++i)
        if (wrong = !(std::abs(got[i] - wrapped(c, want[i])) <= most * all_); wrong)
          std::cerr << c.name << ": replica " << first_ + r << ", element " << i << " is " << got[i]
                    << ", not " << want[i] << '\n';
    }
    return wrong;
  }
  static double wrapped(const Case &c, double v) { // MEAN of integers, products that overflow
    if (c.type == INT)
      return double(std::int32_t(std::int64_t(v)));
    if (c.type == UNSIGNED_INT)
      return double(std::uint32_t(std::uint64_t(v)));
    return v;
  }

  unsigned all_, first_, here_;
  Device device_;
  Target target_;
  Graph graph_;
  Sequence program_;
  std::vector<Case> cases_;
};

void require(bool holds, const char *what) {
  if (!holds)
    throw std::runtime_error(what);
}
template <class Work> std::string refusal(const Work &work) {
  try {
    work();
  } catch (const std::invalid_argument &e) {
    return e.what();
  }
  return "";
}

// Values of the host, among all instances and among every other one.
void hostCollectives() {
  namespace host = popdist::collectives;
  const auto me = popdist::getInstanceIndex(), all = popdist::getNumInstances();
  std::uint64_t sum = me + 1, first = me + 5;
  host::allReduceSum(&sum, 1);
  require(sum == all * (all + 1) / 2, "allReduceSum");
  host::broadcast(&first, 1, all - 1);
  require(first == all + 4, "broadcast");
  host::broadcast(&first, 0);
  std::set<unsigned> members;
  for (auto i = me % 2; i < all; i += 2)
    members.insert(i);
  popdist::registerCommunicator(members, 7);
  popdist::registerCommunicator(members, 7); // the same again
  const auto indices = host::allGather(&me, 1, 7);
  require(std::equal(indices.begin(), indices.end(), members.begin(), members.end()), "allGather");
  double last = me;
  host::broadcast(&last, 1, *members.rbegin(), 7);
  require(last == *members.rbegin(), "broadcast among some");
  using popdist::registerCommunicator;
  require(refusal([&] { registerCommunicator({all}, 8); }).find("there is no instance") < 100, "8");
  require(!refusal([] { registerCommunicator({}, 8); }).empty(), "an empty set");
  require(!refusal([] { registerCommunicator({0}, 0); }).empty(), "the default's number");
  require(!refusal([&] { host::allGather(&me, 1, 9); }).empty(), "an unknown number");
  if (all > 1) {
    require(!refusal([&] { registerCommunicator({me % 2, (me + 1) % 2}, 7); }).empty(), "others");
    const auto bytes = me + 1;
    const std::string text(bytes, 'x');
    require(!refusal([&] { host::allGather(text.data(), bytes); }).empty(), "different sizes");
    registerCommunicator({(me + 1) % all}, 10 + me);
    require(!refusal([&] { host::allGather(&me, 1, 10 + me); }).empty(), "not a member");
  }
}

} // namespace

int main(int argc, char **argv) try {
  if (argc != 2)
    return 2;
  Run run(popdist::getNumTotalReplicas(), popdist::getReplicaIndexOffset(),
          popdist::getNumLocalReplicas());
  hostCollectives();
  run.addCases();
  run.addList();
  return run.run(argv[1]);
} catch (const std::exception &e) {
  std::cerr << e.what() << '\n';
  return 1;
}
