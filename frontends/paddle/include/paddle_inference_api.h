// SPDX-License-Identifier: MIT
// paddle_infer: saved models (.pdmodel, .pdiparams) run on simulated IPUs or on the CPU, with the
// interface that deployments of Paddle Inference use.
//
//   paddle_infer::Config config("mnist.pdmodel", "mnist.pdiparams");
//   config.EnableIpu(1);
//   auto predictor = paddle_infer::CreatePredictor(config);
//   auto input = predictor->GetInputHandle(predictor->GetInputNames()[0]);
//   input->Reshape({1, 1, 28, 28});
//   input->CopyFromCpu(image.data());
//   predictor->Run();
//   predictor->GetOutputHandle(predictor->GetOutputNames()[0])->CopyToCpu(scores.data());
//
// What is wrong ends in std::runtime_error (popart::error) with names, values and a remedy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace paddle_infer {

enum class DataType { FLOAT32, INT64, INT32, UINT8, INT8, FLOAT16, BOOL, FLOAT64, INT16 };
enum class PlaceType { kUNK = -1, kCPU, kGPU, kXPU, kNPU, kIPU };
enum class PrecisionType {
  kFloat32,
  kInt8,
  kHalf,
  kBf16
}; // of other engines; SetIpuConfig has fp16
std::size_t GetNumBytesOfDataType(DataType type);
std::string GetVersion();

class Config {
public:
  Config() = default;
  explicit Config(const std::string &model_dir); // with one .pdmodel and one .pdiparams
  Config(const std::string &prog_file, const std::string &params_file);

  void SetModel(const std::string &model_dir);
  void SetModel(const std::string &prog_file, const std::string &params_file);
  void SetProgFile(const std::string &path) { prog_file_ = path; }
  void SetParamsFile(const std::string &path) { params_file_ = path; }
  // The contents of both files.
  void SetModelBuffer(const char *prog, std::size_t prog_size, const char *params,
                      std::size_t params_size);
  const std::string &prog_file() const { return prog_file_; }
  const std::string &params_file() const { return params_file_; }
  bool model_from_memory() const { return from_memory_; }

  void EnableIpu(int ipu_device_num = 1, int ipu_micro_batch_size = 1,
                 bool ipu_enable_pipelining = false, int ipu_batches_per_step = 1);
  // Predictors run PopART's sessions, with the same results, whatever the last one says.
  void SetIpuConfig(bool ipu_enable_fp16 = false, int ipu_replica_num = 1,
                    float ipu_available_memory_proportion = 1.0f,
                    bool ipu_enable_half_partial = false,
                    bool ipu_enable_model_runtime_executor = false);
  // {paddle_op, popart_op, domain, version} each; names of PopART's patterns, on or off.
  void SetIpuCustomInfo(const std::vector<std::vector<std::string>> &ipu_custom_ops_info = {},
                        const std::map<std::string, bool> &ipu_custom_patterns = {});
  // A file of lines "name, value" with the names of the arguments above.
  void LoadIpuConfig(const std::string &config_path);
  bool use_ipu() const { return use_ipu_; }
  int ipu_device_num() const { return device_num_; }
  int ipu_micro_batch_size() const { return micro_batch_; }
  bool ipu_enable_pipelining() const { return pipelining_; }
  int ipu_batches_per_step() const { return batches_; }
  bool ipu_enable_fp16() const { return fp16_; }
  int ipu_replica_num() const { return replicas_; }
  float ipu_available_memory_proportion() const { return memory_proportion_; }
  bool ipu_enable_half_partial() const { return half_partial_; }
  bool ipu_enable_model_runtime_executor() const { return model_runtime_; }
  const std::vector<std::vector<std::string>> &ipu_custom_ops_info() const { return custom_ops_; }
  const std::map<std::string, bool> &ipu_custom_patterns() const { return patterns_; }

  void DisableGlogInfo() { glog_info_ = false; } // nothing is printed when a predictor is made
  bool glog_info_disabled() const { return !glog_info_; }
  // Of Paddle's own optimiser and CPU kernels; PopART optimises whatever these say.
  void EnableMemoryOptim(bool = true) {}
  void SwitchIrOptim(int x = 1) { ir_optim_ = x != 0; }
  bool ir_optim() const { return ir_optim_; }
  void SwitchUseFeedFetchOps(int = 1) {}
  void SwitchSpecifyInputNames(bool = true) {}
  void SetCpuMathLibraryNumThreads(int) {}
  void DisableGpu() {}
  void EnableMKLDNN() {}
  std::string Summary() const;

private:
  friend class Predictor;
  std::string prog_file_, params_file_;
  std::string prog_, params_; // of memory
  bool from_memory_ = false, use_ipu_ = false, pipelining_ = false, fp16_ = false,
       half_partial_ = false, model_runtime_ = false, glog_info_ = true, ir_optim_ = true;
  int device_num_ = 1, micro_batch_ = 1, batches_ = 1, replicas_ = 1;
  float memory_proportion_ = 0;
  std::vector<std::vector<std::string>> custom_ops_;
  std::map<std::string, bool> patterns_;
};

// An input or output of a predictor; belongs to it.
class Tensor {
public:
  void Reshape(const std::vector<int> &shape); // of an input, before data is copied into it
  template <class T> void CopyFromCpu(const T *data);
  template <class T> void CopyToCpu(T *data) const;
  template <class T> T *mutable_data(PlaceType place = PlaceType::kCPU);
  template <class T> T *data(PlaceType *place, int *size) const;
  std::vector<int> shape() const;
  DataType type() const;
  const std::string &name() const;

  struct Memory; // ours
  explicit Tensor(std::shared_ptr<Memory> memory) : memory_(std::move(memory)) {}

private:
  void *checked(DataType type, bool written) const;
  std::shared_ptr<Memory> memory_;
};

// One model on one device. Not for several threads at once: each takes a Clone().
class Predictor {
public:
  explicit Predictor(const Config &config);
  ~Predictor();
  std::vector<std::string> GetInputNames();
  std::unique_ptr<Tensor> GetInputHandle(const std::string &name);
  bool Run();
  std::vector<std::string> GetOutputNames();
  std::unique_ptr<Tensor> GetOutputHandle(const std::string &name);
  std::unique_ptr<Predictor> Clone(); // the parameters are shared
  void ClearIntermediateTensor() {}
  std::uint64_t TryShrinkMemory() { return 0; }

private:
  struct Impl;
  explicit Predictor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

std::shared_ptr<Predictor> CreatePredictor(const Config &config);

namespace services {
// Clones of one predictor.
class PredictorPool {
public:
  explicit PredictorPool(const Config &config, std::size_t size = 1);
  Predictor *Retrive(std::size_t index); // Paddle's spelling

private:
  std::vector<std::unique_ptr<Predictor>> all_;
};
} // namespace services

} // namespace paddle_infer

namespace paddle {
using AnalysisConfig = paddle_infer::Config; // its older name
} // namespace paddle
