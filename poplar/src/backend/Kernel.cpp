// SPDX-License-Identifier: MIT
#include "openipu/Kernel.hpp"
#include "backend/Kernels.hpp"
#include "base/Fork.hpp"
#include "base/Text.hpp"
#include "openipu/KernelNames.hpp"
#include "openipu/Overwrite.hpp"
#include "poplar/exceptions.hpp"
#include <map>
#include <vector>

namespace poplar::openipu {
namespace {

struct Entry {
  Kernel kernel;
  SourcePlace where;
};

struct Registry {
  base::ForkMutex mutex;
  // By name and backend. Entries never move: engines keep references.
  std::map<std::string, std::map<std::string, Entry>> kernels;
  std::map<std::string, OverwriteRule> overwriting;

  const Kernel *find(const std::string &name, const std::string &backend) const {
    const auto named = kernels.find(name);
    if (named == kernels.end())
      return nullptr;
    const auto found = named->second.find(backend);
    return found == named->second.end() ? nullptr : &found->second.kernel;
  }
};

Registry &registry() {
  static Registry instance;
  return instance;
}

std::string placeOf(const SourcePlace &where) { return base::str(where.file, ":", where.line); }

const std::string cpu = "cpu";

} // namespace

void registerKernel(Kernel kernel, SourcePlace where) {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  const auto name = kernel.name, backend = kernel.backend;
  if (kernel.seeds && backend != cpu)
    throw poplar::poplar_error(base::str("Kernel \"", name, "\" of backend \"", backend,
                                         "\" sets the generator of its replica. Only the cpu's "
                                         "may: leave it to the host."));
  const auto [at, isNew] = all.kernels[name].try_emplace(backend, Entry{std::move(kernel), where});
  if (!isNew)
    throw poplar::poplar_error(base::str("Kernel \"", name, "\" of backend \"", backend,
                                         "\" is registered twice: at ", placeOf(at->second.where),
                                         " and at ", placeOf(where),
                                         ". Give one of them another name, or another backend."));
}

const Kernel &findKernel(const std::string &name) {
  return *backend::implementationOf(name, cpu).kernel;
}

std::vector<std::string> kernelNames() {
  auto &all = registry();
  std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const auto &[name, backends] : all.kernels)
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

namespace poplar::backend {

Implementation implementationOf(const std::string &kernel, const std::string &backend) {
  auto &all = openipu::registry();
  std::lock_guard lock(all.mutex);
  if (const auto *own = all.find(kernel, backend))
    return {own, Where::Here};
  if (const auto *host = all.find(kernel, openipu::cpu))
    return {host, Where::Host};
  std::vector<std::string> names;
  for (const auto &[known, backends] : all.kernels)
    if (backends.contains(backend) || backends.contains(openipu::cpu))
      names.push_back(known);
  throw poplar::poplar_error(base::str("No kernel \"", kernel,
                                       "\" is registered. Link and initialise the library that the "
                                       "executable was compiled with.",
                                       base::didYouMean(kernel, names)));
}

} // namespace poplar::backend
