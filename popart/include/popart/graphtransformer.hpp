// SPDX-License-Identifier: MIT
// Changes ONNX models before they are used: element types, initialisers that never change, nodes
// that differ between inference and training.
#ifndef POPART_GRAPHTRANSFORMER_HPP
#define POPART_GRAPHTRANSFORMER_HPP
#include <popart/names.hpp>

namespace popart {

class GraphTransformer {
public:
  explicit GraphTransformer(const std::string &modelOrFile);
  ~GraphTransformer();
  GraphTransformer(const GraphTransformer &) = delete;
  GraphTransformer &operator=(const GraphTransformer &) = delete;

  std::string getModelProto() const; // the changed model as bytes

  // Tensors of one type become tensors of the other, values included. Those that an operator of
  // ONNX takes or gives in the first type only (the shape of Reshape, say) stay as they are.
  void convertFloatsToHalfs();
  void convertDoublesToFloats();
  void convertDoublesToHalfs();
  void convertBFloats16ToFloat32();
  void convertUINT8ToINT32();
  void convertUINT16ToINT32();
  void convertINT8ToINT32();
  void convertINT16ToINT32();
  // Values that do not fit are brought to the nearest that does, or refused (popart::error).
  void convertINT64ToINT32(bool clip = false);

  // Initialisers that are then no inputs of the graph: Constant nodes.
  void convertInitializersToConstants(const std::vector<TensorId> &ids);
  // convertInitializersToConstants for all of whole numbers.
  void convertAllFixedPointInitializersToConstants();
  void prepareNodesForTraining(); // BatchNormalization gives its five outputs
  void removeUnusedInputs();      // inputs that no node reads
  // Values of these go to a file of their own, which the model names.
  void saveInitializersExternally(const std::vector<TensorId> &ids, const std::string &file);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace popart
#endif
