// SPDX-License-Identifier: MIT
// The bound checks that tables and steps share. Each throws poplar_error when a walk over elements
// leaves its variable; sums are formed in 128 bits, so no value in a file can wrap around.
#pragma once
#include "executable/Image.hpp"
#include <iosfwd>

namespace poplar::executable {

__extension__ using Wide = __int128;

// What is being checked, for a message that is built only when the check fails: `step 12, operand
// 0`.
struct Where {
  const char *what;
  std::uint64_t index;
  const char *part = nullptr;
  std::uint64_t partIndex = 0;
};
std::ostream &operator<<(std::ostream &out, const Where &where);

struct Bounds {
  const Image &image;

  const Variable &variable(std::uint32_t index, const Where &where) const;
  void run(const Run &run, const Where &where) const;
  void view(const tensor::View &view, const Where &where) const;
  // Both sides in variables.
  void moves(const std::vector<Move> &moves, const Where &where) const;
  // One side in a host buffer of `hostBytes`.
  enum class Host { From, To };
  void moves(const std::vector<Move> &moves, Host host, std::uint64_t hostBytes,
             const Where &where) const;

private:
  void side(const Move &move, bool from, std::uint64_t bytes, const Where &where) const;
  void deviceSide(const Move &move, bool from, const Where &where) const;
};

// elements * bytes per element; throws when it does not fit 63 bits.
std::uint64_t checkedBytes(std::uint64_t elements, TypeId type, const Where &where);
std::uint64_t checkedProduct(const std::vector<std::size_t> &shape, const Where &where);
void checkType(TypeId type, const Where &where);

} // namespace poplar::executable
