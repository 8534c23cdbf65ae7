// SPDX-License-Identifier: MIT
// Shared bandwidth between IPUs: a constraint limits the sum of the flows it names.
#pragma once
#include <tuple>
#include <vector>

namespace poplar {

// Traffic from IPU src to IPU dst.
struct GlobalExchangeFlow {
  unsigned src, dst;
  GlobalExchangeFlow(unsigned s, unsigned d) : src(s), dst(d) {}
};
inline bool operator==(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
  return a.src == b.src && a.dst == b.dst;
}
inline bool operator<(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
  return std::tie(a.src, a.dst) < std::tie(b.src, b.dst);
}

// bandwidth: bits per second, shared by all the flows.
struct GlobalExchangeConstraint {
  double bandwidth;
  std::vector<GlobalExchangeFlow> flows;
  GlobalExchangeConstraint(double b, std::vector<GlobalExchangeFlow> f)
      : bandwidth(b), flows(std::move(f)) {}
};
inline bool operator==(const GlobalExchangeConstraint &a, const GlobalExchangeConstraint &b) {
  return a.bandwidth == b.bandwidth && a.flows == b.flows;
}
inline bool operator<(const GlobalExchangeConstraint &a, const GlobalExchangeConstraint &b) {
  return std::tie(a.bandwidth, a.flows) < std::tie(b.bandwidth, b.flows);
}

} // namespace poplar
