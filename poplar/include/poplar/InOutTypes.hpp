// SPDX-License-Identifier: MIT
// Input, Output and InOut: the edges of a vertex. A scalar edge behaves like the element it is
// connected to, a vector edge like an array. Output and InOut start with the current contents of
// the connected elements.
#ifndef POPLAR_IN_OUT_TYPES_HPP
#define POPLAR_IN_OUT_TYPES_HPP
#include "poplar/FieldTypes.hpp"

namespace poplar {
namespace codelet {

struct Address {
  void *address_;
};

// Record of a scalar edge: address, metadata (quarter), descriptor (checked).
template <class T, Access A>
class ScalarEdge : protected Address,
                   protected Metadata<typename RemoveConst<T>::type>,
                   protected Descriptor<openipuChecked> {
public:
  OPENIPU_INLINE T &operator*() const { return get(); }
  OPENIPU_INLINE T *operator->() const { return &get(); }
  OPENIPU_INLINE operator T &() const { return get(); }
  // Of QUARTER edges only.
  template <class U = typename RemoveConst<T>::type> unsigned char getMetadata() const {
    return *static_cast<const Metadata<U> &>(*this).metadata_;
  }

protected:
  OPENIPU_INLINE T &get() const {
    if (openipuChecked)
      verify<A>(this->check(), 0, 1);
    return *static_cast<T *>(address_);
  }
};

// Output and InOut of a scalar. Assigning to the edge assigns to the element. The compound
// operators are spelt out because a built-in one never converts its left operand.
template <class T> class WritableScalarEdge : public ScalarEdge<T, Access::Write> {
public:
  WritableScalarEdge &operator=(const WritableScalarEdge &other) { return *this = *other; }
  WritableScalarEdge &operator=(const T &value) {
    this->get() = value;
    return *this;
  }
#define OPENIPU_COMPOUND(op)                                                                       \
  template <class U> T &operator op(const U &value) const { return this->get() op value; }
  OPENIPU_COMPOUND(+=)
  OPENIPU_COMPOUND(-=)
  OPENIPU_COMPOUND(*=)
  OPENIPU_COMPOUND(/=)
  OPENIPU_COMPOUND(%=)
  OPENIPU_COMPOUND(&=)
  OPENIPU_COMPOUND(|=)
  OPENIPU_COMPOUND(^=)
  OPENIPU_COMPOUND(<<=)
  OPENIPU_COMPOUND(>>=)
#undef OPENIPU_COMPOUND
  T &operator++() const { return ++this->get(); }
  T &operator--() const { return --this->get(); }
  T operator++(int) const { return this->get()++; }
  T operator--(int) const { return this->get()--; }
};

// A vector edge is a vector, of elements E, and may be handed to functions that take one;
// `edge->size()` reaches it as `edge.size()` does.
template <class V, class E, Access A> class IndexedEdge : public V {
public:
  OPENIPU_INLINE E &operator[](std::size_t i) const { return this->template at<A>(i); }
  OPENIPU_INLINE E *data() const { return this->template all<A>(); }
};
template <class V, class E, Access A> class SizedEdge : public IndexedEdge<V, E, A> {
public:
  typedef E *iterator;
  iterator begin() const { return this->address(); }
  iterator end() const { return this->address() + this->size_; }
  OPENIPU_INLINE E &front() const { return (*this)[0]; }
  OPENIPU_INLINE E &back() const { return (*this)[this->size_ - 1]; }
};
template <class V, class E, Access A, VectorLayout L> struct EdgeOfLayout {
  typedef IndexedEdge<V, E, A> type;
};
template <class V, class E, Access A> struct EdgeOfLayout<V, E, A, VectorLayout::SPAN> {
  typedef SizedEdge<V, E, A> type;
};
template <class V, class E, Access A> struct EdgeOfLayout<V, E, A, VectorLayout::SHORT_SPAN> {
  typedef SizedEdge<V, E, A> type;
};

template <class V, class E, Access A, VectorLayout L>
class VectorEdge : public EdgeOfLayout<V, E, A, L>::type {
public:
  const VectorEdge *operator->() const { return this; }
  const VectorEdge &operator*() const { return *this; }
};

// Output and InOut of a vector. Assigning to the edge assigns to its elements.
template <class V, class E, VectorLayout L>
class WritableVectorEdge : public VectorEdge<V, E, Access::Write, L> {
public:
  WritableVectorEdge() = default;
  WritableVectorEdge(const WritableVectorEdge &) = default;
  WritableVectorEdge &operator=(const WritableVectorEdge &other) { return assign(other); }
  template <class Other> WritableVectorEdge &operator=(const Other &other) { return assign(other); }

private:
  template <class Other> WritableVectorEdge &assign(const Other &other) {
    for (unsigned i = 0; i < this->size(); ++i)
      (*this)[i] = other[i];
    return *this;
  }
};

// A VectorList is a span of spans: list[i][j], list[i].size(), list.size().
template <class Inner> class ListEdge : public Sized<const Inner, Access::State> {
public:
  const ListEdge *operator->() const { return this; }
};

} // namespace codelet

// A field that the codelet reads; `*field` or `field[i]` is its value.
template <class T> class Input : public codelet::ScalarEdge<const T, codelet::Access::Read> {};
// A field that the codelet writes. Elements it does not write are undefined afterwards.
template <class T> class Output : public codelet::WritableScalarEdge<T> {
public:
  using codelet::WritableScalarEdge<T>::operator=;
};
// A field that the codelet reads and writes.
template <class T> class InOut : public codelet::WritableScalarEdge<T> {
public:
  using codelet::WritableScalarEdge<T>::operator=;
};

template <class T, VectorLayout L, unsigned A, bool I>
class Input<Vector<T, L, A, I>>
    : public codelet::VectorEdge<
          Vector<T, L, A, I>,
          typename codelet::InputElement<T, codelet::openipuMutableInputs>::type,
          codelet::Access::Read, L> {};
template <class T, VectorLayout L, unsigned A, bool I>
class Output<Vector<T, L, A, I>> : public codelet::WritableVectorEdge<Vector<T, L, A, I>, T, L> {
public:
  using codelet::WritableVectorEdge<Vector<T, L, A, I>, T, L>::operator=;
};
template <class T, VectorLayout L, unsigned A, bool I>
class InOut<Vector<T, L, A, I>> : public codelet::WritableVectorEdge<Vector<T, L, A, I>, T, L> {
public:
  using codelet::WritableVectorEdge<Vector<T, L, A, I>, T, L>::operator=;
};

template <class T, VectorListLayout L, unsigned A, bool I>
class Input<VectorList<T, L, A, I>>
    : public codelet::ListEdge<Input<Vector<T, VectorLayout::SPAN, A, I>>> {};
template <class T, VectorListLayout L, unsigned A, bool I>
class Output<VectorList<T, L, A, I>>
    : public codelet::ListEdge<Output<Vector<T, VectorLayout::SPAN, A, I>>> {};
template <class T, VectorListLayout L, unsigned A, bool I>
class InOut<VectorList<T, L, A, I>>
    : public codelet::ListEdge<InOut<Vector<T, VectorLayout::SPAN, A, I>>> {};

namespace codelet {

// Vector<InOut<T>> and its kin: one scalar edge per element. The elements lie side by side on the
// host, and the edges are made when they are asked for.
template <class Edge, class T> OPENIPU_INLINE void pointAt(Edge &edge, T *address) {
  __builtin_memset(static_cast<void *>(&edge), 0, sizeof edge);
  __builtin_memcpy(static_cast<void *>(&edge), &address, sizeof address);
}

// Goes over such a vector; `*it` is a reference to the edge that it keeps. An edge has no address
// for all of its elements, so each step points it anew: `=` of an edge would assign to its element.
template <class Edges, class Edge> class EdgeIterator {
public:
  EdgeIterator(const Edges &edges, std::size_t at) : edges_(&edges), at_(at) {}
  EdgeIterator(const EdgeIterator &other) : edges_(other.edges_), at_(other.at_) {}
  EdgeIterator &operator=(const EdgeIterator &other) {
    edges_ = other.edges_;
    at_ = other.at_;
    return *this;
  }
  Edge &operator*() {
    pointAt(edge_, edges_->addressOf(at_));
    return edge_;
  }
  EdgeIterator &operator++() {
    ++at_;
    return *this;
  }
  EdgeIterator operator++(int) { return EdgeIterator(*edges_, at_++); }
  bool operator==(const EdgeIterator &other) const { return at_ == other.at_; }
  bool operator!=(const EdgeIterator &other) const { return at_ != other.at_; }

private:
  const Edges *edges_;
  std::size_t at_;
  Edge edge_;
};

template <class Edge, class T, Access A> class ScalarEdges : protected Elements<T, A> {
public:
  typedef EdgeIterator<ScalarEdges, Edge> iterator;
  OPENIPU_INLINE Edge operator[](std::size_t i) const {
    Edge edge;
    pointAt(edge, addressOf(i));
    return edge;
  }
  iterator begin() const { return iterator(*this, 0); }
  iterator end() const { return iterator(*this, this->size_); }
  unsigned size() const { return unsigned(this->size_); }
  bool empty() const { return this->size_ == 0; }

private:
  friend iterator;
  OPENIPU_INLINE T *addressOf(std::size_t i) const { return &this->at(i); }
};

template <class Edge, class T, Access A> struct ScalarEdgesBase {
  typedef ScalarEdges<Edge, T, A> type;
  typedef Edge Reference;
  typedef Edge ConstReference;
};
template <class Edge, VectorLayout L> struct VectorEdgesBase {
  typedef typename ElementsOfLayout<Edge, Access::State, L>::type type;
  typedef Edge &Reference;
  typedef const Edge &ConstReference;
};

template <class T, VectorLayout L>
struct VectorBase<Input<T>, L> : ScalarEdgesBase<Input<T>, const T, Access::Read> {};
template <class T, VectorLayout L>
struct VectorBase<Output<T>, L> : ScalarEdgesBase<Output<T>, T, Access::Write> {};
template <class T, VectorLayout L>
struct VectorBase<InOut<T>, L> : ScalarEdgesBase<InOut<T>, T, Access::Write> {};
template <class T, VectorLayout M, unsigned A, bool I, VectorLayout L>
struct VectorBase<Input<Vector<T, M, A, I>>, L> : VectorEdgesBase<Input<Vector<T, M, A, I>>, L> {};
template <class T, VectorLayout M, unsigned A, bool I, VectorLayout L>
struct VectorBase<Output<Vector<T, M, A, I>>, L> : VectorEdgesBase<Output<Vector<T, M, A, I>>, L> {
};
template <class T, VectorLayout M, unsigned A, bool I, VectorLayout L>
struct VectorBase<InOut<Vector<T, M, A, I>>, L> : VectorEdgesBase<InOut<Vector<T, M, A, I>>, L> {};

} // namespace codelet
} // namespace poplar

#endif
