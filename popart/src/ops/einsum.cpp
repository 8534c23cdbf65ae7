// SPDX-License-Identifier: MIT
// Einsum: products of tensors with named dimensions, summed over the names that the output lacks.
// Written with other operators: repeated names of one operand become its diagonal, operands are
// joined from left to right by one matrix product each (names of both that the result keeps are
// its groups), names that nobody needs any more are summed first.
#include "ops/shared/elementwise.hpp"
#include <algorithm>
#include <map>

namespace popart::ops {

namespace {

using Names = std::string; // one character per dimension; those of an ellipsis are digits

struct Operand {
  Value value;
  Names names;
};

bool has(const Names &names, char c) { return names.find(c) != Names::npos; }

class Einsum {
public:
  Einsum(GraphBuilder &b, const OpView &op) : b_(b), op_(op) { parse(); }

  Value result() {
    for (auto &operand : operands_)
      prepare(operand);
    Operand all = operands_.front();
    for (std::size_t i = 1; i < operands_.size(); ++i)
      all = join(std::move(all), operands_[i], neededAfter(i));
    return ordered(summed(std::move(all), output_), output_).value;
  }

private:
  void parse() {
    std::string text = op_.text("equation");
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    const auto arrow = text.find("->");
    std::vector<std::string> terms(1);
    for (char c : text.substr(0, arrow))
      if (c == ',')
        terms.emplace_back();
      else
        terms.back() += c;
    if (terms.size() != op_.inputs())
      op_.fail("equation \"", text, "\" names ", terms.size(), " operands, but there are ",
               op_.inputs(), ".");
    for (std::size_t i = 0; i < terms.size(); ++i)
      operands_.push_back({op_.in(i), expanded(terms[i], op_.in(i).rank(), true)});
    output_ =
        arrow == std::string::npos ? implicitOutput() : expanded(text.substr(arrow + 2), 0, false);
    check();
  }

  // Letters as they are, "..." as the last digits of 0 to 9 that fill the rank.
  Names expanded(const std::string &term, std::int64_t rank, bool input) {
    const auto dots = term.find("...");
    Names letters = term;
    if (dots != std::string::npos)
      letters.erase(dots, 3);
    if (!std::all_of(letters.begin(), letters.end(), [](unsigned char c) { return isalpha(c); }))
      op_.fail("equation \"", op_.text("equation"), "\": \"", term,
               "\" is not made of letters and one \"...\".");
    std::int64_t more = input ? rank - std::int64_t(letters.size()) : ellipsis_;
    if (input && (more < 0 || more > 10 || (dots == std::string::npos && more != 0)))
      op_.fail("equation \"", op_.text("equation"), "\": \"", term, "\" does not fit rank ", rank,
               ".");
    if (dots == std::string::npos)
      return letters;
    if (input)
      ellipsis_ = std::max(ellipsis_, more);
    for (std::int64_t i = 0; i < more; ++i)
      letters.insert(letters.begin() + std::int64_t(dots) + i, char('0' + 10 - more + i));
    return letters;
  }

  // The dimensions of the ellipsis, then all letters that occur once, in alphabetical order.
  Names implicitOutput() const {
    std::map<char, int> count;
    for (const auto &operand : operands_)
      for (char c : operand.names)
        ++count[c];
    Names out;
    for (const auto &[c, n] : count)
      if (isdigit(static_cast<unsigned char>(c)) || n == 1)
        out += c;
    return out;
  }

  void check() {
    for (const auto &operand : operands_)
      for (std::size_t i = 0; i < operand.names.size(); ++i) {
        const auto size = b_.shape(operand.value)[i];
        auto &known = sizes_.emplace(operand.names[i], size).first->second;
        if (known != size && known != 1 && size != 1)
          op_.fail("equation \"", op_.text("equation"), "\": dimension \"", operand.names[i],
                   "\" is ", known, " and ", size, ".");
        known = known == 1 ? size : known;
      }
    for (char c : output_)
      if (!sizes_.count(c) || std::count(output_.begin(), output_.end(), c) != 1)
        op_.fail("equation \"", op_.text("equation"), "\": dimension \"", c,
                 "\" of the output must occur once there, and in an operand.");
  }

  // Diagonals of repeated names; dimensions of size 1 that others are broadcast over leave.
  void prepare(Operand &o) {
    for (std::size_t i = 0; i < o.names.size(); ++i)
      for (std::size_t j = o.names.size(); j-- > i + 1;)
        if (o.names[i] == o.names[j])
          takeDiagonal(o, i, j);
    Shape shape;
    Names names;
    for (std::size_t i = 0; i < o.names.size(); ++i)
      if (b_.shape(o.value)[i] == sizes_[o.names[i]]) {
        shape.push_back(b_.shape(o.value)[i]);
        names += o.names[i];
      }
    o = {b_.reshape(o.value, shape), names};
  }
  void takeDiagonal(Operand &o, std::size_t i, std::size_t j) {
    const auto n = sizes_[o.names[i]];
    std::vector<std::int64_t> unit(std::size_t(n * n), 0);
    for (std::int64_t k = 0; k < n; ++k)
      unit[std::size_t(k * n + k)] = 1;
    Shape shape(o.names.size(), 1);
    shape[i] = shape[j] = n;
    const Value mask = b_.constant(HostTensor::fromIntegers({DataType::BOOL, shape}, unit));
    const Value kept = b_.where(mask, o.value, b_.scalar(0, o.value));
    o.value = b_.reduceSum(kept, {std::int64_t(j)}, false);
    o.names.erase(j, 1);
  }

  Names neededAfter(std::size_t joined) const {
    Names out = output_;
    for (std::size_t i = joined + 1; i < operands_.size(); ++i)
      out += operands_[i].names;
    return out;
  }
  // Sums over every name that is not in `needed`.
  Operand summed(Operand o, const Names &needed) {
    Integers axes;
    Names names;
    for (std::size_t i = 0; i < o.names.size(); ++i)
      if (has(needed, o.names[i]))
        names += o.names[i];
      else
        axes.push_back(std::int64_t(i));
    return {b_.reduceSum(o.value, axes, false), names};
  }
  Operand ordered(const Operand &o, const Names &names) {
    Integers perm;
    for (char c : names)
      perm.push_back(std::int64_t(o.names.find(c)));
    return {b_.transpose(o.value, perm), names};
  }
  Shape shapeOf(const Names &names) const {
    Shape out;
    for (char c : names)
      out.push_back(sizes_.at(c));
    return out;
  }
  std::int64_t sizeOf(const Names &names) const { return ir::elementsOf(shapeOf(names)); }

  Operand join(Operand a, Operand b, const Names &needed) {
    a = summed(std::move(a), needed + b.names);
    b = summed(std::move(b), needed + a.names);
    Names groups, inner, left, right;
    for (char c : a.names)
      (!has(b.names, c) ? left : has(needed, c) ? groups : inner) += c;
    for (char c : b.names)
      if (!has(a.names, c))
        right += c;
    const auto g = sizeOf(groups), m = sizeOf(left), k = sizeOf(inner), n = sizeOf(right);
    const Value x = ordered(a, groups + left + inner).value;
    const Value y = ordered(b, groups + inner + right).value;
    const Names names = groups + left + right;
    Value product;
    if (inner.empty() || !isFloatingPoint(b_.type(x))) {
      product = b_.mul(b_.reshape(x, {g, m, k, 1}), b_.reshape(y, {g, 1, k, n}));
      product = b_.reduceSum(product, {2}, false);
    } else if (groups.empty())
      product = b_.matmul(b_.reshape(x, {m, k}), b_.reshape(y, {k, n}));
    else
      product = b_.matmul(b_.reshape(x, {g, m, k}), b_.reshape(y, {g, k, n}));
    return {b_.reshape(product, shapeOf(names)), names};
  }

  GraphBuilder &b_;
  const OpView &op_;
  std::vector<Operand> operands_;
  Names output_;
  std::int64_t ellipsis_ = 0;
  std::map<char, std::int64_t> sizes_;
};

} // namespace

OpDef einsumOp() {
  OpDef op;
  op.type = "Einsum";
  op.in = {1, any};
  op.doc = "Products of tensors with named dimensions, summed over names the output lacks.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    requireSameTypes(op);
    return {Einsum(b, op).result()};
  };
  return op;
}

} // namespace popart::ops
