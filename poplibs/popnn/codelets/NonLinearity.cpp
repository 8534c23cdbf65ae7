// SPDX-License-Identifier: MIT
R"codelet(// Non-linearities of neurons, forwards and backwards.
#include <cmath>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popnn {

enum class NonLinearityType {
  SIGMOID, HARD_SIGMOID, RELU, TANH, GELU, GELU_ERF, SWISH, SOFTMAX, SOFTMAX_STABLE, SOFTMAX_SCALED
};

inline float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }
inline float normalCdf(float x) { return 0.5f * (1.0f + std::erf(x * 0.70710678f)); }
inline float geluTanh(float x) {
  return std::tanh(0.7978845608f * x * (1.0f + 0.044715f * x * x));
}

template <NonLinearityType type> inline float nonLinearity(float x) {
  switch (type) {
  case NonLinearityType::SIGMOID: return sigmoid(x);
  case NonLinearityType::HARD_SIGMOID: return std::fmin(1.0f, std::fmax(0.0f, 0.2f * x + 0.5f));
  case NonLinearityType::RELU: return x < 0.0f ? 0.0f : x;
  case NonLinearityType::TANH: return std::tanh(x);
  case NonLinearityType::GELU: return 0.5f * x * (1.0f + geluTanh(x));
  case NonLinearityType::GELU_ERF: return x * normalCdf(x);
  default: return x * sigmoid(x);
  }
}

// a is the input of GELU, GELU_ERF and SWISH, the output of the others; HARD_SIGMOID takes whatever it
// is given to lie within [-2.5, 2.5] or not.
template <NonLinearityType type> inline float gradient(float a, float g) {
  switch (type) {
  case NonLinearityType::SIGMOID: return g * a * (1.0f - a);
  case NonLinearityType::HARD_SIGMOID: return a >= -2.5f && a <= 2.5f ? 0.2f * g : 0.0f;
  case NonLinearityType::RELU: return a > 0.0f ? g : 0.0f;
  case NonLinearityType::TANH: return g * (1.0f - a * a);
  case NonLinearityType::GELU: {
    float t = geluTanh(a);
    return g * (0.5f * (1.0f + t) +
                0.5f * a * (1.0f - t * t) * 0.7978845608f * (1.0f + 3.0f * 0.044715f * a * a));
  }
  case NonLinearityType::GELU_ERF:
    return g * (normalCdf(a) + a * 0.39894228f * std::exp(-0.5f * a * a));
  default: {
    float s = sigmoid(a);
    return g * s * (1.0f + a * (1.0f - s));
  }
  }
}

template <class T, NonLinearityType type> class NonLinearity1D : public MultiVertex {
public:
  Input<Vector<T>> data;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < data.size(); i += numWorkers())
      out[i] = T(nonLinearity<type>(float(data[i])));
    return true;
  }
};

template <class T, NonLinearityType type> class NonLinearity1DInPlace : public MultiVertex {
public:
  InOut<Vector<T>> data;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < data.size(); i += numWorkers())
      data[i] = T(nonLinearity<type>(float(data[i])));
    return true;
  }
};

template <class T, NonLinearityType type> class NonLinearity2D : public Vertex {
public:
  Vector<Input<Vector<T>>> data;
  Vector<Output<Vector<T, VectorLayout::ONE_PTR>>> out;
  bool compute() {
    for (unsigned r = 0; r < data.size(); ++r)
      for (unsigned i = 0; i < data[r].size(); ++i)
        out[r][i] = T(nonLinearity<type>(float(data[r][i])));
    return true;
  }
};

template <class T, NonLinearityType type> class NonLinearity2DInPlace : public Vertex {
public:
  Vector<InOut<Vector<T>>> data;
  bool compute() {
    for (unsigned r = 0; r < data.size(); ++r)
      for (unsigned i = 0; i < data[r].size(); ++i)
        data[r][i] = T(nonLinearity<type>(float(data[r][i])));
    return true;
  }
};

template <class T, NonLinearityType type> class NonLinearityGrad1D : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> outGrad;
  Input<Vector<T, VectorLayout::ONE_PTR>> out;
  Output<Vector<T>> inGrad;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < inGrad.size(); i += numWorkers())
      inGrad[i] = T(gradient<type>(float(out[i]), float(outGrad[i])));
    return true;
  }
};

template <class T, NonLinearityType type> class NonLinearityGrad2D : public Vertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> outGrad;
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> out;
  Vector<Output<Vector<T>>> inGrad;
  bool compute() {
    for (unsigned r = 0; r < inGrad.size(); ++r)
      for (unsigned i = 0; i < inGrad[r].size(); ++i)
        inGrad[r][i] = T(gradient<type>(float(out[r][i]), float(outGrad[r][i])));
    return true;
  }
};

} // namespace popnn
)codelet"
