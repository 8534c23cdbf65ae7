// SPDX-License-Identifier: MIT
// The settings that ONNX was built with, for sources that do not say them.
#ifndef POPART_ONNXSETTINGS_HPP
#define POPART_ONNXSETTINGS_HPP
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#endif
