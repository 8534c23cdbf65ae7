// SPDX-License-Identifier: MIT
// For the generated bindings of ai.onnx: constants come as numpy arrays, bodies as Builders.
#pragma once
#include "bind.hpp"
