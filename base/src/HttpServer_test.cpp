// SPDX-License-Identifier: MIT
// Clients that ask, ask badly, trickle, are silent, and are many.
#include "base/Folder.hpp"
#include "base/HttpServer.hpp"
#include "base/Text.hpp"
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace base;
using namespace base::http;

namespace {

int statusOf(const std::string &request) {
  try {
    parse(request);
    return 200;
  } catch (const Refusal &why) {
    return why.status;
  }
}

class Client {
public:
  explicit Client(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(std::uint16_t(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  }
  bool send(const std::string &text) const {
    return ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) == ssize_t(text.size());
  }
  std::string rest() const { // until the server closes
    std::string text;
    readAll(fd_.get(), text);
    return text;
  }
  std::string asked(const std::string &request) const { return send(request) ? rest() : ""; }

private:
  Descriptor fd_;
};

const std::string own = " HTTP/1.1\r\nHost: localhost\r\n", last = "Connection: close\r\n\r\n";

class HttpServer : public ::testing::Test {
protected:
  void begin(Limits limits = {}) {
    server = std::make_unique<Server>("127.0.0.1", 0, limits);
    thread = std::jthread([this] {
      server->run([](const Request &request) -> Answer {
        if (request.path == "/fails")
          throw std::runtime_error("it failed");
        return {200, request.path + "|" + request.header("cookie"), "text/plain", {{"X-Own", "1"}}};
      });
    });
  }
  ~HttpServer() override {
    if (server)
      server->stop();
  }
  std::string ask(const std::string &request) const {
    return Client(server->port()).asked(request);
  }
  std::unique_ptr<Server> server;
  std::jthread thread;
};

bool begins(const std::string &text, const char *with) { return text.rfind(with, 0) == 0; }

} // namespace

TEST(Http, TakesRequestsApart) {
  const auto r = parse("GET /a%20b/%2e%2E?x=1+2&y=%26&z&x=3#part HTTP/1.1\r\nHOST:  h:1 \r\n"
                       "Cookie: a=1\r\ncookie: b=2\r\n");
  EXPECT_EQ(r.path, "/a b/..");
  EXPECT_EQ(r.query, (std::map<std::string, std::string>{{"x", "1 2"}, {"y", "&"}, {"z", ""}}));
  EXPECT_EQ(r.header("host"), "h:1");
  EXPECT_EQ(r.header("cookie"), "a=1; b=2");
  EXPECT_EQ(r.header("none"), "");
  EXPECT_TRUE(r.keep && !r.head);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\n").keep);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n").keep);
  EXPECT_FALSE(parse("HEAD / HTTP/1.1\r\nConnection: close\r\n").keep);
  EXPECT_TRUE(parse("HEAD / HTTP/1.1\r\n").head);
  EXPECT_EQ(parse("GET /%zz%4 HTTP/1.1\r\n").path, "/%zz%4");
}

TEST(Http, RefusesWhatIsNoRequest) {
  for (const char *text :
       {"", "GET", "GET /", "GET / HTTP/2.0", "GET / HTTP/1.1 x", "GET x HTTP/1.1",
        "GET http://other/ HTTP/1.1", "\x16\x03\x01", "GET  / HTTP/1.1"})
    EXPECT_EQ(statusOf(std::string(text) + "\r\n"), 400) << text;
  for (const char *header : {"x", ": x", " folded: x", "a b: c", "Host: a\r\nHost: b"})
    EXPECT_EQ(statusOf("GET / HTTP/1.1\r\n" + std::string(header) + "\r\n"), 400) << header;
  EXPECT_EQ(statusOf("POST / HTTP/1.1\r\n"), 405);
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nContent-Length: 5\r\n"), 413);
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"), 413);
}

TEST(Http, AnswersForItsOwnAddressOnly) {
  for (const char *host : {"localhost", "127.0.0.1:80", "[::1]:8000", "10.0.0.7:1"})
    EXPECT_TRUE(isOwnHost(host, "10.0.0.7")) << host;
  for (const char *host : {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil:80"})
    EXPECT_FALSE(isOwnHost(host, "127.0.0.1")) << host;
}

TEST_F(HttpServer, AnswersAndRefuses) {
  begin();
  EXPECT_EQ(ask("GET /x" + own + "Cookie: c\r\n" + last),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: "
            "close\r\nX-Own: 1\r\n\r\n/x|c");
  const auto head = ask("HEAD /x" + own + last);
  EXPECT_TRUE(head.find("Content-Length: 3") != std::string::npos && head.ends_with("\r\n\r\n"));
  EXPECT_TRUE(begins(ask("GET /fails" + own + last), "HTTP/1.1 500 "));
  EXPECT_TRUE(begins(ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "HTTP/1.1 403 "));
  EXPECT_TRUE(begins(ask("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 403 "));
  EXPECT_TRUE(begins(ask("PUT /" + own + "\r\n"), "HTTP/1.1 405 "));
  EXPECT_TRUE(begins(ask("rubbish\r\n\r\n"), "HTTP/1.1 400 "));
}

TEST_F(HttpServer, TakesSeveralRequestsOnAConnection) {
  begin();
  const auto text = ask("GET /1" + own + "\r\nGET /2" + own + "\r\nGET /3" + own + last);
  EXPECT_LT(text.find("/1|"), text.find("/2|"));
  EXPECT_LT(text.find("/2|"), text.find("/3|"));
  EXPECT_TRUE(text.ends_with("/3|"));
}

TEST_F(HttpServer, BoundsTheSizeOfARequest) {
  Limits limits;
  limits.requestBytes = 100;
  begin(limits);
  EXPECT_TRUE(begins(ask("GET /" + std::string(96, 'x')), "HTTP/1.1 431 "));
  EXPECT_TRUE(begins(ask("GET /" + std::string(40, 'x') + own + last), "HTTP/1.1 200 "));
}

// However it trickles in: a limit for every read would never be reached.
TEST_F(HttpServer, BoundsTheTimeOfARequestAsAWhole) {
  Limits limits;
  limits.request = std::chrono::milliseconds(200);
  begin(limits);
  const Client slow(server->port());
  std::string answer;
  std::jthread trickle([&](const std::stop_token &stop) {
    for (slow.send("GET /"); !stop.stop_requested() && slow.send("x");)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  answer = slow.rest();
  trickle.request_stop();
  EXPECT_EQ(answer.find("200 OK"), std::string::npos);
}

TEST_F(HttpServer, SilentAndSlowClientsHoldUpNobody) {
  Limits limits;
  limits.workers = 1;
  begin(limits);
  std::vector<Client> clients;
  for (int i = 0; i < 100; ++i) {
    clients.emplace_back(server->port());
    if (i % 2)
      clients.back().send("GET /");
  }
  EXPECT_TRUE(begins(ask("GET /" + own + last), "HTTP/1.1 200 "));
}

TEST_F(HttpServer, TheOldestThatHasNotAskedMakesRoom) {
  Limits limits;
  limits.connections = 4;
  limits.request = limits.idle = std::chrono::hours(1);
  begin(limits);
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back(server->port());
  EXPECT_TRUE(begins(ask("GET /" + own + last), "HTTP/1.1 200 "));
  EXPECT_EQ(clients[0].rest(), ""); // closed
  EXPECT_TRUE(begins(clients[3].asked("GET /" + own + last), "HTTP/1.1 200 "));
}

TEST_F(HttpServer, GivesLargeAnswersToSeveralClients) {
  server = std::make_unique<Server>("127.0.0.1", 0);
  const std::string large(20 << 20, 'x');
  thread = std::jthread([&] {
    server->run([&](const Request &) -> Answer { return {200, large}; });
  });
  std::vector<std::jthread> clients;
  std::atomic<int> whole = 0;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] { whole += ask("GET /" + own + last).ends_with(large); });
  clients.clear();
  EXPECT_EQ(whole, 4);
  server->stop();
  thread.join();
}

TEST(HttpServerStart, SaysWhatIsWrongWithAnAddress) {
  const Server one("127.0.0.1", 0);
  EXPECT_THROW(Server("127.0.0.1", one.port()), std::system_error);
  EXPECT_THROW(Server("203.0.113.7", 0), std::system_error);
}

TEST(HttpServerStart, StopBeforeItRunsEndsIt) {
  Server server("127.0.0.1", 0);
  server.stop();
  server.run([](const Request &) { return Answer(); });
}
