// SPDX-License-Identifier: MIT
#include "frontend/Indices.hpp"

#include "frontend/TestWriting.hpp"

using namespace frontend;

TEST(FrontendIndices, OfInputsAreCheckedByTheRun) {
  TestWriting w;
  checkedIndices(w, w.input("i", {3}, DataType::INT32), 5, "gather");
  checkedIndices(w, w.input("j", {3}, DataType::INT32), 5, "embedding", -1);
  EXPECT_EQ(w.text(), R"(model:
  CheckIndices:0 = CheckIndices(i, end=5, lowest=0, user=gather)  INT32 [3]
  CheckIndices:0/1 = CheckIndices(j, end=5, ignored=-1, lowest=0, user=embedding)  INT32 [3]
)");
}

TEST(FrontendIndices, ThatAreKnownAreCheckedAtOnce) {
  TestWriting w;
  checkedIndices(w, w.numbers({1, 4}), 5, "gather");
  checkedIndices(w, w.numbers({1, -1}), 5, "embedding", -1);
  EXPECT_EQ(w.text(), "model:\n");
  EXPECT_EQ(w.error([&] {
    checkedIndices(w, w.numbers({1, -2}), 5, "gather");
  }),
            "index -2 is out of range: it must be 0 or more.");
}

TEST(FrontendIndices, OfPlacesEachHaveTheirOwnEnd) {
  TestWriting w;
  checkedPlaces(w, w.input("p", {4, 2}, DataType::INT32), {9, 7, 5}, 1, "gather_nd");
  EXPECT_EQ(w.text(), R"(model:
  Slice:0 = Slice(p, axes=[1], ends=[1], starts=[0], steps=[1])  INT32 [4,1]
  CheckIndices:0 = CheckIndices(Slice:0, end=7, lowest=0, user=gather_nd)  INT32 [4,1]
  Slice:0/1 = Slice(p, axes=[1], ends=[2], starts=[1], steps=[1])  INT32 [4,1]
  CheckIndices:0/1 = CheckIndices(Slice:0/1, end=5, lowest=0, user=gather_nd)  INT32 [4,1]
  Concat:0 = Concat(CheckIndices:0, CheckIndices:0/1, axis=1)  INT32 [4,2]
)");
}

// As UINT32 negative ones are beyond every depth.
TEST(FrontendIndices, OfOneHotAreNotThereIfNegative) {
  TestWriting w;
  hotIndices(w, w.input("i", {3}, DataType::INT32));
  EXPECT_EQ(w.text(), R"(model:
  Cast:0 = Cast(i, to=UINT32)  UINT32 [3]
)");
}
