// SPDX-License-Identifier: MIT
// The file is JSON with the names of the options as keys and texts as values; the form is ours.
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "Options.hpp"
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace poprun {
namespace {

using base::str;
using Json = nlohmann::ordered_json;

bool isKept(const CLI::Option &option) {
  const auto &name = option.get_name();
  return option.count() > 0 && name.starts_with("--") && name.find("-config") == std::string::npos;
}

} // namespace

void exportTo(const CLI::App &app, const std::string &path, bool overwrite) {
  if (!overwrite && std::filesystem::exists(path))
    throw machine::Error(
        str("--export-config: \"", path, "\" exists. Give --overwrite-config 1, or another name."));
  Json json = Json::object();
  for (const auto *option : app.get_options())
    if (isKept(*option))
      json[option->get_name().substr(2)] = option->results().back();
  try {
    base::writeWhole(path, json.dump(2) + "\n");
  } catch (const base::FileError &e) {
    throw machine::Error(str("--export-config: ", e.what()));
  }
}

std::vector<std::string> importFrom(const std::string &path) {
  std::ifstream file(path);
  const auto json = Json::parse(file, nullptr, false);
  if (!file || !json.is_object())
    throw machine::Error(
        str("--import-config: \"", path, "\" is no file that --export-config has written."));
  std::vector<std::string> words;
  for (const auto &[key, value] : json.items()) {
    if (!value.is_string() || key.find("config") != std::string::npos)
      throw machine::Error(str("--import-config: \"", path, "\": \"", base::brief(key),
                               "\" must be the name of an option with a text."));
    words.push_back(str("--", key, "=", value.get<std::string>()));
  }
  return words;
}

} // namespace poprun
