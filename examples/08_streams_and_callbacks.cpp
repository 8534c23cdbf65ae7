// SPDX-License-Identifier: MIT
// Data in and out while a program runs: a class that produces batches ahead of time, a lambda that
// receives results, and a circular buffer for a stream that needs no code.
#include "Example.hpp"
#include <memory>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/StreamCallback.hpp>

using namespace poplar;
using namespace poplar::program;

static const std::size_t batch = 32;
static const unsigned batches = 8;

// Batch n holds the value n. A batch may be asked for twice (ahead of time, then again because it
// was dropped), so the count goes on only when the device has consumed one.
class Numbers : public StreamCallback {
public:
  explicit Numbers(unsigned &consumed) : consumed_(consumed) {}
  Result prefetch(void *to) override {
    fetch(to);
    return Result::Success;
  }
  void fetch(void *to) override {
    std::fill_n(static_cast<float *>(to), batch, static_cast<float>(consumed_));
  }
  void complete() override { ++consumed_; }

private:
  unsigned &consumed_;
};

int main() {
  Device device = attachIpu();
  Graph graph(device.getTarget());
  graph.addCodelets("codelets/element_wise.cpp");

  Tensor data = graph.addVariable(FLOAT, {batch}, VariableMappingMethod::LINEAR, "data");
  Tensor offset = graph.addVariable(FLOAT, {batch}, VariableMappingMethod::LINEAR, "offset");
  Tensor sum = graph.clone(data, "sum");
  DataStream numbers = graph.addHostToDeviceFIFO("numbers", FLOAT, batch);
  DataStream offsets = graph.addHostToDeviceFIFO("offsets", FLOAT, batch);
  DataStream results = graph.addDeviceToHostFIFO("results", FLOAT, batch);

  ComputeSet add = graph.addComputeSet("add");
  VertexRef v = graph.addVertex(add, "Add<float>", {{"a", data}, {"b", offset}, {"out", sum}});
  graph.setTileMapping(v, 0);

  Sequence one({Copy(numbers, data), Copy(offsets, offset), Execute(add), Copy(sum, results)});
  // Data may be fetched ahead only if streams do not share their host buffers.
  Engine engine(graph, Repeat(batches, one), {{"exchange.streamBufferOverlap", "none"}});

  unsigned consumed = 0;
  engine.connectStreamToCallback("numbers", std::unique_ptr<StreamCallback>(new Numbers(consumed)));
  std::vector<float> twoOffsets(2 * batch, 100.0f); // read in turns: 100, 200, 100, 200 ...
  std::fill_n(twoOffsets.begin() + batch, batch, 200.0f);
  engine.connectStream("offsets", twoOffsets.data(), twoOffsets.data() + twoOffsets.size());
  std::vector<float> received;
  engine.connectStreamToCallback("results", [&received](void *from) {
    const float *values = static_cast<const float *>(from);
    received.insert(received.end(), values, values + batch);
  });

  engine.load(device);
  engine.run();

  bool ok = consumed == batches && received.size() == batches * batch;
  for (std::size_t i = 0; ok && i < received.size(); ++i) {
    const std::size_t n = i / batch;
    ok = received[i] == static_cast<float>(n + (n % 2 ? 200 : 100));
  }
  return verdict(ok, "eight batches streamed through");
}
