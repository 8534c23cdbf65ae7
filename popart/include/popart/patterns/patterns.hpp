// SPDX-License-Identifier: MIT
// Which rewrites a session applies to its model, by the vendor's names. Rewrites that our operators
// do not need keep their switch so that programs compile and run; it then changes nothing.
#ifndef POPART_PATTERNS_HPP
#define POPART_PATTERNS_HPP
#include <functional>
#include <popart/names.hpp>

namespace popart {

class PreAliasPattern;

enum class PatternsLevel { NoPatterns = 0, Minimal, Default, All };

class Patterns {
public:
  explicit Patterns(PatternsLevel level = PatternsLevel::Default);
  Patterns(std::vector<std::string> names); // popart::error for an unknown one
  static Patterns create(std::vector<std::string> names) { return Patterns(names); }

  bool isPatternEnabled(const std::string &name) const;
  Patterns &enablePattern(const std::string &name, bool on);
  bool isInPlaceEnabled() const { return inPlace_; }
  Patterns &enableInPlace(bool on) {
    inPlace_ = on;
    return *this;
  }
  Patterns &enableRuntimeAsserts(bool on) {
    runtimeAsserts_ = on;
    return *this;
  }
  static std::vector<std::string> getAllPreAliasPatternNames();
  static bool isMandatory(const std::string &name);
  // The settings of every pattern, by name: part of what the executable cache hashes.
  const std::map<std::string, bool> &getSettings() const { return enabled_; }
  PatternsLevel level() const { return level_; }

#define POPART_PATTERN(Name)                                                                       \
  bool is##Name##Enabled() const { return isPatternEnabled(#Name); }                               \
  Patterns &enable##Name(bool on) { return enablePattern(#Name, on); }
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
  using Factory = std::function<std::unique_ptr<PreAliasPattern>()>;
  struct Info {
    bool enabled, mandatory;
    Factory factory;
  };
  static void registerPattern(const std::string &name, bool enabled, bool mandatory,
                              Factory factory);
  static std::map<std::string, Info> registered();
};

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
#endif
