// SPDX-License-Identifier: MIT
#include "Serve.hpp"
#include "Access.hpp"
#include "base/HttpServer.hpp"
#include "base/Text.hpp"
#include "Page.hpp"
#include "Routes.hpp"
#include <csignal>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace popvision {

namespace {

using base::http::Request;
using Reply = base::http::Answer;

Reply refusal() {
  return {403,
          "Open the address that popvision printed, with its token: others on this machine are "
          "not to read along.\n"};
}

// What stands before every answer.
class Door {
public:
  Door(const Site &site, std::string token, int port)
      : site_(site), token_(std::move(token)), cookie_(cookieName(port)) {}
  Reply operator()(const Request &request) const {
    Reply reply = answerTo(request);
    const std::pair<std::string, std::string> guards[] = {
        {"Content-Security-Policy", pagePolicy()},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-store"}};
    reply.headers.insert(reply.headers.end(), std::begin(guards), std::end(guards));
    return reply;
  }

private:
  Reply answerTo(const Request &request) const {
    const auto given = request.query.find("token");
    if (!token_.empty() && request.path == "/" && given != request.query.end() &&
        sameSecret(given->second, token_))
      return welcome();
    if (!token_.empty() && !sameSecret(cookieOf(request.header("cookie"), cookie_), token_))
      return refusal();
    if (request.path == "/")
      return {200, std::string(pageText()), "text/html; charset=utf-8", {}};
    auto found = answer(site_, request.path, request.query);
    return {found.status, std::move(found.body), found.type, {}};
  }
  // The token leaves the address bar; what stands after # stays.
  Reply welcome() const {
    return {303,
            "",
            "text/plain",
            {{"Location", "/"},
             {"Set-Cookie", cookie_ + "=" + token_ + "; Path=/; HttpOnly; SameSite=Lax"}}};
  }
  const Site &site_;
  std::string token_, cookie_;
};

// Ctrl-C ends the server, not the process: what comes after serve() is still done. The second one
// ends everything.
void stopOnSignal(base::http::Server &server) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&signals, each);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr); // in the server's threads too
  std::thread([signals, &server] {
    int which = 0;
    sigwait(&signals, &which);
    server.stop();
    sigwait(&signals, &which);
    ::_exit(128 + which);
  }).detach();
}

std::unique_ptr<base::http::Server> listening(const ServeOptions &options) {
  try {
    return std::make_unique<base::http::Server>(options.address, options.port);
  } catch (const std::system_error &e) {
    throw std::runtime_error(base::str("Cannot serve on ", options.address, " port ", options.port,
                                       " (", e.code().message(), "): it is taken, or not an ",
                                       "address of this machine. Without --port a free one is "
                                       "taken."));
  }
}

} // namespace

void serve(const Site &site, const ServeOptions &options,
           const std::function<void(const std::string &url)> &ready) {
  const auto server = listening(options);
  stopOnSignal(*server);
  const bool v6 = options.address.find(':') != std::string::npos;
  ready(base::str("http://", v6 ? "[" : "", options.address, v6 ? "]" : "", ":", server->port(),
                  "/", options.token.empty() ? "" : "?token=", options.token));
  server->run(Door(site, options.token, server->port()));
}

} // namespace popvision
