// SPDX-License-Identifier: MIT
#include "models/modelrows.hpp"
#include <gtest/gtest.h>
#include <map>

using namespace calibration::models;

// Micro-batch * replicas * accumulation is the global batch that was published, in rows.
TEST(ModelCalibration, ConfigurationsAddUpToThePublishedBatches) {
  const std::map<std::string, std::int64_t> batches = {
      {"M1", 3520},         {"M2", 1920},         {"M3", 2560},         {"M4", 10240},
      {"M5", 16384},        {"M9 Pod16", 65536},  {"M9 Pod64", 65536},  {"M10", 54784},
      {"M11 Pod16", 16384}, {"M11 Pod64", 16384}, {"M12 Pod16", 9600},  {"M12 Pod64", 9600},
      {"M13", 256},         {"M14 SL128", 65536}, {"M14 SL512", 16384}, {"M17 POD16", 1920},
      {"M17 POD64", 2560},  {"M18 POD16", 3200},  {"M18 POD64", 3840},  {"M18 POD256", 10240},
      {"M19 Pod16", 3520},  {"M19 Pod128", 5120}, {"M20 POD16", 3072},  {"M21 POD16", 3072},
      {"M21 POD64", 3072},  {"M22 Pod16", 3072},  {"M20 POD64", 3072},  {"M21 POD128", 6144},
      {"M22 Pod128", 6144}, {"M22 Pod256", 6912}, {"M28", 32},          {"M7", 768},
      {"M8 Pod16", 65536},  {"M8 Pod64", 65536},  {"M25 128", 1},       {"M25 224", 1},
      {"M25 320", 1},       {"M25 640", 1},       {"M25 1024", 1},      {"M26 128", 1},
      {"M26 224", 1},       {"M26 320", 1},       {"M27 8", 8},         {"M27 32", 32},
      {"NM1", 65280},       {"NM2", 56064},       {"NM4", 66560},       {"NM7", 65280},
      {"NM10", 2040}};
  std::map<std::string, std::int64_t> built;
  for (const auto &row : modelRows()) {
    const auto rows = row.batch * row.setup.replicas * row.setup.accumulation;
    const bool countsSequences = row.id >= "M20" && row.id < "M23";
    EXPECT_TRUE(
        built.emplace(row.id, countsSequences ? std::int64_t(double(rows) * row.perRow) : rows)
            .second)
        << row.id;
  }
  EXPECT_EQ(built, batches);
}
