// SPDX-License-Identifier: MIT
// Options as text, and reading them from JSON.
#include "poplar/OptionFlags.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/ProfileValue.hpp"
#include <cstdlib>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

namespace poplar {
namespace {

using Json = nlohmann::ordered_json;

std::string valueText(const std::string &key, const Json &value, const std::string &source) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_boolean() || value.is_number())
    return value.dump();
  throw parse_error(
      base::str(source, ": option \"", key, "\" is ", value.type_name(),
                "; options are a flat JSON object of strings, numbers and booleans."));
}

void readObject(const std::string &text, OptionFlags &flags, const std::string &source) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception &e) { // also of numbers that are out of range
    throw parse_error(base::str(source, " is not valid JSON: ", e.what()));
  }
  if (!json.is_object())
    throw parse_error(base::str(source, " holds a JSON ", json.type_name(),
                                ", not an object such as {\"option\":\"value\"}."));
  OptionFlags read;
  for (const auto &[key, value] : json.items())
    read.set(key, valueText(key, value, source));
  for (const auto &[key, value] : read)
    flags.set(key, value);
}

} // namespace

void OptionFlags::set(StringRef option, StringRef value) {
  options_[option] = value.cloneAsString();
}

void OptionFlags::set(initializer_list flags) {
  for (const auto &[option, value] : flags)
    options_[option] = value;
}

const std::string &OptionFlags::at(StringRef option) const {
  if (const auto found = options_.find(option); found != options_.end())
    return found->second;
  std::vector<std::string> keys;
  for (const auto &[key, value] : options_)
    keys.push_back(key);
  throw invalid_option(base::str("Option \"", option.cloneAsString(), "\" is not set.",
                                 base::didYouMean(option.cloneAsString(), keys)));
}

OptionFlags::iterator OptionFlags::find(StringRef option) const { return options_.find(option); }

std::ostream &operator<<(std::ostream &out, const OptionFlags &flags) {
  serializeToJSON(out, getAsProfileValue(flags));
  return out;
}

void readJSON(StringRef text, OptionFlags &flags) { readObject(text, flags, "The option text"); }

void readJSON(std::istream &in, OptionFlags &flags) {
  readObject(std::string(std::istreambuf_iterator<char>(in), {}), flags, "The option stream");
}

void readJSONFromEnv(StringRef variable, OptionFlags &flags) {
  const auto name = variable.cloneAsString();
  if (const char *text = std::getenv(name.c_str()))
    readObject(text, flags, "Environment variable " + name);
}

ProfileValue getAsProfileValue(const OptionFlags &flags) {
  ProfileValue::Map map;
  for (const auto &[option, value] : flags)
    map[option] = value;
  return map;
}

} // namespace poplar
