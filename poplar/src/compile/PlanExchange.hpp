// SPDX-License-Identifier: MIT
// Decides what travels for each leaf step and what that costs: fills Step::cost.phases but for the
// compute set's own phase, which planExchange leaves empty (0 cycles) at its place and TimeSteps
// fills.
//
// Phases of an Execute, each present only when it has work:
// - pack (Compute): senders gather spans that travel together
// - sync, exchange-in; sync, global-exchange-in (between IPUs)
// - copy-in (Compute): fields whose elements are scattered become contiguous on the tile
// - the compute set's name (Compute): always present
// - copy-out (Compute): results leave their buffers, or are gathered to travel together
// - sync, exchange-out; sync, global-exchange-out
// - unpack (Compute): receivers spread what came packed
//
// Copy: pack, sync, exchange, sync, global-exchange, copy. Streams, remote buffers, host calls,
// printing: sync, host-exchange, exchange; streams of one direction that follow each other in a
// sequence wait for the host once. Copies between replicas: sync, global-exchange. Without an
// exchange there is no sync: two compute sets on local data follow each other directly, as on
// hardware. Kernel steps are priced from their plans; TimeSteps prices control flow.
//
// Rules. A part on another tile than its vertex travels: inputs before, outputs after, in-outs
// both. The same data go to a tile once, and leave their sender once however many tiles listen.
// Elements are neighbours in a tile's memory when they are neighbours in the variable, so a field
// made of several rows is put together by a copy, once for all readers on the tile. A message is a
// contiguous span; when that is faster, or when the code of many short ones would fill a tile, each
// pair of tiles packs its short spans of a variable into one message. A copy of more than 2^20
// pieces (a large transpose over all tiles) is not walked pair by pair: what each tile sends and
// receives is still exact, but partners are taken as evenly spread, one message per pair.
#pragma once
#include "arch/System.hpp"
#include "executable/Image.hpp"

namespace poplar::compile {

// Needs: verify. `system` is the whole device. Starts image.memory.tiles anew with exchange code
// and copy descriptors.
void planExchange(executable::Image &image, const arch::System &system);

} // namespace poplar::compile
