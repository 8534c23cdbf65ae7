// SPDX-License-Identifier: MIT
// Where the shared library lies that code is in: an SDK finds its other files from there.
#pragma once
#include <string>

namespace base {

// The file that holds this function, as the loader knows it; empty if it does not.
std::string libraryOf(const void *function);

// If that file is gone, the SDK was moved or removed while this program runs: a sentence that says
// so, with a blank before it. Empty otherwise.
std::string moveNote(const std::string &library);

} // namespace base
