// SPDX-License-Identifier: MIT
// What a session holds. The files beside this one each do one thing with it: make it (create.cpp),
// compile (compile.cpp), run (run.cpp), move weights (weights.cpp, models.cpp), keep executables
// (files.cpp, cache.cpp), tell (report.cpp, irjson.cpp).
#pragma once
#include "session/format.hpp"
#include "session/prepare.hpp"
#include "session/source.hpp"
#include "session/state.hpp"
#include "session/turns.hpp"
#include <atomic>
#include <popart/session.hpp>
#include <poplar/Target.hpp>

namespace popart {

struct Session::Impl {
  mutable session::Turns turns; // every public function takes one
  std::string name;
  std::unique_ptr<session::Source> source; // as given: modelToHost writes it back with new weights
  DataFlow flow;
  SessionOptions options;
  Patterns patterns;
  std::shared_ptr<DeviceInfo> device;
  bool training = false;
  TensorId loss;
  std::unique_ptr<Optimizer> optimizer; // the newest

  optimizer::Context context;
  lowering::Interface io;
  std::vector<std::pair<TensorId, TensorInfo>> modelInputs; // used or not
  std::optional<poplar::Executable> executable;             // compiled
  std::unique_ptr<session::Execution> execution;
  session::Weights hostWeights;                // what weightsFromHost sends, in the device's types
  std::map<TensorId, TensorInfo> initialInfos; // of the model's initialisers and optimiser state
  std::set<TensorId> states;                   // which of them are optimiser state
  std::map<TensorId, std::map<std::string, TensorId>> slots; // the same by weight and slot
  std::map<TensorId, ir::HostTensor> held; // Interface::held, if it came from the cache
  bool fromFile = false; // not compiled here, but from the cache or an exported file
  session::Life life;
  // Inputs and anchors of a step, from the first one on.
  std::optional<std::pair<std::map<TensorId, StepTensor>, std::map<TensorId, StepTensor>>>
      stepTensors;
  std::uint64_t seed = 0;
  // For interrupt(), which takes no turn: whose step runs, and how many look at it.
  std::atomic<session::Execution *> stepping = nullptr;
  std::atomic<int> interrupting = 0;
  double constructionSeconds = 0;

  // Import, gradients, transforms; with an executable from the cache only if somebody asks.
  const session::Prepared &prepared() const;
  // The same under other options, on so many IPUs.
  session::Prepared preparedWith(const SessionOptions &given, unsigned ipus) const;
  const ir::Graph &graph() const { return prepared().model.graph; }
  std::int64_t replicas() const; // of all instances
  // ---- several instances (instances.cpp)
  session::Share share() const; // of the replicas: this instance's
  bool apart() const { return share().number != replicas(); }
  bool compilesOnly() const;
  poplar::Target target() const; // of the replicas of all instances
  void meetInstances();          // finds the others, and takes what the first one drew at random
  void compareInstances() const; // popart::error if one has another model
  void compareOptimizers();      // popart::error if one trains with other values
  [[noreturn]] void refuseOptimizer(unsigned rank) const;
  unsigned instances() const;
  void agreeOnWeights(unsigned root);
  void sendWeights(unsigned root); // of that instance's host to the devices of all
  void compileOnce();              // the first instance compiles, the others get what it made
  session::Execution &loaded();    // popart::runtime_error before prepareDevice
  std::map<TensorId, ir::HostTensor> heldConstants() const;
  poplar::OptionFlags engineOptions() const; // of the user and of session options
  poplar::OptionFlags compileOptions() const;
  std::string memoryAdvice() const; // for a model that does not fit (memoryadvice.cpp)
  std::map<TensorId, ir::HostTensor> hyperParameters(const Optimizer &given) const;
  bool caches() const;
  bool openCached(); // whether the session can start without the ir
  session::Start startData() const;
  void takeWeights();
  void takeStoredWeights(const session::Start &start);
  void compile();
  void makeExecutable(); // from the cache, or anew
  void lowerAndCompile();
  std::string hash() const;
  void requireRngState(const char *what);
  void fitHostWeights(); // a value for every group of every weight
  void load();
  void run(IStepIO &stepIo, const std::string &debugName, unsigned program); // a step, checked
  // False: it was interrupted.
  bool step(IStepIO &stepIo, const std::string &debugName, unsigned program);
  void afterFailedStep() noexcept;
  bool lostWeights() const;
  void requireWeights(const char *what) const; // popart::runtime_error after a failure
  std::map<TensorId, StepTensor> inputTensors() const, anchorTensors() const;
  void check(const IStepIO &stepIo);
  void checkForward(const IStepIO &stepIo) const; // of a step of the forward pass alone
  void checkNames(const IWeightsIO &weights, const char *what, bool reads = false) const;
  void readConstants(const IWeightsIO &weights) const;

private:
  mutable std::mutex preparing_; // callbacks on several threads may be the first to ask
  mutable std::optional<session::Prepared> prepared_;
};

} // namespace popart
