// SPDX-License-Identifier: MIT
// Optimisers. Values come as {"defaultLearningRate": (0.1, False)}: the number, and whether it is
// constant.
#include "bind.hpp"
#include <iomanip>
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/ruleoptimizer.hpp>
#include <popart/sgd.hpp>
#include <sstream>

using namespace popart;
using Values = std::map<std::string, std::pair<float, bool>>;
using Clips = std::vector<ClipNormSettings>;

namespace {

// As short as tells it from other floats.
std::string number(float value) {
  std::ostringstream out;
  for (int digits = 6; digits <= 9; ++digits) {
    out.str("");
    out << std::setprecision(digits) << value;
    if (std::strtof(out.str().c_str(), nullptr) == value)
      break;
  }
  return out.str();
}

// SGD({'defaultLearningRate': (0.1, True), ...}): defaults, and what weights have of their own.
std::string text(const Optimizer &o) {
  std::string out, own;
  const auto pair = [](const OptimizerValue &v) {
    return "(" + number(v.val()) + ", " + (v.isConst() ? "True" : "False") + ")";
  };
  for (const auto &p : o.parameters()) {
    std::string name = "default" + p.name;
    name[7] = char(std::toupper(name[7]));
    out += "'" + name + "': " + pair(p.values.getDefault()) + ", ";
    for (const auto &[id, value] : p.values.getSpecifics())
      own += ", " + p.name + " of " + id + ": " + pair(value);
  }
  return o.type_s() + "({" + out + "'lossScaling': " + pair(o.lossScaling()) + "}" + own + ")";
}

// {'m': 0.0}: in Python the order of a dictionary is that of what was put in.
py::dict numbers(const std::vector<OptimizerRule::Named> &named) {
  py::dict out;
  for (const auto &one : named)
    out[py::str(one.name)] = one.value;
  return out;
}
std::vector<OptimizerRule::Named> named(const py::dict &numbers) {
  std::vector<OptimizerRule::Named> out;
  for (const auto &[name, value] : numbers)
    out.push_back({py::cast<std::string>(name), py::cast<float>(value)});
  return out;
}

void bindRules(py::module &m) {
  py::class_<OptimizerRule> rule(
      m, "OptimizerRule",
      "An optimiser as data: states and numbers with their first values, and the formula's lines.");
  rule.def(py::init([](const std::string &name, const py::dict &states, const py::dict &numbers,
                       const std::vector<std::string> &formula, const std::string &doc) {
             return OptimizerRule{name, doc, named(states), named(numbers), formula};
           }),
           py::arg("name"), py::arg("states"), py::arg("numbers"), py::arg("formula"),
           py::arg("doc") = "", "The first number is learning_rate.")
      .def_readonly("name", &OptimizerRule::name, "What it is called.")
      .def_readonly("doc", &OptimizerRule::doc, "What it is.")
      .def_property_readonly(
          "states", [](const OptimizerRule &r) { return numbers(r.states); },
          "What is kept of every weight, and what it begins with.")
      .def_property_readonly(
          "numbers", [](const OptimizerRule &r) { return numbers(r.numbers); },
          "What it is told, and what that is if nobody says it.")
      .def_readonly("formula", &OptimizerRule::formula, "Lines that are done one after the other.")
      .def("__repr__",
           [](const OptimizerRule &r) { return "OptimizerRule(" + shown(r.name) + ")"; });
  copyable(rule);
  m.def("optimizerRules", &optimizerRules, "The optimisers that are data, which come along.");
  py::class_<RuleOptimizer, Optimizer> made(m, "RuleOptimizer",
                                            "A rule with values by name, as in SGD.");
  copyable(made);
  made.def(py::init<const OptimizerRule &, const Values &, const Clips &, DataType, DataType,
                    const DebugContext &>(),
           py::arg("rule"), py::arg("values"), py::arg("clip_norm_settings") = Clips(),
           py::arg("accum_type") = DataType::UNDEFINED, py::arg("state_type") = DataType::FLOAT,
           py::arg("debugContext") = DebugContext(), "From values by name.")
      .def("insertSpecific",
           py::overload_cast<const TensorId &, const Values &>(&RuleOptimizer::insertSpecific),
           py::arg("weight"), py::arg("params"), "Values of one weight's own, by name.");
}

const char *const specific =
    "Values of one weight's own, by the names of the defaults without \"default\".";

} // namespace

void bindOptimizers(py::module &m) {
  py::class_<OptimizerValue> value(m, "OptimizerValue", "A number, and whether it is constant.");
  value.def(py::init<float>(), py::arg("val"), "A constant.")
      .def(py::init<float, bool>(), py::arg("val"), py::arg("isConst"))
      .def(py::init<std::pair<float, bool>>(), py::arg("valAndIsConst"))
      .def("val", &OptimizerValue::val, "The number.")
      .def("isConst", &OptimizerValue::isConst, "Whether it is constant.")
      .def("__repr__", [](const OptimizerValue &v) {
        return "OptimizerValue(" + number(v.val()) + ", " + shown(v.isConst()) + ")";
      });
  copyable(value);
  py::class_<OptimizerValueMap> values(m, "OptimizerValueMap", "One kind of value, by weight.");
  values
      .def("getDefault", &OptimizerValueMap::getDefault,
           "That of weights that have none of their own.")
      .def("get", &OptimizerValueMap::get, py::arg("id"), "That of a weight.")
      .def("__repr__", [](const OptimizerValueMap &v) {
        return "OptimizerValueMap(" + shown(v.getDefault()) + ", " + shown(v.getSpecifics()) + ")";
      });
  copyable(values);
  py::class_<ClipNormSettings> clip(m, "ClipNormSettings",
                                    "The norm that gradients are clipped to together.");
  clip.def(py::init<const std::vector<TensorId> &, float>(), py::arg("weightIds"),
           py::arg("maxNorm"), "Of these weights.")
      .def_static("clipWeights", &ClipNormSettings::clipWeights, py::arg("weightIds"),
                  py::arg("maxNorm"), "Of these weights.")
      .def_static("clipAllWeights", &ClipNormSettings::clipAllWeights, py::arg("maxNorm"),
                  "Of all weights.")
      .def_readwrite("weightIds", &ClipNormSettings::weightIds, "The weights.")
      .def_readwrite("maxNorm", &ClipNormSettings::maxNorm, "The largest norm.")
      .def("__repr__", [](const ClipNormSettings &c) {
        return c.getMode() == ClipNormSettings::Mode::ClipAllWeights
                   ? "ClipNormSettings.clipAllWeights(" + number(c.maxNorm) + ")"
                   : "ClipNormSettings(" + shown(c.weightIds) + ", " + number(c.maxNorm) + ")";
      });
  copyable(clip);
  BIND_ENUM(SGDAccumulatorAndMomentum, "Whether gradients are summed up in the velocity.", Combined,
            Separate);
  BIND_ENUM(AdamMode, "Adam and its relatives.", Adam, AdamNoBias, AdaMax, Lamb, LambNoBias);
  BIND_ENUM(WeightDecayMode, "Decay of the weights, or a part of the gradient.", Decay,
            L2Regularization);
  BIND_ENUM(AdaptiveMode, "Optimisers with a step size per element.", AdaGrad, RMSProp,
            CenteredRMSProp, AdaDelta);

  py::class_<Optimizer>(m, "Optimizer", "How weights follow their gradients.")
      .def("getLossScalingVal", &Optimizer::getLossScalingVal, "What the loss is multiplied by.")
      .def("__repr__", &text);
  py::class_<SGD, Optimizer> sgd(
      m, "SGD",
      "Stochastic gradient descent. Values by name: {\"defaultLearningRate\": (0.1, False)}, the "
      "number and whether it is constant.");
  copyable(sgd);
  sgd.def(py::init<const Values &, const Clips &, SGDAccumulatorAndMomentum, DataType, DataType,
                   const DebugContext &>(),
          py::arg("pyd"), py::arg("clip_norm_settings") = Clips(),
          py::arg("accumulatorAndMomentum") = SGDAccumulatorAndMomentum::Combined,
          py::arg("accumType") = DataType::UNDEFINED, py::arg("accl1Type") = DataType::UNDEFINED,
          py::arg("debugContext") = DebugContext(), "From values by name.")
      .def("insertSpecific",
           py::overload_cast<const TensorId &, const Values &>(&SGD::insertSpecific),
           py::arg("weight"), py::arg("params"), specific)
      .def("learningRates", &SGD::learningRates, "The learning rates.")
      .def("weightDecays", &SGD::weightDecays, "The weight decays.")
      .def("momentums", &SGD::momentums, "The momenta.")
      .def("dampenings", &SGD::dampenings, "The dampenings.")
      .def("velocityScalings", &SGD::velocityScalings, "The scales of velocities.");
  py::class_<ConstSGD, SGD> constant(m, "ConstSGD", "SGD with constant values.");
  copyable(constant);
  constant.def(py::init<float, float, float, const Clips &>(), py::arg("learning_rate"),
               py::arg("weight_decay") = 0.0f, py::arg("loss_scaling") = 1.0f,
               py::arg("clip_norm_settings") = Clips(), "From its values.");
  py::class_<Adam, Optimizer> adam(m, "Adam", "Adam, AdaMax and Lamb. Values by name, as in SGD.");
  copyable(adam);
  adam.def(py::init<const Values &, AdamMode, WeightDecayMode, DataType, DataType, DataType,
                    const Clips &, bool, const DebugContext &>(),
           py::arg("values"), py::arg("mode") = AdamMode::Adam,
           py::arg("weight_decay_mode") = WeightDecayMode::Decay,
           py::arg("accum_type") = DataType::UNDEFINED, py::arg("accl1_type") = DataType::FLOAT,
           py::arg("accl2_type") = DataType::FLOAT, py::arg("clip_norm_settings") = Clips(),
           py::arg("scaled_optimizer_state") = false, py::arg("debugContext") = DebugContext(),
           "From values by name.")
      .def("insertSpecific",
           py::overload_cast<const TensorId &, const Values &>(&Adam::insertSpecific),
           py::arg("weight"), py::arg("params"), specific)
      .def("learningRates", &Adam::learningRates, "The learning rates.")
      .def("weightDecays", &Adam::weightDecays, "The weight decays.")
      .def("beta1s", &Adam::beta1s, "The beta1.")
      .def("beta2s", &Adam::beta2s, "The beta2.")
      .def("epss", &Adam::epss, "The eps.")
      .def("setEpsBeforeCorrection", &Adam::setEpsBeforeCorrection, py::arg("on"),
           "Not of PopART: adds eps to the root of v in front of its correction, as Keras does.");
  py::class_<Adaptive, Optimizer> adaptive(
      m, "Adaptive", "AdaGrad, RMSProp and AdaDelta. Values by name, as in SGD.");
  copyable(adaptive);
  adaptive
      .def(py::init<const Values &, AdaptiveMode, WeightDecayMode, DataType, DataType, DataType,
                    DataType, bool, const DebugContext &, const std::vector<ClipNormSettings> &>(),
           py::arg("values"), py::arg("mode") = AdaptiveMode::RMSProp,
           py::arg("weight_decay_mode") = WeightDecayMode::Decay,
           py::arg("accum_type") = DataType::UNDEFINED, py::arg("accl1_type") = DataType::FLOAT,
           py::arg("accl2_type") = DataType::FLOAT, py::arg("accl3_type") = DataType::UNDEFINED,
           py::arg("rmsprop_tf_variant") = false, py::arg("debugContext") = DebugContext(),
           py::arg("clip_norm_settings") = std::vector<ClipNormSettings>(), "From values by name.")
      .def("insertSpecific",
           py::overload_cast<const TensorId &, const Values &>(&Adaptive::insertSpecific),
           py::arg("weight"), py::arg("params"), specific)
      .def("learningRates", &Adaptive::learningRates, "The learning rates.")
      .def("weightDecays", &Adaptive::weightDecays, "The weight decays.")
      .def("epss", &Adaptive::epss, "The small numbers added to divisors.")
      .def("alphas", &Adaptive::alphas, "The alphas.")
      .def("momentums", &Adaptive::momentums, "The momenta.");
  bindRules(m);
}
