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

enum class IrSerializationFormat { JSON };

class Session { // for any thread: each call waits for those before it; its callbacks may only ask
                // it
public:
  virtual ~Session();

  // Compiles (or takes the executable from the cache) and, unless told otherwise, loads it.
  void prepareDevice(bool loadEngine = true);
  void loadEngineAndConnectStreams();
  void weightsFromHost();
  // As weightsFromHost(), with the host's weights of that instance instead of those of the first.
  void broadcastWeights(int rootRank = 0);
  void weightsToHost();
  void readWeights(const IWeightsIO &weights);  // after weightsToHost, into the caller's arrays
  void writeWeights(const IWeightsIO &weights); // the host's copy; weightsFromHost uploads it
  void buffersFromHost();

  void run(IStepIO &stepIo, std::string debugName = "");
  // After a step that failed or was interrupted: whether the device has lost its weights, so that
  // weightsFromHost() comes before the next one. It has not if no weight update was under way.
  bool needsWeights() const;
  // Ends a step that is running at its next program step; from any thread or a signal handler.
  void interrupt() noexcept;
  void run(std::string programHandle, IStepIO &stepIo, std::string debugName = "");

  void modelToHost(const std::string &file);
  void resetHostWeights(const OnnxModel &modelOrFile,
                        bool ignoreWeightsInModelWithoutCorrespondingHostWeight = false);

  void setRandomSeed(std::uint64_t seed);
  std::uint64_t getRandomSeed();
  std::vector<std::uint32_t> getRNGState();
  void setRNGState(const std::vector<std::uint32_t> state);

  std::uint64_t getCycleCount(std::string id = "");
  // Of the step that run() would do; prepareDevice(false) is enough.
  ModelledStep getModelledStep() const;
  std::string getSummaryReport(bool resetProfile = true) const;
  std::string getSerializedGraph() const;
  pva::Report getReport() const;

  void compileAndExport(const std::string &file);
  void compileAndExport(std::ostream &out);
  void saveExecutable(const std::string &path, bool savePopartMetadata = true,
                      bool saveVariables = true);
  void saveExecutableToFile(const std::string &file, bool savePopartMetadata = true,
                            bool saveVariables = true);
  void saveExecutableToStream(std::ostream &out, bool savePopartMetadata = true,
                              bool saveVariables = true);
  void saveVariables(const std::string &path);
  void loadExecutableFromFile(const std::string &file);
  void loadExecutableFromStream(std::shared_ptr<std::istream> in);

  TensorInfo getInfo(TensorId id) const;
  bool hasInfo(TensorId id) const;
  std::set<TensorId> getAllTensorIds() const;
  // Not of PopART: what the optimiser keeps, by weight and slot: {"w": {"Accl1": "Accl1___w"}}.
  // Under "" stands what is of no weight: lossScaleFactor of automatic loss scaling.
  std::map<TensorId, std::map<std::string, TensorId>> getOptimizerStateIds() const;
  std::string serializeIr(IrSerializationFormat format) const;

  void connectStreamToCallback(const std::string &handle, std::function<void(void *)> callback,
                               unsigned index = 0);
  void connectStream(const std::string &handle, void *buffer);
  void connectHostFunction(
      const std::string &handle,
      std::function<void(const void *const *, std::size_t, void *const *, std::size_t)> callback,
      unsigned index = 0);
  void updateExternallySavedTensorLocations(const std::string &from, const std::string &to);

  const DataFlow &getDataFlow() const;
  const SessionOptions &getOptions() const;
  std::int64_t getReplicationFactor() const;
  std::int64_t getAccumulationFactor() const;
  const std::shared_ptr<DeviceInfo> &getDeviceInfo() const;
  // The outer dimensions and the whole shape of the array that one step fills for an anchor.
  std::map<TensorId, TensorInfo> getAnchorArrayInfos() const;
  // The same for an input.
  std::map<TensorId, TensorInfo> getInputArrayInfos() const;

  struct Impl;

protected:
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class InferenceSession : public Session {
public:
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

class TrainingSession : public Session {
public:
  static std::unique_ptr<TrainingSession>
  createFromOnnxModel(const OnnxModel &model, const DataFlow &dataFlow, const TensorId &loss,
                      const Optimizer &optimizer, std::shared_ptr<DeviceInfo> deviceInfo,
                      const InputShapeInfo &inputShapeInfo = InputShapeInfo(),
                      const SessionOptions &userOptions = SessionOptions(),
                      const Patterns &patterns = Patterns(), const std::string name = "training");

  void updateOptimizerFromHost(const Optimizer *optimizer);
  void copyFromRemoteBuffer(const std::string &buffer, void *to, int repeatIndex,
                            unsigned replicationIndex = 0);
  void copyToRemoteBuffer(void *from, const std::string &buffer, int repeatIndex,
                          unsigned replicationIndex = 0);

private:
  friend struct SessionMaker;
  using Session::Session;
};

} // namespace popart
#endif
