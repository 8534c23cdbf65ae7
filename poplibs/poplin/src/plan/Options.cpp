// SPDX-License-Identifier: MIT
// Options of convolutions.
#include "Constraints.hpp"
#include "poputil/OptionParsing.hpp"

namespace poplin {
namespace {

using poplibs::OptionHandler;

const std::map<std::string, Pass> &passes() {
  static const std::map<std::string, Pass> all = {{"NONE", Pass::NONE},
                                                  {"NONE_MATMUL", Pass::NONE_MATMUL},
                                                  {"INFERENCE_FWD", Pass::INFERENCE_FWD},
                                                  {"TRAINING_FWD", Pass::TRAINING_FWD},
                                                  {"TRAINING_BWD", Pass::TRAINING_BWD},
                                                  {"TRAINING_WU", Pass::TRAINING_WU},
                                                  {"FC_INFERENCE_FWD", Pass::FC_INFERENCE_FWD},
                                                  {"FC_TRAINING_FWD", Pass::FC_TRAINING_FWD},
                                                  {"FC_TRAINING_BWD", Pass::FC_TRAINING_BWD},
                                                  {"FC_TRAINING_WU", Pass::FC_TRAINING_WU}};
  return all;
}

const std::map<std::string, poplar::Type> &partialTypes() {
  static const std::map<std::string, poplar::Type> all = {{"half", poplar::HALF},
                                                          {"float", poplar::FLOAT}};
  return all;
}

OptionHandler partialsOf(ConvOptions &o) {
  return OptionHandler([&o](const std::string &text) {
    o.partialsType = poplibs::parse::asEnum(text, partialTypes());
    o.interTilePartialsType = o.interIpuPartialsType = o.partialsType;
  });
}

OptionHandler constraintsHandler(std::string &target) {
  return OptionHandler([&target](const std::string &text) {
    parseConstraints(text);
    target = text;
  });
}

// Cycle counters between the parts of a convolution: there are no such parts on the host.
OptionHandler refused(bool &target, const char *why) {
  return OptionHandler([&target, why](const std::string &text) {
    target = poplibs::parse::asBool(text);
    if (target)
      throw poplar::invalid_option(why);
  });
}

} // namespace

ConvOptions parseConvOptions(const poplar::OptionFlags &flags) {
  ConvOptions o;
  const auto flag = [](bool &target) { return OptionHandler::createWithBool(target); };
  const poplibs::OptionSpec spec{
      {"availableMemoryProportion",
       OptionHandler::createWithDouble(o.availableMemoryProportion, 0)},
      {"pass", OptionHandler::createWithEnum(o.pass, passes())},
      {"partialsType", partialsOf(o)},
      {"partialsType.interTile",
       OptionHandler::createWithEnum(o.interTilePartialsType, partialTypes())},
      {"partialsType.interIPU",
       OptionHandler::createWithEnum(o.interIpuPartialsType, partialTypes())},
      {"use128BitConvUnitLoad", flag(o.use128BitConvUnitLoad)},
      {"enableMultiStageReduce", flag(o.enableMultiStageReduce)},
      {"enableFastReduce", flag(o.enableFastReduce)},
      {"remapOutputTensor", flag(o.remapOutputTensor)},
      {"enableConvDithering", flag(o.enableConvDithering)},
      {"gatherConvOutput", flag(o.gatherConvOutput)},
      {"disableSRForAMPVertices", flag(o.disableSRForAMPVertices)},
      {"enableTileLevelExpandDims", flag(o.enableTileLevelExpandDims)},
      {"disableTransformations", flag(o.disableTransformations)},
      {"insertTransformsCycleCountProgs",
       refused(o.insertTransformsCycleCountProgs,
               "the parts of a convolution run as one operation, so cycles cannot be counted "
               "between them; read the profile instead")},
      {"experimental.convTransformsEstimates", flag(o.convTransformsEstimates)},
      {"experimental.slicVmac16", flag(o.slicVmac16)},
      {"planConstraints", constraintsHandler(o.planConstraints)},
      {"planConstraintsOutputFilename",
       OptionHandler::createWithString(o.planConstraintsOutputFilename)}};
  // The general type first: the others refine it, whatever the order of names.
  for (const auto &[name, value] : flags)
    if (name == "partialsType")
      spec.parse(name, value);
  for (const auto &[name, value] : flags)
    if (name != "partialsType")
      spec.parse(name, value);
  return o;
}

} // namespace poplin
