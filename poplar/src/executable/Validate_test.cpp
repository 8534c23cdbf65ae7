// SPDX-License-Identifier: MIT
// Each case spoils one number of a valid image and expects the message that names it.
#include "executable/SerialiseTestImage.hpp"
#include "executable/Validate.hpp"
#include "executable/ValidateSteps.hpp"
#include "poplar/exceptions.hpp"
#include <functional>
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::executable;

static std::string complaint(const std::function<void(Image &)> &spoil) {
  auto image = test::testImage();
  spoil(image);
  try {
    validate(image);
  } catch (const poplar_error &error) {
    std::string text = error.what();
    auto begin = text.find(": ") + 2, end = text.rfind(". Compile the program again");
    return text.substr(begin, end - begin);
  }
  return "accepted";
}

template <class Kind> static Kind &the(Image &image) {
  for (auto &step : image.steps)
    if (auto *kind = as<Kind>(step))
      return *kind;
  throw std::logic_error("no such step");
}

TEST(Validate, AcceptsTheTestImageAndAnEmptyOne) {
  EXPECT_EQ(complaint([](Image &) {}), "accepted");
  validate(test::emptyImage());
}

TEST(Validate, ComparesTheTargetWithTheTiles) {
  EXPECT_EQ(complaint([](Image &i) { i.replicationFactor = 0; }),
            "the replication factor is 0 on 2 IPUs");
  EXPECT_EQ(complaint([](Image &i) { i.replicationFactor = 3; }),
            "the replication factor is 3 on 2 IPUs");
  EXPECT_EQ(complaint([](Image &i) { i.memory.tiles.pop_back(); }),
            "the memory of 3 tiles is given for 4 tiles per replica");
  EXPECT_TRUE(complaint([](Image &i) { i.target = "{}"; }).starts_with("the target: "));
}

TEST(Validate, ChecksVariables) {
  auto with = [](auto spoil) {
    return complaint([&](Image &image) { spoil(image.variables[0]); });
  };
  EXPECT_EQ(with([](Variable &v) { v.elements = 13; }),
            "variable 0 has 13 elements in shape [3,4]");
  EXPECT_EQ(with([](Variable &v) { v.type = TypeId(17); }),
            "variable 0 has unknown element type 17");
  EXPECT_EQ(with([](Variable &v) { v.kind = VariableKind(3); }), "variable 0 has unknown kind 3");
  EXPECT_EQ(with([](Variable &v) { v.arenaOffset = 448; }),
            "variable 0 has 48 bytes at offset 448 of an arena of 448");
  EXPECT_EQ(with([](Variable &v) { v.arenaOffset = 4; }),
            "variable 0 has 48 bytes at offset 4 of an arena of 448");
  EXPECT_EQ(with([](Variable &v) { v.mapping.edit()[1].tile = 4; }),
            "variable 0 refers to tile 4 of 4");
  EXPECT_EQ(with([](Variable &v) { v.mapping.edit()[1].begin = 0; }),
            "variable 0 maps elements 0 to 12 of 12 after 1");
  EXPECT_EQ(with([](Variable &v) { v.mapping.edit()[1].end = 13; }),
            "variable 0 maps elements 1 to 13 of 12 after 1");
  EXPECT_EQ(with([](Variable &v) { v.initial[1].begin = 12; }),
            "variable 0 has 4 bytes of initial values from element 12 of 12");
  EXPECT_EQ(with([](Variable &v) { v.initial[1].begin = 2; }),
            "variable 0 has 4 bytes of initial values from element 2 of 12");
  EXPECT_EQ(with([](Variable &v) { v.initial[0].bytes = "abc"; }),
            "variable 0 has 3 bytes of initial values from element 1 of 12");
  EXPECT_EQ(with([](Variable &v) { v.kind = VariableKind::ReplicationIndex; }),
            "variable 0 is a replication index of 48 bytes");
}

TEST(Validate, SizesThatWrapAroundAreRefused) {
  auto with = [](auto spoil) {
    return complaint([&](Image &image) { spoil(image.variables[0]); });
  };
  auto huge = std::uint64_t(1) << 62;
  EXPECT_EQ(with([&](Variable &v) {
              v.elements = huge;
              v.shape = {huge};
            }),
            "variable 0 has 4611686018427387904 elements, more than memory can hold");
  EXPECT_EQ(with([&](Variable &v) {
              v.shape = {huge, 4, 0};
            }),
            "variable 0 has shape [4611686018427387904,4,0], more elements than memory can hold");
  EXPECT_EQ(with([&](Variable &v) { v.arenaOffset = ~std::uint64_t(63); }),
            "variable 0 has 48 bytes at offset 18446744073709551552 of an arena of 448");
}

TEST(Validate, ChecksVerticesAndTheirFields) {
  EXPECT_EQ(complaint([](Image &i) { i.vertexTypes[0].module = 1; }),
            "vertex type 0 refers to codelet module 1 of 1");
  EXPECT_EQ(complaint([](Image &i) { i.vertexTypes[0].type = 1; }),
            "vertex type 0 refers to type 1 of 1");
  EXPECT_EQ(complaint([](Image &i) { i.vertices[1].type = 1; }),
            "vertex 1 refers to vertex type 1 of 1");
  EXPECT_EQ(complaint([](Image &i) { i.vertices[1].computeSet = 2; }),
            "vertex 1 refers to compute set 2 of 2");
  EXPECT_EQ(complaint([](Image &i) { i.vertices[1].tile = 9; }), "vertex 1 refers to tile 9 of 4");
  EXPECT_EQ(complaint([](Image &i) { i.vertices[1].firstSlot = 1; }),
            "vertex 1 refers to slot 1 and 5 in all, of 5");
  EXPECT_EQ(complaint([](Image &i) { i.slots[0].kind = SlotKind::Unset; }),
            "vertex 0, field 0 (\"in\") is not connected");
  EXPECT_EQ(complaint([](Image &i) { i.slots[0].count = 2; }),
            "vertex 0, field 0 (\"in\") has 2 vectors for one");
  EXPECT_EQ(complaint([](Image &i) { i.slots[1].first = 0; }),
            "vertex 0, field 1 (\"out\") has 8 elements for one");
  EXPECT_EQ(complaint([](Image &i) { i.slots[2].count = 3; }),
            "vertex 0, field 2 refers to edge 2 and 3 in all, of 4");
  EXPECT_EQ(complaint([](Image &i) { i.slots[2].first = ~0u; }),
            "vertex 0, field 2 refers to edge 4294967295 and 2 in all, of 4");
  EXPECT_EQ(complaint([](Image &i) { i.slots[3].first = 1; }),
            "vertex 0, field 3 refers to value byte 1 and 4 in all, of 4");
  EXPECT_EQ(complaint([](Image &i) { i.slots[3].kind = SlotKind::Edges; }),
            "vertex 0, field 3 (\"factor\") is connected where a value belongs");
  EXPECT_EQ(complaint([](Image &i) { i.slots[0].kind = SlotKind::Value; }),
            "vertex 0, field 0 (\"in\") has a value where a connection belongs");
  EXPECT_EQ(complaint([](Image &i) { i.slots[0].kind = SlotKind(3); }),
            "vertex 0, field 0 has unknown kind 3");
}

TEST(Validate, RefusesFieldsThatTheEngineWouldWriteBeyond) {
  auto with = [](std::size_t field, auto spoil) {
    return complaint([&](Image &image) {
      auto module = *image.modules[0];
      spoil(module.types[0].fields[field]);
      image.modules[0] = std::make_shared<const codelet::Module>(module);
    });
  };
  EXPECT_EQ(with(0, [](codelet::Field &f) { f.hostSize = 8; }),
            "field \"in\" of ns::Scale<float> has 8 bytes at offset 0 of 56, it needs 16");
  EXPECT_EQ(with(1, [](codelet::Field &f) { f.hostOffset = 52; }),
            "field \"out\" of ns::Scale<float> has 8 bytes at offset 52 of 56, it needs 8");
  EXPECT_EQ(with(2, [](codelet::Field &f) { f.hostInnerStride = 8; }),
            "field \"rows\" of ns::Scale<float> has inner records of 8 bytes");
  EXPECT_EQ(with(0, [](codelet::Field &f) { f.minAlign = 3; }),
            "field \"in\" of ns::Scale<float> has alignment 3");
  EXPECT_EQ(complaint([](Image &i) { i.slots[4].count = 9; }),
            "vertex 0, field 4 (\"unused\") is not connected");
}

TEST(Validate, ChecksEdgesAndRuns) {
  EXPECT_EQ(complaint([](Image &i) { i.runs[0].var = 7; }), "run 0 uses variable 7 of 7");
  EXPECT_EQ(complaint([](Image &i) { i.runs[0].count = 7; }),
            "run 0 has offset 11, count 7, stride -2 in variable \"matrix\" of 12 elements");
  EXPECT_EQ(complaint([](Image &i) { i.runs[3].offset = -1; }),
            "run 3 has offset -1, count 3, stride 1 in variable \"matrix\" of 12 elements");
  EXPECT_EQ(complaint([](Image &i) { i.runs[3].offset = INT64_MAX; }),
            "run 3 has offset 9223372036854775807, count 3, stride 1 in variable \"matrix\" of 12 "
            "elements");
  EXPECT_EQ(complaint([](Image &i) { i.runs[3].stride = INT32_MAX; }),
            "run 3 has offset 0, count 3, stride 2147483647 in variable \"matrix\" of 12 elements");
  EXPECT_EQ(complaint([](Image &i) { i.edges[0].elements = 9; }),
            "edge 0 has 9 elements, its runs 8");
  EXPECT_EQ(complaint([](Image &i) { i.edges[3].numRuns = 2; }),
            "edge 3 refers to run 4 and 2 in all, of 5");
  EXPECT_EQ(complaint([](Image &i) { i.runs[2].var = 2; }),
            "vertex 0, field 1 (\"out\") has elements of 4 bytes, its variable of 1");
  EXPECT_EQ(complaint([](Image &i) { i.computeSets[0].vertices = {0}; }),
            "compute set 0 holds vertex 0, which belongs to another");
  EXPECT_EQ(complaint([](Image &i) {
              i.computeSets[0].vertices = {1, 1};
            }),
            "compute set 0 holds vertex 1 twice");
  EXPECT_EQ(complaint([](Image &i) { i.computeSets[0].vertices = {2}; }),
            "compute set 0 refers to vertex 2 of 2");
}

TEST(Validate, ChecksMoves) {
  auto with = [](auto spoil) {
    return complaint([&](Image &image) { spoil(the<step::Copy>(image).data[0]); });
  };
  EXPECT_EQ(with([](Move &m) { m.fromVar = none; }), "step 1 uses variable 4294967295 of 7");
  EXPECT_EQ(with([](Move &m) { m.elementBytes = 8; }),
            "step 1 moves elements of 8 bytes, variable \"matrix\" has 4");
  EXPECT_EQ(with([](Move &m) { m.toOffset = 4; }),
            "step 1 writes outside its 48 bytes of variable");
  EXPECT_EQ(with([](Move &m) { m.fromOffset = 7; }),
            "step 1 reads outside its 48 bytes of variable");
  EXPECT_EQ(with([](Move &m) { m.loops[0].extent = 0; }), "step 1 has a loop without iterations");
  EXPECT_EQ(with([](Move &m) {
              m.loops[0] = {std::uint64_t(1) << 62, INT64_MAX, 0};
            }),
            "step 1 reads outside its 48 bytes of variable");
  EXPECT_EQ(complaint([](Image &i) { the<step::HostToDevice>(i).data[0].fromOffset = 1; }),
            "step 2 reads outside its 48 bytes of host buffer");
  EXPECT_EQ(complaint([](Image &i) { the<step::HostToDevice>(i).data[0].fromVar = 0; }),
            "step 2 has a move between variables where one with the host belongs");
  EXPECT_EQ(complaint([](Image &i) { i.hostReads[0].moves[0].toOffset = 1; }),
            "host read 0 writes outside its 48 bytes of host buffer");
  EXPECT_EQ(complaint([](Image &i) { i.hostWrites[0].elements = 11; }),
            "host write 0 reads outside its 44 bytes of host buffer");
}

TEST(Validate, ChecksViews) {
  auto with = [](auto spoil) {
    return complaint([&](Image &image) { spoil(the<step::WriteUndef>(image).tensor); });
  };
  EXPECT_EQ(with([](tensor::View &v) { v.type = TypeId::Half; }),
            "step 8, operand 0 has elements of 2 bytes, variable \"matrix\" of 4");
  EXPECT_EQ(with([](tensor::View &v) { v.pieces[0].var = tensor::VarId(7); }),
            "step 8, operand 0 uses variable 7 of 7");
  EXPECT_EQ(with([](tensor::View &v) { v.pieces[0].offset = 1; }),
            "step 8, operand 0 reaches elements outside variable \"matrix\" of 12 elements");
  EXPECT_EQ(with([](tensor::View &v) { v.pieces[0].loops[0].stride = -4; }),
            "step 8, operand 0 reaches elements outside variable \"matrix\" of 12 elements");
  EXPECT_EQ(with([](tensor::View &v) { v.pieces[0].loops[0].dim = 2; }),
            "step 8, operand 0 has a loop of extent 3 over dimension 2 of shape [3,4]");
  EXPECT_EQ(with([](tensor::View &v) { v.pieces[0].box[0].begin = 1; }),
            "step 8, operand 0 has a piece at 1 of extent 3 in dimension 0 of shape [3,4]");
  EXPECT_EQ(with([](tensor::View &v) { v.pieces[0].box[1].extent = 3; }),
            "step 8, operand 0 has a piece at 0 of extent 3 in dimension 1 of shape [3,4]");
  EXPECT_EQ(with([](tensor::View &v) { v.pieces[0].box.pop_back(); }),
            "step 8, operand 0 has a piece of rank 1 in shape [3,4]");
  EXPECT_EQ(with([](tensor::View &v) { v.pieces.clear(); }),
            "step 8, operand 0 has pieces of 0 elements for shape [3,4]");
  EXPECT_EQ(complaint([](Image &i) { i.hostReads[0].view.type = TypeId::Int; }),
            "host read 0 has 12 elements, its view 12 or another type");
}

TEST(Validate, ChecksEachKindOfStep) {
  auto with = []<class Kind>(void (*spoil)(Kind &)) {
    return complaint([&](Image &image) { spoil(the<Kind>(image)); });
  };
  EXPECT_EQ(with(+[](step::Execute &s) { s.set = 2; }), "step 0 refers to compute set 2 of 2");
  EXPECT_EQ(with(+[](step::HostToDevice &s) { s.stream = none; }),
            "step 2 refers to stream 4294967295 of 2");
  EXPECT_EQ(with(+[](step::HostToDevice &s) { s.stream = 1; }),
            "step 2 uses stream \"out\" in the wrong direction");
  EXPECT_EQ(with(+[](step::RemoteToDevice &s) { s.buffer = 1; }),
            "step 4 refers to remote buffer 1 of 1");
  EXPECT_EQ(with(+[](step::Repeat &s) { s.body = none; }),
            "step 19 refers to child 4294967295 of 26");
  EXPECT_EQ(with(+[](step::If &s) {
              s.predicate.shape = {0};
              s.predicate.pieces.clear();
            }),
            "step 21 has an operand of 0 elements of 1 bytes");
  EXPECT_EQ(
      with(+[](step::SetFloatingPoint &s) { s.state = test::wholeView(2, TypeId::Bool, {1}); }),
      "step 16 has an operand of 1 elements of 1 bytes");
  EXPECT_EQ(with(+[](step::SetSeeds &s) { s.seeds = test::wholeView(2, TypeId::Bool, {1}); }),
            "step 18 has an operand of 1 elements of 1 bytes");
  EXPECT_EQ(complaint([](Image &i) { i.remoteBuffers[0].repeats = 0; }),
            "step 5 uses remote buffer \"remote\", which has no repeats");
  EXPECT_EQ(with(+[](step::Switch &s) { s.cases[1].part = 26; }),
            "step 22 refers to child 26 of 26");
  EXPECT_EQ(with(+[](step::Call &s) { s.target = 1; }), "step 24 refers to function 1 of 1");
  EXPECT_EQ(with(+[](step::HostCall &s) { s.target = 1; }),
            "step 6 refers to host function 1 of 1");
  EXPECT_EQ(with(+[](step::HostCall &s) { std::swap(s.inputs, s.outputs); }),
            "step 6 has input 0 of 1 elements, its function wants 12");
  EXPECT_EQ(with(+[](step::HostCall &s) { s.inputs.push_back(s.inputs[0]); }),
            "step 6 has 2 inputs and 1 outputs for \"square\"");
  EXPECT_EQ(with(+[](step::Sync &s) { s.type = SyncType(3); }),
            "step 7 refers to sync type 3 of 3");
  EXPECT_EQ(with(+[](step::CrossReplicaCopy &s) { s.pairs[0].to = 2; }),
            "step 12 refers to replica 2 of 2");
  EXPECT_EQ(with(+[](step::CycleStamp &s) { s.tile = 4; }), "step 15 refers to tile 4 of 4");
  EXPECT_EQ(complaint([](Image &i) { i.steps[0].cost.phases[0].tiles.edit()[1].tile = 4; }),
            "step 0 refers to tile 4 of 4");
  EXPECT_EQ(complaint([](Image &i) { i.steps[0].cost.phases[0].kind = PhaseKind(6); }),
            "step 0 has unknown kind of phase 6");
}

TEST(Validate, RefusesStepsThatContainThemselves) {
  EXPECT_EQ(complaint([](Image &i) { the<step::Repeat>(i).body = 19; }), "step 19 contains itself");
  EXPECT_EQ(complaint([](Image &i) { the<step::Block>(i).body = 24; }), "step 23 contains itself");
  EXPECT_EQ(complaint([](Image &i) { the<step::Sequence>(i).parts = {26}; }),
            "step 25 refers to child 26 of 26");
}

TEST(Validate, RefusesNestingThatWouldOverflowTheStack) {
  auto nested = [](std::uint32_t depth) {
    return complaint([&](Image &image) {
      auto first = std::uint32_t(image.steps.size());
      image.steps.push_back(test::makeStep(step::Sequence()));
      for (std::uint32_t i = 1; i < depth; ++i)
        image.steps.push_back(test::makeStep(step::Block{first + i - 1}));
    });
  };
  EXPECT_EQ(nested(maxStepDepth), "accepted");
  EXPECT_EQ(nested(maxStepDepth + 1), "step 4026 is nested more than 4000 deep");
}

TEST(Validate, ChecksProgramsAndMemory) {
  EXPECT_EQ(complaint([](Image &i) { i.programs[1] = 26; }), "a program begins at step 26 of 26");
  EXPECT_EQ(complaint([](Image &i) { i.memory.steps[0].step = 26; }),
            "liveness 0 refers to step 26 of 26");
  EXPECT_EQ(complaint([](Image &i) { i.memory.spans[1].var = 7; }),
            "span of liveness 1 refers to variable 7 of 7");
  EXPECT_EQ(complaint([](Image &i) { i.memory.spans[1].count = 3; }),
            "span of liveness 1 has 3 steps from 1 on, of 3");
  EXPECT_EQ(complaint([](Image &i) { i.memory.spans[1].first = ~0u; }),
            "span of liveness 1 has 1 steps from 4294967295 on, of 3");
  EXPECT_EQ(complaint([](Image &i) { i.memory.spans[0].count = 0; }),
            "span of liveness 0 has 0 steps from 0 on, of 3");
  EXPECT_EQ(complaint([](Image &i) { i.memory.tiles[2].peakStep = 26; }),
            "memory of tile 2 refers to step 26 of 26");
  EXPECT_EQ(complaint([](Image &i) { i.streams[0].type = TypeId(99); }),
            "stream 0 has unknown element type 99");
  EXPECT_EQ(
      complaint([](Image &i) { i.remoteBuffers[0].repeats = ~std::uint64_t(0); }),
      "remote buffer 0 has shape [12,18446744073709551615], more elements than memory can hold");
}
