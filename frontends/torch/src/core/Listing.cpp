// SPDX-License-Identifier: MIT
#include "core/Listing.hpp"

#include <sstream>

namespace poptorch {

namespace {

class Lister {
public:
  explicit Lister(const Recording &recording) : recording_(recording) {}

  std::string run() {
    for (const auto &[tensor, name] : recording_.inputs)
      out_ << typed(tensor) << " = input " << name << "\n";
    for (const auto &weight : recording_.weights)
      out_ << typed(weight.tensor) << " = " << (weight.trained ? "trained weight " : "weight ")
           << weight.name << "\n";
    for (const auto &[tensor, values] : recording_.constants)
      out_ << typed(tensor) << " = constant\n";
    for (const auto &operation : recording_.operations)
      list(operation);
    out_ << "return " << joined(recording_.outputs) << "\n";
    return out_.str();
  }

private:
  static std::string plain(TensorNumber tensor) {
    return tensor == noTensor ? "None" : "%" + std::to_string(tensor);
  }
  std::string typed(TensorNumber tensor) const {
    std::ostringstream text;
    text << plain(tensor) << ": " << recording_.tensors.at(tensor);
    return text.str();
  }
  static std::string joined(const TensorList &tensors) {
    std::string text = "(";
    for (auto tensor : tensors)
      text += (text.size() > 1 ? ", " : "") + plain(tensor);
    return text + ")";
  }

  void list(const Operation &operation) {
    const auto &signature = recording_.signatures.at(operation.signature);
    for (std::size_t i = 0; i < operation.outputs.size(); ++i)
      out_ << (i ? ", " : "") << typed(operation.outputs[i]);
    out_ << (operation.outputs.empty() ? "" : " = ") << signature.name
         << (operation.writes ? " in place(" : "(");
    bool first = true;
    for (std::size_t i = 0; i < operation.arguments.size(); ++i)
      if (!std::holds_alternative<std::monostate>(operation.arguments[i])) {
        out_ << (first ? "" : ", ") << signature.arguments[i] << "=";
        std::visit([this](const auto &value) { show(value); }, operation.arguments[i]);
        first = false;
      }
    out_ << ")";
    for (const auto *place :
         {&recording_.scopes.at(operation.scope), &recording_.sources.at(operation.source)})
      if (!place->empty())
        out_ << "  # " << *place;
    out_ << "\n";
  }

  void show(std::monostate) { out_ << "None"; }
  void show(bool value) { out_ << (value ? "True" : "False"); }
  void show(std::int64_t value) { out_ << value; }
  void show(double value) { out_ << value; }
  void show(const std::string &value) { out_ << '"' << value << '"'; }
  void show(DataType value) { out_ << value; }
  void show(const TensorArgument &value) { out_ << plain(value.tensor); }
  void show(const TensorList &value) { out_ << joined(value); }
  template <class T> void show(const std::vector<T> &values) {
    out_ << "[";
    for (std::size_t i = 0; i < values.size(); ++i)
      out_ << (i ? ", " : "") << values[i];
    out_ << "]";
  }

  const Recording &recording_;
  std::ostringstream out_;
};

} // namespace

std::string listing(const Recording &recording) { return Lister(recording).run(); }

} // namespace poptorch
