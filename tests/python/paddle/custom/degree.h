// SPDX-License-Identifier: MIT
#define LARGEST_DEGREE 3
