// SPDX-License-Identifier: MIT
#include "poplar/exceptions.hpp"
#include "poplar/ProfileValue.hpp"
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace poplar {
namespace {

using Vector = ProfileValue::Vector;
using Map = ProfileValue::Map;

std::string json(const ProfileValue &value) {
  std::ostringstream out;
  serializeToJSON(out, value);
  return out.str();
}

TEST(ProfileValue, WritesJson) {
  EXPECT_EQ(json({}), "0");
  EXPECT_EQ(json(Map{{"b", Vector{1, -2, 1.5, "x\n", true}}, {"a", Map{}}}),
            R"({"a":{},"b":[1,-2,1.5,"x\n",true]})");
}

TEST(ProfileValue, KeepsAllBitsOfIntegers) {
  const auto big = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(ProfileValue(big).asUint(), big);
  EXPECT_EQ(json(big), "18446744073709551615");
  EXPECT_EQ(ProfileValue(std::numeric_limits<std::int64_t>::min()).asInt(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(ProfileValue(big).asInt(), type_error);
  EXPECT_THROW(ProfileValue(-1).asUint(), type_error);
  EXPECT_THROW(ProfileValue(1.5).asInt(), type_error);
}

TEST(ProfileValue, NumbersAreEqualByValue) {
  EXPECT_EQ(ProfileValue(3), ProfileValue(3.0));
  EXPECT_NE(ProfileValue(1), ProfileValue(true));
  EXPECT_EQ(ProfileValue(Vector{1, "a"}), ProfileValue(Vector{1u, std::string("a")}));
}

TEST(ProfileValue, SumsLists) {
  const ProfileValue grid = Vector{Vector{1, 2}, Vector{3}};
  EXPECT_EQ(grid.sum2DUint(), 6u);
  EXPECT_EQ(grid[0].sumInt(), 3);
  EXPECT_EQ(ProfileValue(Vector{1.5, 2}).sumDouble(), 3.5);
  EXPECT_EQ(grid[0].toUintVector(), (std::vector<std::uint64_t>{1, 2}));
}

TEST(ProfileValue, RefusesWrongTypesAndMissingMembers) {
  const ProfileValue map = Map{{"cycles", 3}};
  EXPECT_EQ(map["cycles"].asUint(), 3u);
  EXPECT_EQ(map.getOrNull("x"), nullptr);
  EXPECT_THROW(map.asVector(), type_error);
  try {
    map["cycle"];
    FAIL();
  } catch (const index_error &e) {
    EXPECT_NE(std::string(e.what()).find("\"cycles\""), std::string::npos);
  }
  EXPECT_THROW(ProfileValue(Vector{1})[1], index_error);
}

TEST(ProfileValue, WritesCborThatReadsBackAsTheSame) {
  const ProfileValue value = Map{{"list", Vector{1, -2, 0.5, "t", false}}};
  std::ostringstream out;
  serializeToCBOR(out, value);
  EXPECT_EQ(nlohmann::json::from_cbor(out.str()), nlohmann::json::parse(json(value)));
}

} // namespace
} // namespace poplar
