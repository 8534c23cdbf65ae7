// SPDX-License-Identifier: MIT
// The record behind every vector field: address and element count, and in checked mode the
// descriptor by which each access is verified. Layouts must match src/codelet/Module.hpp
// (VectorRecord and its checked and quarter forms).
#ifndef POPLAR_CODELET_ELEMENTS_HPP
#define POPLAR_CODELET_ELEMENTS_HPP
#include "poplar/codelet/Hooks.hpp"
#include "poplar/codelet/Layouts.hpp"
#include <cstddef>
#include <cstdint>

struct quarter;
namespace std {
struct random_access_iterator_tag;
}

namespace poplar {
namespace codelet {

// Checked mode is this one number: the driver changes it in the preprocessed text, so that one text
// gives both images.
enum { openipuChecked = 0 };

// Read: Input. Write: Output and InOut. State: plain vectors and the outer level of 2-D fields.
enum class Access { Read, Write, State };

template <class T> struct RemoveConst { typedef T type; };
template <class T> struct RemoveConst<const T> { typedef T type; };

// The metadata byte that a QUARTER field carries; nothing for other types.
template <class T> struct Metadata {};
template <> struct Metadata<::quarter> { const unsigned char *metadata_; };

struct FieldCheck {
  const char *vertex, *field;
  std::uint64_t vertexId;
  std::uint8_t *written;
  std::uint32_t shadowStride, outer;
};

template <bool Checked> struct Descriptor {
  const FieldCheck *check() const { return nullptr; }
};
template <> struct Descriptor<true> {
  const FieldCheck *check_;
  const FieldCheck *check() const { return check_; }
};

#ifdef __POPC__
template <Access A>
inline void verify(const FieldCheck *check, std::uint64_t index, std::uint64_t size) {
  if (index >= size)
    openipuHooks->checkFailed(check, CheckOutOfBounds, index, size);
  if (!check || !check->written || A == Access::State)
    return;
  std::uint8_t *shadow = check->written + index * check->shadowStride;
  if (A == Access::Read && !*shadow)
    openipuHooks->checkFailed(check, CheckNeverWritten, index, size);
  if (A == Access::Write)
    for (std::uint32_t i = 0; i < check->shadowStride; ++i)
      shadow[i] = 1;
}
#else
template <Access A> inline void verify(const FieldCheck *, std::uint64_t, std::uint64_t) {}
#endif

// A record as the engine writes it. Order of members: address, size, metadata (quarter), descriptor
// (checked).
struct SizedAddress {
  void *data_;
  std::uint64_t size_;
};

template <class T, Access A>
class Elements : protected SizedAddress,
                 protected Metadata<typename RemoveConst<T>::type>,
                 protected Descriptor<openipuChecked> {
protected:
  T *address() const { return static_cast<T *>(data_); }
  T &at(std::size_t i) const {
    if (openipuChecked)
      verify<A>(this->check(), i, size_);
    return address()[i];
  }
  // Whoever takes the address of an output may write all of it.
  T *all() const {
    if (openipuChecked && A == Access::Write)
      for (std::uint64_t i = 0; i < size_; ++i)
        verify<A>(this->check(), i, size_);
    return address();
  }
};

// A pointer that checks when it is followed; it still converts to the plain pointer.
template <class T, Access A> class CheckedIterator {
public:
  typedef std::ptrdiff_t difference_type;
  typedef typename RemoveConst<T>::type value_type;
  typedef T *pointer;
  typedef T &reference;
  typedef std::random_access_iterator_tag iterator_category;

  CheckedIterator() = default;
  CheckedIterator(T *base, std::ptrdiff_t i, std::uint64_t size, const FieldCheck *check)
      : base_(base), i_(i), size_(size), check_(check) {}
  operator T *() const { return base_ + i_; }
  T &operator*() const { return (*this)[0]; }
  T *operator->() const { return &(*this)[0]; }
  T &operator[](std::ptrdiff_t n) const {
    verify<A>(check_, std::uint64_t(i_ + n), size_);
    return base_[i_ + n];
  }
  CheckedIterator &operator+=(std::ptrdiff_t n) { return i_ += n, *this; }
  CheckedIterator &operator-=(std::ptrdiff_t n) { return i_ -= n, *this; }
  CheckedIterator &operator++() { return ++i_, *this; }
  CheckedIterator &operator--() { return --i_, *this; }
  CheckedIterator operator++(int) { return ++i_, CheckedIterator(base_, i_ - 1, size_, check_); }
  CheckedIterator operator--(int) { return --i_, CheckedIterator(base_, i_ + 1, size_, check_); }
#define OPENIPU_STEP(Integer)                                                                      \
  friend CheckedIterator operator+(CheckedIterator a, Integer n) {                                 \
    return a += std::ptrdiff_t(n);                                                                 \
  }                                                                                                \
  friend CheckedIterator operator+(Integer n, CheckedIterator a) {                                 \
    return a += std::ptrdiff_t(n);                                                                 \
  }                                                                                                \
  friend CheckedIterator operator-(CheckedIterator a, Integer n) { return a -= std::ptrdiff_t(n); }
  OPENIPU_STEP(int)
  OPENIPU_STEP(unsigned)
  OPENIPU_STEP(long)
  OPENIPU_STEP(unsigned long)
  OPENIPU_STEP(long long)
  OPENIPU_STEP(unsigned long long)
#undef OPENIPU_STEP
  friend std::ptrdiff_t operator-(const CheckedIterator &a, const CheckedIterator &b) {
    return a.i_ - b.i_;
  }
  friend bool operator==(const CheckedIterator &a, const CheckedIterator &b) {
    return a.i_ == b.i_;
  }
  friend bool operator!=(const CheckedIterator &a, const CheckedIterator &b) {
    return a.i_ != b.i_;
  }
  friend bool operator<(const CheckedIterator &a, const CheckedIterator &b) { return a.i_ < b.i_; }
  friend bool operator>(const CheckedIterator &a, const CheckedIterator &b) { return a.i_ > b.i_; }
  friend bool operator<=(const CheckedIterator &a, const CheckedIterator &b) {
    return a.i_ <= b.i_;
  }
  friend bool operator>=(const CheckedIterator &a, const CheckedIterator &b) {
    return a.i_ >= b.i_;
  }

private:
  T *base_;
  std::ptrdiff_t i_;
  std::uint64_t size_;
  const FieldCheck *check_;
};

template <class T, Access A, bool Checked> struct IteratorOf {
  typedef T *type;
  static type make(T *base, std::size_t i, std::uint64_t, const FieldCheck *) { return base + i; }
};
template <class T, Access A> struct IteratorOf<T, A, true> {
  typedef CheckedIterator<T, A> type;
  static type make(T *base, std::size_t i, std::uint64_t size, const FieldCheck *check) {
    return type(base, std::ptrdiff_t(i), size, check);
  }
};

// What every vector of any layout offers.
template <class T, Access A> class Indexed : protected Elements<T, A> {
public:
  T &operator[](std::size_t i) const { return this->at(i); }
  T *data() const { return this->all(); }
};

// SPAN and SHORT_SPAN also know their size.
template <class T, Access A> class Sized : public Indexed<T, A> {
  typedef IteratorOf<T, A, openipuChecked> Iterators;

public:
  typedef typename Iterators::type iterator;
  iterator begin() const { return Iterators::make(this->address(), 0, this->size_, this->check()); }
  iterator end() const {
    return Iterators::make(this->address(), this->size_, this->size_, this->check());
  }
  unsigned size() const { return unsigned(this->size_); }
  bool empty() const { return this->size_ == 0; }
  T &front() const { return this->at(0); }
  T &back() const { return this->at(this->size_ - 1); }
};

template <class T, Access A, VectorLayout L> struct ElementsOfLayout {
  typedef Indexed<T, A> type;
};
template <class T, Access A> struct ElementsOfLayout<T, A, VectorLayout::SPAN> {
  typedef Sized<T, A> type;
};
template <class T, Access A> struct ElementsOfLayout<T, A, VectorLayout::SHORT_SPAN> {
  typedef Sized<T, A> type;
};

// getMetadata() of QUARTER vectors.
template <class T, class Base> class WithMetadata : public Base {};
template <class Base> class WithMetadata<::quarter, Base> : public Base {
public:
  unsigned char getMetadata() const { return *this->metadata_; }
};
template <class Base> class WithMetadata<const ::quarter, Base> : public Base {
public:
  unsigned char getMetadata() const { return *this->metadata_; }
};

} // namespace codelet
} // namespace poplar

#endif
