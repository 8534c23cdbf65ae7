// SPDX-License-Identifier: MIT
#include "openipu/Kernel.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace openipu {
namespace {

struct Registry {
  std::mutex mutex;
  std::deque<Kernel> kernels; // never moves: engines keep references
  std::map<std::string, const Kernel *> byName;
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

} // namespace openipu
