// SPDX-License-Identifier: MIT
#include "ExchangeTest.hpp"

int main(int argc, char **argv) {
  return exchangetest::main(
      argc, argv, "gc-exchangetest",
      "Lets every tile of a device send to others of its IPU, at distances 1, "
      "2, 4, and so on, and compares what arrives.",
      exchangetest::Pattern::Pairs);
}
