// SPDX-License-Identifier: MIT
#include "machine/Settings.hpp"
#include "base/Text.hpp"
#include "Json.hpp"
#include "machine/Error.hpp"
#include "machine/Runtime.hpp"
#include <algorithm>
#include <charconv>
#include <sstream>

namespace machine {
namespace {

[[noreturn]] void refuse(const std::string &name, const std::string &what) {
  throw Error(base::str("GCDA_OPTIONS: \"", base::brief(name), "\" ", what));
}

// Values may be texts or JSON's own types.
std::string textOf(const Json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool flagOf(const std::string &key, const std::string &text) {
  if (text != "true" && text != "false")
    refuse(key, "must be true or false.");
  return text == "true";
}

unsigned countOf(const std::string &key, const std::string &text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(key, "must be a whole number.");
  return value;
}

std::vector<std::string> wordsOf(std::string text) {
  for (char &c : text)
    if (c == ',' || c == '\'' || c == '"' || c == '[' || c == ']')
      c = ' ';
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

void apply(Settings &settings, const std::string &key, const std::string &value) {
  if (key == "enableMonitoring")
    settings.monitor = flagOf(key, value);
  else if (key == "monitorUtilisation")
    settings.monitorUtilisation = flagOf(key, value);
  else if (key == "simulateSOCError.errorList")
    settings.errors = wordsOf(value);
  else if (key == "simulateSOCError.triggerCount")
    settings.triggerCount = countOf(key, value);
  else if (key == "simulateSOCError.rearmOnReset")
    settings.rearmOnReset = flagOf(key, value);
  else if (key == "discoverUSBDevices" || key == "forceHSPPosted")
    flagOf(key, value); // there is no USB, and host syncs are simulated the same in every mode
  else if (key == "configFile")
    refuse(key, "is not supported: the order of simulated IPUs is that of their partition.");
  else
    refuse(key,
           base::str("is unknown.", base::didYouMean(key, {"enableMonitoring", "monitorUtilisation",
                                                           "simulateSOCError.errorList",
                                                           "simulateSOCError.triggerCount",
                                                           "simulateSOCError.rearmOnReset"})));
}

bool isOn(const char *name) {
  const auto value = environment(name, "0");
  return value != "0" && value != "false";
}

} // namespace

Settings settingsOfEnvironment() {
  Settings settings;
  if (const auto text = environment("GCDA_OPTIONS"); !text.empty()) {
    const auto given = parseObject(text, {"GCDA_OPTIONS", "Correct the variable, or unset it."});
    for (const auto &[key, value] : given.items())
      apply(settings, key, textOf(value));
  }
  settings.monitor |= isOn("GCDA_MONITOR");
  settings.monitorUtilisation &= !isOn("GCDA_SUPPRESS_UTILISATION_MEASUREMENT");
  if (settings.errors.empty() != (settings.triggerCount == 0))
    refuse("simulateSOCError", "needs both errorList and triggerCount, which counts runs from 1.");
  return settings;
}

} // namespace machine
