// SPDX-License-Identifier: MIT
#include "poplar/exceptions.hpp"
#include "poplar/Target.hpp"
#include "types/Introspection.hpp"
#include <gtest/gtest.h>

namespace poplar::types {
namespace {

std::string bytes(std::vector<unsigned> values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(unsigned)};
}

VertexIntrospector vertex() {
  VertexInfo info{"V", {}};
  info.fields["n"] = {TypeId::UnsignedInt, 0, {}, {bytes({7})}};
  info.fields["list"] = {TypeId::UnsignedInt, 1, {3}, {bytes({1, 2, 3})}, layout::Vector::Span};
  info.fields["grid"] = {TypeId::UnsignedInt, 2, {1, 2}, {bytes({4}), bytes({5, 6})}};
  info.fields["edge"] = {TypeId::Float, 1, {9}, {}};
  return IntrospectorAccess::make(std::move(info));
}

TEST(VertexIntrospector, TellsSizesAndValues) {
  const auto v = vertex();
  const Target target;
  EXPECT_EQ(v.getFieldInfo("n").getInitialValue<int>(target), 7);
  EXPECT_EQ(v.getFieldInfo("list").getInitialValues<float>(target), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(v.getFieldInfo("list").getProfilerVectorLayout(0), layout::Vector::Span);
  const auto grid = v.getFieldInfo("grid");
  EXPECT_EQ(grid.rank(), 2u);
  EXPECT_EQ(grid.size(), 2u);
  EXPECT_EQ(grid[1].size(), 2u);
  EXPECT_EQ(grid.getInitialValues<std::vector<unsigned>>(target),
            (std::vector<std::vector<unsigned>>{{4}, {5, 6}}));
}

TEST(VertexIntrospector, RefusesUnknownFieldsIndexesAndValues) {
  const auto v = vertex();
  try {
    v.getFieldInfo("lists");
    FAIL();
  } catch (const unknown_field &e) {
    EXPECT_STREQ(e.what(), "Vertex \"V\" has no field \"lists\". Did you mean \"list\"?");
  }
  EXPECT_THROW(v.getFieldInfo("grid").getSizeAtIndex(2), index_error);
  EXPECT_THROW(v.getFieldInfo("edge").getInitialValues<float>(Target()), poplar_error);
}

} // namespace
} // namespace poplar::types
