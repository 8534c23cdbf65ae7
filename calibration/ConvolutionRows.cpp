// SPDX-License-Identifier: MIT
// The blur as a convolution of one group of 4 to 4 channels on GC2, its result copied back into the
// input after every step (LBM). Partial sums are float, the library's default: with half ones the
// matrix unit's plan would fit at 0.3, where C4 says that it did not.
#include "base/Text.hpp"
#include "Program.hpp"
#include "Row.hpp"
#include <poplin/codelets.hpp>
#include <poplin/Convolution.hpp>

namespace calibration {
namespace {

using namespace poplar;

struct Image {
  std::size_t width, height;
  Type type;
  double memory;
  unsigned ipus;
};

double milliseconds(const Image &image) {
  const auto device = deviceOf("ipu1", image.ipus);
  Graph graph(device.getTarget());
  poplin::addCodelets(graph);
  const OptionFlags options{{"availableMemoryProportion", std::to_string(image.memory)},
                            {"partialsType", "float"},
                            {"pass", "INFERENCE_FWD"}};
  poplin::ConvParams params(image.type, 1, {image.height, image.width}, {3, 3}, 4, 4, 1);
  params.inputTransform.paddingLower = params.inputTransform.paddingUpper = {1, 1};
  const auto in = poplin::createInput(graph, params, "in", options),
             weights = poplin::createWeights(graph, params, "weights", options);
  program::Sequence step;
  const auto out = poplin::convolution(graph, in, weights, params, false, step, "blur", options);
  step.add(program::Copy(out, in));
  return 200 * 1e3 * compiledCycles(graph, step) / graph.getTarget().getTileClockFrequency();
}

} // namespace

void addConvolutionRows(Rows &rows) {
  const auto add = [&](const char *id, const Image &image, double published) -> Row & {
    rows.push_back({id, "convolution",
                    base::str("200 blurs, ", image.type, ", ", image.width, "x", image.height, ", ",
                              image.ipus, " GC2, memory ", image.memory),
                    published, Unit::Milliseconds, "LBM", [image] {
                      return Figure{milliseconds(image), ""};
                    }});
    return rows.back();
  };
  add("C1 half", {499, 302, HALF, 0.6, 1}, 0.606);
  add("C1 float", {499, 302, FLOAT, 0.6, 1}, 1.675);
  add("C2 x1", {768, 1024, FLOAT, 0.6, 1}, 6.373).setting("kernel rows per pass");
  add("C2 x2", {768, 1024, FLOAT, 0.6, 2}, 3.73);
  add("C3", {2200, 1122, HALF, 0.4, 1}, 4.472);
  add("C4 0.1", {2200, 1122, HALF, 0.1, 1}, 162);
  add("C4 0.3", {2200, 1122, HALF, 0.3, 1}, 137).setting("partial sums of the program");
  add("C5 0.3", {2200, 1122, FLOAT, 0.3, 2}, 10.25);
  add("C5 0.2", {2200, 1122, FLOAT, 0.2, 2}, 94.4);
  add("NC1", {499, 302, HALF, 0.6, 2}, 1.121);
  add("NC3", {768, 1024, HALF, 0.1, 1}, 45.28);
  add("NC4", {768, 1024, FLOAT, 0.1, 1}, 60.27);
  add("NC6", {2200, 1122, FLOAT, 0.1, 1}, 177.3);
}

} // namespace calibration
