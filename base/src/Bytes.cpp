// SPDX-License-Identifier: MIT
#include "base/Bytes.hpp"
#include "base/Text.hpp"

namespace base {

void ByteReader::expectEnd() const {
  if (!atEnd())
    fail(str(left(), " unexpected bytes at the end"));
}

void ByteReader::fail(const std::string &why) const {
  damaged(why);
  throw FormatError(why);
}

void ByteReader::tooLarge(const char *what, std::uint64_t value, std::uint64_t limit) const {
  fail(str(what, " is ", value, ", which is not below ", limit));
}

void ByteReader::tooShort(std::uint64_t size) const {
  fail(str("needs ", size, " bytes at offset ", position_, ", but only ", left(), " are left"));
}

void ByteReader::tooMany(std::uint64_t items) const {
  fail(str("a list claims ", items, " items, but only ", left(), " bytes are left"));
}

} // namespace base
