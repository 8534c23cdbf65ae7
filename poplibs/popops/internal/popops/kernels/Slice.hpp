// SPDX-License-Identifier: MIT
// Many slices of one table, read or updated. Operands are in normal form: table [groups, shape...],
// rows [groups, n, slice shape...], offsets [groups, n, sliced dimensions].
//   slice
//     outputs: rows; read too if missing ones are kept
//     inputs:  table, offsets
//   update, in the order of the lookups
//     outputs: table, read and written
//     inputs:  rows, offsets; scale [1] of the table's type, or none
#pragma once
#include "openipu/Attributes.hpp"

namespace popops::kernels {

inline constexpr char slice[] = "popops.slice";   // SliceAttributes
inline constexpr char update[] = "popops.update"; // UpdateAttributes

// What an offset may be.
enum class Bounds : std::uint8_t {
  Wrap,  // inside the dimension; what leaves it at the end comes back at its beginning
  Clamp, // moved, as a signed number, so that the slice fits
  Skip   // as a signed number such that the slice fits, else there is no slice
};

struct SliceRequest {
  std::vector<std::uint32_t> dims, sizes; // of the table without its groups
  Bounds bounds = Bounds::Wrap;
  bool remap = false;    // a bad offset means 0
  bool padding = false;  // an offset one past the end means a slice of zeros
  bool validate = false; // a bad offset ends the program
  std::string name;      // for that error

  void write(openipu::AttributeWriter &to) const {
    to.put(dims).put(sizes).put(bounds).put(remap).put(padding).put(validate).put(name);
  }
  static SliceRequest read(openipu::AttributeReader &from) {
    SliceRequest r;
    r.dims = from.getVector<std::uint32_t>();
    r.sizes = from.getVector<std::uint32_t>();
    r.bounds = from.get<Bounds>();
    r.remap = from.get<bool>();
    r.padding = from.get<bool>();
    r.validate = from.get<bool>();
    r.name = from.getString();
    return r;
  }
};

struct SliceAttributes {
  SliceRequest request;
  bool keepMissing =
      false; // a lookup out of range leaves its rows as they were; else they become zero

  std::string write() const {
    openipu::AttributeWriter to;
    request.write(to);
    return to.put(keepMissing).take();
  }
  static SliceAttributes read(std::string_view bytes) {
    openipu::AttributeReader from(bytes);
    auto request = SliceRequest::read(from);
    return {std::move(request), from.get<bool>()};
  }
};

enum class Update : std::uint8_t { Replace, Add, Max, Mul };

struct UpdateAttributes {
  SliceRequest request;
  Update op = Update::Replace;
  bool floatPartials = false; // halves are combined as floats and rounded once per row

  std::string write() const {
    openipu::AttributeWriter to;
    request.write(to);
    return to.put(op).put(floatPartials).take();
  }
  static UpdateAttributes read(std::string_view bytes) {
    openipu::AttributeReader from(bytes);
    auto request = SliceRequest::read(from);
    const auto op = from.get<Update>();
    return {std::move(request), op, from.get<bool>()};
  }
};

} // namespace popops::kernels
