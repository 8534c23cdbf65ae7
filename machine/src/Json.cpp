// SPDX-License-Identifier: MIT
#include "Json.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "machine/Partition.hpp"
#include <algorithm>
#include <set>

namespace machine {
namespace {

constexpr int deepest = 16;

bool isPlain(const std::string &text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

std::string perhaps(const std::string &key, const std::vector<std::string> &known) {
  const auto near = base::nearMatches(key, known);
  return near.empty() ? "" : base::str("; perhaps \"", near.front(), "\" is meant");
}

// Notices what the parser would let pass: keys that come twice, and nests without end.
class Watch {
public:
  explicit Watch(const JsonSource &source) : source_(source) {}
  bool operator()(int depth, Json::parse_event_t event, const Json &parsed) {
    if (depth > deepest)
      source_.fail("", "is nested too deeply");
    if (event == Json::parse_event_t::object_start)
      keys_.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      keys_.pop_back();
    else if (event == Json::parse_event_t::key && !keys_.back().insert(parsed).second)
      source_.fail(parsed, "stands there twice");
    return true;
  }

private:
  const JsonSource &source_;
  std::vector<std::set<std::string>> keys_;
};

} // namespace

void JsonSource::fail(const std::string &where, const std::string &what) const {
  const auto key = where.empty() ? std::string() : base::str(": \"", base::brief(where), "\"");
  throw Error(base::str("\"", path, "\"", key, " ", what, ". ", remedy));
}

Json parseObject(std::string_view text, const JsonSource &source) {
  Json parsed;
  try {
    parsed = Json::parse(text.begin(), text.end(), Watch(source));
  } catch (const Json::parse_error &e) {
    source.fail("", base::str("is not JSON: it is damaged at byte ", e.byte));
  } catch (const Json::out_of_range &) {
    source.fail("", "has a number that is out of range");
  }
  if (!parsed.is_object())
    source.fail("", "is not a JSON object");
  return parsed;
}

JsonObject::JsonObject(const Json &object, std::string where, const JsonSource &source)
    : object_(&object), where_(std::move(where)), source_(&source) {
  if (!object.is_object())
    source.fail(where_, "must be an object");
}

void JsonObject::fail(const std::string &key, const std::string &what) const {
  source_->fail(where_.empty() ? key : where_ + "." + key, what);
}

void JsonObject::allow(const std::vector<std::string> &keys) const {
  for (const auto &[key, value] : object_->items())
    if (std::ranges::find(keys, key) == keys.end())
      fail(key, base::str("is no key of such a file", perhaps(key, keys)));
}

const Json &JsonObject::value(const char *key) const {
  const auto found = object_->find(key);
  if (found == object_->end())
    fail(key, "is missing");
  return *found;
}

std::string JsonObject::text(const char *key, std::size_t longest) const {
  const auto &found = value(key);
  if (!found.is_string())
    fail(key, "must be a text in quotes");
  const auto &text = found.get_ref<const std::string &>();
  if (text.size() > longest || !isPlain(text))
    fail(key, base::str("must have at most ", longest, " characters, and no control characters"));
  return text;
}

std::string JsonObject::name(const char *key) const {
  const auto name = text(key);
  if (!isName(name))
    fail(key, base::str("must be a name, not \"", base::brief(name), "\": ", nameRule));
  return name;
}

unsigned JsonObject::number(const char *key, unsigned least, unsigned most) const {
  const auto &found = value(key);
  if (!found.is_number_unsigned() || found.get<std::uint64_t>() < least ||
      found.get<std::uint64_t>() > most)
    fail(key, base::str("must be a whole number from ", least, " to ", most));
  return found.get<unsigned>();
}

bool JsonObject::flag(const char *key) const {
  const auto &found = value(key);
  if (!found.is_boolean())
    fail(key, "must be true or false");
  return found.get<bool>();
}

std::string JsonObject::oneOf(const char *key, const std::vector<std::string> &values) const {
  const auto found = text(key);
  if (std::ranges::find(values, found) == values.end())
    fail(key, base::str("must be one of ", base::list(values, ", "), ", not \"", base::brief(found),
                        "\""));
  return found;
}

const Json &JsonObject::array(const char *key, std::size_t most) const {
  const auto &found = value(key);
  if (!found.is_array() || found.size() > most)
    fail(key, base::str("must be a list of at most ", most));
  return found;
}

std::vector<JsonObject> JsonObject::objects(const char *key, std::size_t most) const {
  std::vector<JsonObject> all;
  const auto place = where_.empty() ? std::string(key) : where_ + "." + key;
  for (const auto &item : array(key, most))
    all.emplace_back(item, base::str(place, "[", all.size(), "]"), *source_);
  return all;
}

std::vector<std::string> JsonObject::texts(const char *key, std::size_t most) const {
  std::vector<std::string> all;
  for (const auto &item : array(key, most)) {
    if (!item.is_string() || !isName(item.get<std::string>()))
      fail(key, base::str("must be a list of names: ", nameRule));
    all.push_back(item.get<std::string>());
  }
  return all;
}

} // namespace machine
