// SPDX-License-Identifier: MIT
// The predictor's header, where Paddle's own package of it lies.
#pragma once
#include "../../paddle_inference_api.h"
