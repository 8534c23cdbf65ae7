// SPDX-License-Identifier: MIT
#include "backend/cpu/HostRoom.hpp"
#include "backend/cpu/Arena.hpp"
#include "base/CheckedSize.hpp"
#include "base/HostMemory.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <numeric>

namespace poplar::backend::cpu {
namespace {

constexpr std::size_t shown = 5;

std::string largest(const executable::Image &image) {
  const auto &variables = image.variables;
  std::vector<std::uint32_t> order(variables.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return variables[a].bytes() > variables[b].bytes(); });
  std::string out = "Largest variables:\n";
  for (std::size_t i = 0; i != std::min(shown, order.size()); ++i) {
    const auto &v = variables[order[i]];
    out += base::str("  ", v.name.empty() ? base::str("variable ", order[i]) : base::brief(v.name),
                     ' ', spelling(v.type), ' ', base::list(v.shape), ": ",
                     base::thousands(v.bytes()), " bytes\n");
  }
  return out;
}

std::string copies(unsigned replicas, bool checked) {
  return base::str(replicas > 1 ? base::str(" on ", replicas, " replicas") : "",
                   checked ? " with debug.checkedCodelets" : "");
}

} // namespace

void requireHostRoom(const executable::Image &image, std::uint64_t scratch, bool checked,
                     unsigned replicas) {
  auto need = base::checkedSum(scratchStart(image), scratch);
  if (need)
    need = base::checkedProduct(*need, std::uint64_t(replicas) * (checked ? 2 : 1));
  const auto host = base::hostMemory();
  if (need && *need <= host.bytes)
    return;
  throw poplar_error(base::str(
      "Engine::load: the variables of the program", copies(replicas, checked), " need ",
      need ? base::thousands(*need) : "more than " + base::thousands(base::maxElements),
      " bytes of memory; the host has ", base::thousands(host.bytes), " (", host.from, ").\n",
      largest(image),
      "Use a smaller batch, a smaller type or fewer replicas, or a host with more memory. For a "
      "program that uses only a part of its variables, set OPENIPU_HOST_MEMORY_MB to more."));
}

} // namespace poplar::backend::cpu
