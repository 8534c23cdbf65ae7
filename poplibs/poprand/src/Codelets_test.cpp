// SPDX-License-Identifier: MIT
#include "poprand/codelets.hpp"
#include "Session.hpp"
#include <poplar/exceptions.hpp>

TEST(PoprandCodelets, RandomVerticesNameTheCallToUse) {
  Session s;
  poprand::addCodelets(s.graph);
  const auto cs = s.graph.addComputeSet("cs");
  const std::pair<std::string, std::string> cases[] = {
      {"poprand::Uniform<float>", "Call poprand::uniform."},
      {"poprand::Normal<half>", "Call poprand::normal."},
      {"poprand::TruncatedNormal<half>", "Call poprand::truncatedNormal."},
      {"poprand::Bernoulli<int>", "Call poprand::bernoulli."},
      {"poprand::Dropout<float>", "Call poprand::dropout."},
      {"poprand::SetSeed", "Call poprand::setSeed."}};
  for (const auto &[name, call] : cases)
    try {
      s.graph.addVertex(cs, name);
      ADD_FAILURE() << name << " was added";
    } catch (const poplar::unknown_vertex_type &e) {
      EXPECT_EQ(e.what(), "Vertex \"" + name +
                              "\" cannot be added by name: the layout of its "
                              "fields is not public. " +
                              call);
    }
}
