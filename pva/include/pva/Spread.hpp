// SPDX-License-Identifier: MIT
// How sure a modelled figure is: which published measurements its cycles are like, and how far the
// model is from those on average. Not part of the vendor's interface, so pva.hpp does not include
// it.
#pragma once
#include "pva/Cycles.hpp"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pva {

// The model beside published measurements of one kind: a line of the table of errors in
// docs/timing.md, which openipu-calibration printed.
struct ModelErrors {
  std::string kind;           // "products, half"
  unsigned rows;              // independent measurements; 0: those that there are set constants
  double mean, median, worst; // distances from 1 of modelled over published; the worst ratio
};
const std::vector<ModelErrors> &modelErrors(); // of all kinds, "whole models" and "all"

// The kind of measurements that cycles are like. Vertices that only have been measured as parts of
// models are "whole models". What no measurement is like is "control".
std::string measuredAs(CycleKind kind, const std::vector<std::string> &vertices);
std::string measuredAs(const Program &program); // the same for a program of a report

// The cycles of something by the measurements that they are like.
class Spread {
public:
  // Cycles that are like measurements of one kind.
  struct Part {
    std::string kind;           // as in modelErrors()
    std::uint64_t cycles;       // that are like it
    unsigned rows;              // independent measurements
    std::optional<double> mean; // error of these; none without rows
  };
  void add(const std::string &kind, std::uint64_t cycles) { cycles_[kind] += cycles; } // counts
  std::vector<Part> parts() const;    // the longest first
  std::uint64_t total() const;        // cycles of all parts
  double measured() const;            // the share of cycles that independent measurements are like
  std::optional<double> mean() const; // of those, if all err in the same direction; none: no such
  std::string inWords() const;        // "62 % products, half ±4.5 %, 38 % host (sets constants)"

private:
  std::map<std::string, std::uint64_t> cycles_;
};

} // namespace pva
