// SPDX-License-Identifier: MIT
R"codelet(// Runs of elements: nElementsT[i] from srcOffsetT[i] to dstOffsetT[i]. tmpT is scratch of the device
// version and is cleared here.
#include <poplar/Vertex.hpp>

namespace popops {
using namespace poplar;

template <class T> class SequenceSlice : public SupervisorVertex {
public:
  Input<Vector<T>> srcT;
  InOut<Vector<T>> dstT;
  Input<Vector<unsigned>> srcOffsetT;
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> dstOffsetT;
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> nElementsT;
  Output<Vector<unsigned>> tmpT;
  bool compute() {
    for (unsigned i = 0; i < srcOffsetT.size(); ++i)
      for (unsigned j = 0; j < nElementsT[i]; ++j) {
        const unsigned from = srcOffsetT[i] + j, to = dstOffsetT[i] + j;
        if (from < srcT.size() && to < dstT.size())
          dstT[to] = srcT[from];
      }
    for (unsigned i = 0; i < tmpT.size(); ++i)
      tmpT[i] = 0;
    return true;
  }
};

} // namespace popops
)codelet"
