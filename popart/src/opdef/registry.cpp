// SPDX-License-Identifier: MIT
#include "opdef/opdef.hpp"

#include "base/Fork.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <map>
#include <popart/error.hpp>

namespace popart::ops {

std::vector<OpDef> operatorsOfThisFolder(); // written by the build from the names of the files

namespace {

using Key = std::pair<std::string, std::string>;

struct Registry {
  std::vector<OpDef> ops = operatorsOfThisFolder();
  std::map<Key, const OpDef *> byName;
  std::map<Key, std::unique_ptr<OpDef>> custom;
  base::ForkMutex mutex;

  Registry() {
    std::sort(ops.begin(), ops.end(), [](const OpDef &a, const OpDef &b) {
      return std::tie(a.type, a.domain) < std::tie(b.type, b.domain);
    });
    for (const auto &op : ops)
      if (!byName.emplace(Key(op.domain, op.type), &op).second)
        throw internal_error("Two files define the operator {}.{}.", op.domain, op.type);
  }
  static Registry &get() {
    static Registry registry;
    return registry;
  }
};

} // namespace

const std::vector<OpDef> &allOps() { return Registry::get().ops; }

const OpDef *findOp(const std::string &domain, const std::string &type) {
  auto &registry = Registry::get();
  const Key key(domain == "ai.onnx" ? "" : domain, type);
  std::lock_guard lock(registry.mutex);
  if (auto it = registry.byName.find(key); it != registry.byName.end())
    return it->second;
  auto it = registry.custom.find(key);
  return it == registry.custom.end() ? nullptr : it->second.get();
}

const OpDef *findOp(const std::string &name) {
  if (const auto dot = name.rfind('.'); dot != std::string::npos)
    return findOp(name.substr(0, dot), name.substr(dot + 1));
  for (const char *domain : {"openipu", "", "ai.graphcore"})
    if (const OpDef *op = findOp(domain, name))
      return op;
  return nullptr;
}

const OpDef &opOf(const std::string &name) {
  if (const OpDef *op = findOp(name))
    return *op;
  throw internal_error("There is no operator \"{}\".", name);
}

void addOp(OpDef def) {
  auto &registry = Registry::get();
  std::lock_guard lock(registry.mutex);
  const Key key(def.domain, def.type);
  registry.custom[key] = std::make_unique<OpDef>(std::move(def));
}

} // namespace popart::ops
