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

// By type.
OptionHandler handlerOf(double &value) { return OptionHandler::createWithDouble(value, 0); }
OptionHandler handlerOf(bool &value) { return OptionHandler::createWithBool(value); }
OptionHandler handlerOf(std::string &value) { return OptionHandler::createWithString(value); }
OptionHandler handlerOf(Pass &value) { return OptionHandler::createWithEnum(value, passes()); }
OptionHandler handlerOf(poplar::Type &value) {
  return OptionHandler::createWithEnum(value, partialTypes());
}

// By name, where there is more to do than to take the value.
OptionHandler partialsOf(ConvOptions &o) {
  return OptionHandler([&o](const std::string &text) {
    o.partialsType = poplibs::parse::asEnum(text, partialTypes());
    o.interTilePartialsType = o.interIpuPartialsType = o.partialsType;
  });
}
OptionHandler constraintsOf(ConvOptions &o) {
  return OptionHandler([&o](const std::string &text) {
    parseConstraints(text);
    o.planConstraints = text;
  });
}
// Cycle counters between the parts of a convolution: there are no such parts on the host.
OptionHandler cycleCounts(ConvOptions &o) {
  return OptionHandler([&o](const std::string &text) {
    o.insertTransformsCycleCountProgs = poplibs::parse::asBool(text);
    if (o.insertTransformsCycleCountProgs)
      throw poplar::invalid_option(
          "the parts of a convolution run as one operation, so cycles cannot be counted between "
          "them; read the profile instead");
  });
}
template <class T> OptionHandler handlerOf(const std::string &name, ConvOptions &o, T &member) {
  if (name == "partialsType")
    return partialsOf(o);
  if (name == "planConstraints")
    return constraintsOf(o);
  if (name == "insertTransformsCycleCountProgs")
    return cycleCounts(o);
  return handlerOf(member);
}

} // namespace

ConvOptions parseConvOptions(const poplar::OptionFlags &flags) {
  ConvOptions o;
  const poplibs::OptionSpec spec{
#define CONV_OPTION(name, type, member, usual, key, matmul, text)                                  \
  {name, handlerOf(name, o, o.member)},
#include "poplin/ConvOptions.def"
  };
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
