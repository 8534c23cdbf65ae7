// SPDX-License-Identifier: MIT
#include "Serve.hpp"
#include "base/Text.hpp"
#include "Page.hpp"
#include "Routes.hpp"
#include <httplib.h>

namespace popvision {

namespace {

void guard(httplib::Response &response) {
  response.set_header("Content-Security-Policy", pagePolicy());
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("X-Frame-Options", "DENY");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Cache-Control", "no-store");
}

void handle(const Site &site, const httplib::Request &request, httplib::Response &response) {
  Query query;
  for (const auto &[name, value] : request.params)
    query.emplace(name, value);
  auto result = answer(site, request.path, query);
  response.status = result.status;
  response.set_content(std::move(result.body), result.type);
}

} // namespace

bool isOwnHost(const std::string &header, const std::string &address) {
  const auto colon = header.rfind(':');
  const auto bracket = header.rfind(']');
  const bool port = colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  const auto name = port ? header.substr(0, colon) : header;
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]" || name == address)
    return true;
  return address == "0.0.0.0" || address == "::"; // told to serve everybody
}

void serve(const Site &site, const ServeOptions &options,
           const std::function<void(const std::string &url)> &ready) {
  httplib::Server server;
  server.set_payload_max_length(1 << 16);
  server.set_read_timeout(10, 0);
  server.set_keep_alive_max_count(1000);
  server.set_pre_routing_handler([&](const auto &request, auto &response) {
    guard(response);
    if (isOwnHost(request.get_header_value("Host"), options.address))
      return httplib::Server::HandlerResponse::Unhandled;
    response.status = 403;
    response.set_content("This server answers for its own address only.\n", "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  });
  server.Get("/", [](const auto &, auto &response) {
    response.set_content(std::string(pageText()), "text/html; charset=utf-8");
  });
  server.Get("/api/.*",
             [&](const auto &request, auto &response) { handle(site, request, response); });
  int port = options.port;
  if (port == 0)
    port = server.bind_to_any_port(options.address.c_str());
  else if (!server.bind_to_port(options.address.c_str(), port))
    port = -1;
  if (port < 0)
    throw std::runtime_error(base::str("Cannot serve on ", options.address, " port ", options.port,
                                       ": it is taken, or not an address of this machine. "
                                       "Without --port a free one is taken."));
  const bool v6 = options.address.find(':') != std::string::npos;
  ready(base::str("http://", v6 ? "[" : "", options.address, v6 ? "]" : "", ":", port, "/"));
  server.listen_after_bind();
}

} // namespace popvision
