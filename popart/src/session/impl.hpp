// SPDX-License-Identifier: MIT
// What a session holds. The files beside this one each do one thing with it: make it (create.cpp),
// compile (compile.cpp), run (run.cpp), move weights (weights.cpp, models.cpp), keep executables
// (files.cpp, cache.cpp), tell (report.cpp, irjson.cpp).
#pragma once
#include "onnx/import.hpp"
#include "session/execution.hpp"
#include "session/prepare.hpp"
#include <popart/session.hpp>

namespace popart {

struct Session::Impl {
  std::string name;
  onnxmodel::Model source; // as given: modelToHost writes it back with new weights
  DataFlow flow;
  SessionOptions options;
  Patterns patterns;
  std::shared_ptr<DeviceInfo> device;
  bool training = false;
  TensorId loss;
  std::unique_ptr<Optimizer> optimizer; // the newest

  session::Prepared prepared;
  lowering::Interface io;
  std::optional<poplar::Executable> executable; // compiled
  std::unique_ptr<session::Execution> execution;
  session::Weights hostWeights;                // what weightsFromHost sends, in the device's types
  std::map<TensorId, TensorInfo> initialInfos; // of the model's initialisers and optimiser state
  bool fromFile = false; // not compiled here, but from the cache or an exported file
  bool weightsSent = false;
  bool checkedStepIo = false;
  std::uint64_t seed = 0;
  double constructionSeconds = 0;

  const ir::Graph &graph() const { return prepared.model.graph; }
  session::Execution &loaded(); // popart::runtime_error before prepareDevice
  std::map<TensorId, ir::HostTensor> heldConstants() const;
  poplar::OptionFlags engineOptions() const;
  void compile();
  void lowerAndCompile();
  std::string hash() const;
  void requireRngState(const char *what);
  void fitHostWeights(); // a value for every group of every weight
  void load();
  std::map<TensorId, StepTensor> inputTensors() const, anchorTensors() const;
};

} // namespace popart
