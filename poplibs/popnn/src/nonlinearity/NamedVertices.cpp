// SPDX-License-Identifier: MIT
#include "popnn/NamedVertices.hpp"
#include "openipu/VertexProvider.hpp"
#include "popnn/codelets.hpp"
#include "popnn/NonLinearityDefUtil.hpp"
#include <algorithm>
#include <array>

namespace popnn {

static const char *nonLinearitySource =
#include "../../codelets/NonLinearity.cpp"
    ;

// "popnn::Family<type,function>"; blanks do not count.
std::string vertexSource(const std::string &vertexName) {
  std::string name = vertexName;
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  static const std::array<const char *, 6> families = {
      "NonLinearity1D",        "NonLinearity2D",     "NonLinearity1DInPlace",
      "NonLinearity2DInPlace", "NonLinearityGrad1D", "NonLinearityGrad2D"};
  for (const char *family : families)
    for (const char *type : {"float", "half"})
      for (unsigned i = 0; i <= unsigned(NonLinearityType::SWISH); ++i) {
        auto candidate = std::string("popnn::") + family + "<" + type +
                         ",popnn::NonLinearityType::" + asString(NonLinearityType(i)) + ">";
        if (candidate == name)
          return std::string(nonLinearitySource) + "template class " + name + ";\n";
      }
  return "";
}

void addCodelets(poplar::Graph &graph) { openipu::addVertexProvider(graph, vertexSource); }

} // namespace popnn
