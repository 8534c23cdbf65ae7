// SPDX-License-Identifier: MIT
// Options as an ordered map from text to text. Whoever receives them checks the keys and values.
#pragma once
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <poplar/openipu/BroughtAlong.hpp>
#include <poplar/StringRef.hpp>
#include <string>
#include <utility>

namespace poplar {

class ProfileValue;

class OptionFlags {
public:
  using OptionFlag = std::pair<const std::string, std::string>; // a name and its value
  using initializer_list = std::initializer_list<OptionFlag>;
  using iterator = std::map<std::string, std::string>::const_iterator;
  using const_iterator = iterator;

  OptionFlags() {}
  OptionFlags(initializer_list flags) { set(flags); }

  // Sets or overwrites.
  void set(StringRef option, StringRef value);
  void set(initializer_list flags);
  // Throws invalid_option if there is no such option.
  const std::string &at(StringRef option) const;
  iterator find(StringRef option) const; // end() if there is no such option
  void clear() { options_.clear(); }

  std::size_t size() const { return options_.size(); }
  bool empty() const { return options_.empty(); }
  iterator begin() const { return options_.begin(); }
  iterator end() const { return options_.end(); }

  friend bool operator==(const OptionFlags &a, const OptionFlags &b) {
    return a.options_ == b.options_;
  }
  friend bool operator!=(const OptionFlags &a, const OptionFlags &b) {
    return a.options_ != b.options_;
  }
  friend bool operator<(const OptionFlags &a, const OptionFlags &b) {
    return a.options_ < b.options_;
  }

private:
  std::map<std::string, std::string> options_;
};

std::ostream &operator<<(std::ostream &out, const OptionFlags &flags);

// Adds the members of a flat JSON object whose values are strings, numbers or booleans; throws
// parse_error.
void readJSON(StringRef text, OptionFlags &flags);
void readJSON(std::istream &in, OptionFlags &flags);
// The same from an environment variable, if it is set.
void readJSONFromEnv(StringRef variable, OptionFlags &flags);

ProfileValue getAsProfileValue(const OptionFlags &flags); // a map from names to values

} // namespace poplar
