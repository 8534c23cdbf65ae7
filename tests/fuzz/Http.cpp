// SPDX-License-Identifier: MIT
// Requests of web browsers, and of whoever else finds the port. What is accepted asks for the same
// when it is written down and read once more.
#include "base/Http.hpp"
#include "Fuzz.hpp"
#include <cctype>
#include <stdexcept>

namespace {

using base::http::Request;

std::string coded(const std::string &text) {
  std::string out;
  for (unsigned char c : text) {
    const char digits[] = "0123456789ABCDEF";
    out += c == '/' || std::isalnum(c) ? std::string(1, char(c))
                                       : std::string{'%', digits[c / 16], digits[c % 16]};
  }
  return out;
}

std::string textOf(const Request &request) {
  auto out = (request.head ? "HEAD " : "GET ") + coded(request.path);
  char separator = '?';
  for (const auto &[name, value] : request.query) {
    out += separator + coded(name) + "=" + coded(value);
    separator = '&';
  }
  return out + " HTTP/1.1\r\nConnection: " + (request.keep ? "keep-alive" : "close");
}

void check(const Request &request) {
  if (request.path.empty() || request.path[0] != '/')
    throw std::logic_error("an accepted path does not begin with a slash");
  for (const auto &[name, value] : request.headers)
    for (unsigned char c : name)
      if (std::isupper(c) || std::isspace(c))
        throw std::logic_error("a header's name is not in lower case");
  const auto again = base::http::parse(textOf(request));
  if (again.path != request.path || again.query != request.query || again.head != request.head ||
      again.keep != request.keep)
    throw std::logic_error("an accepted request changes when it is written and read");
}

} // namespace

bool fuzz::accepts(std::string_view input) {
  try {
    const auto request = base::http::parse(input);
    check(request);
    base::http::isOwnHost(request.header("host"), "192.0.2.1");
    return true;
  } catch (const base::http::Refusal &) {
    return false;
  }
}

std::vector<std::string> fuzz::validInputs() {
  return {"GET / HTTP/1.1\r\nHost: localhost:8000\r\nAccept: */*\r\n",
          "HEAD /api/tiles%20of/a?first=1&count=20&name=a+b%2Fc#top HTTP/1.1\r\n"
          "Host: [::1]:8000\r\nCookie: a=1\r\nCookie: b=2\r\nConnection: close\r\n",
          "GET /x?=&y HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 0\r\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
