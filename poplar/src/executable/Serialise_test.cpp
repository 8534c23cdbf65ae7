// SPDX-License-Identifier: MIT
#include "base/Bytes.hpp"
#include "base/Text.hpp"
#include "executable/Fields.hpp"
#include "executable/Serialise.hpp"
#include "executable/SerialiseParts.hpp"
#include "executable/SerialiseTestImage.hpp"
#include "poplar/exceptions.hpp"
#include <gtest/gtest.h>
#include <set>

using namespace poplar;
using namespace poplar::executable;
using test::dump, test::testImage;

static std::string written(const Image &image) {
  std::ostringstream out;
  write(image, out);
  return out.str();
}

static Image readBack(const std::string &bytes, bool checkPackageHash = true) {
  std::istringstream in(bytes);
  return read(in, checkPackageHash);
}

static std::string failure(const std::string &bytes, bool checkPackageHash = true) {
  try {
    readBack(bytes, checkPackageHash);
  } catch (const poplar_error &error) {
    return error.what();
  }
  return "no error";
}

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != text.npos;
}

// The file with its checksum made right again, for errors behind the checksum.
static std::string resealed(std::string bytes) {
  const auto sum = base::hashBytes(bytes.data() + 8, 16);
  base::ByteWriter out;
  out.number(base::hashBytes(bytes.data() + 32, bytes.size() - 32, sum));
  return bytes.replace(24, 8, out.take());
}

static void expectRefused(const std::string &part, const std::string &text) {
  Image image;
  ReadLists lists;
  try {
    decode(part, image, lists);
    FAIL() << text;
  } catch (const poplar_error &error) {
    EXPECT_TRUE(contains(error.what(), text)) << error.what();
  }
}

TEST(Serialise, KeepsEveryMemberOfAnImage) {
  auto image = testImage();
  EXPECT_EQ(dump(readBack(written(image))), dump(image));
}

// A member that a kind does not describe would be lost.
TEST(Serialise, KeepsEveryMemberOfEveryKindOfStep) {
  auto image = testImage();
  const auto back = readBack(written(image));
  std::set<std::size_t> kinds;
  for (std::size_t i = 0; i < image.steps.size(); ++i) {
    EXPECT_EQ(back.steps[i].kind, image.steps[i].kind) << i;
    kinds.insert(image.steps[i].kind.index());
  }
  EXPECT_EQ(kinds.size(), numKinds);
}

TEST(Serialise, RefusesStepsWithTheMembersOfAnotherKind) {
  const auto image = testImage();
  const auto refusal = [&](std::size_t step, std::size_t kind) {
    Step out;
    try {
      take(fieldsOf(image.steps[step]), kind, out);
    } catch (const poplar_error &error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_TRUE(contains(refusal(0, numKinds), "unknown kind of step 26"));
  for (std::size_t i = 0; i < image.steps.size(); ++i)
    EXPECT_EQ(refusal(i, image.steps[i].kind.index()), "accepted");
  Fields fields = fieldsOf(image.steps[19]); // a Repeat without its body
  fields.parts.clear();
  Step out;
  EXPECT_THROW(take(fields, image.steps[19].kind.index(), out), poplar_error);
  fields.parts = {0, 1};
  EXPECT_THROW(take(fields, image.steps[19].kind.index(), out), poplar_error);
  fields = fieldsOf(image.steps[25]); // a Sequence of more parts than memory has room for
  fields.numbers[0] = ~std::uint64_t(0);
  EXPECT_THROW(take(fields, image.steps[25].kind.index(), out), poplar_error);
  fields = fieldsOf(image.steps[15]); // a CycleStamp of a tile beyond 32 bits
  fields.numbers.back() = std::uint64_t(1) << 40;
  EXPECT_THROW(take(fields, image.steps[15].kind.index(), out), poplar_error);
}

TEST(Serialise, GivesTheSameBytesForTheSameImage) {
  EXPECT_EQ(written(testImage()), written(testImage()));
  EXPECT_EQ(written(readBack(written(testImage()))), written(testImage()));
}

TEST(Serialise, KeepsAnEmptyImage) {
  auto image = test::emptyImage();
  EXPECT_EQ(dump(readBack(written(image))), dump(image));
}

TEST(Serialise, TablesSpreadOverManyPartsComeBackWhole) {
  auto image = testImage();
  image.values.resize(1000, 'v');
  image.variables[0].initial = {{0, std::string(48, 'i')}};
  for (std::size_t partBytes : {1, 7, 100}) {
    auto parts = encode(image, partBytes);
    EXPECT_GT(parts.size(), 30u);
    Image back;
    ReadLists lists;
    for (const auto &part : parts)
      decode(part, back, lists);
    EXPECT_EQ(dump(back), dump(image));
  }
}

// Lists that are equal are written once, wherever they came from, and shared when read.
TEST(Serialise, EqualListsAreOneInFilesAndInMemory) {
  auto image = testImage();
  std::vector<MappedRange> mapping;
  std::vector<TileShare> shares;
  for (std::uint32_t i = 0; i < 12; ++i)
    mapping.push_back({i, i + 1, i % 4});
  for (std::uint32_t i = 0; i < 4; ++i)
    shares.push_back({i, 1000u + i * i, 7, 100 * i, 3, 1, i});
  image.variables[0].mapping = mapping;
  image.variables[0].initial.clear();
  auto &cost = image.steps[0].cost;
  cost.phases = {{PhaseKind::Exchange, "a", 1, 2, 3, shares}};
  const auto once = written(image).size();
  for (int i = 0; i < 50; ++i) {
    image.variables.push_back(image.variables[0]);
    image.variables.back().mapping = mapping;
    cost.phases.push_back({PhaseKind::Exchange, "a", 1, 2, 3, shares});
  }
  EXPECT_FALSE(image.variables.back().mapping.sharesWith(image.variables[0].mapping));
  EXPECT_LT(written(image).size(), once + 50 * 50);
  const auto back = readBack(written(image));
  EXPECT_EQ(dump(back), dump(image));
  EXPECT_TRUE(back.variables.back().mapping.sharesWith(back.variables[0].mapping));
  const auto &phases = back.steps[0].cost.phases;
  EXPECT_TRUE(phases.back().tiles.sharesWith(phases[0].tiles));
}

TEST(Serialise, AChangedCopyLeavesTheOtherAsItWas) {
  SharedList<MappedRange> a{{0, 1, 2}, {1, 5, 3}}, b = a;
  EXPECT_TRUE(a.sharesWith(b));
  b.edit()[1].tile = 7;
  EXPECT_EQ(a[1].tile, 3u);
  EXPECT_EQ(b[1].tile, 7u);
  EXPECT_NE(a, b);
  ListPool<MappedRange> pool;
  EXPECT_EQ(pool.index(a), 0u);
  EXPECT_EQ(pool.index(b), 1u);
  SharedList<MappedRange> equal{{0, 1, 2}, {1, 5, 3}};
  pool.share(equal);
  EXPECT_TRUE(equal.sharesWith(a));
  EXPECT_EQ(pool.size(), 2u);
}

TEST(Serialise, RejectsListsThatAreNotThere) {
  for (const auto &[part, text] : std::vector<std::pair<std::string, std::string>>{
           {std::string("\x12\x02\x30\x01", 4), "a variable refers to mapping 0 of 0"},
           {std::string("\x62\x08\x08\x0e\x3a\x00\x4a\x02\x30\x05", 10),
            "a phase refers to the costs of tiles 4 of 0"}})
    expectRefused(part, text);
}

TEST(Serialise, LeavesTheStreamBehindTheExecutable) {
  std::stringstream stream;
  write(testImage(), stream);
  stream << "next";
  read(stream, true);
  std::string rest;
  stream >> rest;
  EXPECT_EQ(rest, "next");
}

TEST(Serialise, RejectsEveryTruncation) {
  auto bytes = written(testImage());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    auto text = failure(bytes.substr(0, size));
    ASSERT_TRUE(contains(text, size ? "Executable is truncated" : "the stream is empty"))
        << size << ": " << text;
  }
}

TEST(Serialise, RejectsEveryFlippedBit) {
  auto bytes = written(testImage());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += bit < 2000 ? 1 : 7) {
    bytes[bit / 8] ^= char(1 << bit % 8);
    ASSERT_NE(failure(bytes, false), "no error") << "bit " << bit;
    bytes[bit / 8] ^= char(1 << bit % 8);
  }
}

TEST(Serialise, SaysWhatADamagedFileIs) {
  auto bytes = written(testImage());
  bytes.back() ^= 1;
  EXPECT_TRUE(contains(failure(bytes), "Executable is damaged: its checksum is "));
  EXPECT_EQ(
      failure("#!/bin/sh\necho hello\n"),
      "This is not an OpenIPU executable: the file begins with other bytes. Give a file written by "
      "Executable::serialize.");
}

TEST(Serialise, NamesBothVersionsOfAnotherFormat) {
  auto bytes = written(testImage());
  bytes[8] = 9;
  EXPECT_EQ(
      failure(bytes),
      "Executable has format version 9; this library reads version 4. Compile the program again "
      "with this version of the library and write a new file.");
}

TEST(Serialise, RefusesAnotherPackageUnlessToldNotTo) {
  auto bytes = written(testImage());
  bytes[32] ^= 1; // first letter of the package hash
  bytes = resealed(bytes);
  EXPECT_TRUE(contains(failure(bytes), "Executable was written by package ")) << failure(bytes);
  EXPECT_EQ(failure(bytes, false), "no error");
}

TEST(Serialise, ReportsAStreamThatIsNotOpen) {
  std::istringstream in;
  in.setstate(std::ios::failbit);
  EXPECT_THROW(read(in, true), poplar_error);
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_THROW(write(testImage(), out), poplar_error);
}

TEST(Serialise, RejectsColumnsOfDifferentLength) {
  auto part = encode(testImage()).at(0);
  part += std::string("\x3a\x03\x0a\x01\x01", 5); // slots: one more kind without start and count
  expectRefused(part, "the columns of slots differ in length");
}

TEST(Serialise, NamesEveryMemoryCategory) {
  EXPECT_STREQ(memoryCategoryName(MemoryCategory::VertexInstanceState), "vertexInstanceState");
  EXPECT_STREQ(memoryCategoryName(MemoryCategory::Variable), "variable");
  EXPECT_STREQ(memoryCategoryName(MemoryCategory::GlobalExchangeCode), "globalExchangeCode");
  EXPECT_STREQ(memoryCategoryName(MemoryCategory::Rearrangement), "rearrangement");
}
