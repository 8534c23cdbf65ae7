// SPDX-License-Identifier: MIT
// Text to numbers with a reason when it is none, and the two messages of invalid_option.
#include "poputil/OptionParsing.hpp"
#include "base/Text.hpp"
#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace poplibs {
namespace {

// Decimal, or hexadecimal after 0x; never octal, and no leading blanks.
bool readMagnitude(const std::string &digits, std::uint64_t &value) {
  const bool hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  const std::string body = hex ? digits.substr(2) : digits;
  if (body.empty() ||
      body.find_first_not_of(hex ? "0123456789abcdefABCDEF" : "0123456789") != std::string::npos)
    return false;
  errno = 0;
  value = std::strtoull(body.c_str(), nullptr, hex ? 16 : 10);
  return errno == 0;
}

[[noreturn]] void outOfRange(const std::string &low, const std::string &high) {
  throw poplar::invalid_option("it must be an integer between " + low + " and " + high);
}

} // namespace

namespace parse {
namespace detail {

std::int64_t signedInteger(const std::string &text, std::int64_t lo, std::int64_t hi) {
  const bool negative = !text.empty() && text[0] == '-';
  std::uint64_t magnitude = 0;
  const std::uint64_t limit = negative ? 0 - std::uint64_t(lo) : std::uint64_t(hi);
  if (!readMagnitude(negative ? text.substr(1) : text, magnitude) || magnitude > limit)
    outOfRange(std::to_string(lo), std::to_string(hi));
  return negative ? std::int64_t(0 - magnitude) : std::int64_t(magnitude);
}

std::uint64_t unsignedInteger(const std::string &text, std::uint64_t hi) {
  std::uint64_t value = 0;
  if (!readMagnitude(text, value) || value > hi)
    outOfRange("0", std::to_string(hi));
  return value;
}

double floatingPoint(const std::string &text) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && !std::isspace(static_cast<unsigned char>(text[0]));
  if (!number || *end != '\0' || std::isnan(value))
    throw poplar::invalid_option("it must be a number");
  return value;
}

void notOneOf(const std::string &text, const std::vector<std::string> &names) {
  throw poplar::invalid_option("it must be one of " + base::list(names, ", ") + "." +
                               base::didYouMean(text, names));
}

std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

} // namespace detail

bool asBool(const std::string &text) {
  return asEnum(text, std::map<std::string, bool>{{"false", false}, {"true", true}});
}

} // namespace parse

void parse::detail::outOfBounds(double lo, bool loInclusive, double hi, bool hiInclusive) {
  throw poplar::invalid_option(base::str("it must lie in the interval ", loInclusive ? '[' : '(',
                                         lo, ", ", hi, hiInclusive ? ']' : ')'));
}

double OptionHandler::checkedDouble(const std::string &text, double lo, bool loInclusive, double hi,
                                    bool hiInclusive) {
  const double value = parse::asFloatingPoint<double>(text);
  ensureValueIsWithinBounds(value, lo, loInclusive, hi, hiInclusive);
  return value;
}

void OptionSpec::parse(poplar::StringRef option, poplar::StringRef value,
                       bool ignoreUnknown) const {
  const auto found = handlers_.find(option.cloneAsString());
  if (found == handlers_.end()) {
    if (ignoreUnknown)
      return;
    std::vector<std::string> names;
    for (const auto &handler : handlers_)
      names.push_back(handler.first);
    throw poplar::invalid_option("Unrecognised option '" + option.cloneAsString() + "'." +
                                 base::didYouMean(option.cloneAsString(), names));
  }
  try {
    found->second.parseValue(value);
  } catch (const poplar::invalid_option &reason) {
    if (std::string(reason.what()).rfind("Invalid value", 0) == 0)
      throw; // a handler that parses with options of its own has said it all
    throw poplar::invalid_option("Invalid value '" + value.cloneAsString() + "' for option '" +
                                 option.cloneAsString() + "': " + reason.what());
  }
}

OptionHandler createOptionalDoubleHandler(std::optional<double> &output, double lowerBound,
                                          bool lowerBoundIsInclusive, double upperBound,
                                          bool upperBoundIsInclusive) {
  return OptionHandler([=, &output](const std::string &text) {
    if (text == "none")
      output = std::nullopt;
    else
      output = OptionHandler::checkedDouble(text, lowerBound, lowerBoundIsInclusive, upperBound,
                                            upperBoundIsInclusive);
  });
}

} // namespace poplibs
