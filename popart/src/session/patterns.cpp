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
  if (it == table().end())
    throw error(base::str("No pattern is called \"", name, "\".",
                          base::didYouMean(name, Patterns::getAllPreAliasPatternNames())));
  return it->second;
}
} // namespace

Patterns::Patterns(PatternsLevel level) : level_(level) {
  inPlace_ = level == PatternsLevel::Default || level == PatternsLevel::All;
  for (const auto &[name, use] : table())
    enabled_[name] = level == PatternsLevel::All ||
                     (level != PatternsLevel::NoPatterns && use == Use::Mandatory) ||
                     (level == PatternsLevel::Default && use == Use::Default);
}
Patterns::Patterns(std::vector<std::string> names) : Patterns(PatternsLevel::NoPatterns) {
  inPlace_ = false;
  for (const auto &name : names) {
    if (name == "InPlace") {
      inPlace_ = true;
      continue;
    }
    useOf(name);
    enabled_[spelt(name)] = true;
  }
}
bool Patterns::isPatternEnabled(const std::string &name) const {
  useOf(name);
  return enabled_.at(spelt(name));
}
Patterns &Patterns::enablePattern(const std::string &name, bool on) {
  useOf(name);
  enabled_[spelt(name)] = on;
  return *this;
}
std::vector<std::string> Patterns::getAllPreAliasPatternNames() {
  std::vector<std::string> names;
  for (const auto &[name, use] : table())
    names.push_back(name);
  return names;
}
bool Patterns::isMandatory(const std::string &name) { return useOf(name) == Use::Mandatory; }

} // namespace popart
