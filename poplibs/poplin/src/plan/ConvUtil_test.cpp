// SPDX-License-Identifier: MIT
#include "poplin/ConvUtil.hpp"
#include "ReferenceConv.hpp"
#include <gtest/gtest.h>

using namespace poplin;

namespace {

using Range = std::pair<unsigned, unsigned>;

// Does input element i meet kernel element k in output element o? Asked of the convolution itself.
bool meet(const ConvParams &p, unsigned o, unsigned k, unsigned i) {
  Vector x(p.inputFieldShape[0]), w(p.kernelShape[0]);
  x[i] = w[k] = 1;
  return referenceConv(p, x, w)[o] != 0;
}

struct Triple {
  unsigned o, k, i;
};
std::vector<Triple> triples(const ConvParams &p) {
  std::vector<Triple> all;
  for (unsigned o = 0; o < p.getOutputSize(0); ++o)
    for (unsigned k = 0; k < p.kernelShape[0]; ++k)
      for (unsigned i = 0; i < p.inputFieldShape[0]; ++i)
        if (meet(p, o, k, i))
          all.push_back({o, k, i});
  return all;
}

Range hull(const std::vector<unsigned> &found) {
  if (found.empty())
    return {0, 0};
  const auto [lo, hi] = std::minmax_element(found.begin(), found.end());
  return {*lo, *hi + 1};
}

bool within(unsigned x, Range r) { return x >= r.first && x < r.second; }

} // namespace

TEST(ConvUtil, DilatedSizes) {
  EXPECT_EQ(getDilatedSize(0, 3), 0u);
  EXPECT_EQ(getDilatedSize(1, 3), 1u);
  EXPECT_EQ(getDilatedSize(4, 3), 10u);
  EXPECT_EQ(getDilatedSize(4, 1), 4u);
}

TEST(ConvUtil, IndicesMatchTheConvolution) {
  std::mt19937 random(5);
  for (int n = 0; n < 60; ++n) {
    const auto p = randomParams(random);
    const auto all = triples(p);
    for (unsigned o = 0; o < p.getOutputSize(0); ++o) {
      for (unsigned k = 0; k < p.kernelShape[0]; ++k) {
        const auto hit = std::find_if(all.begin(), all.end(),
                                      [&](const Triple &t) { return t.o == o && t.k == k; });
        EXPECT_EQ(getInputIndex(0, o, k, p), hit == all.end() ? ~0U : hit->i) << p;
      }
      for (unsigned i = 0; i < p.inputFieldShape[0]; ++i) {
        const auto hit = std::find_if(all.begin(), all.end(),
                                      [&](const Triple &t) { return t.o == o && t.i == i; });
        EXPECT_EQ(getKernelIndex(0, o, i, p), hit == all.end() ? ~0U : hit->k) << p;
      }
    }
  }
}

TEST(ConvUtil, RangesAreTheSmallestThatHoldAllMeetings) {
  std::mt19937 random(6);
  for (int n = 0; n < 60; ++n) {
    const auto p = randomParams(random);
    const auto all = triples(p);
    const auto outputs = unsigned(p.getOutputSize(0)), kernels = unsigned(p.kernelShape[0]),
               inputs = unsigned(p.inputFieldShape[0]);
    const Range o{outputs / 4, outputs}, k{0, (kernels + 1) / 2}, i{inputs / 3, inputs};
    const auto collect = [&](auto keep, auto take) {
      std::vector<unsigned> found;
      for (const auto &t : all)
        if (keep(t))
          found.push_back(take(t));
      return hull(found);
    };
    const auto inO = [&](const Triple &t) { return within(t.o, o); };
    EXPECT_EQ(
        getOutputRangeForKernelIndex(0, o, 0, p),
        collect([&](const Triple &t) { return inO(t) && t.k == 0; }, [](auto t) { return t.o; }));
    EXPECT_EQ(getOutputRangeForInputIndex(0, o, inputs - 1, p),
              collect([&](const Triple &t) { return inO(t) && t.i == inputs - 1; },
                      [](auto t) { return t.o; }));
    EXPECT_EQ(getOutputRangeForKernelRange(0, o, k, p),
              collect([&](const Triple &t) { return inO(t) && within(t.k, k); },
                      [](auto t) { return t.o; }));
    EXPECT_EQ(getOutputRangeForInputRange(0, o, i, p),
              collect([&](const Triple &t) { return inO(t) && within(t.i, i); },
                      [](auto t) { return t.o; }));
    EXPECT_EQ(getInputRange(0, o, k, p),
              collect([&](const Triple &t) { return inO(t) && within(t.k, k); },
                      [](auto t) { return t.i; }))
        << p;
    EXPECT_EQ(getInputRange(0, o, p), collect(inO, [](auto t) { return t.i; }));
    EXPECT_EQ(getKernelRange(0, o, i, p),
              collect([&](const Triple &t) { return inO(t) && within(t.i, i); },
                      [](auto t) { return t.k; }));
  }
}

TEST(ConvUtil, GradientParamsGiveTheInputsGradient) {
  std::mt19937 random(7);
  for (int n = 0; n < 100; ++n) {
    const auto p = randomParams(random), g = getGradientParams(p);
    g.validate();
    const auto dy = numbers(p.getOutputSize(0)), w = numbers(p.kernelShape[0]);
    Vector expected(p.inputFieldShape[0]), flipped(w.rbegin(), w.rend());
    for (const auto &t : triples(p))
      expected[t.i] += dy[t.o] * w[t.k];
    EXPECT_EQ(referenceConv(g, dy, flipped), expected) << p << "\n" << g;
    EXPECT_EQ(g.inputChannelsPerConvGroup, p.outputChannelsPerConvGroup);
    EXPECT_EQ(g.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup);
    EXPECT_EQ(g.batchSize, p.batchSize);
  }
}

TEST(ConvUtil, WeightUpdateParamsGiveTheKernelsGradient) {
  std::mt19937 random(8);
  for (int n = 0; n < 100; ++n) {
    const auto p = randomParams(random), u = getWeightUpdateParams(p);
    u.validate();
    const auto dy = numbers(p.getOutputSize(0)), x = numbers(p.inputFieldShape[0]);
    Vector expected(p.kernelShape[0]);
    for (const auto &t : triples(p))
      expected[t.k] += dy[t.o] * x[t.i];
    EXPECT_EQ(referenceConv(u, x, dy), expected) << p << "\n" << u;
    EXPECT_EQ(u.batchSize, p.inputChannelsPerConvGroup);
    EXPECT_EQ(u.inputChannelsPerConvGroup, p.batchSize);
    EXPECT_EQ(u.outputChannelsPerConvGroup, p.outputChannelsPerConvGroup);
  }
}
