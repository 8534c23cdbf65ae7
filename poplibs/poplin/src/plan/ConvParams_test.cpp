// SPDX-License-Identifier: MIT
// Sizes, validity, canonical form and text of ConvParams; the reference applies every transform to
// real vectors.
#include "poplin/ConvParams.hpp"
#include "poputil/exceptions.hpp"
#include "ReferenceConv.hpp"
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace poplin;

TEST(ConvParams, SizesFollowTheOrderOfTransforms) {
  ConvParams p(poplar::FLOAT, 2, {9, 8}, {3, 2}, 4, 5, 3);
  p.inputTransform = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {0, 2}, {false, true}};
  p.kernelTransform = {{0, 0}, {1, 0}, {3, 2}, {0, 1}, {1, 0}, {true, false}};
  p.outputTransform = {{1, 2}, {0, 1}, {2, 3}, {0, 4}, {5, 0}};
  p.validate();
  EXPECT_EQ(p.getTruncatedInputSize(0), 6u);
  EXPECT_EQ(p.getTransformedInputSize(0), 3u + 11);
  EXPECT_EQ(p.getTruncatedKernelSize(0), 2u);
  EXPECT_EQ(p.getTransformedKernelSize(0), 5u);
  EXPECT_EQ(p.getUntransformedOutputSize(0), 10u);
  EXPECT_EQ(p.getOutputSize(0), 5u + 5);
  EXPECT_EQ(p.getTransformedInputSize(1), 11u);
  EXPECT_EQ(p.getTransformedKernelSize(1), 4u);
  EXPECT_EQ(p.getOutputSize(1), 4u + 2);
  EXPECT_EQ(p.getOutputFieldShape(), (std::vector<std::size_t>{10, 6}));
  EXPECT_EQ(p.getNumInputChans(), 12u);
  EXPECT_EQ(p.getNumOutputChans(), 15u);
}

TEST(ConvParams, SizesMatchTransformedVectors) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const auto p = randomParams(random);
    const auto x = numbers(p.inputFieldShape[0]), w = numbers(p.kernelShape[0]);
    EXPECT_EQ(referenceConv(p, x, w).size(), p.getOutputSize(0)) << p;
  }
}

TEST(ConvParams, TheCanonicalFormIsTheSameConvolution) {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    const auto p = randomParams(random), simple = p.canonicalize();
    const auto x = numbers(p.inputFieldShape[0]), w = numbers(p.kernelShape[0]);
    EXPECT_EQ(referenceConv(p, x, w), referenceConv(simple, x, w)) << p << "\n" << simple;
    EXPECT_EQ(simple.canonicalize(), simple) << simple;
  }
}

TEST(ConvParams, EqualConvolutionsHaveOneCanonicalForm) {
  ConvParams a(poplar::HALF, 1, {10}, {3}, 1, 1, 1), b = a;
  a.outputTransform.truncationLower = {2}; // drops what truncating the input never makes
  b.inputTransform.truncationLower = {2};
  EXPECT_NE(a, b);
  EXPECT_EQ(a.canonicalize(), b.canonicalize());
  EXPECT_EQ(hash_value(a.canonicalize()), hash_value(b.canonicalize()));
  ConvParams c(poplar::HALF, 1, {1}, {1}, 1, 1, 1), d = c;
  c.inputTransform.dilation = {4};
  c.kernelTransform.flip = {true};
  c.outputTransform.stride = {3};
  EXPECT_EQ(c.canonicalize(), d);
}

TEST(ConvParams, ValidateNamesWhatIsWrong) {
  const ConvParams good(poplar::FLOAT, 1, {5, 5}, {3, 3}, 1, 1, 1);
  const auto fails = [&](const char *word, auto change) {
    auto bad = good;
    change(bad);
    try {
      bad.validate();
      ADD_FAILURE() << "no error with " << word;
    } catch (const poputil::poplibs_error &e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  EXPECT_NO_THROW(good.validate());
  fails("kernel shape", [](auto &p) { p.kernelShape = {3}; });
  fails("dilation of the input", [](auto &p) { p.inputTransform.dilation = {1}; });
  fails("flip of the kernel", [](auto &p) { p.kernelTransform.flip = {}; });
  fails("stride", [](auto &p) { p.outputTransform.stride = {1, 1, 1}; });
  fails("at least 1", [](auto &p) { p.outputTransform.stride = {1, 0}; });
  fails("at least 1", [](auto &p) { p.inputTransform.dilation = {0, 1}; });
  fails("at least 1", [](auto &p) { p.kernelTransform.dilation = {1, 0}; });
  fails("the input has 5", [](auto &p) { p.inputTransform.truncationLower = {6, 0}; });
  fails("the kernel has 3", [](auto &p) { p.kernelTransform.truncationUpper = {0, 4}; });
  fails("nothing is left", [](auto &p) { p.kernelTransform.truncationUpper = {3, 0}; });
  fails("fewer than", [](auto &p) { p.kernelTransform.dilation = {3, 1}; });
  fails("the output has 3", [](auto &p) { p.outputTransform.truncationUpper = {4, 0}; });
}

TEST(ConvParams, TextCanBeReadAgain) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const auto p = randomParams(random);
    std::stringstream text;
    text << p;
    ConvParams read;
    ASSERT_TRUE(text >> read) << p;
    EXPECT_EQ(read, p);
  }
  std::stringstream shortText(R"({"inputFieldShape": [4], "kernelShape": [2],
    "inputChannelsPerConvGroup": 3, "outputChannelsPerConvGroup": 6})");
  ConvParams read;
  ASSERT_TRUE(shortText >> read);
  EXPECT_EQ(read, ConvParams(poplar::FLOAT, 1, {4}, {2}, 3, 6, 1));
  for (const char *bad : {"", "nonsense", "{}", R"({"inputFieldShape": "x"})"}) {
    std::stringstream text(bad);
    EXPECT_FALSE(text >> read) << bad;
  }
}

TEST(ConvParams, OrderAndHashTellParametersApart) {
  std::mt19937 random(4);
  std::set<ConvParams> ordered;
  std::set<std::size_t> hashes;
  for (int i = 0; i < 200; ++i) {
    const auto p = randomParams(random);
    ordered.insert(p);
    hashes.insert(std::hash<ConvParams>()(p));
    EXPECT_FALSE(p < p);
    EXPECT_EQ(p, *ordered.find(p));
  }
  EXPECT_EQ(ordered.size(), hashes.size());
  EXPECT_GT(ordered.size(), 150u);
}
