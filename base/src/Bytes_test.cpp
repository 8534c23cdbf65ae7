// SPDX-License-Identifier: MIT
#include "base/Bytes.hpp"
#include "base/testing/Message.hpp"
#include <gtest/gtest.h>
#include <vector>

namespace base {
namespace {

enum class Colour : std::uint8_t { Red, Green };

template <class Action> std::string messageOf(Action action) {
  return base::testing::messageOf<FormatError>(action);
}

TEST(Bytes, AreLittleEndian) {
  ByteWriter out;
  out.number(std::uint32_t(0x04030201));
  out.number(std::int16_t(-2));
  out.number(Colour::Green);
  out.text("ab");
  out.list(std::vector<bool>{true}, [&](bool b) { out.number(b); });
  EXPECT_EQ(out.take(),
            std::string("\x01\x02\x03\x04\xfe\xff\x01\x02\0\0\0\0\0\0\0ab\x01\0\0\0\x01", 22));
}

TEST(Bytes, AreReadAsTheyWereWritten) {
  ByteWriter out;
  out.number(std::int64_t(-7));
  out.number(1.5f);
  out.number(Colour::Green);
  out.text("text");
  out.raw("xyz", 3);
  out.list<std::uint64_t>(std::vector<std::string>{"a", ""}, [&](const auto &s) { out.text(s); });
  const auto bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.number<std::int64_t>(), -7);
  EXPECT_EQ(in.number<float>(), 1.5f);
  EXPECT_EQ(in.number<Colour>(), Colour::Green);
  EXPECT_EQ(in.text(), "text");
  EXPECT_EQ(in.raw(3), "xyz");
  EXPECT_EQ(in.count<std::uint64_t>(8), 2u);
  EXPECT_EQ(in.textView(), "a");
  EXPECT_EQ(in.position(), bytes.size() - 8);
  EXPECT_EQ(in.textView(), "");
  EXPECT_TRUE(in.atEnd());
  in.expectEnd();
}

TEST(Bytes, ALengthIsNotBelieved) {
  const std::string large("\xff\xff\xff\xff\xff\xff\xff\xff"
                          "abc",
                          11);
  EXPECT_EQ(messageOf([&] { ByteReader(large).text(); }),
            "needs 18446744073709551615 bytes at offset 8, but only 3 are left");
  EXPECT_EQ(messageOf([&] { ByteReader(large).count(1); }),
            "a list claims 4294967295 items, but only 7 bytes are left");
  EXPECT_EQ(messageOf([&] { ByteReader("ab").number<std::uint32_t>(); }),
            "needs 4 bytes at offset 0, but only 2 are left");
}

TEST(Bytes, SaysWhatIsOutOfRangeOrTooMuch) {
  EXPECT_EQ(messageOf([&] { ByteReader("\x02").flag(); }), "a flag is 2, which is not below 2");
  EXPECT_EQ(messageOf([&] { ByteReader("abc").expectEnd(); }), "3 unexpected bytes at the end");
}

TEST(Bytes, AFormatMayHaveWordsOfItsOwn) {
  struct Reader : ByteReader {
    using ByteReader::ByteReader;
    void damaged(const std::string &why) const override { throw why.size(); }
  };
  EXPECT_THROW(Reader("").number<char>(), std::size_t);
}

} // namespace
} // namespace base
