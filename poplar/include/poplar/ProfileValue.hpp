// SPDX-License-Identifier: MIT
// A JSON-like value: boolean, number, text, list or map. Immutable inside, so copies are cheap.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace poplar {

namespace openipu {
struct ProfileAccess;
}

class ProfileValue {
public:
  // What the kinds of values are in C++.
  using Boolean = bool;
  using Number = double;
  using String = std::string;
  using Vector = std::vector<ProfileValue>;
  using Map = std::map<std::string, ProfileValue>;
  enum class Type { VECTOR, MAP, STRING, NUMBER, BOOL_ }; // kind of a value

  ProfileValue() : ProfileValue(0.0) {}
  ProfileValue(Number number);
  ProfileValue(String text);
  ProfileValue(const char *text) : ProfileValue(String(text)) {}
  ProfileValue(Vector items);
  ProfileValue(Map members);
  template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>
  ProfileValue(T value) : ProfileValue(make(value, std::is_same<T, bool>())) {}

  Type type() const; // which kind it is
  // Each throws type_error if the value is of another type; asInt and asUint also if it is not a
  // whole number in range.
  bool asBool() const;
  std::int64_t asInt() const;
  std::uint64_t asUint() const;
  double asDouble() const;
  const String &asString() const;
  const Vector &asVector() const;
  const Map &asMap() const;

  // Member of a map or item of a list; throws index_error if there is none.
  const ProfileValue &operator[](StringRef key) const;
  const ProfileValue &operator[](const char *key) const { return (*this)[StringRef(key)]; }
  const ProfileValue &operator[](const std::string &key) const { return (*this)[StringRef(key)]; }
  const ProfileValue &operator[](std::size_t position) const;
  const ProfileValue &operator[](int position) const {
    return (*this)[static_cast<std::size_t>(position)];
  }
  const ProfileValue &operator[](unsigned position) const {
    return (*this)[static_cast<std::size_t>(position)];
  }
  const ProfileValue *getOrNull(StringRef key) const; // a null pointer if there is no such member
  std::size_t size() const;                           // items of a list, members of a map

  // Sums over a list, or over a list of lists.
  std::int64_t sumInt() const;
  std::uint64_t sumUint() const;
  double sumDouble() const;
  std::int64_t sum2DInt() const;
  std::uint64_t sum2DUint() const;
  // The items of a list; throws type_error if one is not a whole number.
  std::vector<std::uint64_t> toUintVector() const;

  friend bool operator==(const ProfileValue &a, const ProfileValue &b);
  friend bool operator!=(const ProfileValue &a, const ProfileValue &b) { return !(a == b); }

private:
  friend struct openipu::ProfileAccess;
  struct Data;
  explicit ProfileValue(std::shared_ptr<const Data> data);
  static std::shared_ptr<const Data> makeBool(bool value);
  static std::shared_ptr<const Data> makeInteger(bool negative, std::uint64_t magnitude);
  template <class T> static std::shared_ptr<const Data> make(T value, std::true_type) {
    return makeBool(value);
  }
  template <class T> static std::shared_ptr<const Data> make(T value, std::false_type) {
    const bool negative = value < T(1) && value != T(0);
    const std::uint64_t bits = static_cast<std::uint64_t>(value);
    return makeInteger(negative, negative ? 0 - bits : bits);
  }
  template <class Integer> Integer sumOf(Integer (ProfileValue::*item)() const) const;
  std::shared_ptr<const Data> data_;
};

// Writes a value as JSON, in one line or indented.
void serializeToJSON(std::ostream &out, const ProfileValue &value, bool prettyPrint = false);
// Writes a value as CBOR (RFC 8949).
void serializeToCBOR(std::ostream &out, const ProfileValue &value);

// Prints the summary of a profile.pop file. Options: showExecutionSteps, showVarStorage,
// showOptimizations, showPerIpuMemoryUsage, colours.
void printProfileSummary(std::ostream &out, const std::string &profilePath,
                         const OptionFlags &options = {});
// The part of the summary that is about the compiled graph.
void printGraphSummary(std::ostream &out, const std::string &profilePath,
                       const OptionFlags &options = {});

} // namespace poplar
