// SPDX-License-Identifier: MIT
// Operators of users, where Paddle's package for deployments has them.
#pragma once
#include "../../extension.h"
