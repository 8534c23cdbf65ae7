// SPDX-License-Identifier: MIT
#include "base/HttpServer.hpp"
#include "base/Folder.hpp"
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <netdb.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace base::http {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(int error) { throw std::system_error(error, std::generic_category()); }

Descriptor listenOn(const addrinfo &at) {
  Descriptor fd(::socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (!fd || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(fd.get(), at.ai_addr, at.ai_addrlen) != 0 || ::listen(fd.get(), SOMAXCONN) != 0)
    return Descriptor();
  return fd;
}

Descriptor listenOn(const std::string &address, int port) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0)
    fail(EADDRNOTAVAIL);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, ::freeaddrinfo);
  errno = EADDRNOTAVAIL;
  for (const addrinfo *at = found; at; at = at->ai_next)
    if (auto fd = listenOn(*at))
      return fd;
  fail(errno);
}

int portOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[16];
  if (::getsockname(fd, reinterpret_cast<sockaddr *>(&address), &size) != 0 ||
      ::getnameinfo(reinterpret_cast<sockaddr *>(&address), size, nullptr, 0, text, sizeof text,
                    NI_NUMERICSERV) != 0)
    fail(errno);
  return std::stoi(text);
}

// A client reads its request in, waits for the answer, and gets it out.
struct Connection {
  enum class Is { Reading, Waiting, Writing } is = Is::Reading;
  Descriptor fd;
  std::string in, out;
  std::size_t sent = 0;
  bool keep = false, begun = true; // begun: `until` is that of a request, and not of a pause
  Clock::time_point until;
};

// What is done for connections by other threads, and wakes the one that talks.
class Workers {
public:
  using Job = std::pair<std::uint64_t, Request>;
  using Done = std::pair<std::uint64_t, std::pair<Answer, Request>>;
  Workers(unsigned count, const Server::Handler &handler, int wake)
      : handler_(handler), wake_(wake) {
    for (unsigned i = 0; i < count; ++i)
      threads_.emplace_back([this](const std::stop_token &stop) { work(stop); });
  }
  ~Workers() {
    for (auto &thread : threads_)
      thread.request_stop();
  }
  void give(Job job) {
    if (threads_.empty())
      return finish(std::move(job));
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    ready_.notify_one();
  }
  std::deque<Done> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(done_, {});
  }

private:
  void work(const std::stop_token &stop) {
    for (;;) {
      std::unique_lock lock(mutex_);
      if (!ready_.wait(lock, stop, [this] { return !jobs_.empty(); }) || stop.stop_requested())
        return;
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      finish(std::move(job));
    }
  }
  void finish(Job job) {
    Answer answer;
    try {
      answer = handler_(job.second);
    } catch (const std::exception &e) {
      answer = {500, std::string(e.what()) + "\n"};
    }
    {
      const std::lock_guard lock(mutex_);
      done_.push_back({job.first, {std::move(answer), std::move(job.second)}});
    }
    ::eventfd_write(wake_, 1);
  }
  const Server::Handler &handler_;
  const int wake_;
  std::mutex mutex_;
  std::condition_variable_any ready_;
  std::deque<Job> jobs_;
  std::deque<Done> done_;
  std::vector<std::jthread> threads_; // last: ended before the rest goes
};

} // namespace

struct Server::Impl {
  Impl(const std::string &a, int port, Limits l)
      : address(a), limits(l), listening(listenOn(a, port)),
        wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (!wake)
      fail(errno);
  }
  void run(const Handler &handler);
  void once();
  void accept();
  void rest();
  bool makeRoom();
  void talk(std::uint64_t id, short events);
  bool read(Connection &c);
  bool write(Connection &c);
  void understand(std::uint64_t id, Connection &c);
  void answer(Connection &c, Answer answer, const Request &request);
  void refuse(Connection &c, const Refusal &why);
  void next(Connection &c);
  void dropLate();
  int milliseconds() const;

  std::string address;
  Limits limits;
  Descriptor listening, wake;
  std::atomic<bool> ends = false;
  std::map<std::uint64_t, Connection> connections; // by age
  std::uint64_t ids = 0;
  std::optional<Workers> workers;
  Clock::time_point deafUntil; // there was nothing left to accept a connection with
};

void Server::Impl::run(const Handler &handler) {
  workers.emplace(limits.workers, handler, wake.get());
  while (!ends)
    once();
  workers.reset();
  connections.clear();
}

int Server::Impl::milliseconds() const {
  const auto now = Clock::now();
  auto first = now + std::chrono::hours(1);
  for (const auto &[id, c] : connections)
    if (c.is != Connection::Is::Waiting)
      first = std::min(first, c.until);
  if (deafUntil > now)
    first = std::min(first, deafUntil);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - now).count();
  return left < 0 ? 0 : int(left);
}

void Server::Impl::once() {
  std::vector<pollfd> asked{{wake.get(), POLLIN, 0},
                            {deafUntil > Clock::now() ? -1 : listening.get(), POLLIN, 0}};
  std::vector<std::uint64_t> who;
  for (const auto &[id, c] : connections)
    if (c.is != Connection::Is::Waiting) {
      asked.push_back({c.fd.get(), short(c.is == Connection::Is::Reading ? POLLIN : POLLOUT), 0});
      who.push_back(id);
    }
  if (::poll(asked.data(), asked.size(), milliseconds()) < 0 && errno != EINTR)
    fail(errno);
  eventfd_t ignored = 0;
  ::eventfd_read(wake.get(), &ignored);
  for (std::size_t i = 0; i < who.size(); ++i)
    if (asked[i + 2].revents)
      talk(who[i], asked[i + 2].revents);
  for (auto &[id, made] : workers->take())
    if (const auto it = connections.find(id); it != connections.end())
      answer(it->second, std::move(made.first), made.second);
  dropLate();
  if (asked[1].revents)
    accept();
}

// The oldest of those who have not asked yet goes.
bool Server::Impl::makeRoom() {
  auto oldest = connections.end();
  for (auto it = connections.begin(); it != connections.end(); ++it)
    if (it->second.is == Connection::Is::Reading &&
        (oldest == connections.end() || it->second.until < oldest->second.until))
      oldest = it;
  if (oldest == connections.end())
    return false;
  connections.erase(oldest);
  return true;
}

// Some at a time: those who are in are heard before more come, who could push them out.
void Server::Impl::accept() {
  for (int i = 0; i < 64; ++i) {
    if (connections.size() >= limits.connections && !makeRoom())
      return rest();
    Descriptor fd(::accept4(listening.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd && (errno == EINTR || errno == ECONNABORTED))
      continue;
    if (!fd && errno == EAGAIN)
      return;
    if (!fd) // no descriptors, or no memory
      return rest();
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Connection c;
    c.fd = std::move(fd);
    c.until = Clock::now() + limits.request;
    connections.emplace(ids++, std::move(c));
  }
}

void Server::Impl::rest() {
  makeRoom();
  deafUntil = Clock::now() + std::chrono::milliseconds(50);
}

void Server::Impl::talk(std::uint64_t id, short events) {
  auto &c = connections.at(id);
  const bool lives =
      (events & (POLLIN | POLLOUT)) && (c.is == Connection::Is::Reading ? read(c) : write(c));
  if (!lives)
    connections.erase(id);
  else if (c.is == Connection::Is::Reading)
    understand(id, c);
}

bool Server::Impl::read(Connection &c) {
  char buffer[4096];
  const ssize_t n = ::recv(c.fd.get(), buffer, sizeof buffer, 0);
  if (n > 0)
    c.in.append(buffer, std::size_t(n));
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool Server::Impl::write(Connection &c) {
  const ssize_t n = ::send(c.fd.get(), c.out.data() + c.sent, c.out.size() - c.sent, MSG_NOSIGNAL);
  if (n < 0)
    return errno == EAGAIN || errno == EINTR;
  c.sent += std::size_t(n);
  c.until = Clock::now() + limits.stuck;
  if (c.sent < c.out.size())
    return true;
  if (c.keep)
    next(c);
  return c.keep;
}

// The same client may ask again, or has done so already.
void Server::Impl::next(Connection &c) {
  c.out = {};
  c.sent = 0;
  c.is = Connection::Is::Reading;
  c.begun = false;
  c.until = Clock::now() + limits.idle;
}

void Server::Impl::understand(std::uint64_t id, Connection &c) {
  if (!c.begun && !c.in.empty()) {
    c.begun = true;
    c.until = Clock::now() + limits.request;
  }
  const auto end = c.in.find("\r\n\r\n");
  if (end == std::string::npos || end > limits.requestBytes) {
    if (c.in.size() > limits.requestBytes)
      refuse(c, Refusal(431, "The request is too long."));
    return;
  }
  try {
    auto request = parse(std::string_view(c.in).substr(0, end + 2));
    c.in.erase(0, end + 4);
    if (!isOwnHost(request.header("host"), address))
      throw Refusal(403, "This server answers for its own address only.");
    c.is = Connection::Is::Waiting;
    workers->give({id, std::move(request)});
  } catch (const Refusal &why) {
    refuse(c, why);
  }
}

void Server::Impl::refuse(Connection &c, const Refusal &why) {
  answer(c, {why.status, std::string(why.what()) + "\n"}, {});
}

void Server::Impl::answer(Connection &c, Answer answer, const Request &request) {
  c.keep = request.keep;
  c.out = headOf(answer, c.keep);
  if (!request.head)
    c.out += answer.body;
  c.is = Connection::Is::Writing;
  c.until = Clock::now() + limits.stuck;
}

// A last word for who was too slow, if there is room for it.
void Server::Impl::dropLate() {
  const auto now = Clock::now();
  static const auto late = headOf({408, ""}, false);
  std::erase_if(connections, [&](const auto &each) {
    const Connection &c = each.second;
    const bool isLate = c.is != Connection::Is::Waiting && c.until <= now;
    if (isLate && c.is == Connection::Is::Reading && !c.in.empty())
      (void)!::send(c.fd.get(), late.data(), late.size(), MSG_NOSIGNAL);
    return isLate;
  });
}

Server::Server(const std::string &address, int port, Limits limits)
    : impl_(std::make_unique<Impl>(address, port, limits)) {}
Server::~Server() = default;
int Server::port() const { return portOf(impl_->listening.get()); }
void Server::run(const Handler &handler) { impl_->run(handler); }
void Server::stop() {
  impl_->ends = true;
  ::eventfd_write(impl_->wake.get(), 1);
}

} // namespace base::http
