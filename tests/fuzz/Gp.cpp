// SPDX-License-Identifier: MIT
// Codelet archives, and the modules inside them. An archive has a checksum that would stop nearly
// every mutation, so it is also read with the checksum made right, and modules are also read bare.
#include "codelet/Gp.hpp"
#include "base/Bytes.hpp"
#include "base/Text.hpp"
#include "executable/SerialiseTestImage.hpp"
#include "Fuzz.hpp"
#include <stdexcept>

using namespace poplar::codelet;

namespace {

bool readsArchive(std::string_view bytes) {
  try {
    auto gp = parseGp(bytes, "fuzz.gp");
    for (const char *arch : {"ipu1", "ipu2", "ipu21", "cpu", "none"})
      for (const auto *module : gp.modulesFor(arch))
        module->find("ns::Scale<float>");
    if (auto again = serialise(gp); serialise(parseGp(again, "again.gp")) != again)
      throw std::logic_error("an accepted archive changes when it is written and read");
    return true;
  } catch (const GpError &) {
    return false;
  }
}

// Magic, checksum of the rest, rest.
std::string resealed(std::string bytes) {
  constexpr std::size_t magic = 24, sum = 8;
  if (bytes.size() < magic + sum)
    return bytes;
  base::ByteWriter hash;
  hash.number(base::hashBytes(bytes.data() + magic + sum, bytes.size() - magic - sum));
  return bytes.replace(magic, sum, hash.take());
}

bool readsModule(std::string_view bytes) {
  try {
    auto module = parseModule(bytes);
    if (auto again = serialise(module); serialise(parseModule(again)) != again)
      throw std::logic_error("an accepted module changes when it is written and read");
    return true;
  } catch (const base::FormatError &) {
    return false;
  }
}

} // namespace

bool fuzz::accepts(std::string_view input) {
  bool archive = readsArchive(input);
  bool sealed = readsArchive(resealed(std::string(input)));
  return readsModule(input) || archive || sealed;
}

std::vector<std::string> fuzz::validInputs() {
  auto module = *poplar::executable::test::testModule();
  Gp gp;
  gp.add("ipu2", "ipu2", module);
  gp.add("ipu2:cpp", "ipu2", module);
  module.contentHash = "fedcba9876543210";
  module.numWorkers = 1;
  gp.add("cpu", "cpu", module);
  return {serialise(gp), serialise(module)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
