// SPDX-License-Identifier: MIT
// Parsing and checking of engine and run-time options; the tables are in OptionTable.cpp.
#include "options/EngineOptions.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "base/VectorUnit.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>

namespace poplar::options {
namespace {

std::vector<std::string> keysOf(std::span<const OptionInfo> table) {
  std::vector<std::string> keys;
  for (const auto &info : table)
    keys.emplace_back(info.key);
  return keys;
}

std::vector<std::string> split(std::string_view choices) {
  std::vector<std::string> out;
  while (!choices.empty()) {
    auto bar = std::min(choices.find('|'), choices.size());
    out.emplace_back(choices.substr(0, bar));
    choices.remove_prefix(std::min(choices.size(), bar + 1));
  }
  return out;
}

bool isChoice(const OptionInfo &info, const std::string &value) {
  auto words = split(info.choices);
  return std::find(words.begin(), words.end(), value) != words.end();
}

bool isInteger(const std::string &text) {
  char *end = nullptr;
  errno = 0;
  std::strtoll(text.c_str(), &end, 0);
  return !text.empty() && *end == 0 && errno == 0;
}

bool isNumber(const std::string &text) {
  char *end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0;
}

bool isRegex(const std::string &text) {
  constexpr std::size_t longest = 1000; // std::regex recurses with the length of its pattern
  if (text.size() > longest)
    return false;
  try {
    std::regex expression(text);
    return true;
  } catch (const std::regex_error &) {
    return false;
  }
}

std::string allowedValues(const OptionInfo &info) {
  std::string words;
  for (const auto &word : split(info.choices))
    words += base::str(words.empty() ? "" : ", ", '"', word, '"');
  switch (info.type) {
  case OptionType::Bool:
    return "\"true\" or \"false\"";
  case OptionType::Integer:
    return words.empty() ? "an integer" : "an integer or one of " + words;
  case OptionType::Number:
    return "a number";
  case OptionType::Choice:
    return "one of " + words;
  case OptionType::Regex:
    return "a regular expression (ECMAScript)";
  case OptionType::Text:
    break;
  }
  return "any text";
}

bool isValid(const OptionInfo &info, const std::string &value) {
  switch (info.type) {
  case OptionType::Bool:
    return value == "true" || value == "false" || value == "1" || value == "0";
  case OptionType::Integer:
    return isInteger(value) || isChoice(info, value);
  case OptionType::Number:
    return isNumber(value);
  case OptionType::Choice:
    return isChoice(info, value);
  case OptionType::Regex:
    return isRegex(value);
  case OptionType::Text:
    break;
  }
  return true;
}

std::string normalised(const OptionInfo &info, const std::string &value) {
  if (info.type == OptionType::Bool)
    return value == "true" || value == "1" ? "true" : "false";
  return value;
}

// Threads and vector units are chosen deep within other calls, which could not say what is wrong.
void checkEnvironment() {
  const char *isa = std::getenv("OPENIPU_ISA");
  try {
    base::configuredThreads();
    base::parseVectorUnit(isa ? isa : "");
  } catch (const std::invalid_argument &error) {
    throw invalid_option(error.what());
  }
}

} // namespace

Options::Options() : Options(engineOptionTable()) {}

Options Options::forEngine(const OptionValues &given) {
  checkEnvironment();
  Options options(engineOptionTable());
  options.setAll(given);
  options.setFromEnvironment("POPLAR_ENGINE_OPTIONS");
  return options;
}

Options Options::forRun(const Options &engine, const OptionValues &given) {
  Options options(runtimeOptionTable());
  for (const auto &info : options.table_)
    options.defaults_[std::string(info.key)] = engine.text(info.key);
  options.setAll(given);
  options.setFromEnvironment("POPLAR_RUNTIME_OPTIONS");
  return options;
}

void Options::setAll(const OptionValues &given) {
  for (const auto &[key, value] : given)
    set(key, value);
}

void Options::setFromEnvironment(const char *variable) {
  for (const auto &[key, value] : optionsFromEnvironment(variable)) {
    try {
      set(key, value);
    } catch (const invalid_option &error) {
      throw invalid_option(
          base::str(error.what(), " (from the environment variable ", variable, ")"));
    }
  }
}

void Options::set(const std::string &key, const std::string &value) {
  auto info = std::find_if(table_.begin(), table_.end(), [&](auto &row) { return row.key == key; });
  if (info == table_.end())
    throw invalid_option(base::str("Unknown option \"", base::brief(key), "\".",
                                   base::didYouMean(key, keysOf(table_))));
  if (!isValid(*info, value))
    throw invalid_option(base::str("Option \"", key, "\" cannot be \"", base::brief(value),
                                   "\": it takes ", allowedValues(*info), "."));
  values_[key] = normalised(*info, value);
}

const OptionInfo &Options::find(std::string_view key) const {
  for (const auto &info : table_)
    if (info.key == key)
      return info;
  OPENIPU_CHECK(false, base::str("option ", key, " is in no table"));
  std::abort();
}

bool Options::isSet(std::string_view key) const { return values_.count(std::string(key)) != 0; }

const std::string &Options::text(std::string_view key) const {
  if (auto it = values_.find(std::string(key)); it != values_.end())
    return it->second;
  auto it = defaults_.find(key);
  if (it == defaults_.end())
    it = defaults_.emplace(std::string(key), std::string(find(key).byDefault)).first;
  return it->second;
}

bool Options::flag(std::string_view key) const { return text(key) == "true"; }

std::int64_t Options::integer(std::string_view key) const {
  const auto &value = text(key);
  return isInteger(value) ? std::strtoll(value.c_str(), nullptr, 0) : -1;
}

double Options::number(std::string_view key) const {
  return std::strtod(text(key).c_str(), nullptr);
}

OptionValues Options::allValues() const {
  OptionValues all;
  for (const auto &info : table_)
    all[std::string(info.key)] = text(info.key);
  return all;
}

OptionValues optionsFromEnvironment(const char *variable) {
  OptionValues out;
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return out;
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    throw invalid_option(
        base::str("The environment variable ", variable,
                  " is not a JSON object of strings: ", std::string_view(text).substr(0, 200)));
  for (const auto &[key, value] : json.items()) {
    if (value.is_structured() || value.is_null())
      throw invalid_option(base::str("In the environment variable ", variable, " the value of \"",
                                     key, "\" must be a string, not ", value.dump().substr(0, 200),
                                     "."));
    out[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return out;
}

} // namespace poplar::options
