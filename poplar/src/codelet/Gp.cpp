// SPDX-License-Identifier: MIT
// The file: magic line, checksum of the rest, targets, modules.
#include "codelet/Gp.hpp"
#include "base/Bytes.hpp"
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "codelet/Process.hpp"
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace poplar::codelet {

using base::ByteReader;
using base::ByteWriter;
using base::FormatError;

namespace {

constexpr std::string_view magic = "OpenIPU graph program 1\n";

Gp readBody(ByteReader &in) {
  Gp gp;
  for (auto n = in.count(8); n > 0; --n)
    gp.modules.push_back(parseModule(in.textView()));
  for (auto n = in.count(20); n > 0; --n) {
    GpTarget t;
    t.name = in.text();
    t.arch = in.text();
    for (auto m = in.count(4); m > 0; --m)
      t.modules.push_back(in.below<std::uint32_t>(gp.modules.size(), "a module index"));
    gp.targets.push_back(std::move(t));
  }
  in.expectEnd();
  return gp;
}

[[noreturn]] void refuse(const std::string &path, const std::string &reason) {
  throw GpError(
      path,
      base::str("\"", path, "\" is not a usable .gp file: ", reason,
                ". Expected a file that this popc wrote; compile the codelets again with popc -o ",
                path, "."));
}

} // namespace

std::vector<const Module *> Gp::modulesFor(std::string_view nameOrArch) const {
  auto at = std::find_if(targets.begin(), targets.end(),
                         [&](const GpTarget &t) { return t.name == nameOrArch; });
  if (at == targets.end())
    at = std::find_if(targets.begin(), targets.end(),
                      [&](const GpTarget &t) { return t.arch == nameOrArch; });
  std::vector<const Module *> found;
  if (at != targets.end())
    for (const std::uint32_t m : at->modules)
      found.push_back(&modules[m]);
  return found;
}

void Gp::add(const std::string &targetName, const std::string &arch, Module module) {
  auto known = std::find_if(modules.begin(), modules.end(),
                            [&](const Module &m) { return m.contentHash == module.contentHash; });
  const auto index = std::uint32_t(known - modules.begin());
  if (known == modules.end())
    modules.push_back(std::move(module));
  auto target = std::find_if(targets.begin(), targets.end(),
                             [&](const GpTarget &t) { return t.name == targetName; });
  if (target == targets.end())
    target = targets.insert(targets.end(), GpTarget{targetName, arch, {}});
  if (std::find(target->modules.begin(), target->modules.end(), index) == target->modules.end())
    target->modules.push_back(index);
}

void Gp::merge(Gp other) {
  for (const GpTarget &t : other.targets)
    for (const std::uint32_t m : t.modules)
      add(t.name, t.arch, other.modules[m]);
}

std::string serialise(const Gp &gp) {
  ByteWriter body;
  body.list(gp.modules, [&](const Module &m) { body.text(serialise(m)); });
  body.list(gp.targets, [&](const GpTarget &t) {
    body.text(t.name);
    body.text(t.arch);
    body.list(t.modules, [&](std::uint32_t m) { body.number(m); });
  });
  const std::string bytes = body.take();
  ByteWriter sum;
  sum.number(base::hashBytes(bytes.data(), bytes.size()));
  return std::string(magic) + sum.take() + bytes;
}

bool looksLikeGp(std::string_view firstBytes) {
  return firstBytes.substr(0, magic.size()) == magic;
}

Gp parseGp(std::string_view bytes, const std::string &path) {
  if (!looksLikeGp(bytes))
    refuse(path, bytes.size() < magic.size() && magic.substr(0, bytes.size()) == bytes
                     ? base::str("it ends after ", bytes.size(), " bytes")
                     : std::string("it does not begin with the mark of one"));
  try {
    ByteReader in(bytes.substr(magic.size()));
    const auto sum = in.number<std::uint64_t>();
    const auto body = bytes.substr(magic.size() + 8);
    if (base::hashBytes(body.data(), body.size()) != sum)
      refuse(path, base::str("its checksum does not match its ", bytes.size(),
                             " bytes; it is truncated or damaged"));
    ByteReader bodyReader(body);
    return readBody(bodyReader);
  } catch (const FormatError &e) {
    refuse(path, e.what());
  }
}

Gp readGp(const std::string &path) {
  std::string bytes;
  if (!readFile(path, bytes))
    throw GpError(
        path, base::str("Cannot read \"", path, "\": ", std::strerror(errno), ". Check the path."));
  return parseGp(bytes, path);
}

void writeGp(const Gp &gp, const std::string &path) { base::writeWhole(path, serialise(gp)); }

} // namespace poplar::codelet
