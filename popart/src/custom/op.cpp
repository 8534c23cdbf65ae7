// SPDX-License-Identifier: MIT
// Graphs as users' operators and patterns see them: Op, Tensor, Graph, Ir and what they hold.
#include "base/Text.hpp"
#include "custom/custom.hpp"
#include <algorithm>
#include <popart/tensornames.hpp>

namespace popart {

// ---- Tensor

const char *tensorTypeName(TensorType type) {
  static const char *const names[] = {"ActGrad", "Const", "Stream", "Unknown", "Variable", "N"};
  return names[static_cast<int>(type)];
}
int Consumers::getTotal() const {
  int sum = 0;
  for (int n : counts_)
    sum += n;
  return sum;
}
int Consumers::n(Op *op) const {
  const auto it = std::find(ops_.begin(), ops_.end(), op);
  return it == ops_.end() ? 0 : counts_[std::size_t(it - ops_.begin())];
}
void Consumers::increment(Op *op) {
  const auto it = std::find(ops_.begin(), ops_.end(), op);
  if (it == ops_.end()) {
    ops_.push_back(op);
    counts_.push_back(1);
  } else
    ++counts_[std::size_t(it - ops_.begin())];
}
void Consumers::decrement(Op *op) {
  const auto it = std::find(ops_.begin(), ops_.end(), op);
  if (it == ops_.end() || --counts_[std::size_t(it - ops_.begin())] > 0)
    return;
  counts_.erase(counts_.begin() + (it - ops_.begin()));
  ops_.erase(it);
}

Op *Tensor::getProducer() const {
  if (!producer_)
    throw error("No operator makes the tensor \"{}\".", id);
  return producer_;
}
Ir &Tensor::getIr() { return graph_->getIr(); }
const Ir &Tensor::getIr() const { return graph_->getIr(); }
bool Tensor::isAnchored() const { return getIr().isAnchored(id); }
const TensorData *Tensor::tensorData() const {
  if (!data_)
    throw error("The values of the tensor \"{}\" are not known.", id);
  return data_.get();
}
TensorData *Tensor::tensorData() {
  return const_cast<TensorData *>(std::as_const(*this).tensorData());
}
void Tensor::setTensorData(const TensorInfo &i, const void *values) {
  info = i;
  data_ = std::make_shared<TensorData>(values, std::size_t(i.nbytes()));
}
bool Tensor::hasVirtualGraphId() const {
  const Op *op = producer_                     ? producer_
                 : !consumers.getOps().empty() ? consumers.getOps().front()
                                               : nullptr;
  return op && op->hasVirtualGraphId();
}
VGraphId Tensor::getVirtualGraphId() const {
  if (!hasVirtualGraphId())
    throw error("The tensor \"{}\" is on no virtual graph.", id);
  return (producer_ ? producer_ : consumers.getOps().front())->getVirtualGraphId();
}

const Tensor *TensorIndexMap::tensor(int i) const {
  const auto it = tensors_.find(i);
  if (it == tensors_.end())
    throw error("There is no tensor at index {}; there are {}.", i, tensors_.size());
  return it->second;
}
Tensor *TensorIndexMap::tensor(int i) {
  return const_cast<Tensor *>(std::as_const(*this).tensor(i));
}
std::map<int, TensorId> TensorIndexMap::tensorIdMap() const {
  std::map<int, TensorId> out;
  for (const auto &[i, tensor] : tensors_)
    out[i] = tensor->id;
  return out;
}
std::vector<Tensor *> TensorIndexMap::tensors() const {
  std::vector<Tensor *> out;
  for (const auto &[i, tensor] : tensors_)
    out.push_back(tensor);
  return out;
}
std::vector<int> TensorIndexMap::indices(Tensor *tensor) const {
  std::vector<int> out;
  for (const auto &[i, own] : tensors_)
    if (own == tensor)
      out.push_back(i);
  return out;
}

TensorId getNonGradId(const TensorId &id) {
  if (!isGradId(id))
    throw error("\"{}\" is not the name of a gradient.", id);
  return id.substr(std::string(reservedGradientPrefix()).size());
}
TensorId stripAllReservedPrefixes(const TensorId &id) {
  const auto at = id.rfind("___");
  return at == std::string::npos ? id : id.substr(at + 3);
}

// ---- Graph

Tensor *Tensors::get(const TensorId &id) const {
  const auto it = all_.find(id);
  if (it != all_.end())
    return it->second.get();
  throw error(
      base::str("No tensor is called \"", id, "\".", base::didYouMean(id, getAllTensorIds())));
}
std::vector<TensorId> Tensors::getAllTensorIds() const {
  std::vector<TensorId> out;
  for (const auto &[id, tensor] : all_)
    out.push_back(id);
  return out;
}
std::vector<Tensor *> Tensors::getOfType(TensorType type) const {
  std::vector<Tensor *> out;
  for (const auto &[id, tensor] : all_)
    if (tensor->tensorType() == type)
      out.push_back(tensor.get());
  return out;
}
std::vector<TensorId> Tensors::getIds(TensorType type) const {
  std::vector<TensorId> out;
  for (const auto *tensor : getOfType(type))
    out.push_back(tensor->id);
  return out;
}
Tensor *Tensors::add(const TensorId &id, TensorType type) {
  auto &made = all_[id];
  if (made)
    throw error("Two tensors are called \"{}\".", id);
  made = std::make_unique<Tensor>(id, type, graph_);
  return made.get();
}
Tensor *Tensors::addStream(const TensorId &id, const TensorInfo &info) {
  auto *tensor = add(id, TensorType::Stream);
  tensor->info = info;
  return tensor;
}
namespace {
[[noreturn]] void refuseVariable(const TensorId &id) {
  throw error("\"{}\" cannot become a variable: the variables of a model are those of its ONNX "
              "graph. Add it to the model with Builder::addInitializedInputTensor.",
              id);
}
} // namespace
void Tensors::addVarInit(const TensorId &id, const TensorInfo &, const void *) {
  refuseVariable(id);
}
void Ir::addAdditionalModelProtoTensor(const TensorId &tensor) { refuseVariable(tensor); }
void Ir::addAdditionalModelProtoTensor(Tensor *tensor) { refuseVariable(tensor->id); }
Tensor *Tensors::addConstInit(const TensorId &id, const TensorInfo &info, const void *values) {
  auto *tensor = add(id, TensorType::Const);
  tensor->setTensorData(info, values);
  return tensor;
}

Graph::Graph(Ir &ir, const std::string &name)
    : topoCons(new TopoCons), id(name), ir_(ir), name_(name), tensors_(*this) {}
Graph::~Graph() = default;
Op *Graph::getOp(OpId op) const {
  const auto it = ops_.find(op);
  if (it == ops_.end())
    throw error("The graph \"{}\" has no operator {}.", name_, op);
  return it->second.get();
}
OpId Graph::add(std::shared_ptr<Op> op) {
  const OpId next = ops_.empty() ? 0 : ops_.rbegin()->first + 1;
  op->id = next;
  op->settings.graph = *this;
  ops_[next] = std::move(op);
  return next;
}
OpId Graph::moveIntoGraph(std::unique_ptr<Op> op) {
  return add(std::shared_ptr<Op>(std::move(op)));
}
void Graph::eraseOp(OpId op) {
  Op *gone = getOp(op);
  gone->disconnectAllInputs();
  gone->disconnectAllOutputs();
  topoCons->remove(gone);
  ops_.erase(op);
}
void Graph::connect(Op &op, const std::map<InIndex, TensorId> &in,
                    const std::map<OutIndex, TensorId> &out) {
  for (const auto &[i, name] : in)
    op.connectInTensor(i, name);
  for (const auto &[i, name] : out)
    if (op.getGraph().getTensors().contains(name))
      op.connectOutTensor(i, name);
    else
      op.createAndConnectOutTensor(i, name);
  op.setup();
}
std::vector<Op *> Graph::getOpSchedule(const std::map<Op *, std::vector<Op *>> &more,
                                       RequireOptimalSchedule) const {
  std::vector<Op *> out;
  std::set<Op *> done, open; // never walked
  const std::function<void(Op *)> visit = [&](Op *op) {
    if (done.count(op))
      return;
    if (!open.insert(op).second)
      throw error("{}: it needs its own result; the graph has a cycle.", op->debugName());
    for (const auto &[i, tensor] : op->input->tensorMap())
      if (tensor->hasProducer())
        visit(tensor->getProducer());
    for (Op *before : topoCons->getBefores(op))
      visit(before);
    for (const auto &[before, afters] : more)
      if (std::find(afters.begin(), afters.end(), op) != afters.end())
        visit(before);
    done.insert(op);
    out.push_back(op);
  };
  for (const auto &[number, op] : ops_)
    visit(op.get());
  return out;
}

void TopoCons::insert(Op *before, Op *after, bool) {
  if (!contains(before, after))
    all_.emplace_back(before, after);
}
void TopoCons::remove(Op *op) {
  std::erase_if(all_, [&](const auto &pair) { return pair.first == op || pair.second == op; });
}
bool TopoCons::contains(Op *before, Op *after) const {
  return std::find(all_.begin(), all_.end(), std::make_pair(before, after)) != all_.end();
}
void TopoCons::transfer(Op *before, Op *after, bool removeOld) {
  const auto old = all_;
  for (const auto &[first, second] : old) {
    if (first == before)
      insert(after, second);
    if (second == before)
      insert(first, after);
  }
  if (removeOld)
    remove(before);
}
std::vector<Op *> TopoCons::getBefores(Op *after) const {
  std::vector<Op *> out;
  for (const auto &[first, second] : all_)
    if (second == after)
      out.push_back(first);
  return out;
}
std::vector<Op *> TopoCons::getAfters(Op *before) const {
  std::vector<Op *> out;
  for (const auto &[first, second] : all_)
    if (first == before)
      out.push_back(second);
  return out;
}

// ---- Ir

const Graph &Ir::getMainGraph() const {
  if (!main_)
    throw error("The main graph can be seen in patterns only: elsewhere it is not whole.");
  return *main_;
}
Graph &Ir::getMainGraph() { return const_cast<Graph &>(std::as_const(*this).getMainGraph()); }
std::vector<Op *> Ir::getAllOps() const {
  std::vector<Op *> out;
  for (const auto &[id, op] : getMainGraph().getOps())
    out.push_back(op.get());
  return out;
}
TensorId Ir::createIntermediateTensorId(const TensorId &base) {
  TensorId out;
  do
    out = base::str(base, "__t", names_++);
  while (main_ && main_->getTensors().contains(out));
  return out;
}

// ---- Op

Graph &GraphReference::get() const {
  if (!graph_)
    throw error("The operator is in no graph yet.");
  return *graph_;
}
Ir &Op::Settings::getIr() const { return graph.get().getIr(); }

Op::Op(const OperatorIdentifier &i, const Settings &s)
    : opid(i), settings(s), input(new TensorIndexMap), output(new TensorIndexMap) {}
Op::Op(const Op &other) : Op(other.opid, other.settings) {}
Op::~Op() = default;
void Op::setup() { throw error("The custom operator {} has no setup().", opid.type); }
const std::vector<GradInOutMapper> &Op::gradInputInfo() const {
  throw error("The custom operator {} is no gradient: it has no gradInputInfo().", opid.type);
}
const std::map<int, int> &Op::gradOutToNonGradIn() const {
  throw error("The custom operator {} is no gradient: it has no gradOutToNonGradIn().", opid.type);
}
std::unique_ptr<Op> Op::getInplaceVariant(const OperatorIdentifier &variant) const {
  throw error("{}: it has no variant {} in place.", debugName(), variant);
}
view::Regions Op::modifies(InIndex) const { return {}; }
view::Regions Op::aliases(InIndex, OutIndex) const { return {}; }
view::Regions Op::uses(InIndex in) const { return {view::Region::getFull(inShape(in))}; }
view::RegMap Op::fwdRegMap(InIndex in, OutIndex out) const {
  const auto rank = std::int64_t(outRank(out));
  if (inShape(in) == outShape(out))
    return [](const view::Region &r) { return view::Regions{r}; };
  return [rank](const view::Region &) { return view::Regions{view::Region::getEmpty(rank)}; };
}
view::RegMap Op::bwdRegMap(InIndex in, OutIndex out) const {
  const auto rank = std::int64_t(inRank(in));
  if (inShape(in) == outShape(out))
    return [](const view::Region &r) { return view::Regions{r}; };
  return [rank](const view::Region &) { return view::Regions{view::Region::getEmpty(rank)}; };
}
namespace {
bool anything(const view::Regions &regions) {
  return std::any_of(regions.begin(), regions.end(), [](const auto &r) { return !r.isEmpty(); });
}
} // namespace
bool Op::modifiesIndex(InIndex in) const { return anything(modifies(in)); }
bool Op::isOutplace() const {
  for (const auto &[i, in] : input->tensorMap())
    for (const auto &[o, out] : output->tensorMap())
      if (modifiesIndex(i) || anything(aliases(i, o)))
        return false;
  return true;
}

std::string Op::debugName() const { return base::str("Op(", opid, ", ", settings.name, ")"); }
const TensorInfo &Op::inInfo(InIndex i) const {
  if (!hasInput(i))
    throw error("{}: there is no input {}.", debugName(), i);
  return inTensor(i)->info;
}
TensorInfo &Op::inInfo(InIndex i) {
  return const_cast<TensorInfo &>(std::as_const(*this).inInfo(i));
}
TensorInfo &Op::outInfo(OutIndex i) {
  if (i < 0 || std::size_t(i) >= custom::mostTensors)
    throw error("{}: outInfo() names {}; there are at most {}.", debugName(), i,
                custom::mostTensors);
  if (!hasOutput(i)) {
    auto &tensors = getGraph().getTensors();
    TensorId name = base::str(opid.type, ':', i);
    for (unsigned n = 1; tensors.contains(name); ++n)
      name = base::str(opid.type, ':', i, '/', n);
    createAndConnectOutTensor(i, name);
  }
  return outTensor(i)->info;
}
const TensorInfo &Op::outInfo(OutIndex i) const {
  if (!hasOutput(i))
    throw error("{}: outInfo() names {}; there are {}.", debugName(), i, output->n());
  return outTensor(i)->info;
}

void Op::connectInTensor(InIndex i, TensorId name) {
  if (hasInput(i))
    disconnectInTensor(i);
  Tensor *tensor = getGraph().getTensors().get(name);
  input->insert(i, tensor);
  tensor->consumers.increment(this);
}
void Op::connectOutTensor(OutIndex i, TensorId name) {
  Tensor *tensor = getGraph().getTensors().get(name);
  if (tensor->hasProducer() && tensor->getProducer() != this)
    throw error("{}: the tensor \"{}\" is made by {} already. Disconnect that first.", debugName(),
                name, tensor->getProducer()->debugName());
  output->insert(i, tensor);
  tensor->setProducer(this);
}
void Op::createAndConnectOutTensor(OutIndex i, TensorId name) {
  getGraph().getTensors().addActGrad(name);
  connectOutTensor(i, name);
}
void Op::disconnectInTensor(InIndex i) {
  input->tensor(i)->consumers.decrement(this);
  input->erase(i);
}
void Op::disconnectInTensor(InIndex i, Tensor *tensor) {
  if (input->tensor(i) != tensor)
    throw error("{}: its input {} is \"{}\", not \"{}\".", debugName(), i, inId(i), tensor->id);
  disconnectInTensor(i);
}
void Op::disconnectInTensor(Tensor *tensor) {
  for (int i : input->indices(tensor))
    disconnectInTensor(i);
}
void Op::disconnectOutTensor(Tensor *tensor) {
  for (int i : output->indices(tensor))
    output->erase(i);
  if (tensor->getProducerUnsafe() == this)
    tensor->setProducer(nullptr);
}
void Op::disconnectAllInputs() {
  for (Tensor *tensor : input->tensors())
    disconnectInTensor(tensor);
}
void Op::disconnectAllOutputs() {
  for (Tensor *tensor : output->tensors())
    disconnectOutTensor(tensor);
}
int Op::getNonGradInIndex(int gradOutIndex) const {
  const auto &targets = gradOutToNonGradIn();
  const auto it = targets.find(gradOutIndex);
  if (it == targets.end())
    throw error("{}: its output {} is the gradient of no input.", debugName(), gradOutIndex);
  return it->second;
}
VGraphId Op::getVirtualGraphId() const {
  if (!hasVirtualGraphId())
    throw error("{} is on no virtual graph.", debugName());
  return *settings.vgraphId;
}
PipelineStage Op::getPipelineStage() const {
  if (!hasPipelineStage())
    throw error("{} is in no pipeline stage.", debugName());
  return *settings.pipelineStage;
}
ExecutionPhase Op::getExecutionPhase() const {
  if (!hasExecutionPhase())
    throw error("{} is in no execution phase.", debugName());
  return *settings.executionPhase;
}
bool Op::isExcludedFromPattern(const std::string &pattern) const {
  const auto &all = settings.excludePatterns;
  return std::find(all.begin(), all.end(), pattern) != all.end();
}

const std::vector<AliasModel::Relation> &AliasModel::relations(const Op &op) const {
  static const std::vector<Relation> none;
  const auto it = all_.find(&op);
  return it == all_.end() ? none : it->second;
}

} // namespace popart
