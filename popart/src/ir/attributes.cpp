// SPDX-License-Identifier: MIT
#include "ir/attributes.hpp"

#include "base/Text.hpp"
#include <popart/error.hpp>

namespace popart::ir {

void Attributes::wrongType(const std::string &name) {
  throw error("Attribute \"{}\" has another type than the operator expects.", name);
}

std::string text(const Attribute &attribute) {
  return std::visit(
      [](const auto &value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, HostTensor>)
          return base::str(value.info(), ' ',
                           base::hex(base::hashBytes(value.data(), value.bytes())));
        else if constexpr (std::is_same_v<T, Integers> || std::is_same_v<T, std::vector<float>> ||
                           std::is_same_v<T, std::vector<std::string>>)
          return base::list(value);
        else
          return base::str(value);
      },
      attribute);
}

} // namespace popart::ir
