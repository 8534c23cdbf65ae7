// SPDX-License-Identifier: MIT
// A model on a device. The constructor imports and checks it, prepareDevice compiles and loads it,
// run executes one step: as many batches as the DataFlow says, without returning to the host
// between.
#ifndef POPART_SESSION_HPP
#define POPART_SESSION_HPP
#include <functional>
#include <iosfwd>
#include <popart/dataflow.hpp>
#include <popart/devicemanager.hpp>
#include <popart/error.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/istepio.hpp>
#include <popart/modelledstep.hpp>
#include <popart/onnxmodel.hpp>
#include <popart/optimizer.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/sessionoptions.hpp>

namespace pva {
class Report;
}

namespace popart {

enum class IrSerializationFormat { JSON }; // the format of serializeIr

class Session { // for any thread: each call waits for those before it; its callbacks may only ask
                // it
public:
  virtual ~Session();

  // Compiles (or takes the executable from the cache) and, unless told otherwise, loads it.
  void prepareDevice(bool loadEngine = true);
  void loadEngineAndConnectStreams(); // Puts a prepared program on the device.
  void weightsFromHost();             // Copies the weights of the host to the device.
  // As weightsFromHost(), with the host's weights of that instance instead of those of the first.
  void broadcastWeights(int rootRank = 0);
  // Copies the weights of the device to the host, for readWeights and modelToHost.
  void weightsToHost();
  void readWeights(const IWeightsIO &weights);  // after weightsToHost, into the caller's arrays
  void writeWeights(const IWeightsIO &weights); // the host's copy; weightsFromHost uploads it
  // Copies the tensors of SessionOptions::updatableNamedBuffers to the device.
  void buffersFromHost();

  // One step: batchesPerStep batches from and to stepIo, or only a part of the program by its
  // handle. Throws popart::error before prepareDevice and weightsFromHost, popart::runtime_error
  // for data of the wrong size.
  void run(IStepIO &stepIo, std::string debugName = "");
  // After a step that failed or was interrupted: whether the device has lost its weights, so that
  // weightsFromHost() comes before the next one. It has not if no weight update was under way.
  bool needsWeights() const;
  // Ends a step that is running at its next program step; from any thread or a signal handler.
  void interrupt() noexcept;
  void run(std::string programHandle, IStepIO &stepIo, std::string debugName = "");

  // Writes the model, with the host's weights, to a file.
  void modelToHost(const std::string &file);
  // Takes the host's weights from another model of the same variables. Throws popart::error if one
  // of them is missing.
  void resetHostWeights(const OnnxModel &modelOrFile,
                        bool ignoreWeightsInModelWithoutCorrespondingHostWeight = false);

  void setRandomSeed(std::uint64_t seed); // Begins the random numbers of the device anew.
  std::uint64_t getRandomSeed();          // what the next random numbers come from
  // The state of all random number generators of the device.
  std::vector<std::uint32_t> getRNGState();
  void setRNGState(const std::vector<std::uint32_t> state); // Puts back what getRNGState gave.

  // Cycles of the last step, with instrumentWithHardwareCycleCounter; popart::error without.
  std::uint64_t getCycleCount(std::string id = "");
  // Of the step that run() would do; prepareDevice(false) is enough.
  ModelledStep getModelledStep() const;
  std::string getSummaryReport(bool resetProfile = true) const; // the profile as text
  std::string getSerializedGraph() const;                       // the Poplar graph as JSON
  pva::Report getReport() const; // the profile; include <pva/pva.hpp> to use it

  // Compiles without loading, and writes the executable. Throws popart::error if that fails.
  void compileAndExport(const std::string &file);
  void compileAndExport(std::ostream &out);
  // Writes executable and variables to a folder.
  void saveExecutable(const std::string &path, bool savePopartMetadata = true,
                      bool saveVariables = true);
  // Writes the executable, with or without variables and what a session must know.
  void saveExecutableToFile(const std::string &file, bool savePopartMetadata = true,
                            bool saveVariables = true);
  // The same to a stream.
  void saveExecutableToStream(std::ostream &out, bool savePopartMetadata = true,
                              bool saveVariables = true);
  void saveVariables(const std::string &path); // Writes the variables to a file.
  // Takes an executable that saveExecutable wrote; prepareDevice then does not compile. Throws
  // popart::error for one of another model or version.
  void loadExecutableFromFile(const std::string &file);
  void loadExecutableFromStream(std::shared_ptr<std::istream> in); // The same from a stream.

  // Type and shape of a tensor. Throws popart::error if there is none.
  TensorInfo getInfo(TensorId id) const;
  bool hasInfo(TensorId id) const;            // whether there is such a tensor
  std::set<TensorId> getAllTensorIds() const; // of the model as it runs
  // Not of PopART: what the optimiser keeps, by weight and slot: {"w": {"Accl1": "Accl1___w"}}.
  // Under "" stands what is of no weight: lossScaleFactor of automatic loss scaling.
  std::map<TensorId, std::map<std::string, TensorId>> getOptimizerStateIds() const;
  std::string serializeIr(IrSerializationFormat format) const; // the operators as they run, as text

  // Host code that is called for every transfer of a stream that a custom operator made.
  void connectStreamToCallback(const std::string &handle, std::function<void(void *)> callback,
                               unsigned index = 0);
  // Memory for a stream that a custom operator made.
  void connectStream(const std::string &handle, void *buffer);
  // Host code for a host function that a custom operator made.
  void connectHostFunction(
      const std::string &handle,
      std::function<void(const void *const *, std::size_t, void *const *, std::size_t)> callback,
      unsigned index = 0);
  // Weights that the model keeps in one file are looked for in another.
  void updateExternallySavedTensorLocations(const std::string &from, const std::string &to);

  const DataFlow &getDataFlow() const;                      // batches of a step, and anchors
  const SessionOptions &getOptions() const;                 // as given
  std::int64_t getReplicationFactor() const;                // replicas of this process
  std::int64_t getAccumulationFactor() const;               // micro-batches of one weight update
  const std::shared_ptr<DeviceInfo> &getDeviceInfo() const; // what it runs on
  // The outer dimensions and the whole shape of the array that one step fills for an anchor.
  std::map<TensorId, TensorInfo> getAnchorArrayInfos() const;
  // The same for an input.
  std::map<TensorId, TensorInfo> getInputArrayInfos() const;

  struct Impl;

protected:
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Runs a model forward.
class InferenceSession : public Session {
public:
  // A session for an ONNX model: its bytes or the name of its file.
  //
  //   auto session = InferenceSession::createFromOnnxModel(builder->getModelProto(),
  //       DataFlow(1, {{y, AnchorReturnType("All")}}), device);
  //   session->prepareDevice();
  //   session->run(stepio);
  //
  // Throws popart::error for a model that cannot be run and options that do not fit together.
  static std::unique_ptr<InferenceSession>
  createFromOnnxModel(const OnnxModel &model, const DataFlow &dataFlow,
                      std::shared_ptr<DeviceInfo> deviceInfo,
                      const InputShapeInfo &inputShapeInfo = InputShapeInfo(),
                      const SessionOptions &userOptions = SessionOptions(),
                      const Patterns &patterns = Patterns(), const std::string name = "inference");

private:
  friend struct SessionMaker;
  using Session::Session;
};

// Trains a model: forward pass, backward pass, and changes of its weights.
class TrainingSession : public Session {
public:
  // A session that minimises `loss`, one value that the model computes.
  //
  //   auto session = TrainingSession::createFromOnnxModel(builder->getModelProto(),
  //       DataFlow(1, {{loss, AnchorReturnType("Sum")}}), loss, ConstSGD(0.01f), device);
  //   session->prepareDevice();
  //   session->weightsFromHost();
  //   session->run(stepio);
  //
  // Throws popart::error as InferenceSession does.
  static std::unique_ptr<TrainingSession>
  createFromOnnxModel(const OnnxModel &model, const DataFlow &dataFlow, const TensorId &loss,
                      const Optimizer &optimizer, std::shared_ptr<DeviceInfo> deviceInfo,
                      const InputShapeInfo &inputShapeInfo = InputShapeInfo(),
                      const SessionOptions &userOptions = SessionOptions(),
                      const Patterns &patterns = Patterns(), const std::string name = "training");

  // Other hyper-parameters from the next step on. Throws popart::runtime_error for an optimiser
  // that would need another program.
  void updateOptimizerFromHost(const Optimizer *optimizer);
  // Reads a repeat of a remote buffer. Throws popart::error if there is none.
  void copyFromRemoteBuffer(const std::string &buffer, void *to, int repeatIndex,
                            unsigned replicationIndex = 0);
  // Fills a repeat of a remote buffer. Throws popart::error if there is none.
  void copyToRemoteBuffer(void *from, const std::string &buffer, int repeatIndex,
                          unsigned replicationIndex = 0);

private:
  friend struct SessionMaker;
  using Session::Session;
};

} // namespace popart
#endif
