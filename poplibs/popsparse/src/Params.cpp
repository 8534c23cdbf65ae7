// SPDX-License-Identifier: MIT
// Parameters are checked when they are made, so that later code need not.
#include "base/Text.hpp"
#include "popsparse/codelets.hpp"
#include "popsparse/FullyConnectedParams.hpp"
#include "popsparse/MatMulParams.hpp"
#include "poputil/exceptions.hpp"
#include <cmath>
#include <tuple>

namespace popsparse {

using poputil::poplibs_error;

void addCodelets(poplar::Graph &) {}

namespace {

// Sizes of the sparse matrix, and its blocks.
void checkSizes(const dynamic::SparsityParams &sparsity, std::size_t groups, std::size_t rows,
                std::size_t columns, std::size_t values) {
  const auto [r, c] = sparsity.blockDimensions;
  const auto known = [](std::size_t size) {
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
  };
  if (!known(r) || !known(c))
    throw poplibs_error(base::str(
        "Blocks of ", r, "x", c, " are not supported: rows and columns must be 1, 2, 4, 8 or 16."));
  if (rows % r || columns % c)
    throw poplibs_error(base::str("A sparse matrix of ", rows, "x", columns,
                                  " is not a whole number of ", r, "x", c, " blocks."));
  // The storage formats have no dimension of groups: nothing could say which block is whose.
  if (groups != 1)
    throw poplibs_error(base::str("Sparse operators take one group, not ", groups,
                                  ": COO, CSR and CSC hold one matrix. Make parameters and a "
                                  "sparse tensor for each group, and call the operator once for "
                                  "each."));
  if (values > rows * columns)
    throw poplibs_error(base::str(values, " non-zero values do not fit a sparse matrix of ", rows,
                                  "x", columns, "."));
}

std::size_t valuesFor(double nzRatio, const dynamic::SparsityParams &sparsity, std::size_t rows,
                      std::size_t columns) {
  if (!(nzRatio > 0 && nzRatio <= 1))
    throw poplibs_error(
        base::str("The ratio of non-zero values is ", nzRatio, "; it must lie in (0, 1]."));
  const std::size_t area = sparsity.blockDimensions[0] * sparsity.blockDimensions[1];
  const double blocks = std::ceil(nzRatio * double(rows * columns / area) - 1e-9);
  return std::size_t(blocks) * area;
}

double ratio(std::size_t values, std::size_t rows, std::size_t columns) {
  return rows && columns ? double(values) / double(rows * columns) : 0;
}

} // namespace

namespace dynamic {

FullyConnectedParams FullyConnectedParams::createWithNumNonZeroValues(
    const SparsityParams &sparsityParams, std::size_t numNonZeroElems, std::size_t batchSize,
    std::size_t numGroups, std::size_t inputChannels, std::size_t outputChannels) {
  checkSizes(sparsityParams, numGroups, outputChannels, inputChannels, numNonZeroElems);
  FullyConnectedParams out;
  out.sparsityParams_ = sparsityParams;
  out.numNonZeroValues_ = numNonZeroElems;
  out.batchSize_ = batchSize;
  out.numGroups_ = numGroups;
  out.inputChannels_ = inputChannels;
  out.outputChannels_ = outputChannels;
  return out;
}
FullyConnectedParams FullyConnectedParams::createWithNzRatio(const SparsityParams &sparsityParams,
                                                             double nzRatio, std::size_t batchSize,
                                                             std::size_t numGroups,
                                                             std::size_t inputChannels,
                                                             std::size_t outputChannels) {
  return createWithNumNonZeroValues(
      sparsityParams, valuesFor(nzRatio, sparsityParams, outputChannels, inputChannels), batchSize,
      numGroups, inputChannels, outputChannels);
}
double FullyConnectedParams::getNzRatio() const {
  return ratio(numNonZeroValues_, outputChannels_, inputChannels_);
}
bool operator<(const FullyConnectedParams &a, const FullyConnectedParams &b) {
  const auto tie = [](const FullyConnectedParams &p) {
    return std::tie(p.sparsityParams_.blockDimensions, p.numNonZeroValues_, p.batchSize_,
                    p.numGroups_, p.inputChannels_, p.outputChannels_);
  };
  return tie(a) < tie(b);
}
std::ostream &operator<<(std::ostream &out, const FullyConnectedParams &p) {
  return out << "{" << p.getSparsityParams() << ", non-zero " << p.getNumNonZeroValues()
             << ", batch " << p.getBatchSize() << ", groups " << p.getNumGroups() << ", in "
             << p.getInputChannelsPerGroup() << ", out " << p.getOutputChannelsPerGroup() << "}";
}

MatMulParams MatMulParams::createWithNumNonZeroValues(const SparsityParams &sparsityParams,
                                                      std::size_t numNonZeroElems,
                                                      std::size_t groups, std::size_t m,
                                                      std::size_t k, std::size_t n) {
  checkSizes(sparsityParams, groups, m, k, numNonZeroElems);
  MatMulParams out;
  out.sparsityParams_ = sparsityParams;
  out.numNonZeroValues_ = numNonZeroElems;
  out.groups_ = groups;
  out.m_ = m;
  out.k_ = k;
  out.n_ = n;
  return out;
}
MatMulParams MatMulParams::createWithNzRatio(const SparsityParams &sparsityParams, double nzRatio,
                                             std::size_t groups, std::size_t m, std::size_t k,
                                             std::size_t n) {
  return createWithNumNonZeroValues(sparsityParams, valuesFor(nzRatio, sparsityParams, m, k),
                                    groups, m, k, n);
}
double MatMulParams::getNzRatio() const { return ratio(numNonZeroValues_, m_, k_); }
bool operator<(const MatMulParams &a, const MatMulParams &b) {
  const auto tie = [](const MatMulParams &p) {
    return std::tie(p.sparsityParams_.blockDimensions, p.numNonZeroValues_, p.groups_, p.m_, p.k_,
                    p.n_);
  };
  return tie(a) < tie(b);
}
std::ostream &operator<<(std::ostream &out, const MatMulParams &p) {
  return out << "{" << p.getSparsityParams() << ", non-zero " << p.getNumNonZeroValues()
             << ", groups " << p.getNumGroups() << ", m " << p.getM() << ", k " << p.getK()
             << ", n " << p.getN() << "}";
}

} // namespace dynamic

namespace static_ {

MatMulParams MatMulParams::createForSparseDense(std::size_t groups, std::size_t m, std::size_t k,
                                                std::size_t n) {
  checkSizes({}, groups, m, k, 0);
  MatMulParams out;
  out.groups_ = groups;
  out.m_ = m;
  out.k_ = k;
  out.n_ = n;
  return out;
}
MatMulParams MatMulParams::createForDenseSparse(std::size_t groups, std::size_t n, std::size_t k,
                                                std::size_t m) {
  MatMulParams out = createForSparseDense(groups, m, k, n);
  out.sparseDense_ = false;
  return out;
}
bool operator<(const MatMulParams &a, const MatMulParams &b) {
  const auto tie = [](const MatMulParams &p) {
    return std::tie(p.groups_, p.m_, p.k_, p.n_, p.sparseDense_);
  };
  return tie(a) < tie(b);
}
std::ostream &operator<<(std::ostream &out, const MatMulParams &p) {
  return out << "{" << (p.isSparseDense() ? "sparse x dense" : "dense x sparse") << ", groups "
             << p.getNumGroups() << ", m " << p.getM() << ", k " << p.getK() << ", n " << p.getN()
             << "}";
}

} // namespace static_
} // namespace popsparse
