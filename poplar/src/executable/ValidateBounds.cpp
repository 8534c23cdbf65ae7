// SPDX-License-Identifier: MIT
#include "executable/ValidateBounds.hpp"
#include "base/CheckedSize.hpp"
#include "executable/Validate.hpp"
#include <limits>
#include <ostream>

namespace poplar::executable {

constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();

std::ostream &operator<<(std::ostream &out, const Where &where) {
  out << where.what << ' ' << where.index;
  return where.part ? out << ", " << where.part << ' ' << where.partIndex : out;
}

void checkType(TypeId type, const Where &where) {
  if (static_cast<unsigned>(type) >= numTypeIds)
    inconsistent(where, " has unknown element type ", static_cast<unsigned>(type));
}

std::uint64_t checkedBytes(std::uint64_t elements, TypeId type, const Where &where) {
  checkType(type, where);
  if (elements > largest / sizeOf(type))
    inconsistent(where, " has ", elements, " elements, more than memory can hold");
  return elements * sizeOf(type);
}

std::uint64_t checkedProduct(const std::vector<std::size_t> &shape, const Where &where) {
  if (auto elements = base::checkedElements(shape))
    return *elements;
  inconsistent(where, " has shape ", base::list(shape), ", more elements than memory can hold");
}

const Variable &Bounds::variable(std::uint32_t index, const Where &where) const {
  if (index >= image.variables.size())
    inconsistent(where, " uses variable ", index, " of ", image.variables.size());
  return image.variables[index];
}

void Bounds::run(const Run &run, const Where &where) const {
  const auto &var = variable(run.var, where);
  Wide first = run.offset, last = first + (Wide(run.count) - 1) * run.stride;
  if (run.count == 0 || first < 0 || last < 0 || first >= Wide(var.elements) ||
      last >= Wide(var.elements))
    inconsistent(where, " has offset ", run.offset, ", count ", run.count, ", stride ", run.stride,
                 " in variable \"", var.name, "\" of ", var.elements, " elements");
}

// ---- moves ------------------------------------------------------------------------------------

void Bounds::side(const Move &move, bool from, std::uint64_t bytes, const Where &where) const {
  Wide low = from ? move.fromOffset : move.toOffset, high = low;
  for (const auto &loop : move.loops) {
    if (loop.extent == 0)
      inconsistent(where, " has a loop without iterations");
    if (loop.extent > largest)
      inconsistent(where, " has a loop of ", loop.extent, " iterations");
    Wide reach = Wide(loop.extent - 1) * (from ? loop.from : loop.to);
    (reach < 0 ? low : high) += reach;
    // Keeps the sum of many loops away from the ends of 128 bits.
    if (low < 0 || high > Wide(largest))
      break;
  }
  if (low < 0 || high > Wide(largest) || (high + 1) * move.elementBytes > Wide(bytes))
    inconsistent(where, from ? " reads" : " writes", " outside its ", bytes, " bytes of ",
                 (from ? move.fromVar : move.toVar) == none ? "host buffer" : "variable");
}

void Bounds::deviceSide(const Move &move, bool from, const Where &where) const {
  const auto &var = variable(from ? move.fromVar : move.toVar, where);
  if (sizeOf(var.type) != move.elementBytes)
    inconsistent(where, " moves elements of ", unsigned(move.elementBytes), " bytes, variable \"",
                 var.name, "\" has ", sizeOf(var.type));
  side(move, from, var.bytes(), where);
}

void Bounds::moves(const std::vector<Move> &moves, const Where &where) const {
  for (const auto &move : moves) {
    deviceSide(move, true, where);
    deviceSide(move, false, where);
  }
}

void Bounds::moves(const std::vector<Move> &moves, Host host, std::uint64_t hostBytes,
                   const Where &where) const {
  bool fromHost = host == Host::From;
  for (const auto &move : moves) {
    if ((fromHost ? move.fromVar : move.toVar) != none)
      inconsistent(where, " has a move between variables where one with the host belongs");
    side(move, fromHost, hostBytes, where);
    deviceSide(move, !fromHost, where);
  }
}

// ---- views ------------------------------------------------------------------------------------

static std::uint64_t checkBox(const tensor::Piece &piece, const tensor::Shape &shape,
                              const Where &where) {
  if (piece.box.size() != shape.size())
    inconsistent(where, " has a piece of rank ", piece.box.size(), " in shape ", base::list(shape));
  std::vector<Wide> walked(shape.size(), 1);
  unsigned before = 0;
  for (const auto &loop : piece.loops) {
    if (loop.dim >= shape.size() || loop.dim < before || loop.extent < 2)
      inconsistent(where, " has a loop of extent ", loop.extent, " over dimension ", loop.dim,
                   " of shape ", base::list(shape));
    before = loop.dim;
    if ((walked[loop.dim] *= Wide(loop.extent)) > Wide(shape[loop.dim]))
      inconsistent(where, " has loops beyond dimension ", loop.dim, " of shape ",
                   base::list(shape));
  }
  std::uint64_t volume = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    auto [begin, extent] = piece.box[d];
    if (extent == 0 || begin >= shape[d] || extent > shape[d] - begin || Wide(extent) != walked[d])
      inconsistent(where, " has a piece at ", begin, " of extent ", extent, " in dimension ", d,
                   " of shape ", base::list(shape));
    volume *= extent; // at most the product of the shape, which was checked
  }
  return volume;
}

static void checkReach(const tensor::Piece &piece, const Variable &var, const Where &where) {
  Wide low = piece.offset, high = low;
  for (const auto &loop : piece.loops) {
    Wide reach = Wide(loop.extent - 1) * loop.stride;
    (reach < 0 ? low : high) += reach;
  }
  if (low < 0 || high >= Wide(var.elements))
    inconsistent(where, " reaches elements outside variable \"", var.name, "\" of ", var.elements,
                 " elements");
}

void Bounds::view(const tensor::View &view, const Where &where) const {
  checkType(view.type, where);
  auto elements = checkedProduct(view.shape, where);
  checkedBytes(elements, view.type, where);
  Wide covered = 0;
  for (const auto &piece : view.pieces) {
    const auto &var = variable(piece.var.value, where);
    if (sizeOf(var.type) != sizeOf(view.type))
      inconsistent(where, " has elements of ", sizeOf(view.type), " bytes, variable \"", var.name,
                   "\" of ", sizeOf(var.type));
    covered += checkBox(piece, view.shape, where);
    checkReach(piece, var, where);
  }
  if (covered != Wide(elements))
    inconsistent(where, " has pieces of ", std::uint64_t(covered), " elements for shape ",
                 base::list(view.shape));
  if (!view.metadata)
    return;
  if (view.metadata->metadata)
    inconsistent(where, " has metadata that has metadata");
  this->view(*view.metadata, where);
  if (view.metadata->shape.size() > 1 || view.metadata->pieces.size() != 1)
    inconsistent(where, " has metadata of shape ", base::list(view.metadata->shape));
}

} // namespace poplar::executable
