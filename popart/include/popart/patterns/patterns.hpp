// SPDX-License-Identifier: MIT
// Which rewrites a session applies to its model, by the vendor's names. Rewrites that our operators
// do not need keep their switch so that programs compile and run; it then changes nothing.
#ifndef POPART_PATTERNS_HPP
#define POPART_PATTERNS_HPP
#include <functional>
#include <popart/names.hpp>

namespace popart {

class PreAliasPattern;

// None, those that models need, the usual ones, all.
enum class PatternsLevel { NoPatterns = 0, Minimal, Default, All };

// Which rewrites a session does.
class Patterns {
public:
  explicit Patterns(PatternsLevel level = PatternsLevel::Default);
  Patterns(std::vector<std::string> names); // popart::error for an unknown one
  // The rewrites of these names.
  static Patterns create(std::vector<std::string> names) { return Patterns(names); }

  bool isPatternEnabled(const std::string &name) const; // popart::error for an unknown name
  // Switches a rewrite on or off. Throws popart::error for an unknown name.
  Patterns &enablePattern(const std::string &name, bool on);
  bool isInPlaceEnabled() const { return inPlace_; } // whether operators may overwrite their inputs
  // Lets operators overwrite their inputs, or not.
  Patterns &enableInPlace(bool on) {
    inPlace_ = on;
    return *this;
  }
  // Checks every rewrite, or not.
  Patterns &enableRuntimeAsserts(bool on) {
    runtimeAsserts_ = on;
    return *this;
  }
  static std::vector<std::string> getAllPreAliasPatternNames(); // all names, also of the user's
  static bool isMandatory(const std::string &name);             // whether it cannot be switched off
  // The settings of every pattern, by name: part of what the executable cache hashes.
  const std::map<std::string, bool> &getSettings() const { return enabled_; }
  PatternsLevel level() const { return level_; } // what it was made with

#define POPART_PATTERN(Name)                                                                       \
  bool is##Name##Enabled() const { return isPatternEnabled(#Name); }                               \
  Patterns &enable##Name(bool on) { return enablePattern(#Name, on); }
  // Switches for PopART's names of rewrites.
  POPART_PATTERN(PreUniRepl)
  POPART_PATTERN(PostNRepl)
  POPART_PATTERN(SoftMaxGradDirect)
  POPART_PATTERN(NlllWithSoftMaxGradDirect)
  POPART_PATTERN(OpToIdentity)
  POPART_PATTERN(SubtractArg1GradOp)
  POPART_PATTERN(MulArgGradOp)
  POPART_PATTERN(MatMulOp)
  POPART_PATTERN(MatMulLhsGradOp)
  POPART_PATTERN(MatMulRhsGradOp)
#undef POPART_PATTERN

private:
  PatternsLevel level_ = PatternsLevel::Default;
  std::map<std::string, bool> enabled_;
  bool inPlace_ = true;
  bool runtimeAsserts_ = true;
};

// Patterns that users bring along, by name.
class PreAliasPatternManager {
public:
  using Factory = std::function<std::unique_ptr<PreAliasPattern>()>; // makes the rewrite
  // A rewrite that was registered.
  struct Info {
    bool enabled, mandatory; // whether it is done if nobody says; whether it cannot be switched off
    Factory factory;         // makes it
  };
  // Makes a rewrite known. PatternCreator calls it.
  static void registerPattern(const std::string &name, bool enabled, bool mandatory,
                              Factory factory);
  static std::map<std::string, Info> registered(); // by name
};

// A static object that makes the rewrite PATTERN known.
template <class PATTERN> class PatternCreator {
public:
  explicit PatternCreator(const std::string &name, bool enabled = true, bool mandatory = false) {
    PreAliasPatternManager::registerPattern(name, enabled, mandatory, [name] {
      std::unique_ptr<PATTERN> pattern(new PATTERN());
      pattern->initialise(name);
      return std::unique_ptr<PreAliasPattern>(std::move(pattern));
    });
  }
};

} // namespace popart

#include <popart/patterns/pattern.hpp> // programs expect PreAliasPattern here, too
#endif
