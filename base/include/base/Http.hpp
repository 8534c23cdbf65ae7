// SPDX-License-Identifier: MIT
// Requests and answers of HTTP/1.1 as text, for servers that are only asked: GET and HEAD.
#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace base::http {

struct Request {
  bool head = false; // the answer goes without its body
  bool keep = false; // the client may ask again on this connection
  std::string path;  // percent signs are decoded, here and in the query
  std::map<std::string, std::string> query;
  std::map<std::string, std::string> headers; // names in lower case
  std::string header(const std::string &name) const;
};

struct Answer {
  int status = 200;
  std::string body = {}, type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct Refusal : std::runtime_error { // of a request
  Refusal(int code, const std::string &why) : std::runtime_error(why), status(code) {}
  int status;
};

// What the lines of a request say, up to the empty one. Refusal: 400 if it cannot be understood,
// 405, 413.
Request parse(std::string_view text);

// The head of an answer, its empty line included.
std::string headOf(const Answer &answer, bool keep);

// Whether a Host header names the machine that a server was told to serve on. Web pages elsewhere
// can make a browser connect to it, but not with its own name.
bool isOwnHost(const std::string &header, const std::string &address);

} // namespace base::http
