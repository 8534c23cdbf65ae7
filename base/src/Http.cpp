// SPDX-License-Identifier: MIT
#include "base/Http.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cctype>

namespace base::http {
namespace {

const char *reasonOf(int status) {
  static const std::map<int, const char *> reasons{{200, "OK"},
                                                   {303, "See Other"},
                                                   {400, "Bad Request"},
                                                   {403, "Forbidden"},
                                                   {404, "Not Found"},
                                                   {405, "Method Not Allowed"},
                                                   {408, "Request Timeout"},
                                                   {413, "Content Too Large"},
                                                   {422, "Unprocessable Content"},
                                                   {431, "Request Header Fields Too Large"},
                                                   {500, "Internal Server Error"}};
  const auto it = reasons.find(status);
  return it == reasons.end() ? "Answer" : it->second;
}

std::string lowerCase(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

int digitOf(char c) {
  const std::string_view digits("0123456789abcdef");
  const auto at = digits.find(char(std::tolower(static_cast<unsigned char>(c))));
  return at == std::string_view::npos ? -1 : int(at);
}

std::string decoded(std::string_view text, bool plusIsBlank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded = text[i] == '%' && i + 2 < text.size() && digitOf(text[i + 1]) >= 0 &&
                       digitOf(text[i + 2]) >= 0;
    out += coded                           ? char(digitOf(text[i + 1]) * 16 + digitOf(text[i + 2]))
           : plusIsBlank && text[i] == '+' ? ' '
                                           : text[i];
    i += coded ? 2 : 0;
  }
  return out;
}

// Takes what stands before the separator, or everything, and the separator with it.
std::string_view take(std::string_view &text, std::string_view separator) {
  const auto end = text.find(separator);
  const auto first = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
  return first;
}

void readTarget(std::string_view target, Request &request) {
  if (target.empty() || target[0] != '/')
    throw Refusal(400, "The path of a request begins with a slash.");
  target = target.substr(0, target.find('#'));
  request.path = decoded(take(target, "?"), false);
  while (!target.empty()) {
    auto value = take(target, "&");
    auto name = decoded(take(value, "="), true);
    request.query.emplace(std::move(name), decoded(value, true));
  }
}

void readFirstLine(std::string_view line, Request &request) {
  const auto method = take(line, " "), target = take(line, " ");
  if (line != "HTTP/1.1" && line != "HTTP/1.0")
    throw Refusal(400, "This is no request of HTTP/1.1.");
  if (method != "GET" && method != "HEAD")
    throw Refusal(405, "Only GET is answered.");
  request.head = method == "HEAD";
  request.keep = line == "HTTP/1.1";
  readTarget(target, request);
}

void readHeader(std::string_view line, Request &request) {
  const auto colon = line.find(':');
  const auto name = lowerCase(line.substr(0, colon));
  const bool good = colon != std::string_view::npos && !name.empty() &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) {
                      return std::isalnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(char(c)) !=
                                                    std::string_view::npos;
                    });
  if (!good)
    throw Refusal(400, "A header is a name, a colon and a value.");
  const auto value = std::string(trimmed(line.substr(colon + 1)));
  const auto [it, isNew] = request.headers.emplace(name, value);
  if (!isNew && name == "host")
    throw Refusal(400, "A request has one Host.");
  if (!isNew)
    it->second += (name == "cookie" ? "; " : ", ") + value;
}

} // namespace

std::string Request::header(const std::string &name) const {
  const auto it = headers.find(name);
  return it == headers.end() ? "" : it->second;
}

Request parse(std::string_view text) {
  Request request;
  readFirstLine(take(text, "\r\n"), request);
  while (!text.empty())
    readHeader(take(text, "\r\n"), request);
  const auto length = request.header("content-length");
  if ((!length.empty() && length != "0") || !request.header("transfer-encoding").empty())
    throw Refusal(413, "Nothing can be sent to this server.");
  const auto connection = lowerCase(request.header("connection"));
  if (connection == "close" || connection == "keep-alive")
    request.keep = connection == "keep-alive";
  return request;
}

std::string headOf(const Answer &answer, bool keep) {
  auto text = str("HTTP/1.1 ", answer.status, " ", reasonOf(answer.status),
                  "\r\nContent-Type: ", answer.type, "\r\nContent-Length: ", answer.body.size(),
                  "\r\nConnection: ", keep ? "keep-alive" : "close", "\r\n");
  for (const auto &[name, value] : answer.headers)
    text += name + ": " + value + "\r\n";
  return text + "\r\n";
}

bool isOwnHost(const std::string &header, const std::string &address) {
  const auto colon = header.rfind(':');
  const auto bracket = header.rfind(']');
  const bool port = colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  const auto name = port ? header.substr(0, colon) : header;
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]" || name == address)
    return true;
  return address == "0.0.0.0" || address == "::"; // told to serve everybody
}

} // namespace base::http
