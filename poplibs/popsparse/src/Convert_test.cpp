// SPDX-License-Identifier: MIT
#include "popsparse/Convert.hpp"
#include "poputil/exceptions.hpp"
#include "TestMatrices.hpp"

using namespace popsparse;

TEST(SparseFormats, ConversionsKeepTheMatrix) {
  for (auto [r, c] : {std::pair<std::size_t, std::size_t>{1, 1}, {4, 4}, {8, 16}, {1, 4}})
    for (std::size_t blocks : {0, 1, 5, 12}) {
      auto m = randomSparse(3 * r, 4 * c, r, c, blocks, 7);
      const auto expected = dense(m);
      EXPECT_EQ(dense(sorted(m)), expected);
      EXPECT_EQ(dense(toCOO(toCSR(m))), expected);
      EXPECT_EQ(dense(toCOO(toCSC(m))), expected);
      EXPECT_EQ(dense(transposed(m)), transposed(expected, m.numRows, m.numColumns));
      EXPECT_EQ(dense(transposed(transposed(m))), expected);
    }
}

TEST(SparseFormats, CompressedLinesAreAsDocumented) {
  COOMatrix<double> m(4, 4, {5, 1, 2, 3, 4, 6, 7, 8}, {2, 0}, {2, 0}, {{2, 2}});
  auto rows = toCSR(m);
  EXPECT_EQ(rows.nzValues, (Doubles{4, 6, 7, 8, 5, 1, 2, 3}));
  EXPECT_EQ(rows.rowIndices, (std::vector<std::size_t>{0, 4, 8}));
  EXPECT_EQ(rows.columnIndices, (std::vector<std::size_t>{0, 2}));
  auto columns = toCSC(m);
  EXPECT_EQ(columns.columnIndices, (std::vector<std::size_t>{0, 4, 8}));
  EXPECT_EQ(columns.rowIndices, (std::vector<std::size_t>{0, 2}));
}

TEST(SparseFormats, MalformedMatricesAreRefused) {
  using poputil::poplibs_error;
  using M = COOMatrix<float>;
  EXPECT_THROW(sorted(M(4, 4, {1}, {4}, {0})), poplibs_error);          // outside
  EXPECT_THROW(sorted(M(4, 4, {1, 2}, {1, 1}, {0, 0})), poplibs_error); // twice
  EXPECT_THROW(sorted(M(4, 4, {1, 2}, {1}, {0})), poplibs_error);       // one value too many
  EXPECT_THROW(sorted(M(4, 4, {1, 2, 3, 4}, {1}, {0}, {{2, 2}})), poplibs_error); // off the grid
  EXPECT_THROW(sorted(M(5, 4, {}, {}, {}, {{2, 2}})), poplibs_error);
  EXPECT_THROW(toCOO(CSRMatrix<float>(2, 2, {1}, {0}, {0, 1})), poplibs_error); // a start missing
  EXPECT_THROW(toCOO(CSRMatrix<float>(2, 2, {1}, {0}, {0, 1, 0})), poplibs_error);
  EXPECT_THROW(toCOO(CSCMatrix<float>(2, 2, {1}, {0, 1}, {0})), poplibs_error);
}

TEST(SparseFormats, ConstructorsMakeRoomOrTakeLists) {
  using Indices = std::vector<std::size_t>;
  CSRMatrix<float> rows(8, 6, {{2, 2}}); // eight values in six rows
  EXPECT_EQ(rows.nzValues.size(), 8u);
  EXPECT_EQ(rows.columnIndices.size(), 2u);
  EXPECT_EQ(rows.rowIndices.size(), 4u);
  CSCMatrix<float> columns(5, 7);
  EXPECT_EQ(columns.nzValues.size(), 5u);
  EXPECT_EQ(columns.columnIndices.size(), 8u);
  EXPECT_EQ(columns.rowIndices.size(), 5u);
  EXPECT_EQ(COOMatrix<float>(4).rowIndices.size(), 4u);
  EXPECT_EQ(COOMatrix<float>(Block(std::array<std::size_t, 2>{{4, 4}})).getBlockSize(), 16u);

  CSRMatrix<double> given({1, 2, 3}, Indices{0, 2, 1}, Indices{0, 2, 3});
  EXPECT_EQ(given.numRows, 0u); // the plan says it
  given.numRows = 2;
  given.numColumns = 3;
  EXPECT_EQ(dense(toCOO(given)), (Doubles{1, 0, 2, 0, 3, 0}));
  EXPECT_THROW((COOMatrix<float>(4, {{0, 1}})), poputil::poplibs_error);
  EXPECT_THROW((CSRMatrix<float>(4, 2, {{2, 0}})), poputil::poplibs_error);
}
