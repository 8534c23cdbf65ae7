// SPDX-License-Identifier: MIT
// Collectives against loops over replicas: operators, types, groups, views, lists, several IPUs.
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "Exchange.hpp"
#include "gcl/Collectives.hpp"
#include "gcl/TileAllocation.hpp"
#include "poplar/exceptions.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <set>
#include <sstream>

using namespace poplar;
using namespace gcl;
using Op = CollectiveOperator;

namespace {

// What replica r starts from.
Doubles shifted(const Session &s, Doubles values, unsigned r) {
  for (auto &v : values)
    v += r * s.replicaStep;
  return values;
}

double reduced(Op op, const Doubles &x) {
  double out = op == Op::SQUARE_ADD ? x[0] * x[0] : x[0];
  for (std::size_t i = 1; i != x.size(); ++i)
    out = op == Op::MUL          ? out * x[i]
          : op == Op::MIN        ? std::min(out, x[i])
          : op == Op::MAX        ? std::max(out, x[i])
          : op == Op::SQUARE_ADD ? out + x[i] * x[i]
                                 : out + x[i];
  return op == Op::MEAN ? out / double(x.size()) : out;
}

// Element-wise over the members.
Doubles reducedOver(const Session &s, Op op, const Doubles &values,
                    const std::vector<unsigned> &members) {
  Doubles out;
  for (std::size_t i = 0; i != values.size(); ++i) {
    Doubles x;
    for (auto r : members)
      x.push_back(shifted(s, values, r)[i]);
    out.push_back(reduced(op, x));
  }
  return out;
}

} // namespace

TEST(AllReduce, EveryOperatorAndTypeInEveryForm) {
  const unsigned replicas = 4;
  Session s(8, 1, replicas);
  s.replicaStep = 1;
  struct Case {
    Op op;
    Doubles values;
    std::size_t outputs[3];
  };
  std::vector<Case> cases;
  for (auto type : {FLOAT, HALF, INT, UNSIGNED_INT})
    for (auto op : {Op::ADD, Op::MEAN, Op::MUL, Op::MIN, Op::MAX, Op::SQUARE_ADD}) {
      auto values = s.integers(24, 0, 4);
      if (op == Op::MEAN) // whole numbers, so that integers need no rounding
        for (auto &v : values)
          v = 2;
      auto t = s.input(type, {4, 6}, values), inPlace = s.input(type, {4, 6}, values),
           destination = s.input(type, {4, 6}, values);
      auto view = t.transpose();
      Case c{op, values, {}};
      auto out = allReduceCrossReplica(s.graph, view, op, s.prog).transpose();
      allReduceInPlaceCrossReplica(s.graph, inPlace, op, s.prog);
      allReduceToDestinationCrossReplica(s.graph, t, destination, op, s.prog);
      c.outputs[0] = s.output(out);
      c.outputs[1] = s.output(inPlace);
      c.outputs[2] = s.output(destination);
      cases.push_back(c);
    }
  s.run();
  for (std::size_t i = 0; i != cases.size(); ++i) {
    auto expected = reducedOver(s, cases[i].op, cases[i].values, {0, 1, 2, 3});
    if (cases[i].op == Op::MEAN && i >= 12) // integer division
      for (auto &v : expected)
        v = std::floor(v);
    for (unsigned r = 0; r != replicas; ++r)
      for (auto o : cases[i].outputs)
        EXPECT_EQ(s.values(o, r), expected) << "case " << i << " replica " << r;
  }
}

TEST(AllReduce, LogicalAndLocal) {
  Session s(4, 1, 2);
  s.replicaStep = 1; // false becomes true in replica 1
  auto a = s.input(BOOL, {5}, {0, 0, 0, 0, 0}), f = s.input(FLOAT, {2}, {3, 4});
  auto both = s.output(allReduceCrossReplica(s.graph, a, Op::LOGICAL_AND, s.prog));
  auto any = s.output(allReduceCrossReplica(s.graph, a, Op::LOGICAL_OR, s.prog));
  auto own = s.output(allReduceCrossReplica(s.graph, f, Op::LOCAL, s.prog));
  s.run();
  for (unsigned r = 0; r != 2; ++r) {
    EXPECT_EQ(s.values(both, r), Doubles(5, 0));
    EXPECT_EQ(s.values(any, r), Doubles(5, 1));
    EXPECT_EQ(s.values(own, r), (Doubles{3.0 + r, 4.0 + r}));
  }
}

TEST(AllReduce, ListsMixTypesAndEmptyTensors) {
  Session s(4, 1, 2);
  s.replicaStep = 1;
  std::vector<Tensor> list{s.input(FLOAT, {3}, {1, 2, 3}), s.input(INT, {2}, {4, 5}),
                           s.input(FLOAT, {0, 2}, {}), s.input(HALF, {}, {6})};
  auto out = allReduceCrossReplica(s.graph, list, Op::ADD, s.prog);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[2].shape(), (Shape{0, 2}));
  auto o0 = s.output(out[0]), o1 = s.output(out[1]), o3 = s.output(out[3]);
  s.run();
  EXPECT_EQ(s.values(o0, 1), (Doubles{3, 5, 7}));
  EXPECT_EQ(s.values(o1, 0), (Doubles{9, 11}));
  EXPECT_EQ(s.values(o3, 1), (Doubles{13}));
}

TEST(AllReduce, NeedsNoGroupBeforeAName) {
  Session s(4, 1, 2);
  s.replicaStep = 1;
  auto t = s.input(FLOAT, {4}, {1, 2, 3, 4}), own = s.input(FLOAT, {4}, {5, 6, 7, 8});
  std::vector<Tensor> list{t};
  const DebugNameAndId named("named");
  const auto sum = s.output(allReduceCrossReplica(s.graph, t, Op::ADD, s.prog, "sum"));
  const auto sums =
      s.output(allReduceCrossReplica(s.graph, list, Op::ADD, s.prog, {named, "sums"}, {})[0]);
  const auto gathered = s.output(allGatherCrossReplica(s.graph, t, s.prog, "gathered"));
  const auto part = s.output(reduceScatterCrossReplica(s.graph, t, Op::ADD, s.prog, {named}));
  allReduceInPlaceCrossReplica(s.graph, own, Op::MAX, s.prog, "own");
  const auto largest = s.output(own);
  s.run();
  EXPECT_EQ(s.values(sum, 0), (Doubles{3, 5, 7, 9}));
  EXPECT_EQ(s.values(sums, 0), (Doubles{3, 5, 7, 9}));
  EXPECT_EQ(s.values(gathered, 0), (Doubles{1, 2, 3, 4, 2, 3, 4, 5}));
  EXPECT_EQ(s.values(part, 0), (Doubles{3, 5}));
  EXPECT_EQ(s.values(largest, 0), (Doubles{6, 7, 8, 9}));
}

TEST(Groups, DivideTheReplicas) {
  auto members = [](CommGroup group, unsigned replicas) {
    return kernels::membersOf(resolve("test", group, replicas), replicas);
  };
  using Lists = std::vector<std::vector<unsigned>>;
  EXPECT_EQ(members({}, 3), (Lists{{0, 1, 2}}));
  EXPECT_EQ(members({CommGroupType::ALL, 3}, 3), (Lists{{0, 1, 2}}));
  EXPECT_EQ(members({CommGroupType::CONSECUTIVE, 2}, 4), (Lists{{0, 1}, {2, 3}}));
  EXPECT_EQ(members({CommGroupType::CONSECUTIVE, 2, 2}, 8),
            (Lists{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(members({CommGroupType::ORTHOGONAL, 2}, 6), (Lists{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_THROW(members({CommGroupType::ALL, 2}, 4), poputil::poplibs_error);
  EXPECT_THROW(members({CommGroupType::CONSECUTIVE, 3}, 4), poputil::poplibs_error);
  EXPECT_THROW(members({CommGroupType::CONSECUTIVE, 2, 4}, 4), poputil::poplibs_error);
  EXPECT_THROW(members({CommGroupType::ORTHOGONAL, 2, 2}, 4), poputil::poplibs_error);
}

TEST(Groups, CollectivesStayWithinThem) {
  Session s(4, 1, 4);
  s.replicaStep = 10;
  const Doubles values{1, 2, 3, 4, 5};
  auto t = s.input(FLOAT, {5}, values), pairs = s.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  const CommGroup group(CommGroupType::ORTHOGONAL, 2);
  auto sum = s.output(allReduceCrossReplica(s.graph, t, Op::ADD, s.prog, group));
  auto part = s.output(reduceScatterCrossReplica(s.graph, t, Op::ADD, s.prog, group));
  auto local = s.output(reduceScatterCrossReplica(s.graph, t, Op::LOCAL, s.prog, group));
  auto all = s.output(allGatherCrossReplica(s.graph, t, s.prog, group));
  auto swapped = s.output(allToAllCrossReplica(s.graph, pairs, s.prog, group));
  auto first = s.output(broadcastCrossReplica(s.graph, t, s.prog, group));
  s.run();
  for (unsigned r = 0; r != 4; ++r) {
    auto low = r % 2, high = low + 2;
    auto total = reducedOver(s, Op::ADD, values, {low, high});
    auto a = shifted(s, values, low), b = shifted(s, values, high), own = shifted(s, values, r);
    EXPECT_EQ(s.values(sum, r), total);
    EXPECT_EQ(s.values(part, r),
              r < 2 ? Doubles({total[0], total[1], total[2]}) : Doubles({total[3], total[4], 0}));
    EXPECT_EQ(s.values(local, r),
              r < 2 ? Doubles({own[0], own[1], own[2]}) : Doubles({own[3], own[4], 0}));
    auto both = a;
    both.insert(both.end(), b.begin(), b.end());
    EXPECT_EQ(s.values(all, r), both);
    EXPECT_EQ(s.values(first, r), a);
    Doubles exchanged;
    for (auto m : {low, high})
      for (std::size_t i = 0; i != 3; ++i)
        exchanged.push_back((r < 2 ? 1 : 4) + double(i) + 10 * m);
    EXPECT_EQ(s.values(swapped, r), exchanged);
  }
}

TEST(Collectives, ToDestinationsChecksShapes) {
  Session s(4, 1, 2);
  s.replicaStep = 1;
  std::vector<Tensor> datas{s.input(FLOAT, {4}, {1, 2, 3, 4}), s.input(INT, {3}, {5, 6, 7})};
  std::vector<Tensor> parts{s.input(FLOAT, {2}, {0, 0}), s.input(INT, {2}, {0, 0})},
      all{s.input(FLOAT, {2, 4}, Doubles(8)), s.input(INT, {2, 3}, Doubles(6))};
  reduceScatterToDestinationCrossReplica(s.graph, datas, parts, Op::MAX, s.prog);
  allGatherToDestinationCrossReplica(s.graph, datas, all, s.prog);
  auto o0 = s.output(parts[0]), o1 = s.output(parts[1]), o2 = s.output(all[1]);
  EXPECT_THROW(reduceScatterToDestinationCrossReplica(s.graph, datas, all, Op::MAX, s.prog),
               poputil::poplibs_error);
  EXPECT_THROW(allGatherToDestinationCrossReplica(s.graph, datas, parts, s.prog),
               poputil::poplibs_error);
  std::vector<Tensor> one{datas[0]};
  EXPECT_THROW(allReduceToDestinationCrossReplica(s.graph, datas, one, Op::ADD, s.prog),
               poputil::poplibs_error);
  s.run();
  EXPECT_EQ(s.values(o0, 0), (Doubles{2, 3}));
  EXPECT_EQ(s.values(o0, 1), (Doubles{4, 5}));
  EXPECT_EQ(s.values(o1, 1), (Doubles{8, 0}));
  EXPECT_EQ(s.values(o2, 0), (Doubles{5, 6, 7, 6, 7, 8}));
}

TEST(Collectives, WithoutReplicasAreCopies) {
  Session s;
  auto t = s.input(FLOAT, {1, 3}, {1, 2, 3});
  auto a = s.output(allReduceCrossReplica(s.graph, t, Op::MEAN, s.prog));
  auto b = s.output(reduceScatterCrossReplica(s.graph, t.flatten(), Op::ADD, s.prog));
  auto c = s.output(allGatherCrossReplica(s.graph, t, s.prog));
  auto d = s.output(allToAllCrossReplica(s.graph, t, s.prog));
  s.run();
  for (auto o : {a, b, c, d})
    EXPECT_EQ(s.values(o), (Doubles{1, 2, 3}));
}

TEST(ReduceScatter, SharesOutTheElementsOfEachIpuSeparately) {
  Session s(4, 2, 2); // two IPUs of four tiles per replica
  s.replicaStep = 100;
  auto t = s.graph.addVariable(FLOAT, {6});
  s.graph.setTileMapping(t.slice(0, 2), 0);
  s.graph.setTileMapping(t.slice(2, 5), 5);
  s.graph.setTileMapping(t.slice(5, 6), 1);
  s.set(t, {1, 2, 3, 4, 5, 6});
  auto out = reduceScatterCrossReplica(s.graph, t, Op::ADD, s.prog);
  auto o = s.output(out);
  s.run();
  // IPU 0 has 1 2 6, IPU 1 has 3 4 5; sums are 2x + 100.
  EXPECT_EQ(s.values(o, 0), (Doubles{102, 104, 106, 108}));
  EXPECT_EQ(s.values(o, 1), (Doubles{112, 0, 110, 0}));
}

TEST(ReduceScatter, PartsLieOnAllTilesOfTheirSource) {
  Session s(4, 1, 2);
  auto t = s.graph.addVariable(FLOAT, {800});
  for (unsigned tile = 0; tile != 4; ++tile)
    s.graph.setTileMapping(t.slice(200 * tile, 200 * tile + 200), tile);
  auto out = reduceScatterCrossReplica(s.graph, t, Op::ADD, s.prog);
  ASSERT_EQ(out.numElements(), 400u);
  for (const auto &regions : s.graph.getTileMapping(out)) {
    ASSERT_EQ(regions.size(), 1u);
    EXPECT_EQ(regions[0].size(), 100u);
  }
}

TEST(WithinReplica, RowsAreReducedScatteredAndGathered) {
  Session s(4, 3);
  const Doubles values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  auto t = s.graph.addVariable(FLOAT, {3, 5});
  for (unsigned i = 0; i != 3; ++i)
    s.graph.setTileMapping(t[i], 4 * i);
  s.set(t, values);
  auto all = allReduceWithinReplica(s.graph, t, Op::ADD, s.prog);
  auto chunks = reduceScatterWithinReplica(s.graph, t, Op::MAX, s.prog);
  ASSERT_EQ(chunks.getChunks().size(), 3u);
  auto gathered = allGatherWithinReplica(s.graph, chunks, s.prog);
  auto o1 = s.output(all), o2 = s.output(chunks.getChunks()[1].getTensor()),
       o3 = s.output(gathered);
  EXPECT_THROW(allReduceWithinReplica(s.graph, t.flatten(), Op::ADD, s.prog),
               poputil::poplibs_error);
  EXPECT_THROW(allGatherWithinReplica(s.graph, {}, s.prog), poputil::poplibs_error);
  s.run();
  const Doubles sums{18, 21, 24, 27, 30};
  for (std::size_t i = 0; i != 15; ++i) {
    EXPECT_EQ(s.values(o1)[i], sums[i % 5]);
    EXPECT_EQ(s.values(o3)[i], 11.0 + double(i % 5));
  }
  EXPECT_EQ(s.values(o2), (Doubles{13, 14}));
}

TEST(AllReduce, DoesNotDependOnTheNumberOfThreads) {
  const auto before = base::numThreads();
  Doubles first;
  for (unsigned threads : {1u, 3u}) {
    base::setNumThreads(threads);
    Session s(16, 1, 3);
    s.replicaStep = 0.1;
    auto t = s.input(FLOAT, {100, 1000}, s.random(100000));
    auto o = s.output(allReduceCrossReplica(s.graph, t, Op::ADD, s.prog));
    s.run();
    if (first.empty())
      first = s.values(o, 2);
    EXPECT_EQ(s.values(o, 0), first);
  }
  base::setNumThreads(before);
}

TEST(Collectives, RefuseTypesOptionsAndShapes) {
  Session s(4, 1, 2);
  auto f = s.input(FLOAT, {4}, Doubles(4)), b = s.input(BOOL, {4}, Doubles(4));
  auto reduce = [&](const Tensor &t, Op op, const OptionFlags &o) {
    allReduceCrossReplica(s.graph, t, op, s.prog, {}, {}, o);
  };
  EXPECT_THROW(reduce(b, Op::ADD, {}), poputil::poplibs_error);
  EXPECT_THROW(reduce(f, Op::LOGICAL_AND, {}), poputil::poplibs_error);
  EXPECT_THROW(reduce(f, Op::ADD, {{"method", "square"}}), invalid_option);
  EXPECT_THROW(reduce(f, Op::ADD, {{"useSyncless", "true"}}), invalid_option);
  EXPECT_NO_THROW(reduce(f, Op::ADD,
                         {{"method", "clockwise_ring"},
                          {"useSynclessCollectives", "auto"},
                          {"maxBytesPerTile", "1024"}}));
  EXPECT_THROW(allToAllCrossReplica(s.graph, f, s.prog), poputil::poplibs_error);
}

TEST(CollectiveOperators, AreReadAndWrittenAsText) {
  std::stringstream text;
  text << Op::SQUARE_ADD << ' ' << Op::LOCAL;
  Op a, b;
  text >> a >> b;
  EXPECT_EQ(a, Op::SQUARE_ADD);
  EXPECT_EQ(b, Op::LOCAL);
  std::stringstream bad("PLUS");
  EXPECT_THROW(bad >> a, poputil::poplibs_error);
}

TEST(RingPlan, CountsHopsRoundsAndDirections) {
  Session s(4, 1, 4);
  auto t = s.graph.addVariable(FLOAT, {4000});
  for (unsigned tile = 0; tile != 4; ++tile)
    s.graph.setTileMapping(t.slice(1000 * tile, 1000 * tile + 1000), tile);
  auto stepOf = [&](const OptionFlags &flags, CommGroup group = {}) {
    Collective what{Kind::AllReduce, Op::ADD, resolve("test", group, 4), parseOptions(flags)};
    auto plan = ringPlan(s.graph, what, {t}, what.group.size, 4 / what.group.size);
    EXPECT_EQ(plan.steps.size(), 1u);
    return plan.steps[0];
  };
  auto syncless = stepOf({{"useSynclessCollectives", "true"}});
  EXPECT_EQ(syncless.repeats, 1u);
  EXPECT_EQ(syncless.ring.bytes, 16000u);
  EXPECT_EQ(syncless.ring.replicas, 4u);
  EXPECT_EQ(syncless.tiles[0].tempBytes, 3000u); // three shares of a quarter
  auto synced = stepOf({{"useSynclessCollectives", "false"}});
  EXPECT_EQ(synced.repeats, 3u);
  EXPECT_EQ(synced.tiles[0].tempBytes, 1000u);
  EXPECT_EQ(3 * synced.tiles[0].cycles, syncless.tiles[0].cycles);
  // The links carry the same bytes either way; two syncs more, and the vertices start three times.
  auto cyclesOf = [&](const openipu::Superstep &step) {
    openipu::Plan plan;
    plan.add(step);
    return openipu::cyclesOf(plan, Target::createIPUTarget(4, 4, "ipu2"));
  };
  EXPECT_GT(cyclesOf(synced), cyclesOf(syncless) + 1000);
  EXPECT_LT(cyclesOf(synced), cyclesOf(syncless) + 3000);
  auto rounds = stepOf({{"useSynclessCollectives", "true"}, {"maxBytesPerTile", "1000"}});
  EXPECT_EQ(rounds.repeats, 4u);
  EXPECT_EQ(rounds.ring.bytes, 4000u);
  EXPECT_LE(rounds.tiles[0].tempBytes, 1000u);
  EXPECT_EQ(stepOf({{"method", "bidirectional_ring_pair"}}).ring.bytes, 8000u);
  // Two rings side by side.
  EXPECT_EQ(stepOf({}, {CommGroupType::CONSECUTIVE, 2}).ring.bytes, 32000u);
}

// Bytes of one IPU go over its own links: those of its neighbour do not make it slower, nor does
// the neighbour help.
TEST(RingPlan, EveryIpuHasItsOwnLinks) {
  const auto cycles = [](std::uint64_t bytes, std::uint32_t firstTile, std::uint32_t tiles) {
    openipu::Superstep step;
    step.ring = {openipu::Superstep::Ring::AllReduce, bytes, 2};
    openipu::TileWork work;
    work.tile = firstTile;
    work.count = tiles;
    step.tiles.push_back(work);
    openipu::Plan plan;
    plan.add(step);
    return openipu::cyclesOf(plan, Target::createIPUTarget(4, 8, "ipu2")); // two of two IPUs
  };
  const auto both = cycles(2000000, 0, 16);
  EXPECT_EQ(cycles(1000000, 0, 8), both);
  EXPECT_EQ(cycles(1000000, 8, 8), both);
  EXPECT_GT(cycles(2000000, 8, 8), both + both / 2);
}

TEST(PerIpuTiles, AreSpreadDisjointAndInPairs) {
  Session s(64, 2);
  auto io = perIPUTiles(s.graph, 0, 32, true, true), compute = perIPUTiles(s.graph, 32, 32, true);
  EXPECT_EQ(io.size(), 32u);
  std::set<unsigned> all(io.begin(), io.end());
  all.insert(compute.begin(), compute.end());
  EXPECT_EQ(all.size(), 64u);
  EXPECT_TRUE(std::is_sorted(io.begin(), io.end()));
  for (std::size_t i = 0; i != io.size(); i += 2)
    EXPECT_TRUE(io[i] % 2 == 0 && io[i + 1] == io[i] + 1);
  EXPECT_LT(io.front(), 16u);
  EXPECT_GT(io.back(), 48u);
  EXPECT_NO_THROW(s.graph.createVirtualGraph(io));
  EXPECT_EQ(getMinIoTiles(s.graph), 32u);
  EXPECT_THROW(perIPUTiles(s.graph, 40, 30), poputil::poplibs_error);
  EXPECT_THROW(perIPUTiles(s.graph, 1, 2, true, true), poputil::poplibs_error);
}
