// SPDX-License-Identifier: MIT
#include "ExchangeTest.hpp"

int main(int argc, char **argv) {
  return exchangetest::main(argc, argv, "gc-exchangewritetest",
                            "Lets tiles of a device, one after the other, write to all tiles of "
                            "their IPU at once, and compares what arrives.",
                            exchangetest::Pattern::Broadcast);
}
