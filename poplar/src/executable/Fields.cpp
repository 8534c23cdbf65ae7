// SPDX-License-Identifier: MIT
#include "executable/Fields.hpp"
#include "executable/Validate.hpp"

namespace poplar::executable {
namespace {

struct Put : steps::AllMembers<Put> {
  void part(std::uint32_t part) { out.parts.push_back(part); }
  void view(const tensor::View &view) { out.views.push_back(view); }
  void moves(const std::vector<Move> &moves, steps::Arrives = {}) { out.moves = moves; }
  void any(const auto &number) { out.numbers.push_back(std::uint64_t(number)); }
  void text(const std::string &text) { out.texts.push_back(text); }
  void length(const auto &list) { out.numbers.push_back(list.size()); }
  void present(const auto &value) { out.numbers.push_back(bool(value)); }
  Fields out;
};

class Take : public steps::AllMembers<Take> {
public:
  explicit Take(Fields &from) : from_(from) {}

  void part(std::uint32_t &part) { part = next(from_.parts, parts_, "parts"); }
  void view(tensor::View &view) { view = std::move(next(from_.views, views_, "tensors")); }
  void moves(std::vector<Move> &moves, steps::Arrives = {}) { moves = std::move(from_.moves); }
  template <class Number> void any(Number &number) {
    const auto value = next(from_.numbers, numbers_, "numbers");
    number = static_cast<Number>(value);
    if (std::uint64_t(number) != value)
      inconsistent("a step has the number ", value, ", which is too large for it");
  }
  void text(std::string &text) { text = std::move(next(from_.texts, texts_, "texts")); }
  void length(auto &list) {
    const auto length = next(from_.numbers, numbers_, "numbers");
    if (length > from_.parts.size() + from_.views.size() + from_.numbers.size())
      inconsistent("a step has a list of ", length, " elements that are not there");
    list.resize(length);
  }
  void present(auto &value) {
    if (next(from_.numbers, numbers_, "numbers"))
      value.emplace();
  }

  void finish() const {
    if (parts_ != from_.parts.size() || views_ != from_.views.size() ||
        numbers_ != from_.numbers.size() || texts_ != from_.texts.size() || !from_.moves.empty())
      inconsistent("a step has more members than its kind");
  }

private:
  template <class T> T &next(std::vector<T> &list, std::size_t &at, const char *what) {
    if (at == list.size())
      inconsistent("a step has too few ", what);
    return list[at++];
  }
  Fields &from_;
  std::size_t parts_ = 0, views_ = 0, numbers_ = 0, texts_ = 0;
};

template <std::size_t... all>
void emplace(decltype(Step::kind) &kind, std::size_t index, std::index_sequence<all...>) {
  ((index == all ? void(kind.emplace<all>()) : void()), ...);
}

} // namespace

Fields fieldsOf(const Step &step) {
  Put put;
  describe(step, put);
  return std::move(put.out);
}

void take(Fields fields, std::size_t kind, Step &step) {
  if (kind >= numKinds)
    inconsistent("unknown kind of step ", kind);
  emplace(step.kind, kind, std::make_index_sequence<numKinds>());
  Take take(fields);
  describe(step, take);
  take.finish();
}

} // namespace poplar::executable
