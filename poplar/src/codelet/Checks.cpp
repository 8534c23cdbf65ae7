// SPDX-License-Identifier: MIT
#include "codelet/Checks.hpp"
#include "base/Text.hpp"
#include "codelet/Errors.hpp"
#include "codelet/Guard.hpp"
#include "poplar/codelet/Hooks.hpp"
#include <algorithm>
#include <cstring>
#include <link.h>

namespace poplar::codelet {
namespace {

// Codelets for the device load in pairs, and the last pair may reach behind the end.
constexpr std::uintptr_t harmlessOverread = 8;
constexpr std::uintptr_t nearby = 1 << 16; // bytes from a field that an access may be meant for

std::uintptr_t beginOf(const FieldCheck &check) {
  return reinterpret_cast<std::uintptr_t>(check.data);
}

bool contains(const FieldCheck &check, std::uintptr_t at, std::size_t bytes) {
  return at - beginOf(check) < check.bytes && bytes <= check.bytes - (at - beginOf(check));
}

bool permits(const FieldCheck &check, std::uintptr_t at, std::size_t bytes, int access) {
  if (contains(check, at, bytes))
    return check.writable || access != TouchWrite;
  const auto begin = beginOf(check), end = begin + check.bytes;
  return access == TouchRead && at - begin < check.bytes && at + bytes - end < harmlessOverread;
}

// ---- words ----

std::string at(const std::string &line) {
  return line.empty() ? std::string() : base::str(" (", line, ")");
}

std::string element(const FieldCheck &check, long long index) {
  std::string text = base::str("field \"", check.field, "\"");
  if (check.outer != FieldCheck::noOuter)
    text += base::str("[", check.outer, "]");
  return base::str(text, "[", index, "]");
}

std::string outOfBounds(const FieldCheck &check, long long index, unsigned long long size,
                        const std::string &line) {
  const auto distance = index < 0 ? -index : index - (long long)size + 1;
  return base::str(element(check, index), " is out of bounds, ", distance,
                   distance == 1 ? " element " : " elements ",
                   index < 0 ? "before the beginning" : "past the end", "; the size is ", size,
                   at(line), ". Correct the index in compute(), or connect a larger tensor.");
}

std::string neverWritten(const FieldCheck &check, long long index, const std::string &line) {
  return base::str(element(check, index), " is read but was never written", at(line),
                   ". Write the tensor before this compute set runs.");
}

// The message, while the call is left: no destructor runs on the way.
std::string &message() {
  thread_local std::string text;
  return text;
}

// Ends the call with message(); outside a call it is thrown.
[[noreturn]] void leave() {
  auto *call = currentCall();
  if (!call)
    throw TrapError(base::str("A vertex: ", message()));
  call->violation = &message();
  leaveCall(*call);
}

// ---- accesses ----

long long elementOf(const FieldCheck &check, std::uintptr_t address) {
  const auto bytes = std::intptr_t(address - beginOf(check));
  const auto size = std::intptr_t(std::max(check.shadowStride, 1u));
  return bytes < 0 ? -((-bytes + size - 1) / size) : bytes / size;
}

std::uintptr_t distanceOf(const FieldCheck &check, std::uintptr_t address) {
  const auto begin = beginOf(check), end = begin + check.bytes;
  return address < begin ? begin - address : address < end ? 0 : address - end;
}

// The field that an access was meant for: the nearest, if one is near.
const FieldCheck *fieldNear(std::span<const FieldCheck> operands, std::uintptr_t address) {
  const FieldCheck *best = nullptr;
  for (const auto &check : operands)
    if (check.field && distanceOf(check, address) < nearby &&
        (!best || distanceOf(check, address) < distanceOf(*best, address)))
      best = &check;
  return best;
}

std::string describeAccess(std::span<const FieldCheck> operands, std::uintptr_t address,
                           std::size_t bytes, bool isWrite, std::uintptr_t where) {
  const auto line = sourceLine(where - 1);
  const auto *field = fieldNear(operands, address);
  if (!field)
    return base::str(isWrite ? "writes " : "reads ", bytes, " bytes at an address (0x",
                     std::string(PlainText().hex(address).view()), ") that belongs to no field",
                     at(line), ". Correct the pointer in compute().");
  const auto size = field->bytes / std::max(field->shadowStride, 1u);
  if (!contains(*field, address, bytes)) {
    // An access that begins inside names its first element outside.
    const auto end = beginOf(*field) + field->bytes;
    const auto outside = address >= beginOf(*field) && address < end ? end : address;
    return outOfBounds(*field, elementOf(*field, outside), size, line);
  }
  return base::str(element(*field, elementOf(*field, address)), " is written, and it is an Input",
                   at(line), ". Declare the field InOut, or write to an Output.");
}

// Thread-local data of the codelet's image.
bool isThreadData(std::uintptr_t address, const CodeRange &image) {
  struct Search {
    std::uintptr_t address;
    const CodeRange &image;
  } search{address, image};
  return ::dl_iterate_phdr(
             [](dl_phdr_info *object, std::size_t, void *data) {
               const auto &wanted = *static_cast<Search *>(data);
               const auto begin = reinterpret_cast<std::uintptr_t>(object->dlpi_tls_data);
               if (!begin || object->dlpi_addr > wanted.image.begin ||
                   object->dlpi_addr < wanted.image.imageBegin)
                 return 0;
               for (int i = 0; i < object->dlpi_phnum; ++i)
                 if (object->dlpi_phdr[i].p_type == PT_TLS &&
                     wanted.address - begin < object->dlpi_phdr[i].p_memsz)
                   return 1;
               return 0;
             },
             &search) != 0;
}

const FieldCheck *findOperand(VertexCall &call, std::uintptr_t address, std::size_t bytes,
                              int access) {
  if (call.operandsOf != call.now) {
    call.operands = call.names->operands(call);
    call.operandsOf = call.now;
    call.touched = nullptr;
  }
  if (call.touched && permits(*call.touched, address, bytes, access))
    return call.touched;
  for (const auto &check : call.operands)
    if (permits(check, address, bytes, access)) {
      if (check.field)
        call.touched = &check;
      return &check;
    }
  return nullptr;
}

} // namespace

void touched(const void *pointer, unsigned long bytes, int access, const void *where) {
  auto *call = currentCall();
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!call || bytes == 0)
    return;
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (address >= frame && address < reinterpret_cast<std::uintptr_t>(call->stack))
    return;
  const auto *check = findOperand(*call, address, bytes, access);
  if (check && check->written) {
    auto *shadow = check->written + (address - beginOf(*check));
    const auto n = std::min<std::size_t>(bytes, check->bytes - (address - beginOf(*check)));
    if (access == TouchWrite)
      std::memset(shadow, 1, n);
    else if (!check->writable && std::all_of(shadow, shadow + n, [](auto b) { return b == 0; })) {
      message() = neverWritten(*check, elementOf(*check, address),
                               sourceLine(reinterpret_cast<std::uintptr_t>(where) - 1));
      leave();
    }
  }
  const auto &image = call->code;
  if (check || call->operands.empty() ||
      (address >= image.imageBegin && address < image.imageEnd) ||
      (access != TouchWrite && isHook(address)) || isThreadData(address, image))
    return;
  message() = describeAccess(call->operands, address, bytes, access == TouchWrite,
                             reinterpret_cast<std::uintptr_t>(where));
  leave();
}

void checkFailed(const FieldCheck *check, int kind, unsigned long long index,
                 unsigned long long size, const void *where) {
  const FieldCheck none{"a vertex", "?", 0, nullptr, 0, FieldCheck::noOuter};
  const FieldCheck &c = check ? *check : none;
  const auto code = reinterpret_cast<std::uintptr_t>(where) - 1;
  message() = kind == CheckOutOfBounds ? outOfBounds(c, (long long)index, size, sourceLine(code))
                                       : neverWritten(c, (long long)index, sourceLine(code));
  leave();
}

void undefined(int kind, const char *file, unsigned line) {
  const char *what = kind == UndefinedDivision
                         ? "integer division by zero, or of the smallest number by -1"
                     : kind == UndefinedIndex ? "an index outside a local or static array"
                                              : "a null pointer is followed";
  message() = base::str(what, " (", file ? file : "?", ":", line, "). Correct compute().");
  leave();
}

} // namespace poplar::codelet
