// SPDX-License-Identifier: MIT
// ONNX's own header with the settings that it was built with.
#ifndef POPART_ONNX_DEFS_SCHEMA_H
#define POPART_ONNX_DEFS_SCHEMA_H
#pragma GCC system_header
#include <popart/vendored/onnxsettings.hpp>

#include_next <onnx/defs/schema.h>
#endif
