// SPDX-License-Identifier: MIT
// Constants that codelets and hosts share. Macros, because codelets include this header.
#pragma once

// A label or index that stands for nothing.
#define MASKED_LABEL_CODE 0xFFFFFFFFU

// Added to probabilities before a logarithm: the smallest normal float, the smallest half.
#define EPS_LOG_N_FLOAT (1.17549435e-38F)
#define EPS_LOG_N_HALF (0.000000059605F)
