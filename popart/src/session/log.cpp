// SPDX-License-Identifier: MIT
#include "session/log.hpp"
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

namespace popart::session {
namespace {

using Levels = std::map<std::string, base::LogLevel>;

Levels readConfig(const char *path) {
  Levels levels;
  if (!path || !*path)
    return levels;
  try {
    std::ifstream file;
    if (std::error_code missing; std::filesystem::is_regular_file(path, missing))
      file.open(path);
    if (!file.is_open())
      throw std::runtime_error("it cannot be read");
    const auto config = nlohmann::json::parse(file);
    for (const auto &[module, level] : config.items())
      levels[module] = base::logLevelOr(base::str("POPART_LOG_CONFIG, module \"", module, "\""),
                                        level.get<std::string>(), base::LogLevel::Off);
  } catch (const std::exception &e) {
    base::sayOnce(base::str("POPART_LOG_CONFIG is \"", path, "\", which is not used: ", e.what(),
                            ". Name a JSON file like {\"ir\": \"DEBUG\", \"session\": \"INFO\"}."));
  }
  return levels;
}

struct Logs {
  std::mutex mutex;
  const Levels config = readConfig(std::getenv("POPART_LOG_CONFIG"));
  std::map<std::string, base::Logger> modules;
  std::optional<base::LogLevel> all; // as setAllLevels said

  const base::Logger &of(const std::string &module) {
    std::lock_guard lock(mutex);
    auto [at, fresh] = modules.try_emplace(module, "POPART", "popart", module);
    if (fresh && all)
      at->second.setLevel(*all);
    else if (auto level = config.find(module); fresh && level != config.end())
      at->second.setLevel(level->second);
    return at->second;
  }
};
Logs &logs() {
  static Logs &instance = *new Logs;
  return instance;
}

} // namespace

const base::Logger &logOf(const std::string &module) { return logs().of(module); }

void setAllLevels(base::LogLevel level) {
  std::lock_guard lock(logs().mutex);
  logs().all = level;
  for (auto &[name, logger] : logs().modules)
    logger.setLevel(level);
}

} // namespace popart::session
