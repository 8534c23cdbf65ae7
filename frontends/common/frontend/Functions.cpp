// SPDX-License-Identifier: MIT
#include "frontend/Functions.hpp"

#include "frontend/Activations.hpp"
#include <utility>

namespace frontend {

FunctionName::FunctionName(const char *text) {
  std::istringstream words(text);
  words >> operation;
  for (std::string word; words >> word;) {
    const auto at = word.find('=');
    numbers.push_back({word.substr(0, at), {}});
    if (at != std::string::npos)
      numbers.back().otherwise = std::stod(word.substr(at + 1));
  }
}

std::vector<double> FunctionName::read(const Reader &call) const {
  std::vector<double> out;
  for (const auto &[attribute, otherwise] : numbers)
    out.push_back(attribute.empty() ? *otherwise
                  : otherwise       ? call.real(attribute.c_str(), *otherwise)
                                    : call.real(attribute.c_str()));
  return out;
}

namespace {

Formula op(const char *type) {
  return [type](const Writing &w, Value x, const Numbers &) { return w.m.op(type, {x}); };
}
// Of as many numbers as it takes.
template <class... Number> Formula of(Value (*formula)(const Writing &, Value, Number...)) {
  return [formula](const Writing &w, Value x, const Numbers &n) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) { return formula(w, x, n.at(i)...); }
    (std::index_sequence_for<Number...>());
  };
}

Value tanhShrink(const Writing &w, Value x) { return w.m.sub(x, w.m.op("Tanh", {x})); }
Value thresholded(const Writing &w, Value x, double above) {
  return w.m.where(w.compared("Greater", x, above), x, w.m.scalar(0, x));
}
Value square(const Writing &w, Value x) { return w.m.square(x); }

// One operator, called alike everywhere.
Function everywhere(const char *type) {
  std::string name = type;
  name[0] = char(std::tolower(static_cast<unsigned char>(name[0])));
  return {name, "", op(type), type, name.c_str(), name.c_str()};
}

std::vector<Function> all() {
  std::vector<Function> out{
      // clang-format off
      // name, words, formula, then TensorFlow's, Paddle's and torch's
      {"acosh", "", op("Acosh"), "Acosh", "", "acosh"},
      {"asinh", "", op("Asinh"), "Asinh", "", "asinh"},
      {"atanh", "", op("Atanh"), "Atanh", "", "atanh"},
      {"erfc", "", op("Erfc"), "Erfc", "", "erfc"},
      {"expm1", "", op("Expm1"), "Expm1", "", "expm1"},
      {"log2", "", of(logarithm), "", "log2 =2", "log2 =2"},
      {"log10", "", of(logarithm), "", "log10 =10", "log10 =10"},
      {"rsqrt", "", of(rsqrt), "Rsqrt", "rsqrt", "rsqrt"},
      {"square", "", of(square), "Square", "square", ""},
      {"relu6", "min(max(x, 0), 6).", of(between), "Relu6 =0 =6", "relu6 =0 threshold=6", ""},
      {"hardtanh", "", of(between), "", "brelu t_min=0 t_max=24", ""},
      {"leaky_relu", "", of(leakyRelu), "LeakyRelu alpha=0.2", "leaky_relu alpha=0.02", "leaky_relu negative_slope"},
      {"elu", "x, and alpha (exp(x) - 1) below 0.", of(elu), "Elu alpha=1", "elu alpha=1", ""},
      {"selu", "scale elu(x, alpha).", of(selu), "",
       "selu alpha=1.6732632423543772848170429916717 scale=1.0507009873554804934193349852946", ""},
      {"hardshrink", "x, and 0 between -threshold and threshold.", of(hardShrink), "", "hard_shrink threshold=0.5", "hardshrink lambd"},
      {"softshrink", "", of(softShrink), "", "softshrink lambda=0.5", "softshrink lambd"},
      {"tanhshrink", "x - tanh(x).", of(tanhShrink), "", "tanh_shrink", ""},
      {"thresholded_relu", "x, and 0 where it is not above threshold.", of(thresholded), "", "thresholded_relu threshold=1", ""},
      {"hardsigmoid", "", of(hardSigmoid), "", "hard_sigmoid slope=0.2 offset=0.5", "hardsigmoid =0.16666666666666666 =0.5"},
      {"log_sigmoid", "log(1 / (1 + exp(-x))).", of(logSigmoid), "", "logsigmoid", "log_sigmoid"},
      {"softplus", "log(1 + exp(beta x)) / beta, and x where beta x > threshold.", of(softplus), "",
       "softplus beta=1 threshold=20", "softplus beta threshold"},
      {"softsign", "x / (1 + |x|).", op("Softsign"), "Softsign", "softsign", ""},
      {"silu", "x / (1 + exp(-x)).", of(swish), "Silu =1", "silu =1", "silu =1"},
      {"swish", "", of(swish), "", "swish beta=1", ""},
      {"mish", "x tanh(softplus(x)).", of(mish), "", "mish", "mish"},
      // clang-format on
  };
  for (const char *type : {"Acos", "Asin", "Atan", "Cos", "Cosh", "Sin", "Sinh", "Tan", "Tanh",
                           "Erf", "Exp", "Log", "Log1p", "Sqrt", "Reciprocal", "Sigmoid"})
    out.push_back(everywhere(type));
  return out;
}

} // namespace

const std::vector<Function> &functions() {
  static const auto table = all();
  return table;
}

} // namespace frontend
