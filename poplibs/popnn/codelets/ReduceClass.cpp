R"codelet(// The largest of some activations, and its label.
#include <poplar/Vertex.hpp>

namespace popnn {

template <class T, class Label> class ReduceMaxClassSparse : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T>> activations;
  poplar::Input<poplar::Vector<Label, poplar::VectorLayout::ONE_PTR>> labels;
  poplar::Output<T> maxValue;
  poplar::Output<Label> maxIndex;
  bool compute() {
    unsigned best = 0;
    for (unsigned i = 1; i < activations.size(); ++i)
      if (activations[best] < activations[i]) // of equal ones the first
        best = i;
    *maxValue = activations[best];
    *maxIndex = labels[best];
    return true;
  }
};

} // namespace popnn
)codelet"
