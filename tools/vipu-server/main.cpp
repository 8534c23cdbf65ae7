// SPDX-License-Identifier: MIT
#include "vipu/Serve.hpp"

int main(int argc, char **argv) { return vipu::serve(argc, argv); }
