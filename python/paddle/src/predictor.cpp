// SPDX-License-Identifier: MIT
// paddle.inference: the predictor of C++ with numpy arrays.
#include "bind.hpp"

#include "paddle_inference_api.h"

using namespace paddle_infer;

namespace {

py::dtype numpyType(DataType type) {
  switch (type) {
  case DataType::FLOAT32:
    return py::dtype("float32");
  case DataType::FLOAT64:
    return py::dtype("float64");
  case DataType::FLOAT16:
    return py::dtype("float16");
  case DataType::INT64:
    return py::dtype("int64");
  case DataType::INT32:
    return py::dtype("int32");
  case DataType::INT16:
    return py::dtype("int16");
  case DataType::INT8:
    return py::dtype("int8");
  case DataType::UINT8:
    return py::dtype("uint8");
  case DataType::BOOL:
    return py::dtype("bool");
  }
  throw py::type_error("unknown type");
}

template <class T> void *memoryOf(Tensor &tensor, bool write) {
  if (write)
    return tensor.mutable_data<T>();
  PlaceType place;
  int size;
  return tensor.data<T>(&place, &size);
}
void *memoryOf(Tensor &tensor, bool write) {
  switch (tensor.type()) {
  case DataType::FLOAT32:
    return memoryOf<float>(tensor, write);
  case DataType::FLOAT64:
    return memoryOf<double>(tensor, write);
  case DataType::INT64:
    return memoryOf<std::int64_t>(tensor, write);
  case DataType::INT32:
    return memoryOf<std::int32_t>(tensor, write);
  case DataType::INT16:
    return memoryOf<std::int16_t>(tensor, write);
  case DataType::INT8:
    return memoryOf<std::int8_t>(tensor, write);
  case DataType::UINT8:
    return memoryOf<std::uint8_t>(tensor, write);
  case DataType::BOOL:
    return memoryOf<bool>(tensor, write);
  case DataType::FLOAT16:
    break;
  }
  throw py::type_error(
      "A predictor has no data of float16 for the host; cast to float32 in the model.");
}

void copyFromCpu(Tensor &tensor, const py::array &given) {
  const auto array = py::array::ensure(given, py::array::c_style);
  const std::vector<int> shape(array.shape(), array.shape() + array.ndim());
  if (!array.dtype().is(numpyType(tensor.type())) && !array.dtype().equal(numpyType(tensor.type())))
    throw py::value_error("The input \"" + tensor.name() + "\" needs elements of type " +
                          py::str(numpyType(tensor.type())).cast<std::string>() + ", not " +
                          py::str(array.dtype()).cast<std::string>() + ".");
  if (tensor.shape() != shape)
    tensor.Reshape(shape);
  std::memcpy(memoryOf(tensor, true), array.data(), std::size_t(array.nbytes()));
}
py::array copyToCpu(Tensor &tensor) {
  py::array out(numpyType(tensor.type()), tensor.shape());
  std::memcpy(out.mutable_data(), memoryOf(tensor, false), std::size_t(out.nbytes()));
  return out;
}

void bindConfig(py::module &m) {
  py::class_<Config>(m, "Config", "Which model, and how it runs.")
      .def(py::init<>())
      .def(py::init<const std::string &>(), py::arg("model_dir"))
      .def(py::init<const std::string &, const std::string &>(), py::arg("prog_file"),
           py::arg("params_file"))
      .def("set_model", py::overload_cast<const std::string &>(&Config::SetModel))
      .def("set_model",
           py::overload_cast<const std::string &, const std::string &>(&Config::SetModel))
      .def("set_prog_file", &Config::SetProgFile)
      .def("set_params_file", &Config::SetParamsFile)
      .def("set_model_buffer",
           [](Config &self, const py::bytes &program, std::size_t, const py::bytes &parameters,
              std::size_t) {
             const std::string_view p(program), q(parameters);
             self.SetModelBuffer(p.data(), p.size(), q.data(), q.size());
           })
      .def("prog_file", &Config::prog_file)
      .def("params_file", &Config::params_file)
      .def("enable_ipu", &Config::EnableIpu, py::arg("ipu_device_num") = 1,
           py::arg("ipu_micro_batch_size") = 1, py::arg("ipu_enable_pipelining") = false,
           py::arg("ipu_batches_per_step") = 1)
      .def("set_ipu_config", &Config::SetIpuConfig, py::arg("ipu_enable_fp16") = false,
           py::arg("ipu_replica_num") = 1, py::arg("ipu_available_memory_proportion") = 1.0f,
           py::arg("ipu_enable_half_partial") = false,
           py::arg("ipu_enable_model_runtime_executor") = false)
      .def("set_ipu_custom_info", &Config::SetIpuCustomInfo,
           py::arg("ipu_custom_ops_info") = std::vector<std::vector<std::string>>(),
           py::arg("ipu_custom_patterns") = std::map<std::string, bool>())
      .def("load_ipu_config", &Config::LoadIpuConfig, py::arg("config_path"))
      .def("use_ipu", &Config::use_ipu)
      .def("ipu_device_num", &Config::ipu_device_num)
      .def("ipu_micro_batch_size", &Config::ipu_micro_batch_size)
      .def("ipu_batches_per_step", &Config::ipu_batches_per_step)
      .def("ipu_enable_pipelining", &Config::ipu_enable_pipelining)
      .def("ipu_enable_fp16", &Config::ipu_enable_fp16)
      .def("ipu_replica_num", &Config::ipu_replica_num)
      .def("ipu_enable_half_partial", &Config::ipu_enable_half_partial)
      .def("ipu_available_memory_proportion", &Config::ipu_available_memory_proportion)
      .def("ipu_enable_model_runtime_executor", &Config::ipu_enable_model_runtime_executor)
      .def("disable_glog_info", &Config::DisableGlogInfo)
      .def("glog_info_disabled", &Config::glog_info_disabled)
      .def("enable_memory_optim", &Config::EnableMemoryOptim, py::arg("x") = true)
      .def(
          "switch_ir_optim", [](Config &self, bool x) { self.SwitchIrOptim(x); },
          py::arg("x") = true)
      .def("ir_optim", &Config::ir_optim)
      .def("switch_use_feed_fetch_ops", &Config::SwitchUseFeedFetchOps, py::arg("x") = 1)
      .def("switch_specify_input_names", &Config::SwitchSpecifyInputNames, py::arg("x") = true)
      .def("set_cpu_math_library_num_threads", &Config::SetCpuMathLibraryNumThreads)
      .def("enable_mkldnn", &Config::EnableMKLDNN)
      .def("disable_gpu", &Config::DisableGpu)
      .def("summary", &Config::Summary);
}

} // namespace

void bindPredictor(py::module &m) {
  bindConfig(m);
  py::enum_<DataType>(m, "DataType")
      .value("FLOAT32", DataType::FLOAT32)
      .value("INT64", DataType::INT64)
      .value("INT32", DataType::INT32)
      .value("UINT8", DataType::UINT8)
      .value("INT8", DataType::INT8)
      .value("FLOAT16", DataType::FLOAT16)
      .value("BOOL", DataType::BOOL)
      .value("FLOAT64", DataType::FLOAT64)
      .value("INT16", DataType::INT16);
  py::class_<Tensor>(m, "PredictorTensor", "An input or output of a predictor.")
      .def("reshape", &Tensor::Reshape)
      .def("copy_from_cpu", &copyFromCpu)
      .def("copy_to_cpu", &copyToCpu)
      .def("shape", &Tensor::shape)
      .def("type", &Tensor::type)
      .def("name", &Tensor::name);
  py::class_<Predictor, std::shared_ptr<Predictor>>(m, "Predictor", "A model on a device.")
      .def("get_input_names", &Predictor::GetInputNames)
      .def("get_output_names", &Predictor::GetOutputNames)
      .def("get_input_handle", &Predictor::GetInputHandle, py::keep_alive<0, 1>())
      .def("get_output_handle", &Predictor::GetOutputHandle, py::keep_alive<0, 1>())
      .def("run", &Predictor::Run, py::call_guard<py::gil_scoped_release>())
      .def("clone", [](Predictor &self) { return std::shared_ptr<Predictor>(self.Clone()); })
      .def("clear_intermediate_tensor", &Predictor::ClearIntermediateTensor)
      .def("try_shrink_memory", &Predictor::TryShrinkMemory);
  m.def("create_predictor", &CreatePredictor, py::arg("config"),
        py::call_guard<py::gil_scoped_release>(),
        "The model of a configuration on its device; programs of this process that hold IPUs make "
        "room.");
  m.def("get_version", &GetVersion);
  m.def("get_num_bytes_of_data_type", &GetNumBytesOfDataType);
  py::class_<services::PredictorPool>(m, "PredictorPool")
      .def(py::init<const Config &, std::size_t>(), py::arg("config"), py::arg("size") = 1)
      .def("retrive", &services::PredictorPool::Retrive,
           py::return_value_policy::reference_internal);
}
