// SPDX-License-Identifier: MIT
// ConvParams as text, for logs, reports and files.
#include "poplin/ConvParams.hpp"
#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

namespace poplin {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<poplar::Type> &types() {
  static const std::vector<poplar::Type> all = {poplar::HALF, poplar::FLOAT, poplar::QUARTER};
  return all;
}

poplar::Type typeFrom(const std::string &name) {
  for (const auto &type : types())
    if (type.toString() == name)
      return type;
  throw std::invalid_argument("no type " + name);
}

Json toJson(const ConvParams::InputTransform &t) {
  return {{"truncationLower", t.truncationLower},
          {"truncationUpper", t.truncationUpper},
          {"dilation", t.dilation},
          {"paddingLower", t.paddingLower},
          {"paddingUpper", t.paddingUpper},
          {"flip", t.flip}};
}

Json toJson(const ConvParams::OutputTransform &t) {
  return {{"truncationLower", t.truncationLower},
          {"truncationUpper", t.truncationUpper},
          {"stride", t.stride},
          {"paddingLower", t.paddingLower},
          {"paddingUpper", t.paddingUpper}};
}

template <class T> void read(const Json &json, const char *name, T &value) {
  if (json.contains(name))
    value = json.at(name).get<T>();
}

void read(const Json &json, ConvParams::InputTransform &t) {
  read(json, "truncationLower", t.truncationLower);
  read(json, "truncationUpper", t.truncationUpper);
  read(json, "dilation", t.dilation);
  read(json, "paddingLower", t.paddingLower);
  read(json, "paddingUpper", t.paddingUpper);
  read(json, "flip", t.flip);
}

void read(const Json &json, ConvParams::OutputTransform &t) {
  read(json, "truncationLower", t.truncationLower);
  read(json, "truncationUpper", t.truncationUpper);
  read(json, "stride", t.stride);
  read(json, "paddingLower", t.paddingLower);
  read(json, "paddingUpper", t.paddingUpper);
}

ConvParams paramsFrom(const Json &json) {
  using Sizes = std::vector<std::size_t>;
  ConvParams p(typeFrom(json.value("inputType", "float")),
               typeFrom(json.value("outputType", json.value("inputType", "float"))),
               json.value("batchSize", std::size_t(1)), json.at("inputFieldShape").get<Sizes>(),
               json.at("kernelShape").get<Sizes>(),
               json.at("inputChannelsPerConvGroup").get<std::size_t>(),
               json.at("outputChannelsPerConvGroup").get<std::size_t>(),
               json.value("numConvGroups", std::size_t(1)));
  if (json.contains("inputTransform"))
    read(json.at("inputTransform"), p.inputTransform);
  if (json.contains("kernelTransform"))
    read(json.at("kernelTransform"), p.kernelTransform);
  if (json.contains("outputTransform"))
    read(json.at("outputTransform"), p.outputTransform);
  return p;
}

} // namespace

std::ostream &operator<<(std::ostream &out, const ConvParams &p) {
  const Json json = {{"inputType", p.inputType.toString()},
                     {"outputType", p.outputType.toString()},
                     {"batchSize", p.batchSize},
                     {"inputFieldShape", p.inputFieldShape},
                     {"kernelShape", p.kernelShape},
                     {"inputChannelsPerConvGroup", p.inputChannelsPerConvGroup},
                     {"outputChannelsPerConvGroup", p.outputChannelsPerConvGroup},
                     {"numConvGroups", p.numConvGroups},
                     {"inputTransform", toJson(p.inputTransform)},
                     {"kernelTransform", toJson(p.kernelTransform)},
                     {"outputTransform", toJson(p.outputTransform)}};
  const char *next = "{\n  ";
  for (const auto &[name, value] : json.items()) {
    out << next << '"' << name << "\": " << value.dump();
    next = ",\n  ";
  }
  return out << "\n}";
}

std::istream &operator>>(std::istream &in, ConvParams &params) {
  try {
    Json json;
    in >> json;
    params = paramsFrom(json);
  } catch (const std::exception &) {
    in.setstate(std::ios::failbit);
  }
  return in;
}

} // namespace poplin
