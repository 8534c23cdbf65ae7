// SPDX-License-Identifier: MIT
// Registers custom operators: a static OpCreator<MyOp> in a loaded library makes an operator known.
#ifndef POPART_OPMANAGER_HPP
#define POPART_OPMANAGER_HPP
#include <functional>
#include <popart/attributes.hpp>
#include <popart/op.hpp>

namespace popart {

// What a custom operator takes and makes, for checks and messages.
class OpDefinition {
public:
  using DataTypes = std::vector<DataType>; // types that are allowed
  // One input: its name, the types it may have, and whether it must be a constant.
  struct Input {
    Input(const std::string &n, const DataTypes &t, bool c = false)
        : name(n), supportedTensors(t), constant(c) {}
    std::string name;           // for messages
    DataTypes supportedTensors; // types it may have
    bool constant;              // whether it must be known when the model is compiled
  };
  // One output: its name and the types it may have.
  struct Output {
    Output(const std::string &n, const DataTypes &t) : name(n), supportedTensors(t) {}
    std::string name;           // for messages
    DataTypes supportedTensors; // types it may have
  };
  // One attribute: the values it may have.
  struct Attribute {
    Attribute(const std::string &pattern) : supportedValuesRegex(pattern) {}
    Attribute(const char *pattern) : supportedValuesRegex(pattern) {}
    std::string supportedValuesRegex; // a regular expression; "*" allows all
  };
  // Lists of them, in order; attributes by name.
  using Inputs = std::vector<Input>;
  using Outputs = std::vector<Output>;
  using Attributes = std::map<std::string, Attribute>;

  OpDefinition() = default;
  OpDefinition(const Inputs &i, const Outputs &o, const Attributes &a)
      : inputs(i), outputs(o), attributes(a) {}

  Inputs inputs;         // in order
  Outputs outputs;       // in order
  Attributes attributes; // by name
};
using OpDefinitions = std::map<OperatorIdentifier, OpDefinition>; // a definition for each version

// What the maker of an operator gets.
struct OpCreatorInfo {
  OperatorIdentifier opid; // domain, type and version
  Op::Settings settings;   // where and how it runs
  Attributes attributes;   // those of the node in the model
};

// The operators that PopART knows.
class OpManager {
public:
  // Makes an operator.
  using OpFactoryFunc = std::function<std::unique_ptr<Op>(const OpCreatorInfo &)>;
  // Makes an operator known. OpCreator calls it.
  static void registerOp(const OperatorIdentifier &opid, const OpDefinition &definition,
                         OpFactoryFunc factory);
  // Every operator that can be lowered, at each version from opset 6 on; internal: those that only
  // rewrites make.
  static const std::vector<OperatorIdentifier> getSupportedOperations(bool includeInternal);
  // The same with what they take and make.
  static const OpDefinitions getSupportedOperationsDefinition(bool includeInternal);
  // Those of an ai.onnx opset that cannot.
  static const std::vector<OperatorIdentifier> getUnsupportedOperations(int opsetVersion);
};

// A static object that makes the operator OP known.
template <class OP> class OpCreator {
public:
  using Factory = OpManager::OpFactoryFunc; // makes an operator
  // The constructor of OP takes the identifier and settings.
  OpCreator(const OpDefinitions &definitions) : OpCreator(definitions, Factory(&make)) {}
  // Only a bool: a lambda without captures would become one.
  template <class Bool, class = typename std::enable_if<std::is_same<Bool, bool>::value>::type>
  OpCreator(const OpDefinitions &definitions, Bool) : OpCreator(definitions, Factory(&make)) {}
  OpCreator(const OpDefinitions &definitions, Factory factory, bool = true) {
    for (const auto &entry : definitions)
      OpManager::registerOp(entry.first, entry.second, factory);
  }

private:
  static std::unique_ptr<Op> make(const OpCreatorInfo &info) {
    return std::unique_ptr<Op>(new OP(info.opid, info.settings));
  }
};

} // namespace popart
#endif
