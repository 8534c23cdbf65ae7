// SPDX-License-Identifier: MIT
#include "model.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

using I = ir::Integers;
using std::int64_t;

struct Gram {
  I values;
  int64_t column;
  double weight;
};

Doubles wanted(const std::vector<Gram> &grams, const Doubles &x, std::size_t length,
               const std::string &mode, int64_t shortest, int64_t longest, int64_t skips) {
  Doubles out;
  for (std::size_t row = 0; row < x.size() / length; ++row) {
    Doubles y(6, 0);
    for (const auto &g : grams) {
      const auto n = int64_t(g.values.size());
      double count = 0;
      for (int64_t gap = 1; gap <= (n == 1 ? 1 : skips + 1); ++gap)
        for (int64_t at = 0; at + (n - 1) * gap < int64_t(length); ++at) {
          bool same = n >= shortest && n <= longest;
          for (int64_t k = 0; k < n; ++k)
            same = same &&
                   x[row * length + std::size_t(at + k * gap)] == double(g.values[std::size_t(k)]);
          count += same;
        }
      y[std::size_t(g.column)] += mode == "TF"    ? count
                                  : mode == "IDF" ? std::min(count, 1.0) * g.weight
                                                  : count * g.weight;
    }
    out.insert(out.end(), y.begin(), y.end());
  }
  return out;
}

} // namespace

TEST(TfIdfVectorizerOp, CountsAndWeighsNGrams) {
  const std::vector<Gram> grams{
      {{1}, 3, 0.5}, {{2}, 0, 2}, {{1, 2}, 5, 3}, {{3, 1}, 1, 0.1}, {{1, 2, 3}, 2, 1.5}};
  Model m;
  const Doubles data{1, 2, 3, 1, 1, 2, 3, 3, 1, 2, 2, 1, 1, 3, 2, 2};
  const Value flat = m.input({16}, data, DataType::INT32),
              rows = m.input({2, 8}, data, DataType::INT32);
  I pool, columns;
  std::vector<float> weights;
  for (const auto &g : grams) {
    pool.insert(pool.end(), g.values.begin(), g.values.end());
    columns.push_back(g.column);
    weights.push_back(float(g.weight));
  }
  for (const std::string mode : {"TF", "IDF", "TFIDF"})
    for (const auto &[shortest, longest, skips] :
         std::vector<std::array<int64_t, 3>>{{1, 3, 0}, {1, 1, 5}, {2, 3, 2}, {3, 3, 9}})
      for (const Value x : {flat, rows}) {
        const Value y = m.b.op("TfIdfVectorizer", {x},
                               {{"mode", mode},
                                {"min_gram_length", shortest},
                                {"max_gram_length", longest},
                                {"max_skip_count", skips},
                                {"pool_int64s", pool},
                                {"ngram_counts", I{0, 2, 6}},
                                {"ngram_indexes", columns},
                                {"weights", weights}});
        EXPECT_EQ(m.graph[y].info.shape(), x == flat ? Shape{6} : Shape({2, 6}));
        expectNear(m.run(y),
                   wanted(grams, data, x == flat ? 16 : 8, mode, shortest, longest, skips));
      }
}
