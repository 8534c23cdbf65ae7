// SPDX-License-Identifier: MIT
// popfloat::experimental::addCodelets, where programs look for it.
#pragma once
#include <popfloat/codelets.hpp>
