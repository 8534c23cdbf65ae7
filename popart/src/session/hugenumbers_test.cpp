// SPDX-License-Identifier: MIT
// A number in a file must not decide how long it takes to refuse the file: every integer of every
// operator, attribute or constant operand, is made huge in a model that is fine without. What comes
// of it is an error, or a graph that is not larger for it.
#include "onnx/import.hpp"
#include "randommodels.hpp"
#include "sessions.hpp"

namespace popart {
namespace {

using testing::Choices;
using testing::RandomModel;

constexpr std::int64_t huge[] = {1 << 20, std::int64_t(1) << 31, std::int64_t(1) << 40,
                                 std::numeric_limits<std::int64_t>::max()};

std::vector<std::string> usableOps() { // in the order in which RandomModel numbers them
  std::vector<std::string> out;
  for (const auto &op : ops::allOps())
    if (op.domain != "openipu")
      out.push_back(op.type);
  return out;
}

// A tame model of an operator: the bytes that RandomModel reads first are its number, the version
// of ONNX and whether it is tame.
onnx::ModelProto modelOf(std::size_t op, std::size_t ops, unsigned seed) {
  auto bytes = Choices::randomBytes(seed);
  std::size_t at = 0;
  if (ops > 256)
    bytes[at++] = static_cast<char>(op >> 8);
  bytes[at++] = static_cast<char>(op & 255);
  bytes[at++] = 0;
  bytes[at++] = 1;
  return RandomModel{Choices(bytes)}.proto();
}

std::size_t sizeOf(const ir::Graph &graph) {
  std::size_t out = graph.nodes.size() + graph.size();
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    out += graph[ir::Value{i}].data ? graph[ir::Value{i}].data.bytes() : 0;
  for (const auto &node : graph.nodes)
    for (const auto &body : node.bodies)
      out += sizeOf(*body);
  return out;
}
// Nodes, values and bytes of constants; nothing if it is refused.
std::optional<std::size_t> imported(const onnx::ModelProto &model) {
  try {
    return sizeOf(onnxmodel::importModel(onnxmodel::parseModel(model.SerializeAsString())));
  } catch (const internal_error &) {
    throw;
  } catch (const error &) {
    return {};
  }
}

// Every integer that a file gives to its first node, one after the other.
std::vector<std::function<void(onnx::ModelProto &, std::int64_t)>>
integersOf(const onnx::ModelProto &model) {
  std::vector<std::function<void(onnx::ModelProto &, std::int64_t)>> out;
  const auto &node = model.graph().node(0);
  for (int a = 0; a < node.attribute_size(); ++a) {
    const auto attribute = [a](onnx::ModelProto &m) {
      return m.mutable_graph()->mutable_node(0)->mutable_attribute(a);
    };
    if (node.attribute(a).type() == onnx::AttributeProto::INT)
      out.push_back([=](onnx::ModelProto &m, std::int64_t v) { attribute(m)->set_i(v); });
    for (int i = 0; i < node.attribute(a).ints_size(); ++i)
      out.push_back([=](onnx::ModelProto &m, std::int64_t v) { attribute(m)->set_ints(i, v); });
  }
  for (int t = 0; t < model.graph().initializer_size(); ++t)
    for (int i = 0; i < model.graph().initializer(t).int64_data_size(); ++i)
      out.push_back([=](onnx::ModelProto &m, std::int64_t v) {
        m.mutable_graph()->mutable_initializer(t)->set_int64_data(i, v);
      });
  return out;
}

} // namespace

TEST(HugeNumbers, DoNotMakeGraphsLarge) {
  const auto ops = usableOps();
  std::set<std::string> tried;
  for (std::size_t op = 0; op < ops.size(); ++op)
    for (unsigned seed = 1; seed <= 24; ++seed) {
      const auto model = modelOf(op, ops.size(), seed);
      const auto usual = imported(model);
      if (!usual)
        continue;
      for (const auto &set : integersOf(model))
        for (const auto value : huge) {
          auto changed = model;
          set(changed, value);
          tried.insert(ops[op]);
          const auto size = imported(changed);
          EXPECT_LT(size.value_or(0), *usual + (1 << 16)) << ops[op] << ' ' << value << '\n'
                                                          << changed.graph().node(0).DebugString();
        }
    }
  EXPECT_GT(tried.size(), ops.size() / 3); // else most models are no good
}

} // namespace popart
