// SPDX-License-Identifier: MIT
// Options of an engine and of a run. One table names every key with its type, default and effect
// (or why a simulated device has none); parsing rejects unknown keys and malformed values with
// poplar::invalid_option. The environment (POPLAR_ENGINE_OPTIONS, POPLAR_RUNTIME_OPTIONS: flat
// JSON) overrides what the program sets.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace poplar::options {

enum class OptionType : std::uint8_t { Bool, Integer, Number, Choice, Text, Regex };

struct OptionInfo {
  std::string_view key;
  OptionType type;
  std::string_view byDefault;
  std::string_view choices; // Choice: "a|b|c". Integer: words accepted besides numbers
  std::string_view effect;  // what it changes here, or why it changes nothing
};

std::span<const OptionInfo> engineOptionTable();
std::span<const OptionInfo> runtimeOptionTable();

using OptionValues = std::map<std::string, std::string>;

// Checked values of one table. Keys never set keep their defaults.
class Options {
public:
  // Engine options: `given` first, then POPLAR_ENGINE_OPTIONS over it.
  static Options forEngine(const OptionValues &given);
  // Run-time options: the engine's values, then `given`, then POPLAR_RUNTIME_OPTIONS.
  static Options forRun(const Options &engine, const OptionValues &given);

  Options(); // all defaults
  void set(const std::string &key, const std::string &value);

  bool flag(std::string_view key) const;
  std::int64_t integer(std::string_view key) const; // a word of `choices` gives -1
  double number(std::string_view key) const;
  const std::string &text(std::string_view key) const;
  bool isSet(std::string_view key) const; // by program or environment, not by default

  const OptionValues &explicitValues() const { return values_; } // what was set, normalised
  OptionValues allValues() const;                                // with defaults

private:
  explicit Options(std::span<const OptionInfo> table) : table_(table) {}
  void setAll(const OptionValues &given);
  void setFromEnvironment(const char *variable);
  const OptionInfo &find(std::string_view key) const;
  std::span<const OptionInfo> table_;
  OptionValues values_;
  mutable std::map<std::string, std::string, std::less<>> defaults_;
};

// The flat JSON object in an environment variable; empty when unset. Malformed text throws
// invalid_option.
OptionValues optionsFromEnvironment(const char *variable);

} // namespace poplar::options
