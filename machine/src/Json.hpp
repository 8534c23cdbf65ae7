// SPDX-License-Identifier: MIT
// Strict reading of our JSON files: every key is known and present once, every value has its type
// and its limits. The error names the file, the key and the remedy.
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace machine {

using Json = nlohmann::ordered_json; // written in the order in which it was made

struct JsonSource {
  std::string path, remedy; // "IPUOF_CONFIG_PATH=/x.conf", "write it again with ..."
  [[noreturn]] void fail(const std::string &where, const std::string &what) const;
};

// Throws Error for anything but one JSON object without repeated keys.
Json parseObject(std::string_view text, const JsonSource &source);

// One object. `where` is its place in the file, for messages: "devices[3]".
class JsonObject {
public:
  JsonObject(const Json &object, std::string where, const JsonSource &source);
  void allow(const std::vector<std::string> &keys) const; // refuses all others

  std::string text(const char *key, std::size_t longest = 255) const; // without control characters
  std::string name(const char *key) const; // a text that checkName accepts
  unsigned number(const char *key, unsigned least, unsigned most) const;
  bool flag(const char *key) const;
  std::string oneOf(const char *key, const std::vector<std::string> &values) const;
  std::vector<JsonObject> objects(const char *key, std::size_t most) const;
  std::vector<std::string> texts(const char *key, std::size_t most) const;
  [[noreturn]] void fail(const std::string &key, const std::string &what) const;

private:
  const Json &value(const char *key) const;
  const Json &array(const char *key, std::size_t most) const;
  const Json *object_;
  std::string where_;
  const JsonSource *source_;
};

} // namespace machine
