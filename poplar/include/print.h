/* SPDX-License-Identifier: MIT */
/* printf for vertices: the text goes to the engine's print stream. */
#ifndef PRINT_H
#define PRINT_H

#ifdef __cplusplus
extern "C" {
#endif
// Writes to Engine::setPrintStream, from any worker.
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
#ifdef __cplusplus
}
#endif

#endif
