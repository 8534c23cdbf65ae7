// SPDX-License-Identifier: MIT
#include "backend/Backend.hpp"
#include "backend/cpu/CpuBackend.hpp"
#include "base/Fork.hpp"
#include "base/Text.hpp"
#include "device/TargetData.hpp"
#include "poplar/exceptions.hpp"
#include <map>

namespace poplar::backend {
namespace {

struct Backends {
  base::ForkMutex mutex;
  std::map<std::string, BackendKind> byName; // never moves

  Backends() {
    auto make = [](const Setup &setup) -> std::unique_ptr<Backend> {
      return std::make_unique<cpu::CpuBackend>(setup);
    };
    byName.emplace("cpu", BackendKind{.name = "cpu", .make = make, .runsVertices = true});
  }
};

Backends &backends() {
  static Backends all;
  return all;
}

} // namespace

void registerBackend(BackendKind kind) {
  auto &all = backends();
  std::lock_guard lock(all.mutex);
  const auto name = kind.name;
  if (!all.byName.emplace(name, std::move(kind)).second)
    throw poplar_error(base::str("Backend \"", name, "\" is registered twice."));
}

const BackendKind &findBackend(const std::string &name) {
  auto &all = backends();
  {
    std::lock_guard lock(all.mutex);
    if (const auto found = all.byName.find(name); found != all.byName.end())
      return found->second;
  }
  const auto names = openipu::backendNames();
  throw poplar_error(base::str("There is no backend \"", name, "\".", base::didYouMean(name, names),
                               " Use one of ", base::list(names, ", "), "."));
}

} // namespace poplar::backend

namespace poplar::openipu {

std::vector<std::string> backendNames() {
  auto &all = backend::backends();
  std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const auto &[name, kind] : all.byName)
    names.push_back(name);
  return names;
}

const BackendTraits &traitsOf(const poplar::Target &target) {
  return backend::findBackend(device::backendOf(device::dataOf(target))).traits;
}

} // namespace poplar::openipu
