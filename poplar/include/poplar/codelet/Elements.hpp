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

// Accessors are part of their caller also where little is optimised, so that a mistake has its
// line.
#define OPENIPU_INLINE __attribute__((always_inline))

namespace poplar {
namespace codelet {

// Checked mode is this one number: the driver changes it in the preprocessed text, so that one text
// gives both images.
enum { openipuChecked = 0 };

// Likewise: 1 when elements of an Input are `T &`, as they were in the SDKs of 2020 and 2021, for
// codelets that compile in that form only.
enum { openipuMutableInputs = 0 };

// Likewise: 1 in the pass whose instructions are counted.
enum { openipuCounted = 0 };

// Read: Input. Write: Output and InOut. State: plain vectors and the outer level of 2-D fields.
enum class Access { Read, Write, State };

template <class T, bool Mutable> struct InputElement { typedef const T type; };
template <class T> struct InputElement<T, true> { typedef T type; };

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
  const void *data;
  std::uint64_t bytes;
  bool writable, watched;
};

template <bool Checked> struct Descriptor {
  const FieldCheck *check() const { return nullptr; }
};
template <> struct Descriptor<true> {
  const FieldCheck *check_;
  const FieldCheck *check() const { return check_; }
};

#ifdef __POPC__
// Where every access is watched (Hooks::touched), the address behind the last element may be
// formed, and reads are looked at when they happen. What this itself reads belongs to the host.
template <Access A>
__attribute__((no_sanitize("kernel-address"), noinline)) void
verify(const FieldCheck *check, std::uint64_t index, std::uint64_t size) {
  const bool watched = check && check->watched;
  if (index > size || (index == size && !watched))
    openipuHooks->checkFailed(check, CheckOutOfBounds, index, size, __builtin_return_address(0));
  if (!check || !check->written || A == Access::State || index == size)
    return;
  std::uint8_t *shadow = check->written + index * check->shadowStride;
  if (A == Access::Read && !watched && !*shadow)
    openipuHooks->checkFailed(check, CheckNeverWritten, index, size, __builtin_return_address(0));
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
  template <Access B = A> OPENIPU_INLINE T &at(std::size_t i) const {
    if (openipuChecked)
      verify<B>(this->check(), i, size_);
    return address()[i];
  }
  // Whoever takes the address of an output may write all of it.
  template <Access B = A> OPENIPU_INLINE T *all() const {
    if (openipuChecked && B == Access::Write)
      for (std::uint64_t i = 0; i < size_; ++i)
        verify<B>(this->check(), i, size_);
    return address();
  }
};

// What every vector of any layout offers.
template <class T, Access A> class Indexed : protected Elements<T, A> {
public:
  OPENIPU_INLINE T &operator[](std::size_t i) const { return this->at(i); }
  OPENIPU_INLINE T *data() const { return this->all(); }
};

// SPAN and SHORT_SPAN also know their size.
template <class T, Access A> class Sized : public Indexed<T, A> {
public:
  typedef T *iterator;
  iterator begin() const { return this->address(); }
  iterator end() const { return this->address() + this->size_; }
  unsigned size() const { return unsigned(this->size_); }
  bool empty() const { return this->size_ == 0; }
  OPENIPU_INLINE T &front() const { return this->at(0); }
  OPENIPU_INLINE T &back() const { return this->at(this->size_ - 1); }
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
