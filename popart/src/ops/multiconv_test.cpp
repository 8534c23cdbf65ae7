// SPDX-License-Identifier: MIT
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

TEST(MultiConvOp, GivesWhatSingleConvolutionsGive) {
  for (const std::string plan : {"parallel", "serial"}) {
    Model m;
    const auto x = m.randomInput({1, 2, 6, 5}), w = m.randomInput({3, 2, 3, 3}),
               b = m.randomInput({3}), x2 = m.randomInput({2, 4, 7}), w2 = m.randomInput({2, 2, 2});
    const auto y = m.imported("MultiConv", {x, w, b, x2, w2},
                              {{"tensors", ir::Integers{3, 2}},
                               {"pads", ir::Integers{1, 1, 0, 1}},
                               {"pads_lengths", ir::Integers{4, 0}},
                               {"strides", ir::Integers{1, 2, 2}},
                               {"strides_lengths", ir::Integers{2, 1}},
                               {"planType", plan},
                               {"availableMemoryProportions", std::vector<float>{0.5f, 0.5f}},
                               {"cycleBackOff", 0.2f}},
                              1, 2, "ai.graphcore");
    const auto one = m.b.op("Conv", {x, w, b},
                            {{"pads", ir::Integers{1, 1, 0, 1}}, {"strides", ir::Integers{1, 2}}});
    const auto two =
        m.b.op("Conv", {x2, w2}, {{"strides", ir::Integers{2}}, {"group", std::int64_t(2)}});
    const auto got = m.run({y[0], y[1], one, two});
    expectNear(got[0], got[2]);
    expectNear(got[1], got[3]);
    m.checkGradients(y[0], {x, w, b});
    m.checkGradients(y[1], {x2, w2});
  }
}

TEST(MultiConvOp, RefusesWhatConvolutionsDoNotHave) {
  Model m;
  const auto x = m.randomInput({1, 2, 6}), w = m.randomInput({3, 2, 3});
  try {
    m.imported("MultiConv", {x, w},
               {{"tensors", ir::Integers{2}},
                {"outPads", ir::Integers{0, 1}},
                {"outPads_lengths", ir::Integers{2}}},
               1, 1, "ai.graphcore");
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "MultiConv: outPads [0,1] are not supported. Leave them out.");
  }
}
