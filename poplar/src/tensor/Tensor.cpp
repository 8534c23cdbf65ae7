// SPDX-License-Identifier: MIT
// The public Tensor: checks arguments, names what is wrong, and hands over to the view operations.
#include "poplar/Tensor.hpp"
#include "Access.hpp"
#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "tensor/View.hpp"
#include "types/TypeAccess.hpp"
#include "types/Value.hpp"
#include <algorithm>
#include <iostream>
#include <numeric>

namespace poplar {

using base::str;
using tensor::Shape;
using tensor::View;

Tensor::Tensor() = default;
Tensor::~Tensor() = default;
Tensor::Tensor(const Tensor &) = default;
Tensor::Tensor(Tensor &&) noexcept = default;
Tensor &Tensor::operator=(const Tensor &) = default;
Tensor &Tensor::operator=(Tensor &&) noexcept = default;
Tensor::Tensor(std::shared_ptr<const View> view) : view_(std::move(view)) {}

static const View &use(const Tensor &tensor, const char *operation) {
  if (!tensor.valid())
    throw poplar_error(str("Tensor::", operation,
                           ": the tensor is not initialised. Create it with Graph::addVariable "
                           "or assign another tensor to it first."));
  return Access::view(tensor);
}

static std::string name(const View &view) {
  auto text = base::list(view.shape);
  if (auto *graph = view.graph.get(); graph && !view.pieces.empty())
    text += " of " + graph->describe(view.pieces[0].var);
  return text;
}

static void checkDim(const View &view, std::size_t dim, const char *operation) {
  if (dim >= view.shape.size())
    throw index_error(str("Tensor::", operation, ": dimension ", dim,
                          " is out of range for a tensor of rank ", view.shape.size(), " (shape ",
                          name(view), ")."));
}

constexpr std::uint64_t unlimited = ~std::uint64_t(0); // the whole shape is checked

// The view with an extent made larger still is a tensor.
static void checkGrown(const View &view, unsigned dim, std::optional<std::uint64_t> extent,
                       const std::string &call) {
  auto shape = view.shape;
  shape[dim] = extent.value_or(~std::size_t(0));
  tensor::elementsOf(shape, call);
}

Type Tensor::elementType() const { return types::typeOf(use(*this, "elementType").type); }
unsigned Tensor::rank() const { return use(*this, "rank").shape.size(); }
std::vector<std::size_t> Tensor::shape() const { return use(*this, "shape").shape; }
std::size_t Tensor::numElements() const { return use(*this, "numElements").numElements(); }
std::size_t Tensor::dim(unsigned i) const {
  auto &view = use(*this, "dim");
  checkDim(view, i, "dim");
  return view.shape[i];
}

Tensor Tensor::operator[](std::size_t i) const {
  auto &view = use(*this, "operator[]");
  if (view.shape.empty())
    throw index_error(
        str("Tensor::operator[]: index ", i, " into a scalar", name(view).substr(2), "."));
  if (i >= view.shape[0])
    throw index_error(str("Tensor::operator[]: index ", i, " is out of range [0, ", view.shape[0],
                          ") in shape ", name(view), "."));
  return Access::tensor(tensor::squeeze(tensor::slice(view, i, i + 1, 0), {0}));
}

Tensor Tensor::index(ArrayRef<std::size_t> indices) const {
  auto out = *this;
  if (indices.size() > rank())
    throw index_error(str("Tensor::index: ", indices.size(), " indices into a tensor of shape ",
                          name(*view_), "."));
  for (auto i : indices)
    out = out[i];
  return out;
}

Tensor Tensor::slice(std::size_t begin, std::size_t end) const { return slice(begin, end, 0); }
Tensor Tensor::slice(const Interval &region, unsigned dimension) const {
  return slice(region.begin(), region.end(), dimension);
}
Tensor Tensor::slice(std::size_t begin, std::size_t end, unsigned dimension) const {
  auto &view = use(*this, "slice");
  checkDim(view, dimension, "slice");
  if (begin > end || end > view.shape[dimension])
    throw index_error(str("Tensor::slice: [", begin, ", ", end, ") is not a range of dimension ",
                          dimension, ", which has ", view.shape[dimension], " elements (shape ",
                          name(view), ")."));
  return Access::tensor(tensor::slice(view, begin, end, dimension));
}
Tensor Tensor::slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const {
  auto &view = use(*this, "slice");
  if (begin.size() != end.size() || begin.size() > view.shape.size())
    throw index_error(str("Tensor::slice: ", begin.size(), " begins and ", end.size(),
                          " ends for a tensor of rank ", view.shape.size(), " (shape ", name(view),
                          ")."));
  auto out = *this;
  for (unsigned d = 0; d < begin.size(); ++d)
    out = out.slice(begin[d], end[d], d);
  return out;
}

std::vector<Tensor> Tensor::slices(ArrayRef<Interval> intervals, unsigned dimension) const {
  std::vector<Tensor> out;
  for (const auto &interval : intervals)
    out.push_back(slice(interval, dimension));
  return out;
}
std::vector<Tensor> Tensor::slices(const std::vector<std::vector<Interval>> &intervals,
                                   unsigned dimension) const {
  std::vector<Tensor> out;
  for (const auto &list : intervals)
    out.push_back(list.empty() ? slice(0, 0, dimension)
                               : concat(slices(ArrayRef<Interval>(list), dimension), dimension));
  return out;
}
std::vector<Tensor> Tensor::slices(ArrayRef<unsigned> indices, unsigned dimension) const {
  std::vector<Tensor> out;
  for (auto i : indices)
    out.push_back(slice(i, std::size_t(i) + 1, dimension));
  return out;
}

Tensor Tensor::flatten() const { return Access::tensor(tensor::flatten(use(*this, "flatten"))); }
Tensor Tensor::flatten(unsigned dimBegin, unsigned dimEnd) const {
  auto &view = use(*this, "flatten");
  if (dimBegin > dimEnd || dimEnd > view.shape.size())
    throw index_error(str("Tensor::flatten: [", dimBegin, ", ", dimEnd,
                          ") is not a range of the dimensions of shape ", name(view), "."));
  Shape joined(view.shape.begin() + dimBegin, view.shape.begin() + dimEnd);
  return reshapePartial(dimBegin, dimEnd, {tensor::elementsOf(joined, "Tensor::flatten")});
}

Tensor Tensor::reshape(ArrayRef<std::size_t> shape) const {
  auto &view = use(*this, "reshape");
  Shape to(shape.begin(), shape.end());
  auto elements = tensor::elementsOf(to, "Tensor::reshape");
  if (elements != view.numElements())
    throw index_error(str("Tensor::reshape: shape ", name(view), " has ", view.numElements(),
                          " elements and cannot become ", base::list(to), ", which has ", elements,
                          "."));
  return Access::tensor(tensor::reshape(view, to));
}
Tensor Tensor::reshapePartial(unsigned begin, unsigned end, ArrayRef<std::size_t> dims) const {
  auto &view = use(*this, "reshapePartial");
  if (begin > end || end > view.shape.size())
    throw index_error(str("Tensor::reshapePartial: [", begin, ", ", end,
                          ") is not a range of the dimensions of shape ", name(view), "."));
  Shape to(view.shape.begin(), view.shape.begin() + begin);
  to.insert(to.end(), dims.begin(), dims.end());
  to.insert(to.end(), view.shape.begin() + end, view.shape.end());
  return reshape(to);
}

Tensor Tensor::dimShuffle(ArrayRef<unsigned> permutation) const {
  auto &view = use(*this, "dimShuffle");
  std::vector<unsigned> perm(permutation.begin(), permutation.end()), sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  std::vector<unsigned> all(view.shape.size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    throw index_error(str("Tensor::dimShuffle: ", base::list(perm),
                          " is not a permutation of the dimensions of shape ", name(view), "."));
  return Access::tensor(tensor::dimShuffle(view, perm));
}
Tensor Tensor::dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const {
  auto &view = use(*this, "dimShufflePartial");
  if (source.size() != destination.size())
    throw index_error(str("Tensor::dimShufflePartial: ", source.size(), " source and ",
                          destination.size(), " destination dimensions."));
  auto n = view.shape.size();
  std::vector<unsigned> perm(n, ~0u);
  std::vector<bool> moved(n, false);
  for (unsigned i = 0; i < source.size(); ++i) {
    checkDim(view, source[i], "dimShufflePartial");
    checkDim(view, destination[i], "dimShufflePartial");
    if (moved[source[i]] || perm[destination[i]] != ~0u)
      throw index_error("Tensor::dimShufflePartial: a dimension is given twice.");
    perm[destination[i]] = source[i];
    moved[source[i]] = true;
  }
  unsigned next = 0;
  for (auto &from : perm)
    if (from == ~0u) {
      while (moved[next])
        ++next;
      from = next++;
    }
  return dimShuffle(perm);
}
Tensor Tensor::dimRoll(unsigned dimIndex, unsigned newIndex) const {
  auto &view = use(*this, "dimRoll");
  checkDim(view, dimIndex, "dimRoll");
  checkDim(view, newIndex, "dimRoll");
  return dimShufflePartial({dimIndex}, {newIndex});
}
Tensor Tensor::transpose() const {
  if (rank() != 2)
    throw index_error(str("Tensor::transpose: shape ", name(*view_), " has rank ", rank(),
                          ", not 2. Use dimShuffle."));
  return dimShuffle({1, 0});
}

Tensor Tensor::expand(ArrayRef<std::size_t> indices) const {
  auto &view = use(*this, "expand");
  std::vector<std::size_t> before(indices.begin(), indices.end());
  std::sort(before.begin(), before.end());
  if (!before.empty() && before.back() > view.shape.size())
    throw index_error(str("Tensor::expand: position ", before.back(),
                          " is beyond the rank of shape ", name(view), "."));
  return Access::tensor(tensor::expand(view, before));
}
Tensor Tensor::squeeze(ArrayRef<std::size_t> indices) const {
  auto &view = use(*this, "squeeze");
  for (auto d : indices) {
    checkDim(view, d, "squeeze");
    if (view.shape[d] != 1)
      throw index_error(str("Tensor::squeeze: dimension ", d, " of shape ", name(view), " has ",
                            view.shape[d], " elements, not 1."));
  }
  return Access::tensor(tensor::squeeze(view, {indices.begin(), indices.end()}));
}
Tensor Tensor::broadcast(unsigned n, unsigned dimension) const {
  auto &view = use(*this, "broadcast");
  checkDim(view, dimension, "broadcast");
  checkGrown(view, dimension, base::checkedProduct(view.shape[dimension], n, unlimited),
             "Tensor::broadcast");
  return Access::tensor(tensor::broadcast(view, n, dimension));
}
Tensor Tensor::upsample(unsigned scale, unsigned dimension, UpsampleMethod) const {
  auto &view = use(*this, "upsample");
  checkDim(view, dimension, "upsample");
  checkGrown(view, dimension, base::checkedProduct(view.shape[dimension], scale, unlimited),
             "Tensor::upsample");
  return Access::tensor(tensor::upsample(view, scale, dimension));
}
Tensor Tensor::subSample(unsigned stride, unsigned dimension) const {
  auto &view = use(*this, "subSample");
  checkDim(view, dimension, "subSample");
  if (stride == 0)
    throw index_error("Tensor::subSample: the stride must be at least 1.");
  return Access::tensor(tensor::subSample(view, stride, dimension));
}
Tensor Tensor::reverse(unsigned dimension) const {
  auto &view = use(*this, "reverse");
  checkDim(view, dimension, "reverse");
  return Access::tensor(tensor::reverse(view, dimension));
}
Tensor Tensor::reinterpret(const Type &type) const {
  auto view = use(*this, "reinterpret");
  auto id = types::idOf(type);
  if (sizeOf(id) != sizeOf(view.type))
    throw type_error(str("Tensor::reinterpret: ", spelling(view.type), " has ", sizeOf(view.type),
                         " bytes and ", type.toString(), " has ", sizeOf(id),
                         ". Only types of one size can be exchanged."));
  view.type = id;
  return Access::tensor(std::move(view));
}

// ---- questions ----

bool Tensor::containsAliases() const {
  return tensor::containsAliases(use(*this, "containsAliases"));
}
bool Tensor::containsConstant() const {
  auto &view = use(*this, "containsConstant");
  return std::any_of(view.pieces.begin(), view.pieces.end(), [&](const tensor::Piece &piece) {
    return view.graph->variables[piece.var.value].kind != executable::VariableKind::Ordinary;
  });
}
bool Tensor::isParallelWriteable() const { return !containsConstant() && !containsAliases(); }
bool Tensor::intersectsWith(const Tensor &other) const {
  if (use(*this, "intersectsWith").graph != use(other, "intersectsWith").graph)
    return false;
  auto a = tensor::sortedRanges(*view_), b = tensor::sortedRanges(*other.view_);
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].var == b[j].var && a[i].begin < b[j].end && b[j].begin < a[i].end)
      return true;
    (std::pair(a[i].var, a[i].end) < std::pair(b[j].var, b[j].end) ? i : j)++;
  }
  return false;
}
bool Tensor::isContiguous() const { return tensor::isContiguous(use(*this, "isContiguous")); }
std::vector<Interval> Tensor::getContiguousRegions() const {
  std::vector<Interval> out;
  std::size_t at = 0;
  tensor::forEachRange(use(*this, "getContiguousRegions"), [&](const tensor::VarRange &r) {
    out.push_back({at, at + (r.end - r.begin)});
    at += r.end - r.begin;
  });
  return out;
}
std::vector<VariableInterval> Tensor::getVarRegions() const {
  std::vector<VariableInterval> out;
  tensor::forEachRange(use(*this, "getVarRegions"), [&](const tensor::VarRange &r) {
    out.emplace_back(VariableRef(r.var.value), Interval(r.begin, r.end));
  });
  return out;
}

bool Tensor::getConstantValueRaw(void *value, const Type &asType) const {
  auto &view = use(*this, "getConstantValue");
  if (view.numElements() != 1)
    return false;
  const auto &variable = view.graph->variables[view.pieces[0].var.value];
  if (variable.kind != executable::VariableKind::Constant)
    return false;
  auto at = std::prev(variable.initial.upper_bound(view.pieces[0].offset));
  auto *bytes = at->second.data() + (view.pieces[0].offset - at->first) * sizeOf(view.type);
  types::convertElements(view.type, bytes, types::idOf(asType), value, 1, false);
  return true;
}

bool Tensor::hasMetadata() const { return use(*this, "hasMetadata").metadata != nullptr; }
Tensor Tensor::getMetadata() const {
  auto &view = use(*this, "getMetadata");
  if (!view.metadata)
    throw tensor_metadata_error(
        str("Tensor::getMetadata: the tensor ", name(view), " has type ", spelling(view.type),
            " and no metadata. Only QUARTER tensors made with metadata have it."));
  return Tensor(view.metadata);
}

// ---- text ----

std::string Tensor::shapeToString() const { return base::list(use(*this, "shapeToString").shape); }
std::string Tensor::getVarStr() const {
  auto &view = use(*this, "getVarStr");
  auto *graph = view.graph.get();
  if (!graph) // gone, or none
    return "";
  std::vector<std::string> names;
  for (const auto &piece : view.pieces) {
    auto text = graph->variables[piece.var.value].name;
    if (std::find(names.begin(), names.end(), text) == names.end())
      names.push_back(text);
  }
  std::string out;
  for (const auto &text : names)
    out += (out.empty() ? "" : ",") + text;
  return out;
}
std::string Tensor::getDebugStr() const {
  return valid() ? getVarStr() + shapeToString() : "<invalid>";
}
void Tensor::output(std::ostream &out) const { out << *this << "\n"; }
std::ostream &operator<<(std::ostream &out, const Tensor &tensor) {
  if (!tensor.valid())
    return out << "no tensor";
  return out << tensor.getDebugStr() << ' ' << tensor.elementType();
}
void Tensor::outputRegions(std::ostream &out) const {
  for (const auto &region : getVarRegions())
    out << "  " << view_->graph->describe(tensor::VarId(region.var.id())) << " ["
        << region.interval.begin() << ", " << region.interval.end() << ")\n";
}
void Tensor::dump() const { output(std::cerr); }
void Tensor::dumpRegions() const { outputRegions(std::cerr); }
std::size_t Tensor::hash() const {
  if (!valid())
    return 0;
  std::uint64_t hash =
      base::hashBytes(view_->shape.data(), view_->shape.size() * sizeof(std::size_t),
                      std::uint64_t(view_->type) + 1);
  tensor::forEachRun(*view_, [&](const tensor::Run &run) {
    std::int64_t words[] = {run.var.value, run.offset, std::int64_t(run.count), run.stride};
    hash = base::hashBytes(words, sizeof words, hash);
  });
  return hash;
}

bool operator==(const Tensor &a, const Tensor &b) {
  if (a.view_ == b.view_)
    return true;
  if (!a.valid() || !b.valid() || a.view_->graph != b.view_->graph ||
      a.view_->type != b.view_->type || a.view_->shape != b.view_->shape)
    return false;
  return *a.view_ == *b.view_ || tensor::runs(*a.view_) == tensor::runs(*b.view_);
}

// ---- concat ----

Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension) {
  if (tensors.empty())
    throw index_error("poplar::concat: the list of tensors is empty. Give at least one tensor.");
  auto &first = use(tensors[0], "concat");
  checkDim(first, dimension, "concat");
  std::vector<const View *> views;
  std::optional<std::uint64_t> extent = 0;
  for (const auto &tensor : tensors) {
    auto &view = use(tensor, "concat");
    if (view.type != first.type)
      throw type_error(str("poplar::concat: tensor ", views.size(), " has type ",
                           spelling(view.type), " and tensor 0 has type ", spelling(first.type),
                           ". All must be the same."));
    if (view.graph != first.graph)
      throw poplar_error(str("poplar::concat: tensor ", views.size(), " ", name(view),
                             " and tensor 0 ", name(first), " belong to different graphs."));
    auto same = view.shape.size() == first.shape.size();
    for (unsigned d = 0; same && d < view.shape.size(); ++d)
      same = d == dimension || view.shape[d] == first.shape[d];
    if (!same)
      throw index_error(str("poplar::concat: tensor ", views.size(), " has shape ", name(view),
                            " and tensor 0 has shape ", name(first),
                            ". They may differ in dimension ", dimension, " only."));
    extent = extent ? base::checkedSum(*extent, view.shape[dimension], unlimited) : extent;
    views.push_back(&view);
  }
  checkGrown(first, dimension, extent, "poplar::concat");
  return Access::tensor(tensor::concat(views, dimension));
}
Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension) {
  return concat({first, second}, dimension);
}
Tensor append(const Tensor &first, const Tensor &second) { return append(first, second, 0); }
Tensor append(const Tensor &first, const Tensor &second, unsigned dimension) {
  return concat(first, second.expand({dimension}), dimension);
}

} // namespace poplar
