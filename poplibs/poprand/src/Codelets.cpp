// SPDX-License-Identifier: MIT
// addCodelets: the operators of this library are whole-tensor kernels, found by name when an engine
// is loaded, so there is nothing to compile here. Programs that name its vertices themselves are
// told what to call instead: their fields are not public.
#include "poprand/codelets.hpp"
#include "openipu/VertexProvider.hpp"
#include "popops/NamedVertices.hpp"

namespace poprand {

static std::string vertexSource(const std::string &name) {
  static const popops::named::Library library(
      "poprand", {},
      {{"Uniform*", "Call poprand::uniform."},
       {"Normal*", "Call poprand::normal."},
       {"TruncatedNormal*", "Call poprand::truncatedNormal."},
       {"Bernoulli*", "Call poprand::bernoulli."},
       {"Dropout*", "Call poprand::dropout."},
       {"SetSeed*", "Call poprand::setSeed."}});
  return library.source(name);
}

void addCodelets(poplar::Graph &graph) { openipu::addVertexProvider(graph, vertexSource); }

} // namespace poprand
