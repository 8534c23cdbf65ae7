// SPDX-License-Identifier: MIT
// The libraries that operators are measured beside: oneDNN called directly, OpenBLAS if it is
// installed, and Debian's torch through a Python process if that is installed.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace bench {

// C = A B, row-major floats, m x k times k x n. Empty when OpenBLAS is not installed.
using Gemm = std::function<void(std::size_t m, std::size_t n, std::size_t k, const float *a,
                                const float *b, float *c)>;
Gemm openBlas();

enum class ConvPass { Forward, Data, Weights };
struct ConvShape {
  int batch, in, out, side, kernel, pad;
  int outSide() const { return side + 2 * pad - kernel + 1; }
};
// One call on channels-last data with whatever weights layout oneDNN likes best, on all threads.
std::function<void()> dnnlConvolution(const ConvShape &shape, ConvPass pass);
std::function<void()> dnnlMatMul(std::size_t m, std::size_t n, std::size_t k);

// Median of `repeats` calls of ours and of the peer, block by block in turn. The peer runs on a
// thread of its own, so that its OpenMP settings are its own, and gets time to stop spinning.
struct Beside {
  double ours, peer;
};
Beside beside(unsigned repeats, const std::function<void()> &ours,
              const std::function<void()> &peer);

// Seconds by name, as torch_peer.py prints them; empty when torch is not installed. `names`: what
// to measure.
std::map<std::string, double> torchSeconds(const std::vector<std::string> &names);

} // namespace bench
