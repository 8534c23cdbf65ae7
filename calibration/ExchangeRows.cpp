// SPDX-License-Identifier: MIT
// Exchange phases on one IPU and between two, and a copy inside a tile.
#include "arch/Exchange.hpp"
#include "Program.hpp"
#include "Row.hpp"

namespace calibration {
namespace {

using namespace poplar;
using namespace poplar::program;
using Type = pva::Program::Type;

// Every tile takes `words` from each of the `senders` tiles after it. All words of the IPU when
// `distance` tiles lie between.
Profile receives(const std::string &chip, std::size_t senders, std::size_t words) {
  const auto device = deviceOf(chip);
  Graph graph(device.getTarget());
  const std::size_t tiles = graph.getTarget().getNumTiles();
  auto from = graph.addVariable(FLOAT, {tiles, senders, words}, "from"),
       to = graph.addVariable(FLOAT, {tiles, senders, words}, "to");
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    graph.setTileMapping(to[tile], unsigned(tile));
    for (std::size_t s = 0; s < senders; ++s)
      graph.setTileMapping(from[tile][s], unsigned((tile + 2 * (s + 1)) % tiles));
  }
  return run(device, graph, Copy(from, to));
}

Profile copyOnTile(std::size_t bytes) {
  const auto device = deviceOf("ipu21");
  Graph graph(device.getTarget());
  auto from = graph.addVariable(FLOAT, {bytes / 4}, "from"),
       to = graph.addVariable(FLOAT, {bytes / 4}, "to");
  graph.setTileMapping(from, 0);
  graph.setTileMapping(to, 0);
  return run(device, graph, Copy(from, to));
}

// Every tile of both IPUs sends `words` to its like on the other.
Profile betweenIpus(std::size_t words) {
  const auto device = deviceOf("ipu2", 2);
  Graph graph(device.getTarget());
  const std::size_t tiles = graph.getTarget().getNumTiles();
  auto from = graph.addVariable(FLOAT, {tiles, words}, "from"),
       to = graph.addVariable(FLOAT, {tiles, words}, "to");
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    graph.setTileMapping(from[tile], unsigned(tile));
    graph.setTileMapping(to[tile], unsigned((tile + tiles / 2) % tiles));
  }
  return run(device, graph, Copy(from, to));
}

// Messages evenly spread over tiles, by the formula of an exchange.
Figure spread(std::uint64_t messages, std::uint64_t words) {
  const auto &chip = arch::chipByName("ipu21");
  arch::TileTraffic traffic;
  for (std::uint64_t i = 0; i < messages; ++i)
    traffic.receive(4 * words);
  const std::vector<arch::ActiveTile> pair = {{0, traffic}, {1, traffic}};
  return {double(arch::exchangeCycles(chip, pair).cycles),
          "taken as evenly spread and of one size"};
}

} // namespace

void addExchangeRows(Rows &rows) {
  const auto add = [&](const char *id, const char *kind, const char *what, double published,
                       Unit unit, const char *source, std::function<double()> model) -> Row & {
    rows.push_back({id, kind, what, published, unit, source, [model] {
                      return Figure{model(), ""};
                    }});
    return rows.back();
  };
  const auto two = lazily([] { return receives("ipu21", 2, 3072); });
  add("E7", "exchange", "two receives of 3072 words, C600", 6381, Unit::Cycles, "STK", [two] {
    return two().cycles(Type::DoExchange);
  }).setting("message gap");
  const char *sizes = "sizes and tiles of the messages are not published";
  rows.push_back({"E8", "exchange", "55116 multicast receives, median 320 words, C600", 29240,
                  Unit::Cycles, "STK", [] { return spread(38, 320); }});
  rows.back().formula(sizes);
  rows.push_back({"E9", "exchange", "155880 pieces of 64 words, C600", 25866, Unit::Cycles, "STK",
                  [] { return spread(106, 64); }});
  rows.back().formula(sizes);
  add("E14", "exchange", "neighbour access per tile, GC200", 5.5, Unit::GigabytesPerSecond, "ELK",
      [] {
        const auto p = receives("ipu2", 1, 20000);
        return 80000 / p.seconds(p.cycles(Type::DoExchange)) / 1e9;
      });
  for (const auto &[id, published] : {std::pair{"E5", 238}, std::pair{"E6", 237}})
    add(id, "sync", "boundary of an exchange, C600", published, Unit::Cycles, "STK", [two] {
      return two().cycles(Type::Sync);
    }).setting("boundary");
  add("E11", "on-tile copies", "8 KiB, six workers, C600", 1308, Unit::Cycles, "STK", [] {
    return copyOnTile(8192).cycles(Type::OnTileExecute);
  }).setting("start of a copy");
  add("E15", "links", "IPU to IPU, both ways, M2000", 423.3, Unit::GigabitsPerSecond, "CLI", [] {
    const auto p = betweenIpus(8192);
    return 2 * 1472 * 8192 * 32.0 / p.seconds(p.cycles(Type::GlobalExchange)) / 1e9;
  }).setting("links of a rung");
}

} // namespace calibration
