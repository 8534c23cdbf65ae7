// SPDX-License-Identifier: MIT
// Lists that many rows of an Image have in common: which tiles hold a variable, what a phase costs
// each tile. A model has thousands of such rows and few different lists, so copies share their
// elements until one of them is changed. ListPool finds equal lists; files hold each of them once.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace poplar::executable {

template <class T> class SharedList {
public:
  SharedList() = default;
  SharedList(std::vector<T> items) {
    if (!items.empty())
      items_ = std::make_shared<std::vector<T>>(std::move(items));
  }
  SharedList(std::initializer_list<T> items) : SharedList(std::vector<T>(items)) {}

  const std::vector<T> &list() const {
    static const std::vector<T> nothing;
    return items_ ? *items_ : nothing;
  }
  auto begin() const { return list().begin(); }
  auto end() const { return list().end(); }
  std::size_t size() const { return list().size(); }
  bool empty() const { return list().empty(); }
  const T &operator[](std::size_t i) const { return list()[i]; }

  // The elements to be changed, which are then this list's own.
  std::vector<T> &edit() {
    if (!items_)
      items_ = std::make_shared<std::vector<T>>();
    else if (items_.use_count() > 1)
      items_ = std::make_shared<std::vector<T>>(*items_);
    return *items_;
  }
  void push_back(const T &item) { edit().push_back(item); }

  bool sharesWith(const SharedList &other) const { return items_ == other.items_; }
  bool operator==(const SharedList &other) const {
    return sharesWith(other) || list() == other.list();
  }

private:
  std::shared_ptr<std::vector<T>> items_; // null: empty
};

// Different lists in the order of their first appearance. T has mix(hash).
template <class T> class ListPool {
public:
  // The number of the list that equals `list`.
  std::uint32_t index(const SharedList<T> &list) {
    if (auto known = byAddress_.find(list.list().data()); known != byAddress_.end())
      return known->second;
    const auto key = hashOf(list);
    for (auto [at, end] = byContent_.equal_range(key); at != end; ++at)
      if (lists_[at->second] == list)
        return at->second;
    const auto fresh = std::uint32_t(lists_.size());
    lists_.push_back(list);
    byContent_.emplace(key, fresh);
    byAddress_.emplace(list.list().data(), fresh);
    return fresh;
  }
  void share(SharedList<T> &list) {
    if (!list.empty())
      list = lists_[index(list)];
  }
  std::size_t size() const { return lists_.size(); }

private:
  static std::uint64_t hashOf(const SharedList<T> &list) {
    std::uint64_t hash = list.size();
    for (const auto &item : list)
      hash = item.mix(hash);
    return hash;
  }
  std::vector<SharedList<T>> lists_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> byContent_;
  std::unordered_map<const T *, std::uint32_t> byAddress_; // of lists_, which keeps them alive
};

// For mix(): spreads one more number over a hash.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) {
  hash = (hash ^ number) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

} // namespace poplar::executable
