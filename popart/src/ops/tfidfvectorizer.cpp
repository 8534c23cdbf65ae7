// SPDX-License-Identifier: MIT
// TfIdfVectorizer: how often each n-gram of a pool occurs in a row of integers, its elements up to
// max_skip_count places apart; counted (TF), as present or not (IDF), with weights (IDF, TFIDF).
// All places of the row are compared with all n-grams at once, element by element.
#include "ops/shared/arithmetic.hpp"
#include <algorithm>

namespace popart::ops {

namespace {

struct Pool {
  explicit Pool(const OpView &op) : values(op.integers("pool_int64s")) {
    if (op.has("pool_strings"))
      op.fail("pool_strings is not supported: texts cannot be held on the device. Number the "
              "words.");
    const auto starts = op.integers("ngram_counts"), columns = op.integers("ngram_indexes");
    for (std::size_t n = 1; n <= starts.size(); ++n) {
      const auto begin = starts[n - 1],
                 end = n < starts.size() ? starts[n] : std::int64_t(values.size());
      if (begin < 0 || begin > end || end > std::int64_t(values.size()) ||
          (end - begin) % std::int64_t(n))
        op.fail("ngram_counts says that ", n, "-grams stand at ", begin, " to ", end,
                " of a pool of ", values.size(), ".");
      first.push_back(begin);
      count.push_back((end - begin) / std::int64_t(n));
      grams += count.back();
    }
    if (grams != std::int64_t(columns.size()))
      op.fail("it has ", grams, " n-grams and ", columns.size(), " ngram_indexes.");
  }
  Integers values, first, count; // by length - 1: where n-grams begin, how many there are
  std::int64_t grams = 0;
};

// How often the n-grams of one length occur in the rows of x [rows, length], [rows, n-grams].
Value counts(GraphBuilder &b, const Pool &pool, Value x, std::int64_t n, std::int64_t skips) {
  const std::int64_t rows = b.shape(x)[0], length = b.shape(x)[1],
                     grams = pool.count[std::size_t(n - 1)];
  Value sum = none;
  for (std::int64_t gap = 1; gap <= (n == 1 ? 1 : skips + 1); ++gap) {
    const std::int64_t places = length - (n - 1) * gap;
    if (places < 1)
      break;
    Value same = none;
    for (std::int64_t k = 0; k < n; ++k) {
      Integers column;
      for (std::int64_t g = 0; g < grams; ++g)
        column.push_back(pool.values[std::size_t(pool.first[std::size_t(n - 1)] + g * n + k)]);
      const Value part = b.op("Slice", {x},
                              {{"starts", Integers{k * gap}},
                               {"ends", Integers{k * gap + places}},
                               {"axes", Integers{1}}});
      const Value equal =
          b.op("Equal", {b.reshape(part, {rows, places, 1}),
                         b.constant(HostTensor::fromIntegers({b.type(x), {1, 1, grams}}, column))});
      same = same == none ? equal : b.op("And", {same, equal});
    }
    const Value found = b.reduceSum(b.cast(same, DataType::FLOAT), {1}, false);
    sum = sum == none ? found : b.add(sum, found);
  }
  return sum != none ? sum : b.constant(HostTensor::filled({DataType::FLOAT, {rows, grams}}, 0));
}

// What stands in which column of the result: [n-grams, columns], with weights.
Value placement(GraphBuilder &b, const OpView &op, const Pool &pool, std::int64_t width) {
  const auto columns = op.integers("ngram_indexes");
  auto weights = op.reals("weights");
  const bool weighted = op.text("mode") != "TF";
  if (!weights.empty() && weights.size() != columns.size())
    op.fail("it has ", columns.size(), " n-grams and ", weights.size(), " weights.");
  requireFewNumbers(op, double(pool.grams) * double(width));
  std::vector<double> values(std::size_t(pool.grams * width), 0);
  for (std::size_t i = 0; i < columns.size(); ++i)
    values[i * std::size_t(width) + std::size_t(columns[i])] =
        weighted && !weights.empty() ? double(weights[i]) : 1;
  return b.constant(HostTensor::fromDoubles({DataType::FLOAT, {pool.grams, width}}, values));
}

Values decompose(GraphBuilder &b, const OpView &op) {
  requireInteger(op);
  const Pool pool(op);
  const auto mode = op.text("mode");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    op.fail("mode \"", mode, "\" must be TF, IDF or TFIDF.");
  if (op.in(0).rank() < 1 || op.in(0).rank() > 2 || op.in(0).elements() == 0)
    op.fail("its input is ", op.in(0).info(), "; it must be [length] or [rows, length].");
  const auto columns = op.integers("ngram_indexes");
  for (auto c : columns)
    if (c < 0)
      op.fail("ngram_indexes has ", c, ".");
  if (columns.empty())
    op.fail("its pool is empty.");
  const std::int64_t width = *std::max_element(columns.begin(), columns.end()) + 1,
                     rows = op.in(0).rank() == 2 ? op.in(0).dim(0) : 1;
  const Value x = b.reshape(op.in(0), {rows, op.in(0).dim(-1)});
  const std::int64_t shortest = op.integer("min_gram_length"),
                     longest = op.integer("max_gram_length");
  Values all;
  for (std::size_t i = 0; i < pool.count.size(); ++i) {
    const auto n = std::int64_t(i) + 1;
    if (pool.count[i] == 0)
      continue;
    all.push_back(
        n >= shortest && n <= longest
            ? counts(b, pool, x, n, op.integer("max_skip_count"))
            : b.constant(HostTensor::filled({DataType::FLOAT, {rows, pool.count[i]}}, 0)));
  }
  Value found = all.size() == 1 ? all[0] : b.op("Concat", all, {{"axis", std::int64_t(1)}});
  if (mode == "IDF")
    found = b.op("Min", {found, b.scalar(1, found)});
  const Value y = b.matmul(found, placement(b, op, pool, width));
  return {op.in(0).rank() == 2 ? y : b.reshape(y, {width})};
}

} // namespace

OpDef tfidfvectorizerOp() {
  OpDef op;
  op.type = "TfIdfVectorizer";
  op.doc = "How often the n-grams of a pool occur in rows of integers.";
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
