// SPDX-License-Identifier: MIT
// Which controller a command speaks to: options, then VIPU_CLI_* variables, then a configuration
// file (--config, else ~/.vipu.hcl): lines of key = "value". Without a host it is this machine.
#pragma once
#include "vipu/Controller.hpp"

namespace CLI {
class App;
}

namespace vipu {

class Connection {
public:
  void addOptions(CLI::App &app);
  std::unique_ptr<Controller> connect(); // machine::Error if the controller does not answer in time
  unsigned agentPort = 8080;

private:
  void readConfiguration();
  std::string host_, user_, key_, file_;
  unsigned port_ = 0, seconds_ = 10;
};

struct Server {
  std::string host;
  unsigned port = 8090;
  std::string user, key;
  unsigned seconds = 10; // for an answer
};
std::unique_ptr<Controller> remoteController(const Server &server);

} // namespace vipu
