// SPDX-License-Identifier: MIT
// Executable files. The checksum would stop nearly every mutation, so an input that begins like a
// file is also read with a checksum made right, and any other input is taken for one part of a
// payload. What is accepted must survive being written and read once more.
#include "base/Bytes.hpp"
#include "base/Text.hpp"
#include "executable/Serialise.hpp"
#include "executable/SerialiseParts.hpp"
#include "executable/SerialiseTestImage.hpp"
#include "executable/Validate.hpp"
#include "Fuzz.hpp"
#include "poplar/exceptions.hpp"
#include <sstream>
#include <stdexcept>

using namespace poplar::executable;

namespace {

constexpr std::size_t checksumAt = 24, headerBytes = 32;

std::string written(const Image &image) {
  std::ostringstream out;
  write(image, out);
  return out.str();
}

void checkRoundTrip(const Image &image) {
  auto bytes = written(image);
  std::istringstream in(bytes);
  if (written(read(in, false)) != bytes)
    throw std::logic_error("an accepted executable changes when it is written and read");
}

bool readsFile(const std::string &bytes) {
  try {
    std::istringstream in(bytes);
    checkRoundTrip(read(in, false));
    return true;
  } catch (const poplar::poplar_error &) {
    return false;
  }
}

bool readsPart(std::string_view bytes) {
  Image image;
  ReadLists lists;
  try {
    decode(bytes, image, lists);
    validate(image);
  } catch (const poplar::poplar_error &) {
    return false;
  }
  checkRoundTrip(image);
  return true;
}

std::string resealed(std::string bytes) {
  const auto sum = base::hashBytes(bytes.data() + 8, checksumAt - 8);
  base::ByteWriter out;
  out.number(base::hashBytes(bytes.data() + headerBytes, bytes.size() - headerBytes, sum));
  return bytes.replace(checksumAt, 8, out.take());
}

} // namespace

bool fuzz::accepts(std::string_view input) {
  if (input.empty() || input[0] != '\x89')
    return readsPart(input);
  std::string bytes(input);
  bool asItIs = readsFile(bytes);
  return (bytes.size() > headerBytes && readsFile(resealed(bytes))) || asItIs;
}

std::vector<std::string> fuzz::validInputs() {
  auto image = test::testImage();
  auto parts = encode(image);
  parts.push_back(written(image));
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
