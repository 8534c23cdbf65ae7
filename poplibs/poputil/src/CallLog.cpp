// SPDX-License-Identifier: MIT
#include "CallLog.hpp"
#include "base/Text.hpp"
#include "openipu/HostTrace.hpp"
#include "openipu/LibraryLog.hpp"
#include <cctype>
#include <dlfcn.h>
#include <sstream>
#include <unordered_map>

namespace poputil {

using base::str;
using poplar::ProfileValue;

namespace {

// The shared object that the address lies in, without "lib" and ".so": "popops". Nothing for the
// program itself, whose own operators poputil's log shows.
std::string libraryOf(const void *address) {
  Dl_info info{};
  std::string file = dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
  file = file.substr(file.rfind('/') + 1);
  if (!file.starts_with("lib") || file.find(".so") == std::string::npos)
    return "";
  return file.substr(3, file.find(".so") - 3);
}

bool isTensor(const ProfileValue &value) {
  return value.size() == 2 && value.getOrNull("shape") && value.getOrNull("type");
}

std::string joined(const ProfileValue::Vector &values) {
  std::string text;
  for (const auto &value : values)
    text += (text.empty() ? "" : ",") + textOf(value);
  return "[" + text + "]";
}

std::string joined(const std::vector<ArgType> &arguments) {
  std::string text;
  for (const auto &argument : arguments)
    text += str(text.empty() ? "" : ", ", argument.n, ": ", textOf(argument.pv));
  return text;
}

std::string textOfMap(const ProfileValue &value) {
  if (isTensor(value))
    return textOf(value["type"]) + textOf(value["shape"]);
  std::string text;
  for (const auto &[key, member] : value.asMap())
    text += str(text.empty() ? "" : ", ", key, ": ", textOf(member));
  return "{" + text + "}";
}

// A call is one line, whatever the text of an argument looks like.
std::string onOneLine(const std::string &text) {
  std::string out;
  for (char c : text)
    if (!std::isspace(static_cast<unsigned char>(c)))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  return out;
}

std::string inQuotes(const std::string &path) { return path.empty() ? "" : " \"" + path + "\""; }

} // namespace

std::string textOf(const ProfileValue &value) {
  switch (value.type()) {
  case ProfileValue::Type::VECTOR:
    return joined(value.asVector());
  case ProfileValue::Type::MAP:
    return textOfMap(value);
  case ProfileValue::Type::STRING:
    return onOneLine(value.asString());
  default:
    base::TextStream text;
    poplar::serializeToJSON(text, value);
    return text.str();
  }
}

void logCall(const void *from, const std::string &function, const std::vector<ArgType> &arguments,
             const std::string &path) {
  const auto library = libraryOf(from);
  openipu::libraryLog(library).info(library, library.empty() ? "" : "::", function, "(",
                                    joined(arguments), ")", inQuotes(path));
}

void logOutputs(const void *from, const std::vector<ArgType> &outputs, const std::string &path) {
  openipu::libraryLog(libraryOf(from)).debug("-> ", joined(outputs), inQuotes(path));
}

// A place in the code is called often, and asking the linker takes longer than an event may.
static const std::string &channelOf(const void *from) {
  thread_local std::unordered_map<const void *, std::string> known;
  auto &channel = known[from];
  if (channel.empty())
    channel = "graphConstruction/" + libraryOf(from);
  return channel;
}

std::shared_ptr<void> traceCall(const void *from, const std::string &function) {
  return std::make_shared<openipu::HostTrace>(channelOf(from), function);
}

} // namespace poputil
