// SPDX-License-Identifier: MIT
// What can go wrong on a device, and where.
#pragma once
#include <poplar/StringRef.hpp>
#include <string>

namespace poplar {

// Why a device stopped.
enum class ErrorCode {
  NONE,
  UNKNOWN,
  TRAP,
  FLOATING_POINT_INVALID_OPERATION,
  FLOATING_POINT_DIVIDE_BY_ZERO,
  FLOATING_POINT_OVERFLOW,
  TILE_MEMORY_BANK_CONFLICT,
  INVALID_EXCHANGE_CONFIGURATION,
  INVALID_ADDRESS,
  INVALID_OPERAND,
  INVALID_PROGRAM_COUNTER,
  INVALID_INSTRUCTION,
  EXCHANGE_ERROR,
  MEMORY_ERROR,
  IPUSOFTERR,
  IPU_MEMORY_FAILURE,
  LINK_DOWN,
  HOST_LINK_DOWN,
  HOST_SYNC_TIMEOUT
};

std::string errorCodeToString(ErrorCode code); // the enumerator's name
// Throws poplar_error, with near matches, for a name that is not one of the above.
ErrorCode errorCodeFromString(StringRef name);

// A tile of an IPU, and the worker context on it (context < 0: the supervisor, or unknown).
struct ErrorLocation {
  unsigned ipu = 0;  // the IPU within the device
  unsigned tile = 0; // the tile within the IPU
  int context = -1;
  friend bool operator==(const ErrorLocation &a, const ErrorLocation &b) {
    return a.ipu == b.ipu && a.tile == b.tile && a.context == b.context;
  }
  friend bool operator<(const ErrorLocation &a, const ErrorLocation &b) {
    return a.ipu != b.ipu     ? a.ipu < b.ipu
           : a.tile != b.tile ? a.tile < b.tile
                              : a.context < b.context;
  }
};

} // namespace poplar
