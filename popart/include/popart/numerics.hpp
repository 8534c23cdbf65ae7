// SPDX-License-Identifier: MIT
// Compares how two runs changed their weights: A0 -> A1 and B0 -> B1, each a model or its file.
#ifndef POPART_NUMERICS_HPP
#define POPART_NUMERICS_HPP
#include <popart/names.hpp>

namespace popart {
namespace numerics {

// How differently two runs changed the weights of one model.
class NumericsReport {
public:
  // popart::error unless all four have the same initializers.
  NumericsReport(std::string A0, std::string A1, std::string B0, std::string B1);

  std::string report(TensorId id) const; // popart::error for an unknown one
  std::string fullReport() const;        // report() of all weights
  // |dA - dB|^2 / (|dA| |dB|) of every weight, dA = A1 - A0; 0 where neither changed.
  std::map<TensorId, float> getRelativeErrors() const;

private:
  struct Sums {
    double a = 0, b = 0, difference = 0; // of squares
    float relative() const;
  };
  std::map<TensorId, Sums> sums_;
};

} // namespace numerics
} // namespace popart
#endif
