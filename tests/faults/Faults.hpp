// SPDX-License-Identifier: MIT
// Memory and files that fail when a test wants it. The functions of the C library that give memory,
// use files and start threads are counted in every library of the process, and the n-th of them,
// or all from the n-th on, fails as a machine makes it fail: no memory, a full disk, a bad disk, no
// descriptors, a signal, half of the bytes.
//
// Linked into a test program it stands before the C library.
#pragma once
#include <cstdint>
#include <string>

namespace faults {

enum class Kind { Allocation, File };

constexpr int shortTransfer = -1; // in place of an error: half of the bytes are read or written

struct Fault {
  Kind kind = Kind::Allocation;
  std::uint64_t at = 0; // the first operation is 1; 0: none fails, they are counted
  int error = 0;        // errno of operations on files
  bool lasting = false; // all later ones fail too
};

// From here on, in all threads.
void arm(const Fault &fault);
// Until here. How many operations there were.
std::uint64_t disarm();
// Whether it came to the failure, and of which function.
bool struck();
std::string text(const Fault &fault);
void showStack(); // of the failure, on standard error

} // namespace faults
