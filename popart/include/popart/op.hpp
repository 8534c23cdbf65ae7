// SPDX-License-Identifier: MIT
// The base of custom operators: what a user derives from to say shapes and gradients. How it is
// computed is said by an Opx (popart/popx/opx.hpp); both are registered by static objects
// (popart/opmanager.hpp, popart/popx/opxmanager.hpp) in a library that is loaded before the session
// is made.
#ifndef POPART_OP_HPP
#define POPART_OP_HPP
#include <popart/error.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensorinfo.hpp>

namespace popart {

enum class GradOpInType { In = 0, Out, GradOut };

// Input `iGrad` of a gradient operator: input, output, or gradient of an output of the forward one.
class GradInOutMapper {
public:
  GradInOutMapper(int grad, int nonGrad, GradOpInType t)
      : iGrad(grad), iNonGrad(nonGrad), type(t) {}
  bool operator==(const GradInOutMapper &other) const {
    return iGrad == other.iGrad && iNonGrad == other.iNonGrad && type == other.type;
  }
  int iGrad, iNonGrad;
  GradOpInType type;
};

class Op {
public:
  struct Settings {
    std::string name;
    Settings() = default;
    explicit Settings(const std::string &n) : name(n) {}
  };

  Op(const OperatorIdentifier &id, const Settings &s) : opid(id), settings(s) {}
  virtual ~Op();
  virtual std::unique_ptr<Op> clone() const = 0;
  // Sets outInfo(i) from inInfo(i); may be called again.
  virtual void setup();
  virtual std::vector<std::unique_ptr<Op>> getGradOps() { return {}; }
  virtual const std::vector<GradInOutMapper> &gradInputInfo() const;
  virtual const std::map<int, int> &gradOutToNonGradIn() const;
  virtual void appendAttributes(OpSerialiserBase &) const {}
  virtual void appendOutlineAttributes(OpSerialiserBase &) const {}
  virtual float getSubgraphValue() const { return getLowSubgraphValue(); }
  virtual bool requiresRandomSeed() const { return false; }
  static constexpr float getHighSubgraphValue() { return 1000.0f; }
  static constexpr float getLowSubgraphValue() { return 0.1f; }

  const TensorInfo &inInfo(InIndex i) const;
  TensorInfo &inInfo(InIndex i);
  TensorInfo &outInfo(OutIndex i);
  const TensorInfo &outInfo(OutIndex i) const;
  const Shape &inShape(InIndex i) const { return inInfo(i).shape(); }
  const Shape &outShape(OutIndex i) const { return outInfo(i).shape(); }
  Rank inRank(InIndex i) const { return inInfo(i).rank(); }
  Rank outRank(OutIndex i) const { return outInfo(i).rank(); }
  bool hasInput(InIndex i) const {
    return i >= 0 && i < static_cast<InIndex>(inputs_.size()) && inputs_[std::size_t(i)].isSet();
  }
  bool hasOutput(OutIndex i) const { return i >= 0 && i < static_cast<OutIndex>(outputs_.size()); }
  int getNonGradInIndex(int gradOutIndex) const; // popart::error if it is no gradient
  const Settings &getSettings() const { return settings; }
  const std::string &name() const { return settings.name; }
  std::string str() const { return opid.type; }
  std::string debugName() const;

  OperatorIdentifier opid;
  Settings settings;

  // For the machinery that connects it.
  void setInputs(const std::vector<TensorInfo> &infos) { inputs_ = infos; }
  const std::vector<TensorInfo> &outputs() const { return outputs_; }

private:
  std::vector<TensorInfo> inputs_, outputs_;
};

} // namespace popart
#endif
