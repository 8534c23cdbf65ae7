// SPDX-License-Identifier: MIT
// Passes on text: a small image, the pass, and what the image is afterwards.
#include "compile/BindStorage.hpp"
#include "compile/FindLiveness.hpp"
#include "compile/PlanExchange.hpp"
#include "compile/TestImage.hpp"
#include "compile/TimeSteps.hpp"
#include "executable/Text.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::compile;
using namespace poplar::compile::testing;

namespace {

const arch::System gc200 = arch::systemOf(arch::chipByName("ipu2"));

// s comes from the host, goes through x, y and z, which all end, and back.
struct Chain : TestImage {
  Chain() {
    const auto s = variable("s", 16, {0, 1}), x = variable("x", 16), y = variable("y", 16),
               z = variable("z", 16, {1});
    image.hostWrites.push_back({"s", TypeId::Float, 16, {}, view(s)});
    const auto set = computeSet("negate");
    const auto type = vertexType("Negate", {{"in"}, {"out", FieldDirection::Output}});
    vertex(set, type, 0, {span(x, 0, 16), span(y, 0, 16)}, 100);
    const auto first = copy(s, x), compute = execute(set), third = copy(y, z), last = copy(z, s);
    image.programs = {sequence({first, compute, third, last})};
  }
};

} // namespace

TEST(PassTexts, TheImageBeforeAnyPass) {
  EXPECT_EQ(text(Chain().image), R"(variables:
  v0 "s" float[16] on tiles 0-1: 0-15
  v1 "x" float[16] on tile 0: 0-15
  v2 "y" float[16] on tile 0: 0-15
  v3 "z" float[16] on tile 1: 0-15
host:
  host write 0: "s" v0
vertices:
  compute set 0 "negate"
    Negate on tile 0 in=(v1x16) out=(v2x16), 100 cycles
program 0:
  4 Sequence
    0 Copy v0 -> v1 {16: 1, 1}
    1 Execute "negate"
    2 Copy v2 -> v3 {16: 1, 1}
    3 Copy v3 -> v0 {16: 1, 1}
)");
}

TEST(PassTexts, PlanExchangeAddsPhasesToLeaves) {
  Chain t;
  planExchange(t.image, gc200);
  EXPECT_EQ(textOfPrograms(t.image), R"(program 0:
  4 Sequence
    0 Copy v0 -> v1 {16: 1, 1}
      - sync 237 cycles
      - exchange 24 cycles 32 bytes 1 messages on 2 tiles
      - compute "copy" 292 cycles on 1 tile
    1 Execute "negate"
      - compute "negate"
    2 Copy v2 -> v3 {16: 1, 1}
      - sync 237 cycles
      - exchange 28 cycles 64 bytes 1 messages on 2 tiles
    3 Copy v3 -> v0 {16: 1, 1}
      - sync 237 cycles
      - exchange 24 cycles 32 bytes 1 messages on 2 tiles
      - compute "copy" 292 cycles on 1 tile
)");
}

TEST(PassTexts, TimeStepsFillsInCycles) {
  Chain t;
  planExchange(t.image, gc200);
  timeSteps(t.image, gc200);
  EXPECT_EQ(textOfPrograms(t.image), R"(program 0:
  4 Sequence
    0 Copy v0 -> v1 {16: 1, 1}
      - sync 237 cycles
      - exchange 24 cycles 32 bytes 1 messages on 2 tiles
      - compute "copy" 292 cycles on 1 tile
    1 Execute "negate"
      - compute "negate" 618 cycles on 1 tile
    2 Copy v2 -> v3 {16: 1, 1}
      - sync 237 cycles
      - exchange 28 cycles 64 bytes 1 messages on 2 tiles
    3 Copy v3 -> v0 {16: 1, 1}
      - sync 237 cycles
      - exchange 24 cycles 32 bytes 1 messages on 2 tiles
      - compute "copy" 292 cycles on 1 tile
)");
}

TEST(PassTexts, FindLivenessTellsWhatIsAliveInEachStep) {
  Chain t;
  findLiveness(t.image);
  EXPECT_EQ(textOfVariables(t.image) + textOfMemory(t.image), R"(variables:
  v0 "s" float[16] on tiles 0-1: 0-15
  v1 "x" float[16] on tile 0: 0-15, not always live
  v2 "y" float[16] on tile 0: 0-15, not always live
  v3 "z" float[16] on tile 1: 0-15, not always live
memory:
  alive in step 0: v1
  alive in step 1: v1 v2
  alive in step 2: v2 v3
  alive in step 3: v3
)");
}

TEST(PassTexts, BindStorageGivesPlacesThatShareStorageLetsVariablesShare) {
  Chain t;
  bindStorage(t.image);
  EXPECT_EQ(textOfVariables(t.image), R"(variables:
  v0 "s" float[16] on tiles 0-1: 0-15, at 0
  v1 "x" float[16] on tile 0: 0-15, at 128
  v2 "y" float[16] on tile 0: 0-15, at 256
  v3 "z" float[16] on tile 1: 0-15, at 384
  in 512 bytes of the host
)");
  shareStorage(t.image);
  EXPECT_EQ(textOfVariables(t.image), R"(variables:
  v0 "s" float[16] on tiles 0-1: 0-15, at 0
  v1 "x" float[16] on tile 0: 0-15, at 256
  v2 "y" float[16] on tile 0: 0-15, at 128
  v3 "z" float[16] on tile 1: 0-15, at 256
  in 384 bytes of the host
)");
}
