// SPDX-License-Identifier: MIT
// Optimisers. Values come as {"defaultLearningRate": (0.1, False)}: the number, and whether it is
// constant.
#include "bind.hpp"
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/sgd.hpp>

using namespace popart;
using Values = std::map<std::string, std::pair<float, bool>>;
using Clips = std::vector<ClipNormSettings>;

void bindOptimizers(py::module &m) {
  py::class_<OptimizerValue>(m, "OptimizerValue")
      .def(py::init<float>())
      .def(py::init<float, bool>())
      .def(py::init<std::pair<float, bool>>())
      .def("val", &OptimizerValue::val)
      .def("isConst", &OptimizerValue::isConst);
  py::class_<OptimizerValueMap>(m, "OptimizerValueMap")
      .def("getDefault", &OptimizerValueMap::getDefault)
      .def("get", &OptimizerValueMap::get);
  py::class_<ClipNormSettings>(m, "ClipNormSettings")
      .def(py::init<const std::vector<TensorId> &, float>(), py::arg("weightIds"),
           py::arg("maxNorm"))
      .def_static("clipWeights", &ClipNormSettings::clipWeights)
      .def_static("clipAllWeights", &ClipNormSettings::clipAllWeights)
      .def_readwrite("weightIds", &ClipNormSettings::weightIds)
      .def_readwrite("maxNorm", &ClipNormSettings::maxNorm);
  py::enum_<SGDAccumulatorAndMomentum>(m, "SGDAccumulatorAndMomentum")
      .value("Combined", SGDAccumulatorAndMomentum::Combined)
      .value("Separate", SGDAccumulatorAndMomentum::Separate);
  py::enum_<AdamMode>(m, "AdamMode")
      .value("Adam", AdamMode::Adam)
      .value("AdamNoBias", AdamMode::AdamNoBias)
      .value("AdaMax", AdamMode::AdaMax)
      .value("Lamb", AdamMode::Lamb)
      .value("LambNoBias", AdamMode::LambNoBias);
  py::enum_<WeightDecayMode>(m, "WeightDecayMode")
      .value("Decay", WeightDecayMode::Decay)
      .value("L2Regularization", WeightDecayMode::L2Regularization);
  py::enum_<AdaptiveMode>(m, "AdaptiveMode")
      .value("AdaGrad", AdaptiveMode::AdaGrad)
      .value("RMSProp", AdaptiveMode::RMSProp)
      .value("CenteredRMSProp", AdaptiveMode::CenteredRMSProp)
      .value("AdaDelta", AdaptiveMode::AdaDelta);

  py::class_<Optimizer>(m, "Optimizer").def("getLossScalingVal", &Optimizer::getLossScalingVal);
  py::class_<SGD, Optimizer>(m, "SGD")
      .def(py::init<const Values &, const Clips &, SGDAccumulatorAndMomentum, DataType, DataType,
                    const DebugContext &>(),
           py::arg("pyd"), py::arg("clip_norm_settings") = Clips(),
           py::arg("accumulatorAndMomentum") = SGDAccumulatorAndMomentum::Combined,
           py::arg("accumType") = DataType::UNDEFINED, py::arg("accl1Type") = DataType::UNDEFINED,
           py::arg("debugContext") = DebugContext())
      .def("insertSpecific",
           py::overload_cast<const TensorId &, const Values &>(&SGD::insertSpecific))
      .def("learningRates", &SGD::learningRates)
      .def("weightDecays", &SGD::weightDecays)
      .def("momentums", &SGD::momentums)
      .def("dampenings", &SGD::dampenings)
      .def("velocityScalings", &SGD::velocityScalings);
  py::class_<ConstSGD, SGD>(m, "ConstSGD")
      .def(py::init<float, float, float, const Clips &>(), py::arg("learning_rate"),
           py::arg("weight_decay") = 0.0f, py::arg("loss_scaling") = 1.0f,
           py::arg("clip_norm_settings") = Clips());
  py::class_<Adam, Optimizer>(m, "Adam")
      .def(py::init<const Values &, AdamMode, WeightDecayMode, DataType, DataType, DataType,
                    const Clips &, bool, const DebugContext &>(),
           py::arg("values"), py::arg("mode") = AdamMode::Adam,
           py::arg("weight_decay_mode") = WeightDecayMode::Decay,
           py::arg("accum_type") = DataType::UNDEFINED, py::arg("accl1_type") = DataType::FLOAT,
           py::arg("accl2_type") = DataType::FLOAT, py::arg("clip_norm_settings") = Clips(),
           py::arg("scaled_optimizer_state") = false, py::arg("debugContext") = DebugContext())
      .def("insertSpecific",
           py::overload_cast<const TensorId &, const Values &>(&Adam::insertSpecific))
      .def("learningRates", &Adam::learningRates)
      .def("weightDecays", &Adam::weightDecays)
      .def("beta1s", &Adam::beta1s)
      .def("beta2s", &Adam::beta2s)
      .def("epss", &Adam::epss);
  py::class_<Adaptive, Optimizer>(m, "Adaptive")
      .def(py::init<const Values &, AdaptiveMode, WeightDecayMode, DataType, DataType, DataType,
                    DataType, bool, const DebugContext &>(),
           py::arg("values"), py::arg("mode") = AdaptiveMode::RMSProp,
           py::arg("weight_decay_mode") = WeightDecayMode::Decay,
           py::arg("accum_type") = DataType::UNDEFINED, py::arg("accl1_type") = DataType::FLOAT,
           py::arg("accl2_type") = DataType::FLOAT, py::arg("accl3_type") = DataType::UNDEFINED,
           py::arg("rmsprop_tf_variant") = false, py::arg("debugContext") = DebugContext())
      .def("insertSpecific",
           py::overload_cast<const TensorId &, const Values &>(&Adaptive::insertSpecific))
      .def("learningRates", &Adaptive::learningRates)
      .def("alphas", &Adaptive::alphas)
      .def("momentums", &Adaptive::momentums);
}
