// SPDX-License-Identifier: MIT
// rptsize_t: the count of a hardware loop.
#ifndef POPLAR_LOOPS_HPP
#define POPLAR_LOOPS_HPP

typedef unsigned rptsize_t; // counts the passes of a hardware loop

#endif
