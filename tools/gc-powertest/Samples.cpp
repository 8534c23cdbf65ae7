// SPDX-License-Identifier: MIT
#include "Samples.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cstdio>

namespace gcpower {
namespace {

using base::str;

constexpr const char *powerSensor = "XDPE132G5C";
constexpr const char *boardSensors[] = {"B_COL0:1", "B_COL1:1", "B_IN:1", "B_MID:1", "B_OUT:1"};
constexpr const char *dieSensors[] = {"PVT0", "PVT1", "PVT2", "PVTE"};

template <class... Values> std::string format(const char *pattern, Values... values) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

void add(std::vector<CardSample> &cards, const machine::AttributeReader &reader, unsigned place,
         bool tested) {
  const auto &ipu = reader.domain().ipus[place];
  auto card = std::ranges::find(cards, ipu.serial, &CardSample::serial);
  if (card == cards.end()) {
    if (!tested)
      return;
    card = cards.insert(card, CardSample{ipu.serial,
                                         machine::boardTemperature(reader.boardWatts(place)),
                                         reader.chip().clockHz / 1e6,
                                         {}});
  }
  const auto sensors = machine::sensorsOf(reader.chip(), reader.occupancy()[place].usage);
  card->ipus.push_back({ipu.index % machine::perBoard(ipu), tested, sensors.watts,
                        card->degrees + sensors.dieTemperature});
}

} // namespace

double CardSample::watts() const {
  double sum = 0;
  for (const auto &ipu : ipus)
    sum += ipu.watts;
  return sum;
}

std::vector<CardSample> sampleOf(const machine::Domain &domain, const machine::Group &device) {
  const machine::AttributeReader reader(domain);
  std::vector<CardSample> cards;
  const auto isTested = [&](unsigned place) {
    return place >= device.first && place < device.first + device.size;
  };
  for (const bool tested : {true, false}) // the neighbours on a card after what is tested
    for (unsigned place = 0; place < domain.ipus.size(); ++place)
      if (isTested(place) == tested)
        add(cards, reader, place, tested);
  for (auto &card : cards)
    std::ranges::sort(card.ipus, {}, &IpuSample::index);
  return cards;
}

std::string headerOf(const CardSample &card) {
  std::string first = " |              CARD LEVEL          |", second = str(" ", powerSensor, " |");
  for (const char *sensor : boardSensors)
    second += str(" ", sensor);
  for (const auto &ipu : card.ipus) {
    if (!ipu.tested)
      continue;
    first += str("  IPU#", ipu.index, "  |");
    second += " |";
    for (const char *sensor : dieSensors)
      second += str(" ", ipu.index, ":", sensor);
    second += " CLOCK";
  }
  return first + "\n" + second + "\n";
}

std::string lineOf(const CardSample &card, unsigned sample) {
  auto line = format(" | %04u:", sample);
  for (const auto &ipu : card.ipus)
    line += format(" %06.2fW ", ipu.watts);
  line += format(" T%06.2fW  |", card.watts());
  for (std::size_t i = 0; i < std::size(boardSensors); ++i)
    line += format(" %03.0fC", card.degrees);
  for (const auto &ipu : card.ipus) {
    if (!ipu.tested)
      continue;
    line += " |";
    for (std::size_t i = 0; i < std::size(dieSensors); ++i)
      line += format(" %05.1fC", ipu.degrees);
    line += format(" %.0fMHz", card.megahertz);
  }
  return line + " |\n";
}

gctool::Json jsonOf(const CardSample &card) {
  gctool::Json json = {{"board serial number", card.serial},
                       {"total board power", machine::decimals(card.watts(), 2) + " W"},
                       {"average board temp", machine::decimals(card.degrees, 1) + " C"},
                       {"clock", machine::decimals(card.megahertz, 0) + "MHz"},
                       {"ipus", gctool::Json::array()}};
  for (const auto &ipu : card.ipus)
    json["ipus"].push_back({{"board ipu index", std::to_string(ipu.index)},
                            {"tested", ipu.tested ? "yes" : "no"},
                            {"ipu power", machine::decimals(ipu.watts, 2) + " W"},
                            {"average die temp", machine::decimals(ipu.degrees, 1) + " C"}});
  return json;
}

} // namespace gcpower
