// SPDX-License-Identifier: MIT
// Options of an operator, told once: a name and what to do with the text of its value.
//
//   bool inPlace = false;
//   double share = 0.6;
//   const poplibs::OptionSpec spec{
//       {"inPlace", poplibs::OptionHandler::createWithBool(inPlace)},
//       {"availableMemoryProportion", poplibs::OptionHandler::createWithDouble(share, 0., false)}};
//   for (const auto &option : options)
//     spec.parse(option.first, option.second);
//
// Unknown names and bad values throw poplar::invalid_option.
#pragma once
#include <cfloat>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <poplar/exceptions.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

namespace poplibs {

// Text to values. Each throws poplar::invalid_option with the reason only.
namespace parse {

namespace detail {
std::int64_t signedInteger(const std::string &text, std::int64_t lo, std::int64_t hi);
std::uint64_t unsignedInteger(const std::string &text, std::uint64_t hi);
double floatingPoint(const std::string &text);
[[noreturn]] void outOfBounds(double lo, bool loInclusive, double hi, bool hiInclusive);
[[noreturn]] void notOneOf(const std::string &text, const std::vector<std::string> &names);
std::vector<std::string> splitList(const std::string &text);

template <class T> T integer(const std::string &text, std::true_type /*isSigned*/) {
  return static_cast<T>(
      signedInteger(text, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}
template <class T> T integer(const std::string &text, std::false_type /*isSigned*/) {
  return static_cast<T>(unsignedInteger(text, std::numeric_limits<T>::max()));
}
} // namespace detail

// Decimal, or hexadecimal after 0x.
template <class T> T asInteger(const std::string &text) {
  static_assert(std::is_integral<T>::value, "asInteger makes integers");
  return detail::integer<T>(text, std::is_signed<T>());
}
template <class T> T asFloatingPoint(const std::string &text) {
  return static_cast<T>(detail::floatingPoint(text));
}
// "true" or "false".
bool asBool(const std::string &text);
template <class Map> typename Map::mapped_type asEnum(const std::string &text, const Map &values) {
  auto found = values.find(text);
  if (found != values.end())
    return found->second;
  std::vector<std::string> names;
  for (const auto &value : values)
    names.push_back(value.first);
  detail::notOneOf(text, names);
}

} // namespace parse

// Reads the value of one option into a variable. Bad values end in poplar::invalid_option.
class OptionHandler {
public:
  template <class F, class = typename std::enable_if<!std::is_base_of<
                         OptionHandler, typename std::decay<F>::type>::value>::type>
  explicit OptionHandler(F &&parseValue) : parseValue_(std::forward<F>(parseValue)) {}

  // Reads a value.
  void parseValue(poplar::StringRef value) const { parseValue_(value.cloneAsString()); }

  // One of the names of a map.
  template <class T, class Map = std::map<std::string, T>>
  static OptionHandler createWithEnum(T &output, const Map &values) {
    return OptionHandler(
        [&output, values](const std::string &text) { output = parse::asEnum(text, values); });
  }
  // A whole number.
  template <class T> static OptionHandler createWithInteger(T &output) {
    return OptionHandler(
        [&output](const std::string &text) { output = parse::asInteger<T>(text); });
  }
  // "true" or "false".
  template <class T> static OptionHandler createWithBool(T &output) {
    return OptionHandler([&output](const std::string &text) { output = parse::asBool(text); });
  }
  // The default lower bound is the smallest positive double.
  template <class T>
  static OptionHandler
  createWithDouble(T &output, double lowerBound = DBL_MIN, bool lowerBoundIsInclusive = true,
                   double upperBound = DBL_MAX, bool upperBoundIsInclusive = true) {
    return OptionHandler([&output, lowerBound, lowerBoundIsInclusive, upperBound,
                          upperBoundIsInclusive](const std::string &text) {
      output = static_cast<T>(checkedDouble(text, lowerBound, lowerBoundIsInclusive, upperBound,
                                            upperBoundIsInclusive));
    });
  }
  // The text as it is.
  template <class T> static OptionHandler createWithString(T &output) {
    return OptionHandler([&output](const std::string &text) { output = text; });
  }
  // Integers separated by commas.
  template <class T> static OptionHandler createWithList(std::vector<T> &output) {
    return OptionHandler([&output](const std::string &text) {
      std::vector<T> values;
      for (const std::string &item : parse::detail::splitList(text))
        values.push_back(parse::asInteger<T>(item));
      output = std::move(values);
    });
  }

  // Throws poplar::invalid_option that names the interval.
  template <class T>
  static void ensureValueIsWithinBounds(T value, const T &lowerBound, bool lowerBoundIsInclusive,
                                        const T &upperBound, bool upperBoundIsInclusive) {
    const bool aboveLower = lowerBoundIsInclusive ? value >= lowerBound : value > lowerBound;
    const bool belowUpper = upperBoundIsInclusive ? value <= upperBound : value < upperBound;
    if (!aboveLower || !belowUpper)
      parse::detail::outOfBounds(static_cast<double>(lowerBound), lowerBoundIsInclusive,
                                 static_cast<double>(upperBound), upperBoundIsInclusive);
  }
  // The number. Throws poplar::invalid_option if it is none or not in the interval.
  static double checkedDouble(const std::string &text, double lowerBound,
                              bool lowerBoundIsInclusive, double upperBound,
                              bool upperBoundIsInclusive);

private:
  std::function<void(const std::string &)> parseValue_;
};

// The options of a function by name.
class OptionSpec {
public:
  using value_type = std::pair<const std::string, OptionHandler>;
  OptionSpec(std::initializer_list<value_type> handlers) : handlers_(handlers) {}

  // Hands a value to its option. Throws poplar::invalid_option for an unknown name unless told
  // otherwise.
  void parse(poplar::StringRef option, poplar::StringRef value, bool ignoreUnknown = false) const;

private:
  std::map<std::string, OptionHandler> handlers_;
};

#if __cplusplus >= 201703L
// "none" clears the value.
OptionHandler createOptionalDoubleHandler(std::optional<double> &output,
                                          double lowerBound = DBL_MIN,
                                          bool lowerBoundIsInclusive = true,
                                          double upperBound = DBL_MAX,
                                          bool upperBoundIsInclusive = true);

template <class T, class Map = std::map<std::string, T>>
OptionHandler createOptionalEnumHandler(std::optional<T> &output, const Map &values) {
  return OptionHandler([&output, values](const std::string &text) {
    if (text == "none")
      output = std::nullopt;
    else
      output = parse::asEnum(text, values);
  });
}
#endif

} // namespace poplibs
