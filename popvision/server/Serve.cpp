// SPDX-License-Identifier: MIT
#include "Serve.hpp"
#include "Access.hpp"
#include "base/Text.hpp"
#include "Page.hpp"
#include "Routes.hpp"
#include <chrono>
#include <csignal>
#include <httplib.h>
#include <thread>
#include <unistd.h>

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

// A body that is set as such is compressed for browsers that take it, at the library's slowest
// setting: a second for a megabyte that never leaves the machine. What comes from a provider is
// not.
void give(httplib::Response &response, std::string body, const std::string &type) {
  const auto text = std::make_shared<const std::string>(std::move(body));
  response.set_content_provider(
      text->size(), type, [text](std::size_t offset, std::size_t length, httplib::DataSink &sink) {
        return sink.write(text->data() + offset, length);
      });
}

void handle(const Site &site, const httplib::Request &request, httplib::Response &response) {
  Query query;
  for (const auto &[name, value] : request.params)
    query.emplace(name, value);
  auto result = answer(site, request.path, query);
  response.status = result.status;
  give(response, std::move(result.body), result.type);
}

// What stands before every answer.
class Door {
public:
  explicit Door(const ServeOptions &options) : options_(options) {}
  void opensAt(int port) { cookie_ = cookieName(port); }
  using Handled = httplib::Server::HandlerResponse;
  Handled operator()(const httplib::Request &request, httplib::Response &response) const {
    guard(response);
    if (!isOwnHost(request.get_header_value("Host"), options_.address))
      return refuse(response, "This server answers for its own address only.\n");
    if (options_.token.empty())
      return Handled::Unhandled;
    if (request.path == "/" && sameSecret(request.get_param_value("token"), options_.token))
      return welcome(response);
    if (sameSecret(cookieOf(request.get_header_value("Cookie"), cookie_), options_.token))
      return Handled::Unhandled;
    return refuse(response, "Open the address that popvision printed, with its token: others on "
                            "this machine are not to read along.\n");
  }

private:
  // The token leaves the address bar; what stands after # stays.
  Handled welcome(httplib::Response &response) const {
    response.set_header("Set-Cookie",
                        cookie_ + "=" + options_.token + "; Path=/; HttpOnly; SameSite=Lax");
    response.set_redirect("/", 303);
    return Handled::Handled;
  }
  static Handled refuse(httplib::Response &response, const char *text) {
    response.status = 403;
    response.set_content(text, "text/plain");
    return Handled::Handled;
  }
  const ServeOptions &options_;
  std::string cookie_;
};

// Ctrl-C ends the server, not the process: what comes after serve() is still done. The second one
// ends everything.
void stopOnSignal(httplib::Server &server) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&signals, each);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr); // in the server's threads too
  std::thread([signals, &server] {
    int which = 0;
    sigwait(&signals, &which);
    while (!server.is_running()) // stop() does nothing before that, and serving would begin
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    server.stop();
    sigwait(&signals, &which);
    ::_exit(128 + which);
  }).detach();
}

} // namespace

void serve(const Site &site, const ServeOptions &options,
           const std::function<void(const std::string &url)> &ready) {
  httplib::Server server;
  server.set_payload_max_length(1 << 16);
  server.set_read_timeout(10, 0);
  server.set_keep_alive_max_count(1000);
  server.set_keep_alive_timeout(1); // how long Ctrl-C may take
  Door door(options);
  server.set_pre_routing_handler(
      [&](const auto &request, auto &response) { return door(request, response); });
  server.Get("/", [](const auto &, auto &response) {
    give(response, std::string(pageText()), "text/html; charset=utf-8");
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
  door.opensAt(port);
  stopOnSignal(server);
  const bool v6 = options.address.find(':') != std::string::npos;
  ready(base::str("http://", v6 ? "[" : "", options.address, v6 ? "]" : "", ":", port, "/",
                  options.token.empty() ? "" : "?token=", options.token));
  server.listen_after_bind();
}

} // namespace popvision
