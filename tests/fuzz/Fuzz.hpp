// SPDX-License-Identifier: MIT
// What every fuzz target offers. A target is one file: it feeds bytes to one reader of untrusted
// input. libFuzzer drives it (./run fuzz); Corpus.cpp drives it in every test run, without clang.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

// True when the reader took the input, false when it refused it with the exception that its header
// promises. Any other exception escapes and ends the run: it is a finding, as a crash is.
bool accepts(std::string_view input);

// Inputs that must be accepted; mutations start from them.
std::vector<std::string> validInputs();

inline std::string_view view(const std::uint8_t *data, std::size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

} // namespace fuzz
