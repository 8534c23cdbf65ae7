// SPDX-License-Identifier: MIT
// What help() says of an operator's method: from ONNX's own description of it.
#pragma once
#include <onnx/defs/schema.h>
#include <string>

// One paragraph, its inputs, the attributes that the method takes, its outputs.
std::string documentation(const onnx::OpSchema &schema);
// As a literal of C++.
std::string literal(const std::string &text);
