// SPDX-License-Identifier: MIT
// One operator makes Adam's step and applies it: AdamVarUpdateOp.
#ifndef POPART_OP_ADAMUPDATER_HPP
#define POPART_OP_ADAMUPDATER_HPP
#include <popart/adam.hpp>
#include <popart/op/adamvarupdate.hpp>
#endif
