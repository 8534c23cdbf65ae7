// SPDX-License-Identifier: MIT
// The folder in which processes of a user find each other: OPENIPU_RUNTIME_DIR, or else
// /tmp/openipu-<uid>. One that others may write to is refused with an Error.
#pragma once
#include "base/Folder.hpp"
#include <string>

namespace machine {

std::string environment(const char *name,
                        const std::string &otherwise = ""); // empty counts as unset

unsigned numberOf(const char *name, unsigned otherwise, unsigned least,
                  unsigned most); // BadVariable

base::Folder runtimeFolder();

// A lock of one byte of the file "lock" there, held while the object lives. It belongs to the open
// file: the death of the process frees it.
enum class Turn { Attach, Change }; // who attaches; who changes the state
class RuntimeLock {
public:
  RuntimeLock(const base::Folder &folder, Turn turn); // waits

private:
  base::Descriptor file_;
};

// Advisory locks of whole files, which the kernel ties to the open file (F_OFD_SETLK).
bool lockFile(int file);   // false if another has it
void unlockFile(int file); // also for copies of the descriptor in children
bool isLocked(int file);   // by somebody else; takes nothing

} // namespace machine
