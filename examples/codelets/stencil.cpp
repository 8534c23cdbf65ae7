// SPDX-License-Identifier: MIT
// One step of heat flow on a block of a grid: each point moves towards the mean of its neighbours.
#include <poplar/Vertex.hpp>

using namespace poplar;

class HeatStep : public Vertex {
public:
  Vector<Input<Vector<float>>> in;   // the block's rows with one more row and column on every side
  Vector<Output<Vector<float>>> out; // the block's rows
  float alpha;

  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r) {
      const float *above = &in[r][0];
      const float *here = &in[r + 1][0];
      const float *below = &in[r + 2][0];
      float *__restrict to = &out[r][0]; // never overlaps what is read
      const int n = out[r].size();       // signed: c + 2 cannot wrap, so the loop can be vectorised
      for (int c = 0; c < n; ++c) {
        const float around = above[c + 1] + below[c + 1] + here[c] + here[c + 2];
        to[c] = here[c + 1] + alpha * (around - 4 * here[c + 1]);
      }
    }
    return true;
  }
};
