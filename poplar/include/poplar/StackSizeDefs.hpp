/* SPDX-License-Identifier: MIT */
/* Stack declarations for recursive or indirectly called code. The host's stack grows as needed, so
 * they say nothing. */
#ifndef POPLAR_STACK_SIZE_DEFS_HPP
#define POPLAR_STACK_SIZE_DEFS_HPP

#ifndef __ASSEMBLER__
// For assembly and codelets that call unknown functions: bytes of stack that a function takes. Only
// the size is checked here.
#define DEF_STACK_USAGE(size, symbol) static_assert((size) >= 0, "stack size of " #symbol);
#define DEF_STACK_SIZE_OWN(size, symbol) DEF_STACK_USAGE(size, symbol)
#endif

#endif
