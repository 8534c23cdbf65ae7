// SPDX-License-Identifier: MIT
#include "poplar/CodeletFileType.hpp"
#include "poplar/Error.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/GraphElements.hpp"
#include "poplar/IeeeHalf.hpp"
#include "poplar/Interval.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/TargetType.hpp"
#include "poplar/Type.hpp"
#include "poplar/TypeTraits.hpp"
#include "types/TypeAccess.hpp"
#include <gccs/Algorithm.hpp>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace poplar {
namespace {

// Runs before main, and perhaps before the library's own initialisers.
const std::map<std::string, Type> atStart = {{"float", FLOAT}, {"uint", UNSIGNED_INT}};

TEST(Type, ConstantsWorkInStaticInitialisers) {
  EXPECT_EQ(atStart.at("float"), FLOAT);
  EXPECT_EQ(atStart.at("uint").toString(), "unsigned int");
}

TEST(Type, SpellsTheCodeletType) {
  EXPECT_EQ(HALF.toString(), "half");
  EXPECT_EQ(UNSIGNED_LONGLONG.toString(), "unsigned long long");
  EXPECT_EQ(SIGNED_INT, INT);
  std::ostringstream out;
  out << SHORT;
  EXPECT_EQ(out.str(), "short");
}

TEST(Type, KnowsWhatFloatsAndWhatNeedsMetadata) {
  for (unsigned i = 0; i != numTypeIds; ++i) {
    const auto type = types::typeOf(static_cast<TypeId>(i));
    EXPECT_EQ(type.isFloatingPoint(),
              type == HALF || type == FLOAT || type == DOUBLE || type == QUARTER);
    EXPECT_EQ(type.requiresMetadata(), type == QUARTER);
    EXPECT_EQ(types::idOf(type), static_cast<TypeId>(i));
  }
}

TEST(Type, OneThatWasNeverSetIsRefused) {
  EXPECT_EQ(Type().toString(), "(no type)");
  EXPECT_THROW(types::idOf(Type()), type_error);
}

TEST(Type, HostTypesHaveAnEquivalent) {
  EXPECT_EQ(equivalent_device_type<float>().value, FLOAT);
  EXPECT_EQ(equivalent_device_type<std::uint16_t>().value, UNSIGNED_SHORT);
  EXPECT_EQ(equivalent_device_type<std::size_t>().value, UNSIGNED_LONG);
  EXPECT_EQ(TypeTraits::make<double>().type(), DOUBLE);
  EXPECT_FALSE(TypeTraits::isSimpleType<float *>());
}

TEST(StringRef, ComparesAndJoinsLikeText) {
  const std::string s = "abc";
  StringRef r = s;
  EXPECT_TRUE(r == "abc" && s == r && r < "abd" && r != "ab");
  EXPECT_EQ("x" + r + "y" + r, "xabcyabc");
  EXPECT_EQ(StringRef().cloneAsString(), "");
  EXPECT_EQ(StringRef(static_cast<const char *>(nullptr)).size(), 0u);
}

TEST(Interval, PrintsAndOrders) {
  std::ostringstream out;
  out << Interval(2, 5);
  EXPECT_EQ(out.str(), "[2,5)");
  EXPECT_EQ(Interval(2, 5).size(), 3u);
  EXPECT_TRUE(Interval(1, 9) < Interval(2, 3) && Interval(1, 2) < Interval(1, 3));
}

TEST(Interval, HasLowerAndUpper) {
  EXPECT_EQ(Interval(2, 5).lower(), 2u);
  EXPECT_EQ(Interval(2, 5).upper(), 5u);
}

TEST(ArrayRef, WritesItsElements) {
  std::ostringstream out;
  out << ArrayRef<int>{1, -2, 3} << ArrayRef<float>() << StringRef("text");
  EXPECT_EQ(out.str(), "{1,-2,3}{}text");
}

TEST(TypeTraits, KnowHalfAndNothing) {
  EXPECT_FALSE(TypeTraits().isSimpleType());
  EXPECT_EQ(TypeTraits::make<IeeeHalf>().type(), HALF);
  EXPECT_EQ(TypeTraits::make<IeeeHalf>().size(), 2u);
  EXPECT_EQ(equivalent_device_type<IeeeHalf>().value, HALF);
}

TEST(Algorithm, SplitsEvenlyAndTakesLogarithms) {
  EXPECT_EQ(gccs::balancedPartition(11u, 4u), (std::vector<unsigned>{3, 3, 3, 2}));
  EXPECT_EQ(gccs::ceilLog2(1u), 0u);
  EXPECT_EQ(gccs::ceilLog2(64u), 6u);
  EXPECT_EQ(gccs::ceilLog2(65u), 7u);
}

TEST(FieldRef, CannotBeIndexedTwice) {
  const FieldRef field(VertexRef(), 3);
  EXPECT_EQ(field[4].getIndex(), 4u);
  EXPECT_TRUE(field[4].isIndexed());
  EXPECT_THROW(field[4][1], index_error);
}

TEST(Exceptions, CarryTheirTypeAndMessage) {
  try {
    throw graph_memory_allocation_error("full", "profile.pop");
  } catch (const poplar_error &e) {
    EXPECT_EQ(e.type, "graph_memory_allocation_error");
    EXPECT_STREQ(e.what(), "full");
  }
  try {
    throw recoverable_runtime_error(RecoveryAction::LINK_RESET, "link");
  } catch (const poplar::runtime_error &e) {
    EXPECT_EQ(e.type, "recoverable_runtime_error");
    EXPECT_EQ(toString(dynamic_cast<const recoverable_runtime_error &>(e).getRecoveryAction()),
              "LINK_RESET");
  }
  EXPECT_EQ(application_runtime_error("x").type, "application_runtime_error");
  EXPECT_STREQ(unknown_field("b", "V").what(), "Vertex \"V\" has no field \"b\".");
}

TEST(ErrorCode, GoesToTextAndBackAndSuggestsNearMatches) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::HOST_SYNC_TIMEOUT); ++i)
    EXPECT_EQ(errorCodeFromString(errorCodeToString(static_cast<ErrorCode>(i))),
              static_cast<ErrorCode>(i));
  try {
    errorCodeFromString("LINK_DWON");
    FAIL();
  } catch (const poplar_error &e) {
    EXPECT_NE(std::string(e.what()).find("\"LINK_DOWN\""), std::string::npos);
  }
}

TEST(Enums, RefuseValuesThatAreNone) {
  EXPECT_EQ(toString(TargetType::IPU_MODEL), "IPU_MODEL");
  EXPECT_THROW(toString(static_cast<TargetType>(9)), poplar_error);
}

TEST(CodeletFileType, IsToldByTheExtension) {
  EXPECT_EQ(getCodeletFileType("a.b/codelets.cpp"), CodeletFileType::CppSource);
  EXPECT_EQ(getCodeletFileType("x.S"), CodeletFileType::PreprocessedAsmSource);
  EXPECT_EQ(getCodeletFileType("x.gp"), CodeletFileType::Object);
  EXPECT_THROW(getCodeletFileType("a.cpp/codelets"), poplar_error);
  EXPECT_EQ(getExtensionFromFileType(CodeletFileType::CppSource), ".cpp");
  EXPECT_THROW(getLanguageOption(CodeletFileType::Auto), poplar_error);
}

TEST(Algorithm, RoundsAndSplits) {
  EXPECT_EQ(gccs::ceildiv(7, 2), 4);
  EXPECT_EQ(gccs::floordiv(7, 2), 3);
  EXPECT_EQ(gccs::alignNext(13u, 8u), 16u);
  EXPECT_EQ(gccs::alignPrev(13u, 8u), 8u);
  EXPECT_EQ(gccs::ceilLog(8u, 2u), 3u);
  EXPECT_EQ(gccs::ceilLog(9u, 2u), 4u);
  EXPECT_EQ(gccs::nthTriangular(4), 10);
  EXPECT_EQ(gccs::balancedPartition(10u, 4u, 1u), std::make_pair(3u, 6u));
  EXPECT_EQ(gccs::balancedPartition(10u, 4u, 3u), std::make_pair(8u, 10u));
}

} // namespace
} // namespace poplar
