// SPDX-License-Identifier: MIT
// ONNX's own header with the settings that it was built with.
#ifndef POPART_ONNX_ONNX_PB_H
#define POPART_ONNX_ONNX_PB_H
#pragma GCC system_header
#include <popart/vendored/onnxsettings.hpp>

#include_next <onnx/onnx_pb.h>
#endif
