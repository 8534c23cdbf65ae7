// SPDX-License-Identifier: MIT
// Groups of replicas by stride and size.
#include "sessions.hpp"
#include <popart/replicagrouping.hpp>

using namespace popart;
using namespace popart::testing;
using List = std::vector<unsigned>;

TEST(ReplicaGroupings, HaveMembersAStrideApart) {
  const ReplicaGrouping one(6), pairs(8, 1, 2), apart(8, 4, 2), between(8, 2, 2);
  EXPECT_EQ(one.getNumGroups(), 1u);
  EXPECT_EQ(pairs.getReplicasAt(1), (List{2, 3}));
  EXPECT_EQ(apart.getReplicasAt(1), (List{1, 5}));
  EXPECT_EQ(between.getReplicasAt(1), (List{1, 3}));
  EXPECT_EQ(between.getReplicasAt(2), (List{4, 6}));
  for (const auto &grouping : {one, pairs, apart, between})
    for (unsigned r = 0; r < grouping.getNumReplicas(); ++r)
      EXPECT_EQ(grouping.getReplicaAt(grouping.getGroupIndexAt(r), grouping.getIndexInGroupAt(r)),
                r);
  EXPECT_EQ(pairs.getTranspose(), ReplicaGrouping(8, 2, 4));
  EXPECT_EQ(ReplicaGrouping(8, 2, 4).getTranspose(), pairs);
  EXPECT_EQ(messageOf([] { ReplicaGrouping(6, 2, 2); }),
            "Groups of 2 replicas at a stride of 2 do not divide 6 replicas.");
  EXPECT_EQ(messageOf([&] { pairs.getReplicaAt(4); }),
            "ReplicaGrouping(numReplicas=8, stride=1, groupSize=2) has 4 groups; number 4 is not "
            "one of them.");
}

TEST(ReplicaGroupings, AreCommunicationGroupsIfTheseCanSayThem) {
  EXPECT_EQ(CommGroup(ReplicaGrouping(4)), CommGroup());
  EXPECT_EQ(CommGroup(ReplicaGrouping(4, 1, 2)), CommGroup(CommGroupType::Consecutive, 2));
  EXPECT_EQ(CommGroup(ReplicaGrouping(4, 2, 2)), CommGroup(CommGroupType::Orthogonal, 2));
  EXPECT_EQ(CommGroup(ReplicaGrouping(4, 1, 1)), CommGroup(CommGroupType::None, 0));
  EXPECT_THROW(CommGroup(ReplicaGrouping(8, 2, 2)), error);
}

TEST(ReplicaGroupings, OfAVariableGoThroughTheModel) {
  const auto run = [](const VariableSettings &settings, int replicas) {
    auto builder = Builder::create();
    const auto x = builder->addInputTensor("FLOAT", {1}, "x");
    const auto w = addWeights(*builder, {1, 2}, {2, 1}, "w", settings);
    const auto y = builder->aiOnnxOpset11().mul({x, w});
    SessionOptions options;
    options.enableReplicatedGraphs = true;
    options.replicatedGraphCount = replicas;
    auto session = InferenceSession::createFromOnnxModel(
        builder->getModelProto(), DataFlow(1, {{y, AnchorReturnType("All")}}),
        modelDevice(replicas), InputShapeInfo(), options);
    session->prepareDevice();
    session->weightsFromHost();
    return step(*session, x, Floats(std::size_t(replicas), 1), y, std::size_t(replicas));
  };
  EXPECT_EQ(run(VariableSettings(1, 2), 4), (Floats{1, 1, 2, 2}));
  EXPECT_EQ(run(VariableSettings(2, 2), 4), (Floats{1, 2, 1, 2}));
  EXPECT_EQ(VariableSettings(2, 2).getReplicaGrouping(4), ReplicaGrouping(4, 2, 2));
  EXPECT_EQ(VariableSettings().getReplicaGrouping(4), ReplicaGrouping(4));
  EXPECT_EQ(messageOf([&] { run(VariableSettings(2, 2), 8); }),
            "Groups of 2 out of 8 replicas cannot have members 2 apart: only 1 or 4.");
  EXPECT_EQ(messageOf([] { VariableSettings(0, 2); }),
            "VariableSettings: a stride of 0 and groups of 2 replicas; both must be 1 or more.");
}
