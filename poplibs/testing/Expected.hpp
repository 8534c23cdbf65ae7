// SPDX-License-Identifier: MIT
// Several outputs of one run beside the values they should have, and loops over elements to
// compute those with.
#pragma once
#include "Session.hpp"
#include <string>

// Outputs that are compared after one run.
struct Expected {
  Session s;
  struct Case {
    std::size_t output;
    Doubles values;
    double relative, absolute;
    std::string what;
  };
  std::vector<Case> cases;

  void expect(const poplar::Tensor &t, Doubles values, double relative, double absolute,
              const std::string &what) {
    cases.push_back({s.output(t), std::move(values), relative, absolute, what});
  }
  void run() {
    s.run();
    for (const auto &c : cases) {
      SCOPED_TRACE(c.what);
      expectClose(s.values(c.output), c.values, c.relative, c.absolute);
    }
  }
};

inline double toHalf(double x) { return Session::halfToFloat(Session::floatToHalf(float(x))); }

template <class F> Doubles each(const Doubles &a, F f) {
  Doubles out;
  for (double x : a)
    out.push_back(f(x));
  return out;
}
template <class F> Doubles each(const Doubles &a, const Doubles &b, F f) {
  Doubles out;
  for (std::size_t i = 0; i < a.size(); ++i)
    out.push_back(f(a[i], b[i]));
  return out;
}
