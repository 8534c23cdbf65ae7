// SPDX-License-Identifier: MIT
// JSON-like values: access with checks, sums, and writing as JSON or CBOR.
#include "poplar/ProfileValue.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "types/ProfileJson.hpp"
#include <cmath>
#include <limits>
#include <ostream>
#include <variant>

namespace poplar {

// Integers keep all their bits beside the double that Number is.
struct ProfileValue::Data {
  std::variant<bool, double, std::int64_t, std::uint64_t, String, Vector, Map> value;
  bool operator==(const Data &) const = default;
};

namespace {

const char *nameOf(ProfileValue::Type type) {
  static constexpr const char *names[] = {"list", "map", "text", "number", "boolean"};
  return names[static_cast<int>(type)];
}

[[noreturn]] void wrongType(const char *wanted, ProfileValue::Type actual) {
  throw type_error(base::str("A profile value is a ", nameOf(actual), " and not a ", wanted, "."));
}

} // namespace

ProfileValue::ProfileValue(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
ProfileValue::ProfileValue(Number number) : data_(std::make_shared<const Data>(Data{number})) {}
ProfileValue::ProfileValue(String text)
    : data_(std::make_shared<const Data>(Data{std::move(text)})) {}
ProfileValue::ProfileValue(Vector items)
    : data_(std::make_shared<const Data>(Data{std::move(items)})) {}
ProfileValue::ProfileValue(Map members)
    : data_(std::make_shared<const Data>(Data{std::move(members)})) {}

std::shared_ptr<const ProfileValue::Data> ProfileValue::makeBool(bool value) {
  return std::make_shared<const Data>(Data{value});
}
std::shared_ptr<const ProfileValue::Data> ProfileValue::makeInteger(bool negative,
                                                                    std::uint64_t magnitude) {
  return std::make_shared<const Data>(negative ? Data{static_cast<std::int64_t>(0 - magnitude)}
                                               : Data{magnitude});
}

ProfileValue::Type ProfileValue::type() const {
  static constexpr Type types[] = {Type::BOOL_,  Type::NUMBER, Type::NUMBER, Type::NUMBER,
                                   Type::STRING, Type::VECTOR, Type::MAP};
  return types[data_->value.index()];
}

bool ProfileValue::asBool() const {
  if (const auto *b = std::get_if<bool>(&data_->value))
    return *b;
  wrongType("boolean", type());
}

double ProfileValue::asDouble() const {
  if (const auto *i = std::get_if<std::int64_t>(&data_->value))
    return static_cast<double>(*i);
  if (const auto *u = std::get_if<std::uint64_t>(&data_->value))
    return static_cast<double>(*u);
  if (const auto *d = std::get_if<double>(&data_->value))
    return *d;
  wrongType("number", type());
}

std::int64_t ProfileValue::asInt() const {
  if (const auto *i = std::get_if<std::int64_t>(&data_->value))
    return *i;
  if (const auto *u = std::get_if<std::uint64_t>(&data_->value);
      u && *u <= std::numeric_limits<std::int64_t>::max())
    return static_cast<std::int64_t>(*u);
  const double value = asDouble();
  if (value >= -0x1p63 && value < 0x1p63 &&
      value == static_cast<double>(static_cast<std::int64_t>(value)))
    return static_cast<std::int64_t>(value);
  throw type_error(base::str("Profile value ", value, " is not a signed 64-bit integer."));
}

std::uint64_t ProfileValue::asUint() const {
  if (const auto *u = std::get_if<std::uint64_t>(&data_->value))
    return *u;
  const double value = asDouble();
  if (value >= 0 && value < 0x1p64 &&
      value == static_cast<double>(static_cast<std::uint64_t>(value)))
    return static_cast<std::uint64_t>(value);
  throw type_error(base::str("Profile value ", value, " is not an unsigned 64-bit integer."));
}

const ProfileValue::String &ProfileValue::asString() const {
  if (const auto *s = std::get_if<String>(&data_->value))
    return *s;
  wrongType("text", type());
}
const ProfileValue::Vector &ProfileValue::asVector() const {
  if (const auto *v = std::get_if<Vector>(&data_->value))
    return *v;
  wrongType("list", type());
}
const ProfileValue::Map &ProfileValue::asMap() const {
  if (const auto *m = std::get_if<Map>(&data_->value))
    return *m;
  wrongType("map", type());
}

const ProfileValue *ProfileValue::getOrNull(StringRef key) const {
  const auto &map = asMap();
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

const ProfileValue &ProfileValue::operator[](StringRef key) const {
  if (const auto *found = getOrNull(key))
    return *found;
  std::vector<std::string> keys;
  for (const auto &[name, value] : asMap())
    keys.push_back(name);
  throw index_error(base::str("A profile value has no member \"", key.cloneAsString(), "\".",
                              base::didYouMean(key.cloneAsString(), keys)));
}

const ProfileValue &ProfileValue::operator[](std::size_t position) const {
  const auto &items = asVector();
  if (position >= items.size())
    throw index_error(base::str("A profile list has ", items.size(), " items"), position);
  return items[position];
}

std::size_t ProfileValue::size() const {
  return type() == Type::MAP ? asMap().size() : asVector().size();
}

template <class Integer> Integer ProfileValue::sumOf(Integer (ProfileValue::*item)() const) const {
  Integer total = 0;
  for (const auto &value : asVector())
    total += (value.*item)();
  return total;
}
std::int64_t ProfileValue::sumInt() const { return sumOf(&ProfileValue::asInt); }
std::uint64_t ProfileValue::sumUint() const { return sumOf(&ProfileValue::asUint); }
double ProfileValue::sumDouble() const { return sumOf(&ProfileValue::asDouble); }
std::int64_t ProfileValue::sum2DInt() const { return sumOf(&ProfileValue::sumInt); }
std::uint64_t ProfileValue::sum2DUint() const { return sumOf(&ProfileValue::sumUint); }

std::vector<std::uint64_t> ProfileValue::toUintVector() const {
  std::vector<std::uint64_t> result;
  for (const auto &value : asVector())
    result.push_back(value.asUint());
  return result;
}

// Numbers are equal when their values are, however they were given.
bool operator==(const ProfileValue &a, const ProfileValue &b) {
  if (a.type() == ProfileValue::Type::NUMBER && b.type() == ProfileValue::Type::NUMBER &&
      a.data_->value.index() != b.data_->value.index())
    return a.asDouble() == b.asDouble();
  return a.data_ == b.data_ || *a.data_ == *b.data_;
}

struct openipu::ProfileAccess {
  using Json = nlohmann::ordered_json;

  static Json json(const ProfileValue &value) {
    return std::visit([](const auto &v) { return json(v); }, value.data_->value);
  }
  static Json json(bool v) { return v; }
  static Json json(std::int64_t v) { return v; }
  static Json json(std::uint64_t v) { return v; }
  static Json json(const std::string &v) { return v; }
  // Whole numbers are written as such, however they were given.
  static Json json(double v) {
    const bool whole = std::fabs(v) < 0x1p53 && v == std::trunc(v);
    return whole ? Json(static_cast<std::int64_t>(v)) : Json(v);
  }
  static Json json(const ProfileValue::Vector &items) {
    auto list = Json::array();
    for (const auto &item : items)
      list.push_back(json(item));
    return list;
  }
  static Json json(const ProfileValue::Map &members) {
    auto object = Json::object();
    for (const auto &[key, member] : members)
      object[key] = json(member);
    return object;
  }
};

nlohmann::ordered_json types::toJson(const ProfileValue &value) {
  return openipu::ProfileAccess::json(value);
}

void serializeToJSON(std::ostream &out, const ProfileValue &value, bool prettyPrint) {
  out << types::toJson(value).dump(prettyPrint ? 2 : -1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

void serializeToCBOR(std::ostream &out, const ProfileValue &value) {
  const auto bytes = nlohmann::ordered_json::to_cbor(types::toJson(value));
  out.write(reinterpret_cast<const char *>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

} // namespace poplar
