// SPDX-License-Identifier: MIT
// The file of an IPU: its name, and the text in it.
#pragma once
#include <string>

namespace machine {

std::string leaseFile(unsigned ipu); // ipu7
std::string describeSelf(unsigned firstIpu, unsigned device);
std::string ownCommandLine();
bool writeText(int file, const std::string &text); // false with errno
bool isFree(unsigned ipu);                         // nobody holds it; takes nothing

} // namespace machine
