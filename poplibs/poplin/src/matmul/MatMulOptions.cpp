// SPDX-License-Identifier: MIT
#include "matmul/MatMulOptions.hpp"
#include "poplin/ConvPreplan.hpp"
#include "poplin/FullyConnected.hpp"
#include "poputil/OptionParsing.hpp"
#include <map>

namespace poplin {
namespace {

using poplibs::OptionHandler;

const std::map<std::string, std::string> &passes() {
  static const std::map<std::string, std::string> all{{"NONE", "NONE_MATMUL"},
                                                      {"INFERENCE_FWD", "FC_INFERENCE_FWD"},
                                                      {"TRAINING_FWD", "FC_TRAINING_FWD"},
                                                      {"TRAINING_BWD", "FC_TRAINING_BWD"},
                                                      {"TRAINING_WU", "FC_TRAINING_WU"}};
  return all;
}

struct Parsed {
  poplar::OptionFlags conv;
  bool preArranged = false;
};

Parsed parse(const poplar::OptionFlags &options) {
  Parsed parsed;
  std::string pass = "NONE_MATMUL";
  bool gather = false;
  const auto handOn = [&](const char *name) {
    return OptionHandler([&parsed, name](const std::string &text) {
      poplar::OptionFlags alone;
      alone.set(name, text);
      parseConvOptions(alone);
      parsed.conv.set(name, text);
    });
  };
  const poplibs::OptionSpec spec{
      {"fullyConnectedPass", OptionHandler::createWithEnum(pass, passes())},
      {"inputRHSIsPreArranged", OptionHandler::createWithBool(parsed.preArranged)},
      {"gatherOutput", OptionHandler::createWithBool(gather)},
#define HAND_ON_MatMul(name) {name, handOn(name)},
#define HAND_ON_ConvOnly(name)
#define CONV_OPTION(name, type, member, usual, key, matmul, text) HAND_ON_##matmul(name)
#include "poplin/ConvOptions.def"
  };
#undef HAND_ON_MatMul
#undef HAND_ON_ConvOnly
  for (const auto &[name, value] : options)
    spec.parse(name, value);
  parsed.conv.set("pass", pass);
  parsed.conv.set("gatherConvOutput", gather ? "true" : "false");
  return parsed;
}

std::vector<std::size_t> grouped(std::vector<std::size_t> shape) {
  if (shape.size() == 2)
    shape.insert(shape.begin(), 1);
  return shape;
}

} // namespace

poplar::OptionFlags convFlags(const poplar::OptionFlags &options) { return parse(options).conv; }
bool isPreArranged(const poplar::OptionFlags &options) { return parse(options).preArranged; }
void matmulValidateOptions(const poplar::OptionFlags &options) { parse(options); }

ConvParams convParams(poplar::Type inputType, poplar::Type outputType,
                      const std::vector<std::size_t> &a, const std::vector<std::size_t> &b) {
  return ConvParams(inputType, outputType, a[1], {1}, {1}, a[2], b[2], a[0]);
}

bool operator<(const MatMulParams &a, const MatMulParams &b) {
  return std::tie(a.inputType, a.outputType, a.aShape, a.bShape) <
         std::tie(b.inputType, b.outputType, b.aShape, b.bShape);
}

std::set<ConvPlanParams> matMulGetConvPlanParams(const std::set<MatMulPlanParams> &matmuls,
                                                 MatMulToConvOptions &matmulOptsToConvOpts) {
  std::set<ConvPlanParams> convs;
  for (const auto &[target, params, options] : matmuls) {
    auto flags = matmulOptsToConvOpts.emplace(options, convFlags(*options)).first;
    convs.emplace(target,
                  convParams(params.inputType, params.outputType, grouped(params.aShape),
                             grouped(params.bShape)),
                  &flags->second);
  }
  return convs;
}

void preplanMatMuls(const std::set<MatMulPlanParams> &matmuls, matmul::PlanningCache &cache) {
  MatMulToConvOptions options;
  preplanConvolutions(matMulGetConvPlanParams(matmuls, options), cache);
}

void preplan(const std::set<ConvPlanParams> &convs, const std::set<MatMulPlanParams> &matmuls,
             PlanningCache &cache) {
  MatMulToConvOptions options;
  preplanConvolutions(convs, cache);
  preplanConvolutions(matMulGetConvPlanParams(matmuls, options), cache);
}

namespace fc {

std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(FullyConnectedParams p, poplar::OptionFlags matmulOptions,
                           poplar::Type type, bool inferenceOnly) {
  std::vector<std::pair<MatMulParams, poplar::OptionFlags>> products;
  auto add = [&](const char *pass, std::size_t m, std::size_t k, std::size_t n) {
    auto options = matmulOptions;
    options.set("fullyConnectedPass", pass);
    products.push_back({{type, type, {p.numGroups, m, k}, {p.numGroups, k, n}}, options});
  };
  add(inferenceOnly ? "INFERENCE_FWD" : "TRAINING_FWD", p.batchSize, p.inputSize, p.outputSize);
  if (!inferenceOnly) {
    add("TRAINING_BWD", p.batchSize, p.outputSize, p.inputSize);
    add("TRAINING_WU", p.inputSize, p.batchSize, p.outputSize);
  }
  return products;
}

} // namespace fc
} // namespace poplin
