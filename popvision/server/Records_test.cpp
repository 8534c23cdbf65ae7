// SPDX-License-Identifier: MIT
// Records as JSON: every field by its name, what is optional only where it is there.
#include "Views.hpp"
#include <gtest/gtest.h>

namespace popvision {

TEST(Records, LeaveOutWhatIsOptional) {
  view::TileVariable v{"weights", 12, "variable"};
  EXPECT_EQ(toJson(v), R"({"name":"weights","bytes":12,"category":"variable"})");
  v.variable = 3;
  v.alwaysLive = false;
  EXPECT_EQ(
      toJson(v),
      R"({"name":"weights","bytes":12,"category":"variable","variable":3,"alwaysLive":false})");
}

TEST(Records, HoldListsOfRecordsAndNothingAsNull) {
  view::Liveness v;
  v.program = {view::Count(4), std::nullopt};
  v.bytes = {8, 0};
  EXPECT_EQ(toJson(v), R"({"alwaysLive":0,"program":[4,null],"bytes":[8,0]})");
  EXPECT_EQ(toJson(view::List<view::TileVertices>{{"Add", 64}}),
            R"([{"name":"Add","codeBytes":64}])");
}

TEST(Records, KeepTheOrderOfMapsAndTheValuesOfTheTable) {
  EXPECT_EQ(toJson(view::Map<view::Count>{{"b", 1}, {"a", 2}}), R"({"b":1,"a":2})");
  EXPECT_EQ(view::Insight().target, -1);
}

} // namespace popvision
