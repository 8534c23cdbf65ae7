// SPDX-License-Identifier: MIT
#include "base/HttpServer.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "Monitor.hpp"
#include <system_error>

namespace gcmonitor {
namespace {

using base::http::Answer;
using base::http::Server;

std::unique_ptr<Server> listenOn(unsigned port) {
  base::http::Limits limits;
  limits.workers = 0; // figures are read at once, by one thread
  try {
    return std::make_unique<Server>("127.0.0.1", int(port), limits);
  } catch (const std::system_error &e) {
    throw machine::Error(base::str("cannot listen on port ", port, " of 127.0.0.1: ",
                                   e.code().message(), ". Name another port: --exporter PORT."));
  }
}

} // namespace

void serve(unsigned port, const std::function<void(unsigned)> &ready,
           const std::function<std::string()> &answer) {
  const auto server = listenOn(port);
  ready(unsigned(server->port()));
  server->run([&](const base::http::Request &request) -> Answer {
    if (request.path != "/metrics" && request.path != "/")
      return {404, "There is /metrics only.\n"};
    return {200, answer(), "text/plain; version=0.0.4", {}};
  });
}

} // namespace gcmonitor
