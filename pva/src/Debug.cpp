// SPDX-License-Identifier: MIT
// The debug-information file: {"stringTable": [...], "contexts": [...]} as CBOR or JSON.
#include "base/Text.hpp"
#include "Data.hpp"
#include "pva/Error.hpp"
#include <nlohmann/json.hpp>

namespace pva::detail {

using nlohmann::json;

static json parse(const std::string &bytes) {
  const auto first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string::npos && bytes[first] == '{' ? json::parse(bytes)
                                                           : json::from_cbor(bytes);
}

// Names are positions in the string table; a position beyond it throws.
static std::string lookUp(const json &strings, const json &object, const char *key) {
  return object.contains(key) ? strings.at(object.at(key).get<std::size_t>()).get<std::string>()
                              : std::string();
}

static DebugRow row(const json &strings, const json &context) {
  DebugRow result{};
  result.id = context.at("id").get<std::uint64_t>();
  result.parent = context.value("parentId", std::uint64_t(0));
  result.name = lookUp(strings, context, "name");
  result.layer = context.value("layer", std::string());
  if (context.contains("location")) {
    const auto &location = context.at("location");
    result.file = lookUp(strings, location, "fileName");
    result.function = lookUp(strings, location, "functionName");
    result.line = location.value("lineNumber", std::uint64_t(0));
  }
  result.json = context.dump();
  return result;
}

std::vector<DebugRow> loadDebug(const std::string &path) {
  const auto bytes = readFile(path, "debug information");
  try {
    const auto file = parse(bytes);
    std::vector<DebugRow> result;
    for (const auto &context : file.at("contexts"))
      result.push_back(row(file.at("stringTable"), context));
    return result;
  } catch (const json::exception &e) {
    throw Error(base::str("Debug information \"", path, "\" is damaged: ", e.what(),
                          ". Run the program again to write a new one."));
  }
}

} // namespace pva::detail
