// SPDX-License-Identifier: MIT
#include "core/Environment.hpp"

#include "base/Text.hpp"

namespace paddleipu {

Environment::Environment(const proto::BlockDesc &block) {
  for (const auto &var : block.vars())
    declarations_[var.name()] = &var;
}

const proto::VarDesc *Environment::declared(const std::string &name) const {
  const auto it = declarations_.find(name);
  return it == declarations_.end() ? nullptr : it->second;
}
std::optional<VarType::Type> Environment::typeOf(const std::string &name) const {
  if (const auto it = values_.find(name); it != values_.end())
    return it->second.type;
  const auto *var = declared(name);
  if (!var || !var->type().has_lod_tensor())
    return {};
  return var->type().lod_tensor().tensor().data_type();
}
VarType::Type Environment::typeOrThrow(const std::string &name) const {
  if (const auto type = typeOf(name))
    return *type;
  throw ProgramError("There is no variable \"" + name + "\" in the program.");
}

Value Environment::read(const std::string &name, const Call *reader) const {
  if (const auto it = values_.find(name); it != values_.end())
    return it->second.value;
  const auto *var = declared(name);
  const std::string what =
      !var ? "it is not in the program. Build the program again, or load the one it was saved in."
      : var->persistable()
          ? "it is not initialized: run the startup program before, or load its values."
          : "no operator before this one makes it, and it is not fed. Feed it, or fetch what "
            "the operators make.";
  const std::string message = "The variable \"" + name + "\" has no value: " + what;
  if (reader)
    reader->failWith(message);
  throw ProgramError(message);
}

void Environment::bind(const std::string &name, Value value, VarType::Type type) {
  values_[name] = {value, type};
}
void Environment::unbind(const std::string &name) { values_.erase(name); }
void Environment::noteWrite(const std::string &name) {
  if (writtenSet_.insert(name).second)
    written_.push_back(name);
}

DataType Environment::device(VarType::Type type) const {
  return isFloating(type) && type != VarType::FP16 ? floats : deviceType(type);
}

} // namespace paddleipu
