// SPDX-License-Identifier: MIT
#include "openipu/Kernel.hpp"
#include "base/Fork.hpp"
#include "base/Text.hpp"
#include "openipu/KernelNames.hpp"
#include "openipu/Overwrite.hpp"
#include "poplar/exceptions.hpp"
#include <deque>
#include <map>
#include <vector>

namespace poplar::openipu {
namespace {

struct Registry {
  base::ForkMutex mutex;
  std::deque<Kernel> kernels; // never moves: engines keep references
  std::map<std::string, const Kernel *> byName;
  std::map<std::string, OverwriteRule> overwriting;
};

Registry &registry() {
  static Registry instance;
  return instance;
}

} // namespace

void registerKernel(Kernel kernel) {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  const auto &stored = all.kernels.emplace_back(std::move(kernel));
  all.byName[stored.name] = &stored;
}

const Kernel &findKernel(const std::string &name) {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  if (auto it = all.byName.find(name); it != all.byName.end())
    return *it->second;
  std::vector<std::string> names;
  for (const auto &[known, kernel] : all.byName)
    names.push_back(known);
  throw poplar::poplar_error(base::str("No kernel \"", name,
                                       "\" is registered. Link and initialise the library that the "
                                       "executable was compiled with.",
                                       base::didYouMean(name, names)));
}

std::vector<std::string> kernelNames() {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const auto &[name, kernel] : all.byName)
    names.push_back(name);
  return names;
}

Overwriting::Overwriting(std::string kernel, OverwriteRule rule) {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  all.overwriting[std::move(kernel)] = rule;
}

bool mayOverwrite(const std::string &kernel, std::string_view attributes, std::size_t outputs,
                  std::size_t output, std::size_t input) {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  auto it = all.overwriting.find(kernel);
  return it != all.overwriting.end() && it->second(attributes, outputs, output, input);
}

} // namespace poplar::openipu
