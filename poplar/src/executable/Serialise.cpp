// SPDX-License-Identifier: MIT
// The frame of an executable file. All numbers are little endian:
//   magic 8 | format version u32 | length of package hash u32 | payload bytes u64 | checksum u64 |
//   package hash | payload
// The checksum covers everything but the magic and itself. An executable holds native code, so
// nothing of the payload is looked at before the checksum agrees. The payload is a series of parts:
// length u64, Part message.
#include "executable/Serialise.hpp"
#include "base/Bytes.hpp"
#include "base/Text.hpp"
#include "executable/SerialiseParts.hpp"
#include "executable/Validate.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Graph.hpp"
#include <algorithm>
#include <cstring>
#include <istream>
#include <ostream>

namespace poplar::executable {
namespace {

// A byte beyond ASCII and both kinds of line end: a transfer that treats the file as text is
// noticed at once.
constexpr std::string_view magic("\x89OIPU\r\n\x1a", 8);
constexpr std::uint32_t formatVersion = 4;
constexpr std::size_t maxHashBytes = 256;
constexpr const char *remedy =
    " Compile the program again with this version of the library and write a new file.";

struct Header {
  std::uint32_t version = 0, hashBytes = 0;
  std::uint64_t payloadBytes = 0, checksum = 0;
  std::string packageHash;
};

// A failing insertion throws from the stream itself if the user asked for that; otherwise it is
// noticed at the end.
void send(std::ostream &out, std::string_view bytes) {
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// Grows with the bytes that are really there: a damaged length does not allocate.
std::string receive(std::istream &in, std::uint64_t size, const char *what) {
  constexpr std::uint64_t block = 1 << 20;
  std::string out;
  while (out.size() < size) {
    auto have = out.size();
    out.resize(have + std::min(std::max(block, std::uint64_t(have)), size - have));
    in.read(out.data() + have, static_cast<std::streamsize>(out.size() - have));
    out.resize(have + static_cast<std::size_t>(in.gcount()));
    if (!in && out.size() < size)
      throw poplar_error(base::str("Executable is truncated: its ", what, " should have ",
                                   base::thousands(size), " bytes, the stream ends after ",
                                   base::thousands(out.size()),
                                   ". Copy the whole file, or write it again."));
  }
  return out;
}

std::string bytesOf(std::uint64_t number) {
  base::ByteWriter out;
  out.number(number);
  return out.take();
}

// Those that stand in front of the checksum.
std::string numbers(const Header &header) {
  base::ByteWriter out;
  out.number(header.version);
  out.number(header.hashBytes);
  out.number(header.payloadBytes);
  return out.take();
}

std::uint64_t checksum(const Header &header, const std::vector<std::string_view> &payload) {
  const auto start = numbers(header);
  auto sum = base::hashBytes(start.data(), start.size());
  sum = base::hashBytes(header.packageHash.data(), header.packageHash.size(), sum);
  for (auto bytes : payload)
    sum = base::hashBytes(bytes.data(), bytes.size(), sum);
  return sum;
}

std::string thisPackage() {
  auto hash = packageHash();
  return std::string(hash.data(), std::min(hash.size(), maxHashBytes));
}

void checkMagic(std::istream &in) {
  if (!in)
    throw poplar_error(
        "Executable cannot be read: the stream is not open or has failed before. Check the path of "
        "the file and that it can be read.");
  char bytes[magic.size()] = {};
  in.read(bytes, magic.size());
  std::string_view got(bytes, static_cast<std::size_t>(in.gcount()));
  if (got.empty())
    throw poplar_error(
        "Executable cannot be read: the stream is empty. Write it with Executable::serialize.");
  if (got != magic.substr(0, got.size()))
    throw poplar_error("This is not an OpenIPU executable: the file begins with other bytes. Give "
                       "a file written by "
                       "Executable::serialize.");
  if (got.size() < magic.size())
    throw poplar_error(
        base::str("Executable is truncated: the stream ends after ", got.size(), " bytes."));
}

Header readHeader(std::istream &in) {
  checkMagic(in);
  Header header;
  const auto version = receive(in, sizeof(header.version), "header");
  header.version = base::ByteReader(version).number<std::uint32_t>();
  if (header.version != formatVersion)
    throw poplar_error(base::str("Executable has format version ", header.version,
                                 "; this library reads version ", formatVersion, ".", remedy));
  const auto bytes = receive(in, 20, "header");
  base::ByteReader rest(bytes);
  header.hashBytes = rest.number<std::uint32_t>();
  header.payloadBytes = rest.number<std::uint64_t>();
  header.checksum = rest.number<std::uint64_t>();
  if (header.hashBytes > maxHashBytes)
    throw poplar_error(base::str("Executable is damaged: its package hash has ", header.hashBytes,
                                 " bytes, at most ", maxHashBytes, " are possible.", remedy));
  header.packageHash = receive(in, header.hashBytes, "header");
  return header;
}

void verify(const Header &header, std::string_view payload, bool checkPackageHash) {
  if (auto sum = checksum(header, {payload}); sum != header.checksum)
    throw poplar_error(base::str("Executable is damaged: its checksum is ", base::hex(sum),
                                 ", expected ", base::hex(header.checksum),
                                 ". Copy the file again, or compile the program again."));
  if (checkPackageHash && header.packageHash != thisPackage())
    throw poplar_error(base::str("Executable was written by package ", header.packageHash,
                                 "; this library is package ", thisPackage(), ".", remedy,
                                 " Executable::deserialize(stream, false) reads it all the same."));
}

} // namespace

void write(const Image &image, std::ostream &out) {
  auto parts = encode(image);
  Header header{formatVersion, 0, 0, 0, thisPackage()};
  header.hashBytes = std::uint32_t(header.packageHash.size());
  std::vector<std::string> lengths(parts.size());
  std::vector<std::string_view> payload;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    lengths[i] = bytesOf(parts[i].size());
    header.payloadBytes += lengths[i].size() + parts[i].size();
    payload.insert(payload.end(), {lengths[i], parts[i]});
  }
  const auto start = std::string(magic) + numbers(header) + bytesOf(checksum(header, payload));
  send(out, start + header.packageHash);
  for (auto bytes : payload)
    send(out, bytes);
  if (!out.flush())
    throw poplar_error(
        base::str("Writing the executable failed: the stream did not take all of ",
                  base::thousands(start.size() + header.hashBytes + header.payloadBytes),
                  " bytes. Check that the file is open for writing and that the disk has room."));
}

Image read(std::istream &in, bool checkPackageHash) {
  auto header = readHeader(in);
  auto payload = receive(in, header.payloadBytes, "payload");
  verify(header, payload, checkPackageHash);
  Image image;
  ReadLists lists;
  base::ByteReader rest(payload);
  while (!rest.atEnd()) {
    if (rest.left() < sizeof(std::uint64_t))
      inconsistent("the payload ends within the length of a part");
    const auto size = rest.number<std::uint64_t>();
    if (size > rest.left())
      inconsistent("a part of ", size, " bytes with ", rest.left(), " bytes left");
    decode(rest.raw(size), image, lists);
  }
  validate(image);
  return image;
}

} // namespace poplar::executable
