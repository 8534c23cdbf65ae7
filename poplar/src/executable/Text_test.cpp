// SPDX-License-Identifier: MIT
#include "executable/SerialiseTestImage.hpp"
#include "executable/Text.hpp"
#include <algorithm>
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::executable;

TEST(ImageText, HasEveryTableAndEveryKindOfStep) {
  auto image = test::testImage();
  image.variables.back().name = "metadata";
  for (auto &tile : image.memory.tiles)
    std::fill(tile.category + 2, std::end(tile.category), 0);
  EXPECT_EQ(text(image), R"(variables:
  v0 "matrix" float[3,4] on tile 2: 0-0, tile 0: 1-11, from 1 "abcdefgh", from 3 "ijkl", not always live, at 0
  v1 "scalar" float[] constant on tile 3: 0-0, from 0 <0000803f>, at 64
  v2 "flag" bool[] on tile 3: 0-0, at 128
  v3 "words" unsigned int[2] on tile 2: 0-0, tile 0: 1-1, at 192
  v4 "replica" unsigned int[] replication index on tile 3: 0-0, at 256
  v5 "quarters" quarter[4] on tile 2: 0-0, tile 0: 1-3, at 320
  v6 "metadata" quarter_metadata[1] on tile 3: 0-0, at 384
  in 448 bytes of the host
host:
  stream 0: "in" float[12] to the device, depth 3
  stream 1: "out" float[12] to the host, broadcast
  remote buffer 0: "remote" float[4,12]
  host function 0: "square" (float[12]) -> (float[1])
  host read 0: "read" v0
  host write 0: "write" float[12](v0 {12: 1})
vertices:
  compute set 0 "first"
    ns::Scale<float> on tile 1 in=(v0+11x6/-2 v0x2/3) out=(v1x1) rows=(v0x3 | v0+3x3) factor=<07000000>, 77 cycles, 5 flops
  compute set 1 "second"
    ns::Scale<float> on tile 3 in=(v0+11x6/-2 v0x2/3) out=(v1x1) rows=(v0x3 | v0+3x3) factor=<07000000>
program 0:
  25 Sequence "at/step0": yes 7 names v2 names v1
    0 Execute "at/step1": "second" writes v2
      - exchange "exchange-in" 40 cycles 64 bytes 2 messages on 2 tiles
      - compute "second" 90 cycles 96 flops on 2 tiles
      - still to be counted
    1 Copy "at/step2": v0 -> v0+11 {2: 4, -4} {2: 1, -1} yes
    2 HostToDevice "at/step3": "in" host -> v0 {12: 1, 1}
    3 DeviceToHost "at/step4": "out" v0 -> host {12: 1, 1}
    4 RemoteToDevice "at/step5": "remote" host -> v0 {12: 1, 1} reads unsigned int[1](v4)
    5 DeviceToRemote "at/step6": "remote" v0 -> host {12: 1, 1}
    6 HostCall "at/step12": "square" reads v0 writes v1
    7 Sync "at/step13": 2
    8 WriteUndef "at/step14": forgets v0
    9 Print "at/step15": reads v0 "title" 10 4 60 3 2 59 60 62
    10 Error "at/step16": reads v0 "wrong"
    11 Abort "at/step17": reads v2 "stop"
    12 CrossReplicaCopy "at/step18": v0 -> v0+11 {2: 4, -4} {2: 1, -1} replica 0 replica 1 replica 1 replica 0
    13 AssumeEqual "at/step19": reads v0
    14 Kernel "at/step21": "sum" <610062> yes changes v1 reads v5
    15 CycleStamp "at/step22": reads v3 writes v3 tile 3
    16 SetFloatingPoint "at/step23": "11101" writes unsigned int[1](v4) reads unsigned int[1](v4)
    17 GetSeeds "at/step24": writes v3
    18 SetSeeds "at/step25": reads v3
    20 RepeatWhile "at/step8": reads v2
      0 Execute "at/step1": "second" writes v2
        - exchange "exchange-in" 40 cycles 64 bytes 2 messages on 2 tiles
        - compute "second" 90 cycles 96 flops on 2 tiles
        - still to be counted
      1 Copy "at/step2": v0 -> v0+11 {2: 4, -4} {2: 1, -1} yes
    21 If "at/step9": reads v2
      2 HostToDevice "at/step3": "in" host -> v0 {12: 1, 1}
      3 DeviceToHost "at/step4": "out" v0 -> host {12: 1, 1}
    22 Switch "at/step10": reads v1 -5 7 yes
      0 Execute "at/step1": "second" writes v2
        - exchange "exchange-in" 40 cycles 64 bytes 2 messages on 2 tiles
        - compute "second" 90 cycles 96 flops on 2 tiles
        - still to be counted
      1 Copy "at/step2": v0 -> v0+11 {2: 4, -4} {2: 1, -1} yes
      2 HostToDevice "at/step3": "in" host -> v0 {12: 1, 1}
    23 Block "at/step20":
      4 RemoteToDevice "at/step5": "remote" host -> v0 {12: 1, 1} reads unsigned int[1](v4)
    24 Call "at/step11": function 0
program 1:
  0 Execute "at/step1": "second" writes v2
    - exchange "exchange-in" 40 cycles 64 bytes 2 messages on 2 tiles
    - compute "second" 90 cycles 96 flops on 2 tiles
    - still to be counted
function 0:
  23 Block "at/step20":
    4 RemoteToDevice "at/step5": "remote" host -> v0 {12: 1, 1} reads unsigned int[1](v4)
memory:
  tile 0: 1000 bytes and 50, constant 1
  tile 1: 1001 bytes and 51, variable 100, constant 101
  tile 2: 1002 bytes and 52 in step 1, variable 200, constant 201
  tile 3: 1003 bytes and 53, variable 300, constant 301
  alive in step 0: v0 v3
  alive in step 1: v1
  alive in step 2:
  out of memory
)");
}

TEST(ImageText, ShowsSlicesTransposesAndNamesOnOneLine) {
  auto image = test::testImage();
  const auto matrix = test::wholeView(0, TypeId::Float, {3, 4});
  EXPECT_EQ(text(matrix, image), "v0");
  EXPECT_EQ(text(tensor::slice(matrix, 1, 3, 0), image), "float[2,4](v0+4 {2: 4} {4: 1})");
  EXPECT_EQ(text(tensor::dimShuffle(matrix, {1, 0}), image), "float[4,3](v0 {4: 1} {3: 4})");
  image.variables[0].name = "two\n\"lines\"";
  EXPECT_EQ(textOfVariables(image).substr(13, 29), "v0 \"two?\\\"lines\\\"\" float[3,4]");
}

TEST(ImageText, ToldOnlyByWhatTheImageHolds) {
  auto image = test::testImage();
  const auto before = text(image);
  EXPECT_EQ(text(test::testImage()), before);
  image.steps[0].cost.phases[0].cycles += 1;
  EXPECT_NE(text(image), before);
}
