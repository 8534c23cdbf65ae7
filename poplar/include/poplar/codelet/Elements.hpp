// SPDX-License-Identifier: MIT
// The record behind every vector field: address and element count, and in checked mode the descriptor by which each
// access is verified. Layouts must match src/codelet/Module.hpp (VectorRecord and its checked and quarter forms).
#ifndef POPLAR_CODELET_ELEMENTS_HPP
#define POPLAR_CODELET_ELEMENTS_HPP
#include "poplar/codelet/Hooks.hpp"
#include "poplar/codelet/Layouts.hpp"
#include <stddef.h>
#include <stdint.h>

struct quarter;

namespace poplar {
namespace codelet {

// Read: Input. Write: Output and InOut. State: plain vectors and the outer level of 2-D fields.
enum class Access { Read, Write, State };

template <class T> struct RemoveConst { typedef T type; };
template <class T> struct RemoveConst<const T> { typedef T type; };

// The metadata byte that a QUARTER field carries; nothing for other types.
template <class T> struct Metadata {};
template <> struct Metadata<::quarter> { const unsigned char *metadata_; };

#ifdef OPENIPU_CHECKED
struct FieldCheck {
  const char *vertex, *field;
  uint64_t vertexId;
  uint8_t *written;
  uint32_t shadowStride, outer;
};

template <Access A> inline void checkAccess(const FieldCheck *check, uint64_t index, uint64_t size) {
  if (index >= size)
    openipuHooks->checkFailed(check, CheckOutOfBounds, index, size);
  if (!check || !check->written || A == Access::State)
    return;
  uint8_t *shadow = check->written + index * check->shadowStride;
  if (A == Access::Read && !*shadow)
    openipuHooks->checkFailed(check, CheckNeverWritten, index, size);
  if (A == Access::Write)
    for (uint32_t i = 0; i < check->shadowStride; ++i)
      shadow[i] = 1;
}
#endif

// A record as the engine writes it. Order of members: address, size, metadata (quarter), descriptor (checked).
struct SizedAddress {
  void *data_;
  uint64_t size_;
};
struct Descriptor {
#ifdef OPENIPU_CHECKED
  const FieldCheck *check_;
#endif
};

template <class T, Access A>
class Elements : protected SizedAddress, protected Metadata<typename RemoveConst<T>::type>, protected Descriptor {
protected:
  T *address() const { return static_cast<T *>(data_); }
#ifdef OPENIPU_CHECKED
  T &at(uint64_t i) const {
    checkAccess<A>(check_, i, size_);
    return address()[i];
  }
  T *all() const {
    if (A == Access::Write && check_ && check_->written)
      for (uint64_t i = 0; i < size_ * check_->shadowStride; ++i)
        check_->written[i] = 1;
    return address();
  }
#else
  T &at(size_t i) const { return address()[i]; }
  T *all() const { return address(); }
#endif
};

#ifdef OPENIPU_CHECKED
// A pointer that checks when it is followed; it still converts to the plain pointer.
template <class T, Access A> class CheckedIterator {
public:
  typedef ptrdiff_t difference_type;
  typedef typename RemoveConst<T>::type value_type;
  typedef T *pointer;
  typedef T &reference;
  typedef std::random_access_iterator_tag iterator_category;

  CheckedIterator() = default;
  CheckedIterator(T *base, ptrdiff_t i, uint64_t size, const FieldCheck *check)
      : base_(base), i_(i), size_(size), check_(check) {}
  operator T *() const { return base_ + i_; }
  T &operator*() const { return (*this)[0]; }
  T *operator->() const { return &(*this)[0]; }
  T &operator[](ptrdiff_t n) const {
    checkAccess<A>(check_, uint64_t(i_ + n), size_);
    return base_[i_ + n];
  }
  CheckedIterator &operator+=(ptrdiff_t n) { i_ += n; return *this; }
  CheckedIterator &operator-=(ptrdiff_t n) { i_ -= n; return *this; }
  CheckedIterator &operator++() { ++i_; return *this; }
  CheckedIterator &operator--() { --i_; return *this; }
  CheckedIterator operator++(int) { CheckedIterator old(*this); ++i_; return old; }
  CheckedIterator operator--(int) { CheckedIterator old(*this); --i_; return old; }
  template <class N> friend CheckedIterator operator+(CheckedIterator a, N n) { return a += ptrdiff_t(n); }
  template <class N> friend CheckedIterator operator+(N n, CheckedIterator a) { return a += ptrdiff_t(n); }
  friend CheckedIterator operator-(CheckedIterator a, int n) { return a -= n; }
  friend CheckedIterator operator-(CheckedIterator a, ptrdiff_t n) { return a -= n; }
  friend CheckedIterator operator-(CheckedIterator a, size_t n) { return a -= ptrdiff_t(n); }
  friend CheckedIterator operator-(CheckedIterator a, unsigned n) { return a -= ptrdiff_t(n); }
  friend ptrdiff_t operator-(const CheckedIterator &a, const CheckedIterator &b) { return a.i_ - b.i_; }
  friend bool operator==(const CheckedIterator &a, const CheckedIterator &b) { return a.i_ == b.i_; }
  friend bool operator!=(const CheckedIterator &a, const CheckedIterator &b) { return a.i_ != b.i_; }
  friend bool operator<(const CheckedIterator &a, const CheckedIterator &b) { return a.i_ < b.i_; }
  friend bool operator>(const CheckedIterator &a, const CheckedIterator &b) { return a.i_ > b.i_; }
  friend bool operator<=(const CheckedIterator &a, const CheckedIterator &b) { return a.i_ <= b.i_; }
  friend bool operator>=(const CheckedIterator &a, const CheckedIterator &b) { return a.i_ >= b.i_; }

private:
  T *base_;
  ptrdiff_t i_;
  uint64_t size_;
  const FieldCheck *check_;
};
#endif

// What every vector of any layout offers.
template <class T, Access A> class Indexed : protected Elements<T, A> {
public:
  T &operator[](size_t i) const { return this->at(i); }
  T *data() const { return this->all(); }
};

// SPAN and SHORT_SPAN also know their size.
template <class T, Access A> class Sized : public Indexed<T, A> {
public:
#ifdef OPENIPU_CHECKED
  typedef CheckedIterator<T, A> iterator;
  iterator begin() const { return iterator(this->address(), 0, this->size_, this->check_); }
  iterator end() const { return iterator(this->address(), ptrdiff_t(this->size_), this->size_, this->check_); }
#else
  typedef T *iterator;
  T *begin() const { return this->address(); }
  T *end() const { return this->address() + this->size_; }
#endif
  unsigned size() const { return unsigned(this->size_); }
  bool empty() const { return this->size_ == 0; }
  T &front() const { return this->at(0); }
  T &back() const { return this->at(this->size_ - 1); }
};

template <class T, Access A, VectorLayout L> struct ElementsOfLayout { typedef Indexed<T, A> type; };
template <class T, Access A> struct ElementsOfLayout<T, A, VectorLayout::SPAN> { typedef Sized<T, A> type; };
template <class T, Access A> struct ElementsOfLayout<T, A, VectorLayout::SHORT_SPAN> { typedef Sized<T, A> type; };

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
