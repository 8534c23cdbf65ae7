// SPDX-License-Identifier: MIT
#include "vipu/Commands.hpp"

int main(int argc, char **argv) { return vipu::run(vipu::Role::Admin, argc, argv); }
