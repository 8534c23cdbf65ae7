// SPDX-License-Identifier: MIT
#include "frontend/Reader.hpp"

#include "frontend/TestWriting.hpp"

using namespace frontend;

namespace {

using Whole = std::vector<std::int64_t>;

} // namespace

TEST(FrontendReader, ReadsNumbersOfAllKinds) {
  const TestReader r({{"int", std::int64_t(3)},
                      {"bool", true},
                      {"whole", 4.0},
                      {"half", 0.5},
                      {"one", Whole{7}},
                      {"two", Whole{1, 2}},
                      {"none", std::monostate()}});
  EXPECT_EQ(r.integer("int"), 3);
  EXPECT_EQ(r.integer("bool"), 1);
  EXPECT_EQ(r.integer("whole"), 4);
  EXPECT_EQ(r.integer("one"), 7);
  EXPECT_EQ(r.integer("none", 9), 9);
  EXPECT_EQ(r.real("int"), 3.0);
  EXPECT_EQ(r.real("half"), 0.5);
  EXPECT_TRUE(r.flag("bool"));
  EXPECT_TRUE(r.flag("absent", true));
  EXPECT_EQ(r.reals("two"), (std::vector<double>{1, 2}));
  EXPECT_EQ(r.reals("half"), (std::vector<double>{0.5}));
  EXPECT_EQ(r.integers("absent"), Integers());
  EXPECT_EQ(r.repeated("one", 3), (Integers{7, 7, 7}));
  EXPECT_EQ(r.repeated("absent", 2, 1), (Integers{1, 1}));
}

TEST(FrontendReader, NamesWhatIsWrong) {
  const TestReader r({{"text", std::string("a")}, {"half", 0.5}, {"two", Whole{1, 2}}});
  EXPECT_EQ(r.error([&] { r.integer("absent"); }), "its attribute absent is missing.");
  EXPECT_EQ(r.error([&] { r.integer("half"); }),
            "its attribute half must be an integer that is known before the model runs.");
  EXPECT_EQ(r.error([&] { r.real("text"); }),
            "its attribute text must be a number that is known before the model runs.");
  EXPECT_EQ(r.error([&] { r.text("half"); }), "its attribute half must be a text.");
  EXPECT_EQ(r.error([&] { r.type("half"); }), "its attribute half must be an element type.");
  EXPECT_EQ(r.error([&] { r.repeated("two", 3); }),
            "its attribute two has 2 numbers; 3 are needed.");
  EXPECT_EQ(r.error([&] { r.positive(2, 2); }),
            "its axis 2 is not one of a tensor with 2 dimensions.");
  EXPECT_EQ(r.positive(-1, 0), 0);
}

TEST(FrontendReader, HandsOnWhatOperatorsTake) {
  EXPECT_EQ(std::get<std::int64_t>(*attributeOf(true)), 1);
  EXPECT_EQ(std::get<std::vector<float>>(*attributeOf(std::vector<double>{0.5})),
            std::vector<float>{0.5f});
  EXPECT_FALSE(attributeOf(TensorArgument{3}));
  EXPECT_FALSE(attributeOf(std::monostate()));
}
