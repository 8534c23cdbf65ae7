// SPDX-License-Identifier: MIT
// ONNX's own header with the settings that it was built with, for sources that do not say them.
#ifndef POPART_ONNX_CHECKER_H
#define POPART_ONNX_CHECKER_H
#pragma GCC system_header
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#include_next <onnx/checker.h>
#endif
