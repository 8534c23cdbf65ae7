// SPDX-License-Identifier: MIT
#include "frontend/Functions.hpp"

#include "frontend/TestWriting.hpp"
#include <set>

using namespace frontend;

namespace {

constexpr FunctionName Function::*everyFrontEnd[] = {&Function::tensorflow, &Function::paddle,
                                                     &Function::torch};

const Function &function(const std::string &name) {
  for (const auto &f : functions())
    if (f.name == name)
      return f;
  throw popart::error("no function {}", name);
}

} // namespace

TEST(FrontendFunctions, AreReadByWhatAFrontEndCallsThem) {
  const FunctionName name("softplus beta=1 threshold =0.5");
  EXPECT_EQ(name.operation, "softplus");
  ASSERT_EQ(name.numbers.size(), 3u);
  EXPECT_EQ(name.numbers[0].otherwise, 1.0);
  EXPECT_EQ(name.numbers[1].otherwise, std::nullopt);
  const TestReader given({{"beta", 2.0}, {"threshold", std::int64_t(20)}});
  EXPECT_EQ(name.read(given), (Doubles{2, 20, 0.5}));
  const TestReader half({{"threshold", 7.0}});
  EXPECT_EQ(name.read(half), (Doubles{1, 7, 0.5}));
  EXPECT_NE(given.error([&] { FunctionName("f slope").read(given); }).find("slope"),
            std::string::npos);
  EXPECT_EQ(FunctionName("").operation, "");
}

TEST(FrontendFunctions, HaveOneRowEachAndSomebodyWhoHasThem) {
  std::set<std::string> names;
  for (const auto &f : functions()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    std::size_t count = 0;
    for (const auto own : everyFrontEnd)
      count += !(f.*own).operation.empty();
    EXPECT_GT(count, 0u) << f.name;
  }
  for (const auto own : everyFrontEnd) {
    std::set<std::string> operations;
    forFunctionsOf(own, [&](const Function &f, const FunctionName &name) {
      EXPECT_TRUE(operations.insert(name.operation).second) << f.name;
    });
    EXPECT_GT(operations.size(), 20u);
  }
}

// A formula that wanted more numbers than a front end gives would throw.
TEST(FrontendFunctions, TakeTheNumbersThatEveryFrontEndGives) {
  TestWriting w;
  const Value x = w.input("x", {4});
  for (const auto own : everyFrontEnd)
    forFunctionsOf(own, [&](const Function &f, const FunctionName &name) {
      const Value y = f.formula(w, x, Numbers(name.numbers.size(), 0.5));
      EXPECT_EQ(w.m.shape(y), Shape{4}) << f.name;
    });
}

TEST(FrontendFunctions, ComputeWhatTheyAreNamedFor) {
  TestWriting w;
  const Value x = w.given({3}, {-2, 0.5, 4});
  const auto of = [&](const char *name, const Numbers &n = {}) {
    return function(name).formula(w, x, n);
  };
  const auto got = w.run({of("square"), of("tanhshrink"), of("thresholded_relu", {0.5}),
                          of("log2", {2}), of("hardtanh", {-1, 1})});
  EXPECT_EQ(got[0], (Doubles{4, 0.25, 16}));
  EXPECT_NEAR(got[1][2], 4 - std::tanh(4.0), 1e-6);
  EXPECT_EQ(got[2], (Doubles{0, 0, 4}));
  EXPECT_NEAR(got[3][2], 2, 1e-6);
  EXPECT_EQ(got[4], (Doubles{-1, 0.5, 1}));
}
