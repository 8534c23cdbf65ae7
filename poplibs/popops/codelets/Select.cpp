// SPDX-License-Identifier: MIT
R"codelet(// in3 ? in1 : in2, and min(max(in1, in2), in3). Broadcast: the operands that are one value.
namespace popops {

template <class T> T clamp(T x, T low, T high) {
  const T above = x < low ? low : x;
  return above > high ? high : above;
}

template <class T> class Select : public Vertex {
public:
  Vector<Input<Vector<T>>> in1;
  Vector<Input<Vector<T>>> in2;
  Vector<Input<Vector<bool>>> in3;
  Vector<Output<Vector<T>>> out;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = in3[r][i] ? in1[r][i] : in2[r][i];
    return true;
  }
};

template <class T> class SelectInPlace : public Vertex {
public:
  Vector<InOut<Vector<T>>> in1Out;
  Vector<Input<Vector<T>>> in2;
  Vector<Input<Vector<bool>>> in3;
  bool compute() {
    for (unsigned r = 0; r < in1Out.size(); ++r)
      for (unsigned i = 0; i < in1Out[r].size(); ++i)
        in1Out[r][i] = in3[r][i] ? T(in1Out[r][i]) : T(in2[r][i]);
    return true;
  }
};

template <class T> class BroadcastSelect : public Vertex {
public:
  Input<T> in1;
  Input<T> in2;
  Vector<Input<Vector<bool>>> in3;
  Vector<Output<Vector<T>>> out;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = in3[r][i] ? *in1 : *in2;
    return true;
  }
};

template <class T> class BroadcastSelectorSelect : public Vertex {
public:
  Vector<Input<Vector<T>>> in1;
  Vector<Input<Vector<T>>> in2;
  Input<bool> in3;
  Vector<Output<Vector<T>>> out;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = *in3 ? in1[r][i] : in2[r][i];
    return true;
  }
};

template <class T> class BroadcastSelectorSelectInPlace : public Vertex {
public:
  Vector<InOut<Vector<T>>> in1Out;
  Vector<Input<Vector<T>>> in2;
  Input<bool> in3;
  bool compute() {
    for (unsigned r = 0; r < in1Out.size(); ++r)
      for (unsigned i = 0; i < in1Out[r].size(); ++i)
        in1Out[r][i] = *in3 ? T(in1Out[r][i]) : T(in2[r][i]);
    return true;
  }
};

template <class T> class Clamp : public Vertex {
public:
  Vector<Input<Vector<T>>> in1;
  Vector<Input<Vector<T>>> in2;
  Vector<Input<Vector<T>>> in3;
  Vector<Output<Vector<T>>> out;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = clamp<T>(in1[r][i], in2[r][i], in3[r][i]);
    return true;
  }
};

template <class T> class ClampInPlace : public Vertex {
public:
  Vector<InOut<Vector<T>>> in1Out;
  Vector<Input<Vector<T>>> in2;
  Vector<Input<Vector<T>>> in3;
  bool compute() {
    for (unsigned r = 0; r < in1Out.size(); ++r)
      for (unsigned i = 0; i < in1Out[r].size(); ++i)
        in1Out[r][i] = clamp<T>(in1Out[r][i], in2[r][i], in3[r][i]);
    return true;
  }
};

template <class T> class BroadcastClamp : public Vertex {
public:
  Vector<Input<Vector<T>>> in1;
  Input<T> in2;
  Input<T> in3;
  Vector<Output<Vector<T>>> out;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = clamp<T>(in1[r][i], *in2, *in3);
    return true;
  }
};

template <class T> class BroadcastClampInPlace : public Vertex {
public:
  Vector<InOut<Vector<T>>> in1Out;
  Input<T> in2;
  Input<T> in3;
  bool compute() {
    for (unsigned r = 0; r < in1Out.size(); ++r)
      for (unsigned i = 0; i < in1Out[r].size(); ++i)
        in1Out[r][i] = clamp<T>(in1Out[r][i], *in2, *in3);
    return true;
  }
};

} // namespace popops
)codelet"
