// SPDX-License-Identifier: MIT
#include "vipu/Connect.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "machine/Runtime.hpp"
#include <charconv>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

namespace vipu {
namespace {

using base::str;
using machine::Error;

unsigned portOf(const std::string &text, const std::string &where) {
  unsigned port = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (problem != std::errc() || end != text.data() + text.size() || port == 0 || port > 65535)
    throw Error(str(where, ": \"", text, "\" is no port, which is a number from 1 to 65535."));
  return port;
}

// key = "value", one a line; # and // begin comments.
std::map<std::string, std::string> readHcl(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw Error(str("The configuration file ", path, " cannot be read."));
  static const std::regex entry(R"re(\s*([A-Za-z_][\w-]*)\s*=\s*("([^"]*)"|\d+)\s*)re"),
      nothing(R"re(\s*((#|//).*)?)re");
  std::map<std::string, std::string> out;
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    std::smatch found;
    if (std::regex_match(line, nothing))
      continue;
    if (line.size() > 1000 || !std::regex_match(line, found, entry))
      throw Error(str(path, ":", number, ": not a line of the form key = \"value\"."));
    out[found[1]] = found[3].matched ? found[3] : found[2];
  }
  return out;
}

} // namespace

void Connection::addOptions(CLI::App &app) {
  app.add_option("-H,--api-host", host_,
                 "the controller's host, or host:port; without it this machine");
  app.add_option("--api-port", port_, "the controller's port (8090)");
  app.add_option("--api-user-id", user_, "who you are for a controller in secure mode");
  app.add_option("--api-access-key", key_, "and your access key");
  app.add_option("--api-timeout", seconds_, "seconds to wait for an answer (10)");
  app.add_option("--config", file_,
                 "file with these: api-host = \"…\" and so on; ~/.vipu.hcl if it is there");
}

void Connection::readConfiguration() {
  auto path = file_;
  if (path.empty()) {
    path = machine::environment("HOME") + "/.vipu.hcl";
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
      return;
  }
  for (const auto &[key, value] : readHcl(path)) {
    if (key == "api-host" && host_.empty())
      host_ = value;
    else if (key == "api-port" && port_ == 0)
      port_ = portOf(value, path);
    else if (key == "api-user-id" && user_.empty())
      user_ = value;
    else if (key == "api-access-key" && key_.empty())
      key_ = value;
    else if (!key.starts_with("api-"))
      throw Error(str(path, ": the key ", key,
                      " is unknown; there are api-host, api-port, api-user-id, api-access-key."));
  }
}

std::unique_ptr<Controller> Connection::connect() {
  const auto fill = [](std::string &value, const char *name) {
    if (value.empty())
      value = machine::environment(name);
  };
  fill(host_, "VIPU_CLI_API_HOST");
  fill(user_, "VIPU_CLI_API_USER_ID");
  fill(key_, "VIPU_CLI_API_ACCESS_KEY");
  if (port_ == 0)
    if (const auto text = machine::environment("VIPU_CLI_API_PORT"); !text.empty())
      port_ = portOf(text, "VIPU_CLI_API_PORT");
  readConfiguration();
  if (host_.empty())
    return localController();
  Server server{host_, port_ ? port_ : 8090, user_, key_, seconds_};
  if (const auto colon = host_.rfind(':'); colon != std::string::npos) {
    server.host = host_.substr(0, colon);
    server.port = portOf(host_.substr(colon + 1), "--api-host");
  }
  return remoteController(server);
}

} // namespace vipu
