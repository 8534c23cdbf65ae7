// SPDX-License-Identifier: MIT
// What custom operators include for the type they hand through.
#ifndef POPART_DEVICEX_HPP
#define POPART_DEVICEX_HPP
#include <popart/popx/opx.hpp>
#endif
