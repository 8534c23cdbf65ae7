// SPDX-License-Identifier: MIT
// Compiling a codelet source of 100 lines: with an empty cache, and again from the cache, each in a
// process of its own. The peer is g++ -O3 on the same file, without reading fields or making glue.
#include "base/Text.hpp"
#include "Subjects.hpp"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <poplar/Graph.hpp>
#include <stdexcept>

namespace bench {

namespace fs = std::filesystem;

// Six vertex classes of sixteen lines and a heading of four.
static std::string source() {
  std::string text = "#include <poplar/Vertex.hpp>\n#include <cmath>\n\nusing namespace poplar;\n";
  for (int i = 0; i < 6; ++i)
    text += base::str("class Blend", i, R"( : public Vertex {
public:
  Input<Vector<float>> a;
  Input<Vector<float>> b;
  InOut<Vector<float>> out;
  float scale;
  unsigned passes;

  bool compute() {
    for (unsigned p = 0; p < passes; ++p)
      for (unsigned i = 0; i < out.size(); ++i)
        out[i] += std::sqrt(a[i] * a[i] + scale * b[i] * )",
                      i + 1, R"(.0f);
    return true;
  }
};

)");
  return text;
}

void codeletsChild(const std::string &file) {
  const poplar::Device device = attachIpu();
  poplar::Graph graph(device.getTarget());
  std::printf("%.6f\n", seconds([&] { graph.addCodelets(file); }));
}

struct Times {
  double cold, cached;
};

static Times once(const fs::path &folder, int round) {
  const auto cache = base::str("OPENIPU_CACHE_DIR=", (folder / std::to_string(round)).string());
  const std::string file = folder / "blend.cpp";
  return {runChild({"codelets", file}, {cache}).numbers.at(0),
          runChild({"codelets", file}, {cache}).numbers.at(0)};
}

static double peerSeconds(const fs::path &folder) {
  const auto command =
      base::str("g++ -std=c++17 -O3 -shared -fPIC -D__POPC__ " OPENIPU_CODELET_INCLUDES " ",
                (folder / "blend.cpp").string(), " -o ", (folder / "peer.so").string());
  return medianSeconds(3, [&] {
    if (std::system(command.c_str()) != 0)
      throw std::runtime_error("The peer does not compile: " + command);
  });
}

static double middle(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

std::vector<Row> codelets() {
  const TemporaryFolder temporary;
  const fs::path &folder = temporary.root;
  std::ofstream(folder / "blend.cpp") << source();
  const Times a = once(folder, 0), b = once(folder, 1), c = once(folder, 2);
  const double cold = middle(a.cold, b.cold, c.cold);
  const double cached = middle(a.cached, b.cached, c.cached);
  const double peer = peerSeconds(folder);
  return {{"codelet source of 100 lines, cold", duration(cold), duration(peer), peer / cold,
           "< 1.2 s", met(cold < 1.2)},
          {"codelet source of 100 lines, cached", duration(cached), duration(peer), peer / cached,
           "< 20 ms", met(cached < 0.02)}};
}

} // namespace bench
