// SPDX-License-Identifier: MIT
#include "machine/State.hpp"
#include "base/NewFile.hpp"
#include "base/Text.hpp"
#include "Json.hpp"
#include "machine/Error.hpp"
#include "machine/Named.hpp"
#include "machine/Runtime.hpp"
#include "PartitionJson.hpp"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace machine {
namespace {

constexpr const char *fileName = "machine.json";

std::string remedy() { return "Remove it to begin with the machine that OPENIPU_NUM_IPUS gives."; }

[[noreturn]] void unreadable(const std::string &path, const std::string &why) {
  throw Error(base::str("The record of the machine, \"", path, "\", cannot be used: ", why, ". ",
                        remedy()));
}

void writeAll(int file, std::string_view bytes, const std::string &path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      base::failToWrite(path, errno);
    bytes.remove_prefix(std::size_t(n));
  }
}

void replaceFile(const base::Folder &folder, const std::string &text) {
  const auto path = folder.pathOf(fileName);
  try {
    base::clearLeftovers(folder.get());
    base::NewFile file(folder.get(), path);
    writeAll(file.get(), text, path);
    if (::fsync(file.get()) != 0 || !file.moveTo(fileName))
      base::failToWrite(path, errno);
  } catch (const base::FileError &e) {
    throw Error(e.what());
  }
}

std::optional<State> read(const base::Folder &folder) {
  std::string why, text;
  const auto path = folder.pathOf(fileName);
  const auto file = folder.open(fileName, why);
  if (!file && why.empty())
    return std::nullopt;
  if (!file || !base::readAll(file.get(), text))
    unreadable(path, why.empty() ? std::strerror(errno) : why);
  return parseState(text, path);
}

} // namespace

unsigned State::ipus() const {
  return boxes.empty() ? 0 : boxes.back().firstIpu + boxes.back().ipus;
}

Ipu State::ipu(unsigned number) const {
  for (const auto &box : boxes)
    if (number >= box.firstIpu && number < box.firstIpu + box.ipus)
      return ipuOf(box, number - box.firstIpu);
  throw Error(base::str("There is no IPU ", number, ": the machine has ", ipus(), "."));
}

const StoredPartition *State::find(const std::string &name) const {
  const auto found = std::ranges::find_if(
      partitions, [&](const auto &stored) { return stored.partition.name == name; });
  return found == partitions.end() ? nullptr : &*found;
}

Domain State::domain(const StoredPartition &stored, unsigned gcd) const {
  const auto &partition = stored.partition;
  if (gcd >= partition.gcds)
    throw Error(base::str("Partition ", partition.name, " has no GCD ", gcd,
                          ": they are counted from 0 to ", partition.gcds - 1, "."));
  const unsigned size = stored.ipus / partition.gcds;
  Domain domain{partition, gcd, {}};
  for (unsigned i = 0; i < size; ++i)
    domain.ipus.push_back(ipu(stored.firstIpu + gcd * size + i));
  return domain;
}

unsigned ipusOfEnvironment() {
  if (const auto named = machineOfEnvironment())
    return named->ipus;
  return numberOf("OPENIPU_NUM_IPUS", 16, 1, mostIpus);
}

std::string chipOfEnvironment() {
  if (const auto named = machineOfEnvironment())
    return named->chip;
  return environment("OPENIPU_CHIP", environment("OPENIPU_IPU", "ipu2"));
}

State stateOfEnvironment() {
  const unsigned ipus = ipusOfEnvironment();
  Partition partition;
  partition.chip = chipOfEnvironment();
  if (const auto named = machineOfEnvironment())
    partition.name = named->name;
  State state;
  state.boxes = boxesFor(boxKindOf(chipOf(partition.chip), partition.chip), ipus);
  state.partitions = {{std::move(partition), 0, ipus}};
  return state;
}

std::optional<State> storedState() { return read(runtimeFolder()); }

State changeState(const std::function<void(State &)> &change) {
  const auto folder = runtimeFolder();
  const RuntimeLock lock(folder, Turn::Change);
  auto state = read(folder).value_or(stateOfEnvironment());
  change(state);
  const auto text = textOf(state);
  parseState(text, folder.pathOf(fileName)); // what cannot be read again is not written
  replaceFile(folder, text);
  return state;
}

} // namespace machine
