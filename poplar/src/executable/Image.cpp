// SPDX-License-Identifier: MIT
// Names of the enumerations in Image.hpp, as reports spell them.
#include "executable/Image.hpp"

namespace poplar::executable {

const char *memoryCategoryName(MemoryCategory category) {
  static constexpr const char *names[] = {"variable",
                                          "constant",
                                          "hostExchangePacketHeader",
                                          "globalExchangePacketHeader",
                                          "stack",
                                          "vertexInstanceState",
                                          "copyDescriptor",
                                          "vectorListDescriptor",
                                          "vertexFieldData",
                                          "controlTable",
                                          "controlCode",
                                          "vertexCode",
                                          "internalExchangeCode",
                                          "hostExchangeCode",
                                          "globalExchangeCode",
                                          "instrumentationResults",
                                          "message",
                                          "rearrangement"};
  static_assert(std::size(names) == numMemoryCategories);
  return names[static_cast<unsigned>(category)];
}

} // namespace poplar::executable
