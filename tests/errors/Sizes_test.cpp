// SPDX-License-Identifier: MIT
// Sizes that no memory holds, or that would wrap: each call says so before anything is made.
#include "Errors.hpp"

using namespace poplar;
using namespace poplar::program;
using errors::Fixture;

namespace {

constexpr std::size_t two(unsigned power) { return std::size_t(1) << power; }

std::string tooLarge(const std::string &call, const std::string &shape) {
  return "tensor_creation_error: " + call + ": shape " + shape +
         " is too large; the extents above 0 multiply to more than 1,152,921,504,606,846,975.";
}

} // namespace

TEST(SizeErrors, VariableWhoseExtentsWrap) {
  Fixture f;
  EXPECT_REJECTED(tooLarge("Graph::addVariable", "[4294967296,4294967296]"),
                  f.graph.addVariable(FLOAT, {two(32), two(32)}));
  EXPECT_REJECTED(tooLarge("Graph::addVariable", "[0,4611686018427387904,4]"),
                  f.graph.addVariable(FLOAT, {0, two(62), 4}));
}

TEST(SizeErrors, ConstantWhoseExtentsWrap) {
  Fixture f;
  EXPECT_REJECTED(tooLarge("Graph::addConstant", "[4611686018427387904,4]"),
                  f.graph.addConstant<float>(FLOAT, {two(62), 4}, 1.0f));
  EXPECT_REJECTED(tooLarge("Graph::addConstantHalf", "[18446744073709551615,2]"),
                  f.graph.addConstantHalf(HALF, {~std::size_t(0), 2}, 0x3c00));
}

TEST(SizeErrors, ConstantThatNoTargetHolds) {
  Fixture f;
  EXPECT_REJECTED("tensor_creation_error: Graph::addConstant: a constant of shape "
                  "[1125899906842624] takes 4,503,599,627,370,496 bytes; all tiles of the target "
                  "have 2,555,904. Make it smaller.",
                  f.graph.addConstant<float>(FLOAT, {two(50)}, 1.0f));
}

TEST(SizeErrors, ValuesThatTheHostHasNoMemoryFor) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer ends a program that asks for too much";
#endif
  Fixture f;
  auto huge = f.graph.addVariable(FLOAT, {two(50)});
  EXPECT_REJECTED("tensor_creation_error: Graph::setInitialValue: the host has not enough memory "
                  "for this. Make the data smaller, or use a machine with more memory.",
                  f.graph.setInitialValue(huge, 1.0f));
}

TEST(SizeErrors, ViewsThatGrowBeyondTheLimit) {
  Fixture f;
  auto empty = f.graph.addVariable(FLOAT, {0}), huge = f.graph.addVariable(FLOAT, {two(59)});
  EXPECT_REJECTED(tooLarge("Tensor::reshape", "[4611686018427387904,4]"),
                  empty.reshape({two(62), 4}));
  EXPECT_REJECTED(tooLarge("Tensor::reshape", "[0,4611686018427387904]"),
                  empty.reshape({0, two(62)}));
  EXPECT_REJECTED(tooLarge("Tensor::broadcast", "[1152921504606846976]"), huge.broadcast(2, 0));
  EXPECT_REJECTED(tooLarge("Tensor::broadcast", "[18446744073709551615]"),
                  huge.broadcast(4294967295u, 0));
  EXPECT_REJECTED(tooLarge("Tensor::upsample", "[1152921504606846976]"),
                  huge.upsample(2, 0, UpsampleMethod::REPEAT));
  EXPECT_REJECTED(tooLarge("poplar::concat", "[1152921504606846976]"), concat(huge, huge));
}

TEST(SizeErrors, ViewsOfMorePiecesThanMemoryHolds) {
  Fixture f;
  auto two = concat(f.variable("a", 4), f.variable("b", 4));
  const auto message = "poplar_error: A view of a tensor falls apart into more than 16,777,216 "
                       "pieces. Copy the data to a variable of the shape that is wanted first.";
  EXPECT_REJECTED(message, two.broadcast(4294967295u, 0));
  auto odd = f.graph.addVariable(FLOAT, {std::size_t(1) << 40}).subSample(3, 0);
  EXPECT_REJECTED("poplar_error: A view of a tensor falls apart into more than 268,435,456 "
                  "pieces. Copy the data to a variable of the shape that is wanted first.",
                  f.graph.setTileMapping(odd, 0));
}

TEST(SizeErrors, MoreClonesThanMemoryHolds) {
  Fixture f;
  auto a = f.variable("a", 4);
  EXPECT_REJECTED("tensor_creation_error: Graph::cloneN: 4611686018427387904 copies were asked "
                  "for; at most 1,048,576 are possible.",
                  f.graph.cloneN(a, two(62)));
  auto huge = f.graph.addVariable(FLOAT, {two(59)});
  EXPECT_REJECTED(tooLarge("Graph::cloneN", "[2,576460752303423488]"), f.graph.cloneN(huge, 2));
}

TEST(SizeErrors, StreamsAndBuffers) {
  Fixture f;
  EXPECT_REJECTED("poplar_error: Graph::addHostToDeviceFIFO: \"in\" with [18446744073709551615 x "
                  "1] elements is too large; at most 1,152,921,504,606,846,975 are possible.",
                  f.graph.addHostToDeviceFIFO("in", FLOAT, ~std::size_t(0)));
  EXPECT_REJECTED("poplar_error: Graph::addRemoteBuffer: \"store\" with [4294967296 x 4294967296] "
                  "elements is too large; at most 1,152,921,504,606,846,975 are possible.",
                  f.graph.addRemoteBuffer("store", FLOAT, two(32), two(32)));
  EXPECT_REJECTED("invalid_option: Graph::addHostToDeviceFIFO: \"4294967297\" is not a value of "
                  "option \"bufferingDepth\"; give a positive number, at most 1073741824.",
                  f.graph.addHostToDeviceFIFO("in", FLOAT, 4, ReplicatedStreamMode::REPLICATE,
                                              {{"bufferingDepth", "4294967297"}}));
}

TEST(SizeErrors, FieldOfMoreElementsThanATileHolds) {
  Fixture f;
  auto vertex = f.graph.addVertex(f.set, "Rows");
  EXPECT_REJECTED("graph_connection_error: Graph::setFieldSize: field \"rows\" of vertex type "
                  "\"Rows\" in compute set \"set\" cannot have 4611686018427387904 elements; at "
                  "most 16,777,216 are possible.",
                  f.graph.setFieldSize(vertex["rows"], two(62)));
  auto many = f.graph.addVariable(FLOAT, {two(40), 0});
  EXPECT_REJECTED("graph_connection_error: Graph::connect: field \"rows\" of vertex type \"Rows\" "
                  "in compute set \"set\" cannot have 1099511627776 elements; at most 16,777,216 "
                  "are possible.",
                  f.graph.connect(vertex["rows"], many));
}

// 4 tiles x 2^58 grains would wrap if shares were multiplied before they are divided.
TEST(SizeErrors, AHugeVariableIsMappedWhole) {
  Fixture f;
  auto huge = f.graph.addVariable(CHAR, {two(59)}, VariableMappingMethod::LINEAR, "huge");
  auto mapping = f.graph.getTileMapping(huge);
  ASSERT_EQ(mapping.size(), 4u);
  for (std::size_t tile = 0; tile < 4; ++tile)
    EXPECT_EQ(mapping[tile], (std::vector<Interval>{{tile * two(57), (tile + 1) * two(57)}}));
}

namespace {

struct HostMemoryOf { // in MiB, for a while
  explicit HostMemoryOf(const char *size) { setenv("OPENIPU_HOST_MEMORY_MB", size, 1); }
  ~HostMemoryOf() { unsetenv("OPENIPU_HOST_MEMORY_MB"); }
};

void load(Fixture &f) {
  auto in = f.graph.addVariable(FLOAT, {512, 1024}, VariableMappingMethod::LINEAR, "in");
  auto out = f.graph.addVariable(HALF, {two(33)}, VariableMappingMethod::LINEAR, "out");
  auto plain = f.graph.addVariable(CHAR, {3}, VariableMappingMethod::LINEAR);
  f.program.add(WriteUndef(in));
  f.program.add(Copy(out.slice(0, 1), out.slice(1, 2)));
  f.program.add(Copy(plain.slice(0, 1), plain.slice(1, 2)));
  Engine engine(f.graph, f.program);
  engine.load(f.device);
}

} // namespace

TEST(SizeErrors, VariablesThatTheHostHasNoMemoryFor) {
  Fixture f;
  const auto text = [&] {
    HostMemoryOf host("16384");
    return errors::rejection([&] { load(f); });
  }();
  EXPECT_EQ(text,
            "poplar_error: Engine::load: the variables of the program need 17,181,966,592 bytes of "
            "memory; the host has 17,179,869,184 (OPENIPU_HOST_MEMORY_MB).\n"
            "Largest variables:\n"
            "  out half [8589934592]: 17,179,869,184 bytes\n"
            "  in float [512,1024]: 2,097,152 bytes\n"
            "  variable 2 char [3]: 3 bytes\n"
            "Use a smaller batch, a smaller type or fewer replicas, or a host with more memory. "
            "For a program that uses only a part of its variables, set OPENIPU_HOST_MEMORY_MB to "
            "more.");
  errors::expectStillUsable();
}

TEST(SizeErrors, HostMemoryThatIsNoNumber) {
  Fixture f;
  HostMemoryOf host("lots");
  EXPECT_EQ(errors::rejection([&] { load(f); }),
            "poplar_error: OPENIPU_HOST_MEMORY_MB must be a number from 1 to 17592186044415, not "
            "\"lots\".");
}

// Pages that nothing touches cost nothing.
TEST(SizeErrors, MoreVariablesThanTheHostHoldsMayBeAllowed) {
  Fixture f;
  HostMemoryOf host("1000000");
  load(f);
}
