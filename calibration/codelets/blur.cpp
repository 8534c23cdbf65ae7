// SPDX-License-Identifier: MIT
// A 3x3 blur, weights 1 2 1 both ways, of pixels with four channels: three products and eight sums
// for each. `in` has one pixel more on every side.
#include <ipudef.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

template <class V> static V blurred(const V *above, const V *here, const V *below, int step) {
  const V corners = above[-step] + above[step] + below[-step] + below[step];
  const V sides = above[0] + here[-step] + here[step] + below[0];
  return corners * 0.0625f + sides * 0.125f + here[0] * 0.25f;
}

// Rows of `width` pixels; V are `step` to a pixel.
template <class V> static void blurBlock(const V *in, V *out, int width, int height, int step) {
  const int pitch = (width + 2) * step;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width * step; ++x) {
      const V *here = in + (y + 1) * pitch + x + step;
      out[y * width * step + x] = blurred(here - pitch, here, here + pitch, step);
    }
}

class BlurFloat : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  unsigned width, height;
  bool compute() {
    blurBlock(&in[0], &out[0], int(width), int(height), 4);
    return true;
  }
};

class BlurFloat2 : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  unsigned width, height;
  bool compute() {
    blurBlock(reinterpret_cast<const float2 *>(&in[0]), reinterpret_cast<float2 *>(&out[0]),
              int(width), int(height), 2);
    return true;
  }
};

class BlurHalf4 : public Vertex {
public:
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<half, VectorLayout::ONE_PTR, 8>> out;
  unsigned width, height;
  bool compute() {
    blurBlock(reinterpret_cast<const half4 *>(&in[0]), reinterpret_cast<half4 *>(&out[0]),
              int(width), int(height), 1);
    return true;
  }
};
