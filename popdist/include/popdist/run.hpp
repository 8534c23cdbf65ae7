// SPDX-License-Identifier: MIT
#ifndef POPDIST_RUN_HPP
#define POPDIST_RUN_HPP
#include <poplar/Engine.hpp>
#include <string>

namespace popdist {

// Runs a program when all instances have come here.
void run(poplar::Engine &engine, unsigned program, const std::string &name = "");

} // namespace popdist

#endif
