// SPDX-License-Identifier: MIT
// What the kernel popops.reduce is told about each reduction, beside its operands.
#pragma once
#include "openipu/Attributes.hpp"
#include "popops/OperationDef.hpp"
#include <stdexcept>
#include <string>
#include <vector>

namespace popops::reduction {

// Instead of an operation: whether any element is NaN, or not finite. The output is BOOL.
enum class Test : std::uint8_t { None, NaN, NotFinite };

struct Spec {
  Operation op = Operation::ADD;
  bool update = false, useScale = false;
  bool interTileHalf = false, inVertexHalf = false; // partial results are rounded to half
  Test test = Test::None;
  std::vector<bool> reduced; // one per dimension of the input
};

inline std::string writeSpecs(const std::vector<Spec> &specs) {
  openipu::AttributeWriter out;
  out.put(std::uint32_t(specs.size()));
  for (const auto &s : specs) {
    out.put(std::uint8_t(s.op)).put(s.update).put(s.useScale);
    out.put(s.interTileHalf).put(s.inVertexHalf).put(s.test);
    out.put(std::vector<std::uint8_t>(s.reduced.begin(), s.reduced.end()));
  }
  return out.take();
}

inline std::vector<Spec> readSpecs(std::string_view bytes) {
  openipu::AttributeReader in(bytes);
  std::vector<Spec> specs;
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    Spec s;
    auto op = in.get<std::uint8_t>();
    if (op > std::uint8_t(Operation::LOG_ADD))
      throw std::runtime_error("popops.reduce: there is no such operation; the executable is "
                               "damaged. Compile it again.");
    s.op = Operation(op);
    s.update = in.get<bool>();
    s.useScale = in.get<bool>();
    s.interTileHalf = in.get<bool>();
    s.inVertexHalf = in.get<bool>();
    s.test = Test(in.get<std::uint8_t>());
    for (auto flag : in.getVector<std::uint8_t>())
      s.reduced.push_back(flag != 0);
    specs.push_back(std::move(s));
  }
  return specs;
}

} // namespace popops::reduction
