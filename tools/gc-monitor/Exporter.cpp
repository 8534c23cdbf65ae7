// SPDX-License-Identifier: MIT
// One client at a time, who has a second to ask and a second to read: enough for a scraper on the
// same computer, and nothing that a slow one could block.
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "Monitor.hpp"
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace gcmonitor {
namespace {

constexpr std::size_t longestRequest = 8192;

[[noreturn]] void fail(unsigned port) {
  throw machine::Error(base::str("cannot listen on port ", port, " of 127.0.0.1: ",
                                 std::strerror(errno), ". Name another port: --exporter PORT."));
}

base::Descriptor listenOn(unsigned &port) {
  base::Descriptor server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  socklen_t size = sizeof address;
  auto *const plain = reinterpret_cast<sockaddr *>(&address);
  if (!server || ::setsockopt(server.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(server.get(), plain, size) != 0 || ::listen(server.get(), 16) != 0 ||
      ::getsockname(server.get(), plain, &size) != 0)
    fail(port);
  port = ntohs(address.sin_port);
  return server;
}

std::string requestOf(int client) {
  std::string text;
  char buffer[1024];
  while (text.size() < longestRequest && text.find("\r\n\r\n") == std::string::npos) {
    const ssize_t n = ::recv(client, buffer, sizeof buffer, 0);
    if (n <= 0)
      break;
    text.append(buffer, std::size_t(n));
  }
  return text.substr(0, text.find("\r\n"));
}

std::string response(const char *status, const std::string &body) {
  return base::str("HTTP/1.1 ", status,
                   "\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: ", body.size(),
                   "\r\nConnection: close\r\n\r\n", body);
}

std::string answerTo(const std::string &request, const std::function<std::string()> &answer) {
  if (request.rfind("GET ", 0) != 0)
    return response("405 Method Not Allowed", "Only GET is answered.\n");
  const auto path = request.substr(4, request.find(' ', 4) - 4);
  if (path != "/metrics" && path != "/")
    return response("404 Not Found", "There is /metrics only.\n");
  try {
    return response("200 OK", answer());
  } catch (const std::exception &e) {
    return response("500 Internal Server Error", base::str(e.what(), "\n"));
  }
}

void talk(int client, const std::function<std::string()> &answer) {
  const timeval second{1, 0};
  ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
  const auto text = answerTo(requestOf(client), answer);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::send(client, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0)
      return;
    sent += std::size_t(n);
  }
}

} // namespace

void serve(unsigned port, const std::function<void(unsigned)> &ready,
           const std::function<std::string()> &answer) {
  const auto server = listenOn(port);
  ready(port);
  for (;;) {
    const base::Descriptor client(::accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client)
      talk(client.get(), answer);
    else if (errno != EINTR && errno != ECONNABORTED)
      throw machine::Error(base::str("the exporter ended: ", std::strerror(errno)));
  }
}

} // namespace gcmonitor
