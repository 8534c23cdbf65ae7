// SPDX-License-Identifier: MIT
#include "poplin/codelets.hpp"
#include "Session.hpp"
#include <poplar/exceptions.hpp>

TEST(PoplinCodelets, VerticesWithWorkListsNameTheCallToUse) {
  Session s;
  poplin::addCodelets(s.graph);
  const auto cs = s.graph.addComputeSet("cs");
  const std::pair<std::string, std::string> cases[] = {
      {"poplin::ConvPartial1x1Out<float,float,true,false,8,2,false>", "poplin::convolution"},
      {"poplin::ConvPartialHorizontalMac<half,float,true>", "poplin::convolution"},
      {"poplin::InverseStdDeviation<float,float,float,false>", "poplin::normStatistics"},
      {"poplin::LUDCoreVertex<true>", "poplin::experimental::LUFactorization"}};
  for (const auto &[name, call] : cases)
    try {
      s.graph.addVertex(cs, name);
      ADD_FAILURE() << name << " was added";
    } catch (const poplar::unknown_vertex_type &e) {
      EXPECT_NE(std::string(e.what()).find("\"" + name + "\" cannot be added by name"),
                std::string::npos)
          << e.what();
      EXPECT_NE(std::string(e.what()).find("Call " + call), std::string::npos) << e.what();
    }
}
