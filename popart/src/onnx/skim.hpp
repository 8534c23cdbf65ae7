// SPDX-License-Identifier: MIT
// Large models are nearly all weights, and a parser copies every byte of them. skim() walks over
// the wire format of a ModelProto once and tells where the raw_data of large initialisers stands,
// so that only the rest need be parsed and the weights can stay where they are.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace popart::onnxmodel {

struct Skimmed {
  std::string rest; // the model, of whose large raw_data only the first byte is left
  std::vector<std::string_view> raw; // of each initialiser of the graph; empty: it is in `rest`
};

// Of initialisers with at least `large` bytes. None if there are none, or if the bytes are not
// written as messages are: the parser says what is wrong with them.
std::optional<Skimmed> skim(std::string_view model, std::size_t large);

} // namespace popart::onnxmodel
