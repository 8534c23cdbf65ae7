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
      .def("set_model", py::overload_cast<const std::string &>(&Config::SetModel),
           "A folder with one .pdmodel and one .pdiparams, or the paths of both.")
      .def("set_model",
           py::overload_cast<const std::string &, const std::string &>(&Config::SetModel))
      .def("set_prog_file", &Config::SetProgFile, "The .pdmodel.")
      .def("set_params_file", &Config::SetParamsFile, "The .pdiparams.")
      .def(
          "set_model_buffer",
          [](Config &self, const py::bytes &program, std::size_t, const py::bytes &parameters,
             std::size_t) {
            const std::string_view p(program), q(parameters);
            self.SetModelBuffer(p.data(), p.size(), q.data(), q.size());
          },
          "A model in memory: the bytes of both files.")
      .def("prog_file", &Config::prog_file, "The path of the .pdmodel.")
      .def("params_file", &Config::params_file, "The path of the .pdiparams.")
      .def("enable_ipu", &Config::EnableIpu, py::arg("ipu_device_num") = 1,
           py::arg("ipu_micro_batch_size") = 1, py::arg("ipu_enable_pipelining") = false,
           py::arg("ipu_batches_per_step") = 1, "Runs the model on IPUs.")
      .def("set_ipu_config", &Config::SetIpuConfig, py::arg("ipu_enable_fp16") = false,
           py::arg("ipu_replica_num") = 1, py::arg("ipu_available_memory_proportion") = 1.0f,
           py::arg("ipu_enable_half_partial") = false,
           py::arg("ipu_enable_model_runtime_executor") = false,
           "How it runs on IPUs. Results do not depend on the last argument.")
      .def("set_ipu_custom_info", &Config::SetIpuCustomInfo,
           py::arg("ipu_custom_ops_info") = std::vector<std::vector<std::string>>(),
           py::arg("ipu_custom_patterns") = std::map<std::string, bool>(),
           "Operators of your own, [paddle_op, popart_op, domain, version] each, and patterns of "
           "PopART, on or off.")
      .def("load_ipu_config", &Config::LoadIpuConfig, py::arg("config_path"),
           "Reads lines \"name, value\" with the names of the arguments above.")
      .def("use_ipu", &Config::use_ipu, "Whether it runs on IPUs.")
      .def("ipu_device_num", &Config::ipu_device_num, "How many IPUs it has.")
      .def("ipu_micro_batch_size", &Config::ipu_micro_batch_size, "Rows of a micro-batch.")
      .def("ipu_batches_per_step", &Config::ipu_batches_per_step, "Batches of one run.")
      .def("ipu_enable_pipelining", &Config::ipu_enable_pipelining,
           "Whether stages of the model run side by side.")
      .def("ipu_enable_fp16", &Config::ipu_enable_fp16, "Whether the model computes in half.")
      .def("ipu_replica_num", &Config::ipu_replica_num,
           "Copies of the model, each with its own IPUs.")
      .def("ipu_enable_half_partial", &Config::ipu_enable_half_partial,
           "Whether products of halves are added up in half.")
      .def("ipu_available_memory_proportion", &Config::ipu_available_memory_proportion,
           "The share of tile memory that a matrix product or convolution may use for itself.")
      .def("ipu_enable_model_runtime_executor", &Config::ipu_enable_model_runtime_executor,
           "What set_ipu_config was given; it changes nothing.")
      .def("disable_glog_info", &Config::DisableGlogInfo,
           "Nothing is printed when a predictor is made.")
      .def("glog_info_disabled", &Config::glog_info_disabled,
           "Whether disable_glog_info was called.")
      .def("enable_memory_optim", &Config::EnableMemoryOptim, py::arg("x") = true,
           "Accepted. It changes nothing here.")
      .def(
          "switch_ir_optim", [](Config &self, bool x) { self.SwitchIrOptim(x); },
          py::arg("x") = true, "Kept for ir_optim(); it changes nothing else.")
      .def("ir_optim", &Config::ir_optim, "What switch_ir_optim was given.")
      .def("switch_use_feed_fetch_ops", &Config::SwitchUseFeedFetchOps, py::arg("x") = 1,
           "Accepted. It changes nothing here.")
      .def("switch_specify_input_names", &Config::SwitchSpecifyInputNames, py::arg("x") = true,
           "Accepted. It changes nothing here.")
      .def("set_cpu_math_library_num_threads", &Config::SetCpuMathLibraryNumThreads,
           "Accepted. It changes nothing here.")
      .def("enable_mkldnn", &Config::EnableMKLDNN, "Accepted. It changes nothing here.")
      .def("disable_gpu", &Config::DisableGpu, "Accepted. It changes nothing here.")
      .def("summary", &Config::Summary, "What is set, one line each.");
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
      .def("reshape", &Tensor::Reshape,
           "Sets the shape of an input, before data is copied into it.")
      .def("copy_from_cpu", &copyFromCpu,
           "Sets an input from an array. Raises ValueError for another type of elements.")
      .def("copy_to_cpu", &copyToCpu, "An output as an array.")
      .def("shape", &Tensor::shape, "Its dimensions.")
      .def("type", &Tensor::type, "The type of its elements, a DataType.")
      .def("name", &Tensor::name, "Its name in the model.");
  py::class_<Predictor, std::shared_ptr<Predictor>>(m, "Predictor", "A model on a device.")
      .def("get_input_names", &Predictor::GetInputNames, "Names of inputs.")
      .def("get_output_names", &Predictor::GetOutputNames, "Names of outputs.")
      .def("get_input_handle", &Predictor::GetInputHandle, py::keep_alive<0, 1>(),
           "The input of this name.")
      .def("get_output_handle", &Predictor::GetOutputHandle, py::keep_alive<0, 1>(),
           "The output of this name.")
      .def("run", &Predictor::Run, py::call_guard<py::gil_scoped_release>(),
           "Computes outputs from inputs.")
      .def(
          "clone", [](Predictor &self) { return std::shared_ptr<Predictor>(self.Clone()); },
          "Another predictor with the same parameters, for another thread.")
      .def("clear_intermediate_tensor", &Predictor::ClearIntermediateTensor,
           "Accepted. It changes nothing here.")
      .def("try_shrink_memory", &Predictor::TryShrinkMemory, "Frees nothing here, and gives 0.");
  m.def("create_predictor", &CreatePredictor, py::arg("config"),
        py::call_guard<py::gil_scoped_release>(),
        "The model of a configuration on its device; programs of this process that hold IPUs make "
        "room.");
  m.def("get_version", &GetVersion, "The version of this package.");
  m.def("get_num_bytes_of_data_type", &GetNumBytesOfDataType, "Bytes of one element.");
  py::class_<services::PredictorPool>(
      m, "PredictorPool", "Predictors that share their parameters, one for each thread.")
      .def(py::init<const Config &, std::size_t>(), py::arg("config"), py::arg("size") = 1)
      .def("retrive", &services::PredictorPool::Retrive,
           py::return_value_policy::reference_internal,
           "The predictor of this number. The name is Paddle's.");
}
