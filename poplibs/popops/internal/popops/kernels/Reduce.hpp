// SPDX-License-Identifier: MIT
// Any number of reductions in one go.
//   outputs: one per reduction; read too if it updates
//   inputs:  one per reduction; then the scales [1], float, of those that have one
#pragma once
#include "openipu/Attributes.hpp"
#include "popops/OperationDef.hpp"
#include <stdexcept>
#include <string>
#include <vector>

namespace popops::kernels {

inline constexpr char reduce[] = "popops.reduce";

// Instead of an operation: whether any element is NaN, or not finite. The output is BOOL.
enum class ReduceTest : std::uint8_t { None, NaN, NotFinite };

struct ReduceSpec {
  Operation op = Operation::ADD;
  bool update = false, useScale = false;
  bool interTileHalf = false, inVertexHalf = false; // partial results are rounded to half
  ReduceTest test = ReduceTest::None;
  std::vector<bool> reduced; // one per dimension of the input
};

inline std::string writeReductions(const std::vector<ReduceSpec> &specs) {
  openipu::AttributeWriter out;
  out.put(std::uint32_t(specs.size()));
  for (const auto &s : specs) {
    out.put(std::uint8_t(s.op)).put(s.update).put(s.useScale);
    out.put(s.interTileHalf).put(s.inVertexHalf).put(s.test);
    out.put(std::vector<std::uint8_t>(s.reduced.begin(), s.reduced.end()));
  }
  return out.take();
}

inline std::vector<ReduceSpec> readReductions(std::string_view bytes) {
  openipu::AttributeReader in(bytes);
  std::vector<ReduceSpec> specs;
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    ReduceSpec s;
    auto op = in.get<std::uint8_t>();
    if (op > std::uint8_t(Operation::LOG_ADD))
      throw std::runtime_error("popops.reduce: there is no such operation; the executable is "
                               "damaged. Compile it again.");
    s.op = Operation(op);
    s.update = in.get<bool>();
    s.useScale = in.get<bool>();
    s.interTileHalf = in.get<bool>();
    s.inVertexHalf = in.get<bool>();
    s.test = ReduceTest(in.get<std::uint8_t>());
    for (auto flag : in.getVector<std::uint8_t>())
      s.reduced.push_back(flag != 0);
    specs.push_back(std::move(s));
  }
  return specs;
}

} // namespace popops::kernels
