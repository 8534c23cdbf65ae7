// SPDX-License-Identifier: MIT
// Metadata tensors of 8-bit floats: one byte that holds format and scale (QuarterMetadata).
#include "base/Text.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Chip.hpp"
#include "openipu/Kernel.hpp"
#include "openipu/Operation.hpp"
#include "openipu/Placement.hpp"
#include "poplar/MetadataCreation.hpp"

namespace poplar {

namespace {

// The byte from a scale that the program computed: the format's bits come as an attribute.
void packMetadata(const openipu::KernelArgs &args) {
  const auto format = openipu::AttributeReader(args.attributes).get<std::uint8_t>();
  // Integers lie with their low byte first.
  const auto scale = *args.in<std::uint8_t>(0);
  *args.out<std::uint8_t>(0) = std::uint8_t(format | (scale & 0x3f));
}
const openipu::Registered packing{{"poplar.packMetadata", packMetadata, {}, {}, nullptr}};

bool isInteger(const Type &type) {
  for (const auto &integer :
       {CHAR, SIGNED_CHAR, UNSIGNED_CHAR, SHORT, UNSIGNED_SHORT, INT, UNSIGNED_INT})
    if (type == integer)
      return true;
  return false;
}

} // namespace

Tensor createConstantMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &context) {
  auto binary = QuarterMetadata(format, scale).getBinary();
  auto out = graph.addConstant(QUARTER_METADATA, {}, &binary, TypeTraits::make<unsigned char>(),
                               true, context);
  graph.setTileMapping(out, 0);
  return out;
}
Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &context) {
  auto binary = QuarterMetadata(format, scale).getBinary();
  auto out = graph.addVariable(QUARTER_METADATA, {}, context);
  graph.setTileMapping(out, 0);
  graph.setInitialValue(out, binary);
  return out;
}
Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                                    const Tensor &scale, program::Sequence &prog,
                                    const DebugContext &context) {
  if (!scale.valid() || scale.numElements() != 1 || !isInteger(scale.elementType()))
    throw tensor_metadata_error(
        base::str("createVariableMetadataTensor: the scale must be one integer of at most 32 bits",
                  scale.valid() ? base::str("; it is ", scale.shapeToString(), " of type ",
                                            scale.elementType().toString())
                                : std::string("; the tensor is not initialised"),
                  "."));
  auto out = graph.addVariable(QUARTER_METADATA, {}, context);
  const auto tile = openipu::elementsByTile(graph, scale).at(0).tile;
  graph.setTileMapping(out, tile);
  openipu::TileWork work;
  work.tile = tile;
  work.cycles =
      openipu::chipOf(graph).onWorkers(8); // one worker: load, mask, set the format, store
  openipu::Superstep step;
  step.name = "PackMetadata";
  step.vertex = "poplar::PackMetadata";
  step.tiles = {work};
  const auto bits = std::uint8_t(QuarterMetadata(format, 0).getBinary());
  prog.add(openipu::operation(graph, {"poplar.packMetadata",
                                      {openipu::out(out.flatten()), openipu::in(scale.flatten())},
                                      openipu::AttributeWriter().put(bits).take(),
                                      {{step}},
                                      context}));
  return out;
}

} // namespace poplar
