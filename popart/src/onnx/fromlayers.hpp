// SPDX-License-Identifier: MIT
// LstmLayer, GruLayer and RnnLayer as ONNX's LSTM, GRU and RNN of one direction, between nodes that
// bring weights, biases and states into ONNX's form: gates in another order, [1, gates * h, n].
#pragma once
#include "ir/graph.hpp"
#include <onnx/onnx_pb.h>

namespace popart::onnxmodel {

bool isRecurrentLayer(const ir::Node &node);
// The nodes in order. inputs, outputs: names of the node's, empty where one is left out; `stem`
// makes the names of what stands between them.
std::vector<onnx::NodeProto> recurrentNodes(const ir::Graph &graph, const ir::Node &node,
                                            const std::vector<std::string> &inputs,
                                            const std::vector<std::string> &outputs,
                                            const std::string &stem);

} // namespace popart::onnxmodel
