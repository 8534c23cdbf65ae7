// SPDX-License-Identifier: MIT
// What the operator methods of all opsets share: they hand type, inputs and attributes to a
// builder.
#ifndef POPART_OPSET_HPP
#define POPART_OPSET_HPP
#include <popart/debugcontext.hpp>
#include <popart/names.hpp>
#include <popart/vendored/any.hpp>
#include <popart/vendored/optional.hpp>
#include <popart/voiddata.hpp>

namespace popart {

class Builder;
class CommGroup;
enum class ReductionType;
enum class ScatterReduction;
enum class CollectiveOperator;

// Attributes of a node by name. Kinds: int64_t, float, std::string, vectors of them, ConstVoidData,
// and graphs (const Builder *). An optional without a value adds nothing.
class OpsetAttributes {
public:
  void add(const std::string &name, std::int64_t value) { all_[name] = value; }
  void add(const std::string &name, bool value) { all_[name] = std::int64_t(value); }
  void add(const std::string &name, ReductionType value);
  void add(const std::string &name, ScatterReduction value);
  void add(const std::string &name, CollectiveOperator value);
  void add(const std::string &name, const CommGroup &value);
  void add(const std::string &name, float value) { all_[name] = value; }
  void add(const std::string &name, const std::string &value) { all_[name] = value; }
  void add(const std::string &name, const char *value) { all_[name] = std::string(value); }
  void add(const std::string &name, const ConstVoidData &value) { all_[name] = value; }
  void add(const std::string &name, const Builder &value) { all_[name] = &value; }
  template <class T> void add(const std::string &name, const std::vector<T> &value) {
    if (!value.empty())
      all_[name] = value;
  }
  template <class T> void add(const std::string &name, const nonstd::optional<T> &value) {
    if (value)
      add(name, *value);
  }
  // A list that may be absent may be empty, too: reductions along no axes reduce nothing.
  template <class T>
  void add(const std::string &name, const nonstd::optional<std::vector<T>> &value) {
    if (value)
      all_[name] = *value;
  }
  void set(const std::string &name, const any &value) { all_[name] = value; } // whatever it is
  const std::map<std::string, any> &all() const { return all_; }              // by name

private:
  std::map<std::string, any> all_;
};

// Where operators go: the inside of a Builder.
class OpsetTarget {
public:
  virtual ~OpsetTarget() {}
  // Adds an operator and returns its outputs' names. Throws popart::error if inputs or attributes
  // do not fit.
  virtual std::vector<TensorId> addOperator(const OpDomain &domain, const OpType &type,
                                            int opsetVersion, const std::vector<TensorId> &inputs,
                                            const OpsetAttributes &attributes, unsigned outputs,
                                            const DebugContext &debugContext) = 0;
};

// The operators of one version of a domain, as methods.
class DomainOpSet {
public:
  explicit DomainOpSet(std::shared_ptr<OpsetTarget> target, const OpDomain &domain = "ai.onnx")
      : target_(std::move(target)), domain_(domain) {}
  virtual ~DomainOpSet() {}
  virtual int getOpsetVersion() const = 0;              // the version
  const OpDomain &getDomain() const { return domain_; } // "ai.onnx" and so on

protected:
  static void requireDense(bool sparse); // popart::error for values that are not
  std::vector<TensorId> addOperator(const OpType &type, int opsetVersion,
                                    const std::vector<TensorId> &args,
                                    const OpsetAttributes &attributes, unsigned outputs,
                                    const DebugContext &debugContext) {
    return target_->addOperator(domain_, type, opsetVersion, args, attributes, outputs,
                                debugContext);
  }
  std::shared_ptr<OpsetTarget> target_;
  OpDomain domain_;
};

} // namespace popart
#endif
