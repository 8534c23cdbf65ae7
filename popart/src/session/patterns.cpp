// SPDX-License-Identifier: MIT
#include <popart/patterns/patterns.hpp>

#include "base/Text.hpp"
#include <popart/error.hpp>

namespace popart {

namespace {
enum class Use { Mandatory, Default, Off };
const std::map<std::string, Use> &table() {
  static const std::map<std::string, Use> all = [] {
    std::map<std::string, Use> out;
    for (const char *name : {"AllReduceToIdentity",
                             "Atan2Arg0GradOp",
                             "Atan2Arg1GradOp",
                             "ConvDataGrad",
                             "ConvFlipWeightsGradOp",
                             "ConvTranspose",
                             "CosGradOp",
                             "CoshOp",
                             "DivArg0GradOp",
                             "DivArg1GradOp",
                             "ExpGradOp",
                             "Expm1GradOp",
                             "FmodArg0GradOp",
                             "Log1pGradOp",
                             "LogGradOp",
                             "LoopScanOut",
                             "MatMulOp",
                             "MatMulLhsGradOp",
                             "MatMulRhsGradOp",
                             "MulArgGradOp",
                             "PowArg0GradOp",
                             "PowArg1GradOp",
                             "RandomNormalLikeOpPattern",
                             "RandomUniformLikeOpPattern",
                             "ZerosLikeOpPattern",
                             "ReciprocalGradOp",
                             "ScanToLoop",
                             "SinGradOp",
                             "AbsGradOp",
                             "SqrtGradOp",
                             "SubtractArg1GradOp",
                             "UpsampleToResize"})
      out[name] = Use::Mandatory;
    for (const char *name :
         {"ConvFlipWeightsDoubleFlip", "DecomposeBinaryConstScalar", "ExpandCast", "InitAccumulate",
          "LambSerialisedWeight", "NegativeOneScale", "NlllWithSoftMaxGradDirect",
          "SoftMaxGradDirect", "OpToIdentity", "PackedDataBlock", "PadSum", "PostNRepl",
          "PreUniRepl", "RemoveUnnecessaryLossGradCast", "SplitGradOpToConcat", "SplitOp",
          "SumToAdd", "TransposeToIdentityOrReshapePattern", "ContiguateIpuCopyIndicesPattern"})
      out[name] = Use::Default;
    for (const char *name : {"LSTMOp", "SplitGather", "Slice2SliceSubsample", "TiedGather",
                             "TiedGatherAccumulate", "UpdateInplacePrioritiesForIpu"})
      out[name] = Use::Off;
    return out;
  }();
  return all;
}
constexpr const char *inPlaceName = "InPlace"; // no pattern of the table, but named like one
// The vendor spells two of them both ways.
std::string spelt(const std::string &name) {
  if (name == "NlllWithSoftmaxGradDirect")
    return "NlllWithSoftMaxGradDirect";
  if (name == "SoftmaxGradDirect")
    return "SoftMaxGradDirect";
  return name;
}
Use useOf(const std::string &name) {
  auto it = table().find(spelt(name));
  if (it != table().end())
    return it->second;
  const auto brought = PreAliasPatternManager::registered(); // by a library, perhaps since
  const auto own = brought.find(name);
  if (own == brought.end())
    throw error(base::str("No pattern is called \"", name, "\".",
                          base::didYouMean(name, Patterns::getAllPreAliasPatternNames())));
  return own->second.mandatory ? Use::Mandatory : own->second.enabled ? Use::Default : Use::Off;
}
bool enabledAt(PatternsLevel level, Use use) {
  return level == PatternsLevel::All ||
         (level != PatternsLevel::NoPatterns && use == Use::Mandatory) ||
         (level == PatternsLevel::Default && use == Use::Default);
}
} // namespace

Patterns::Patterns(PatternsLevel level) : level_(level) {
  inPlace_ = level == PatternsLevel::Default || level == PatternsLevel::All;
  for (const auto &[name, use] : table())
    enabled_[name] = enabledAt(level, use);
}
Patterns::Patterns(std::vector<std::string> names) : Patterns(PatternsLevel::NoPatterns) {
  inPlace_ = false;
  for (const auto &name : names) {
    if (name == inPlaceName) {
      inPlace_ = true;
      continue;
    }
    useOf(name);
    enabled_[spelt(name)] = true;
  }
}
bool Patterns::isPatternEnabled(const std::string &name) const {
  if (name == inPlaceName)
    return inPlace_;
  const auto use = useOf(name);
  const auto it = enabled_.find(spelt(name));
  return it == enabled_.end() ? enabledAt(level_, use) : it->second;
}
Patterns &Patterns::enablePattern(const std::string &name, bool on) {
  if (name == inPlaceName)
    return enableInPlace(on);
  useOf(name);
  enabled_[spelt(name)] = on;
  return *this;
}
std::vector<std::string> Patterns::getAllPreAliasPatternNames() {
  std::vector<std::string> names;
  for (const auto &[name, use] : table())
    names.push_back(name);
  for (const auto &[name, info] : PreAliasPatternManager::registered())
    names.push_back(name);
  return names;
}
bool Patterns::isMandatory(const std::string &name) { return useOf(name) == Use::Mandatory; }

} // namespace popart
