// SPDX-License-Identifier: MIT
#include "openipu/Formula.hpp"

#include "base/Text.hpp"
#include <algorithm>
#include <cctype>
#include <map>
#include <popart/error.hpp>

namespace popart::ops {

namespace {

// How many parts each has.
const std::map<std::string, std::size_t> functions{
    {"sqrt", 1}, {"square", 1}, {"abs", 1},         {"sign", 1},      {"max", 2},
    {"min", 2},  {"norm", 1},   {"trust_ratio", 3}, {"correction", 1}};

Formula apply(const std::string &function, std::vector<Formula> parts) {
  return {Formula::Kind::Apply, 0, function, std::move(parts)};
}

// sum: product {+ - product}    product: factor {* / factor}
// factor: - factor | number | name | function(sum, ...) | (sum)
class Reader {
public:
  explicit Reader(const std::string &line) : line_(line) {}

  Assignment assignment() {
    Assignment out{name(), {}};
    expect('=');
    out.value = sum();
    if (next() != '\0')
      fail("has more behind its end");
    return out;
  }

private:
  Formula sum() {
    Formula out = product();
    while (next() == '+' || next() == '-') {
      const char op = take();
      out = apply(op == '+' ? "add" : "sub", {std::move(out), product()});
    }
    return out;
  }
  Formula product() {
    Formula out = factor();
    while (next() == '*' || next() == '/') {
      const char op = take();
      out = apply(op == '*' ? "mul" : "div", {std::move(out), factor()});
    }
    return out;
  }
  Formula factor() {
    if (++depth_ > deepest)
      fail("is nested too deeply");
    Formula out = factorHere();
    --depth_;
    return out;
  }
  Formula factorHere() {
    if (next() == '-') {
      take();
      return apply("neg", {factor()});
    }
    if (next() == '(') {
      take();
      Formula out = sum();
      expect(')');
      return out;
    }
    if (std::isdigit(static_cast<unsigned char>(next())) || next() == '.')
      return number();
    const std::string word = name();
    return next() == '(' ? call(word) : Formula{Formula::Kind::Name, 0, word, {}};
  }
  Formula call(const std::string &function) {
    const auto it = functions.find(function);
    if (it == functions.end())
      fail(base::str("uses a function \"", function, "\"; there are ",
                     "sqrt, square, abs, sign, max, min, norm, trust_ratio and correction"));
    take();
    std::vector<Formula> parts{sum()};
    while (next() == ',') {
      take();
      parts.push_back(sum());
    }
    expect(')');
    const bool two = function == "trust_ratio" && parts.size() == 2; // the third is a bound
    if (parts.size() != it->second && !two)
      fail(base::str("gives ", function, " ", parts.size(), " value(s) instead of ", it->second));
    if (function != "correction" && function != "norm")
      return apply(function, std::move(parts));
    if (parts[0].kind != Formula::Kind::Name)
      fail(base::str("asks for the ", function, " of what has no name"));
    return {Formula::Kind::Name, 0, function + "(" + parts[0].name + ")", {}};
  }
  Formula number() {
    std::size_t used = 0;
    double value = 0;
    try {
      value = std::stod(line_.substr(at_), &used);
    } catch (const std::exception &) {
      fail("has a number that is none");
    }
    at_ += used;
    return {Formula::Kind::Number, value, "", {}};
  }
  std::string name() {
    next();
    std::size_t end = at_;
    while (end < line_.size() &&
           (std::isalnum(static_cast<unsigned char>(line_[end])) || line_[end] == '_'))
      ++end;
    if (end == at_ || std::isdigit(static_cast<unsigned char>(line_[at_])))
      fail(base::str("needs a name at place ", at_));
    std::string out = line_.substr(at_, end - at_);
    at_ = end;
    return out;
  }

  // The next sign that is no blank; it stays.
  char next() {
    while (at_ < line_.size() && line_[at_] == ' ')
      ++at_;
    return at_ < line_.size() ? line_[at_] : '\0';
  }
  char take() { return line_[at_++]; }
  void expect(char c) {
    if (next() != c)
      fail(base::str("needs '", c, "' at place ", at_));
    take();
  }
  [[noreturn]] void fail(const std::string &why) const {
    throw error(base::str("The rule's line \"", line_, "\" ", why, "."));
  }

  static constexpr int deepest = 64;
  const std::string &line_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

} // namespace

Assignment readAssignment(const std::string &line) { return Reader(line).assignment(); }

std::string lineOf(const std::string &line,
                   const std::function<bool(const std::string &mode)> &on) {
  const auto end = line.find(": ");
  if (end == std::string::npos)
    return line;
  for (std::size_t at = 0; at < end;) {
    const auto next = std::min(line.find(", ", at), end);
    const std::size_t no = line.compare(at, 4, "not ") == 0 ? 4 : 0;
    if (on(line.substr(at + no, next - at - no)) == (no > 0))
      return "";
    at = next + 2;
  }
  return line.substr(end + 2);
}

std::vector<std::string> namesOf(const Formula &f) {
  std::vector<std::string> out;
  if (!f.name.empty())
    out.push_back(f.name);
  for (const auto &part : f.parts)
    for (auto &name : namesOf(part))
      out.push_back(std::move(name));
  return out;
}

std::optional<std::string> argumentOf(const std::string &name, const std::string &function) {
  if (name.rfind(function + "(", 0) != 0)
    return std::nullopt;
  return name.substr(function.size() + 1, name.size() - function.size() - 2);
}

} // namespace popart::ops
