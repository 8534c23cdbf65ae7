/* SPDX-License-Identifier: MIT */
/* Which compressed vector layouts the target has: the first generation scales 16-bit pointers,
   later ones pack a span into one word. Compiling for ipu1 defines OPENIPU_ARCH_IPU1. */
#ifndef POPLAR_AVAILABLE_VTYPES_H
#define POPLAR_AVAILABLE_VTYPES_H

#ifdef OPENIPU_ARCH_IPU1
#define VECTOR_AVAIL_SCALED_PTR32 1
#define VECTOR_AVAIL_SCALED_PTR64 1
#define VECTOR_AVAIL_SHORT_SPAN 1
#define VECTORLIST_AVAIL_DELTAN 1
#else
// Which layouts of vectors a codelet may use. On this machine: all.
#define VECTOR_AVAIL_SHORT_SPAN 1
#define VECTOR_AVAIL_SCALED_PTR128 1
#endif

#endif
