// SPDX-License-Identifier: MIT
// The one list of a chip's fields by name: parseChip looks a key up in it, describe prints it.
#pragma once
#include "arch/Chip.hpp"

namespace arch {

enum class Unit { Text, Flag, Number, Bytes, Hertz, Seconds, BytesPerSecond, Watts };
enum class Least { Zero, AboveZero }; // AboveZero: formulas divide by it

// visit(key, member, unit, least) for every field; C is Chip or const Chip.
template <class C, class Visit> void forEachField(C &c, Visit &&visit) {
  const auto positive = Least::AboveZero;
  const auto any = Least::Zero;
  const auto number = [&](const char *key, auto &member, Least least) {
    visit(key, member, Unit::Number, least);
  };
  visit("name", c.name, Unit::Text, any);
  visit("displayName", c.displayName, Unit::Text, any);
  visit("arch", c.archName, Unit::Text, any);
  number("archVersion", c.archVersion, any);
  number("tiles", c.tiles, positive);
  number("tilesPerPair", c.tilesPerPair, positive);
  number("workers", c.workers, positive);
  visit("memory", c.bytesPerTile, Unit::Bytes, positive);
  visit("clock", c.clockHz, Unit::Hertz, positive);
  number("dataPathBits", c.dataPathBits, positive);
  number("repeatCountMax", c.repeatCountMax, any);
  number("strideBits", c.strideBits, any);
  visit("vmac", c.vmac, Unit::Flag, any);

  number("fabric.columns", c.fabric.columns, positive);
  number("fabric.tilesPerRow", c.fabric.tilesPerRow, positive);

  visit("memory.base", c.memory.baseAddress, Unit::Bytes, any);
  visit("memory.plain", c.memory.plainBytes, Unit::Bytes, any);
  visit("memory.interleaved", c.memory.interleavedBytes, Unit::Bytes, any);
  visit("memory.plainElement", c.memory.plainElementBytes, Unit::Bytes, positive);
  visit("memory.interleavedElement", c.memory.interleavedElementBytes, Unit::Bytes, positive);
  number("memory.portBytesPerCycle", c.memory.portBytesPerCycle, positive);
  number("memory.atomicStoreBytes", c.memory.atomicStoreBytes, positive);

  number("launch.cycles", c.launch.cycles, any);
  number("launch.vertexBundles", c.launch.vertexBundles, any);
  visit("launch.pairs", c.launch.pairs, Unit::Flag, any);

  number("sync.local", c.sync.localCycles, any);
  number("sync.boundary", c.sync.boundaryCycles, any);
  number("sync.minDelay", c.sync.minDelayCycles, any);
  number("sync.maxDelay", c.sync.maxDelayCycles, any);
  number("sync.global", c.sync.globalCycles, any);
  visit("sync.wireHop", c.sync.wireHopSeconds, Unit::Seconds, any);
  number("sync.ipusPerWireHop", c.sync.ipusPerWireHop, positive);

  number("exchange.bytesPerCycle", c.exchange.bytesPerCycle, positive);
  number("exchange.pairBytesPerCycle", c.exchange.pairBytesPerCycle, positive);
  number("exchange.senderGap", c.exchange.senderGapCycles, any);
  number("exchange.span", c.exchange.spanCycles, any);
  number("exchange.routeBase", c.exchange.routeBaseCycles, any);
  number("exchange.routePerColumn", c.exchange.routePerColumn, any);
  number("exchange.routePerRow", c.exchange.routePerRow, any);
  number("exchange.routeUnknown", c.exchange.routeUnknownCycles, any);

  number("copy.straight", c.copy.straightCycles, any);
  number("copy.start", c.copy.startCycles, any);
  number("copy.piece", c.copy.pieceCycles, any);
  number("copy.bytesPerCycle", c.copy.bytesPerCycle, positive);
  number("copy.gather4", c.copy.gather4, any);
  number("copy.gather2", c.copy.gather2, any);

  number("amp.halfHalfUnits", c.amp.halfHalfUnits, positive);
  number("amp.halfFloatUnits", c.amp.halfFloatUnits, positive);
  number("amp.floatUnits", c.amp.floatUnits, positive);
  number("amp.quarterUnits", c.amp.quarterUnits, any);
  number("amp.halfInputsPerCycle", c.amp.halfInputsPerCycle, positive);
  number("amp.floatInputsPerCycle", c.amp.floatInputsPerCycle, positive);
  number("amp.quarterInputsPerCycle", c.amp.quarterInputsPerCycle, any);
  number("amp.weightBytesPerUnit", c.amp.weightBytesPerUnit, positive);
  number("amp.pipelineDepth", c.amp.pipelineDepth, any);
  number("amp.weightLoadBytesPerCycle", c.amp.weightLoadBytesPerCycle, positive);
  number("amp.interleavedWeightLoadBytesPerCycle", c.amp.interleavedWeightLoadBytesPerCycle,
         positive);
  number("amp.start", c.amp.startCycles, any);
  number("amp.inputGroup", c.amp.inputGroupCycles, any);
  number("amp.outputGroup", c.amp.outputGroupCycles, any);
  number("amp.pass", c.amp.passCycles, any);
  number("amp.halfFirst", c.amp.halfFirst, any);
  number("amp.floatFirst", c.amp.floatFirst, any);
  number("amp.quarterFirst", c.amp.quarterFirst, any);
  visit("amp.slic", c.amp.slic, Unit::Flag, any);

  visit("links.bandwidth", c.links.bytesPerSecond, Unit::BytesPerSecond, positive);
  number("links.rung", c.links.rungLinks, positive);
  number("links.rungThrough", c.links.rungThroughLinks, positive);
  number("links.rail", c.links.railLinks, positive);
  visit("links.hop", c.links.hopSeconds, Unit::Seconds, any);
  visit("links.packet", c.links.packetBytes, Unit::Bytes, positive);
  number("links.packetOverheadWords", c.links.packetOverheadWords, any);
  number("links.packetLeastWords", c.links.packetLeastWords, any);
  number("links.ipusPerMachine", c.links.ipusPerMachine, positive);
  number("links.ipusPerDomain", c.links.ipusPerDomain, positive);
  visit("links.gatewayBandwidth", c.links.gatewayBytesPerSecond, Unit::BytesPerSecond, positive);
  visit("links.gatewayHop", c.links.gatewayHopSeconds, Unit::Seconds, any);

  visit("host.cardIn", c.host.card.inBytesPerSecond, Unit::BytesPerSecond, positive);
  visit("host.cardOut", c.host.card.outBytesPerSecond, Unit::BytesPerSecond, positive);
  visit("host.cardShared", c.host.card.sharedBytesPerSecond, Unit::BytesPerSecond, any);
  visit("host.gatewayIn", c.host.gateway.inBytesPerSecond, Unit::BytesPerSecond, positive);
  visit("host.gatewayOut", c.host.gateway.outBytesPerSecond, Unit::BytesPerSecond, positive);
  visit("host.gatewayShared", c.host.gateway.sharedBytesPerSecond, Unit::BytesPerSecond, any);
  visit("host.gateway", c.host.hasGateway, Unit::Flag, any);
  visit("host.callback", c.host.callbackSeconds, Unit::Seconds, any);
  visit("host.transfer", c.host.transferSeconds, Unit::Seconds, any);
  visit("host.packetIn", c.host.packetBytesIn, Unit::Bytes, positive);
  visit("host.packetOut", c.host.packetBytesOut, Unit::Bytes, positive);
  visit("host.tilePacketIn", c.host.tilePacketSecondsIn, Unit::Seconds, any);
  visit("host.tilePacketOut", c.host.tilePacketSecondsOut, Unit::Seconds, any);
  visit("host.remoteRead", c.host.remoteReadBytesPerSecond, Unit::BytesPerSecond, positive);
  visit("host.remoteWrite", c.host.remoteWriteBytesPerSecond, Unit::BytesPerSecond, positive);
  visit("host.remoteMemory", c.host.remoteBytesPerIpu, Unit::Bytes, any);

  visit("power.idle", c.power.idleWatts, Unit::Watts, any);
  visit("power.amp", c.power.ampWatts, Unit::Watts, any);
  visit("power.vector", c.power.vectorWatts, Unit::Watts, any);
  visit("power.memory", c.power.memoryWatts, Unit::Watts, any);
  visit("power.exchange", c.power.exchangeWatts, Unit::Watts, any);
  visit("power.machine", c.power.machineWatts, Unit::Watts, any);

  number("code.instructionBytes", c.code.instructionBytes, positive);
  number("code.sendBytes", c.code.sendBytes, any);
  number("code.wordsPerSend", c.code.wordsPerSend, positive);
  number("code.waitBytes", c.code.waitBytes, any);
  number("code.receiveBytes", c.code.receiveBytes, any);
  visit("code.workerStack", c.code.workerStackBytes, Unit::Bytes, any);
  visit("code.supervisorStack", c.code.supervisorStackBytes, Unit::Bytes, any);
  visit("code.runtimeControl", c.code.runtimeControlBytes, Unit::Bytes, any);
  visit("code.runtimeHost", c.code.runtimeHostBytes, Unit::Bytes, any);
}

} // namespace arch
