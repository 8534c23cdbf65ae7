// SPDX-License-Identifier: MIT
// Published figures and the configurations they were measured with. Global batch = micro-batch *
// replicas * accumulation; micro-batches, stages and recomputation that a source leaves out are
// those of the vendor's published recipes, as far as they are known (docs/timing.md).
#include "modelrows.hpp"
#include "base/Text.hpp"

namespace calibration::models {
namespace {

using base::str;
using popart::RecomputationType;
using Rows = std::vector<ModelRow>;

// Optimiser state beside the chip, a part for every replica.
popart::TensorLocation besideSharded() {
  return {popart::TensorStorage::OffChip, popart::ReplicatedTensorSharding::On};
}

// One IPU holds the model; all but the inputs of a few blocks is computed again.
void addResnet(Rows &rows, const char *id, const char *chip, unsigned ipus,
               std::int64_t accumulation, double published, std::int64_t batch = 20) {
  ModelRow row;
  row.id = id;
  row.kind = "models: ResNet-50";
  row.source = id[1] == '1' && id[2] >= '7' ? "MLP" : "PERF";
  row.what = str("ResNet-50, ", ipus, " ", chip);
  row.published = published;
  row.batch = batch;
  row.setup = {chip, ipus, 1, accumulation, RecomputationType::RecomputeAll};
  row.setup.memoryProportion = "0.15";
  row.model = "resnet50";
  row.make = [batch] { return resnet50(batch, true); };
  rows.push_back(std::move(row));
}

void addResnets(Rows &rows) {
  addResnet(rows, "M1", "bow", 16, 11, 44059);
  addResnet(rows, "M2", "bow", 16, 6, 42029);
  addResnet(rows, "M3", "bow", 64, 2, 145287);
  addResnet(rows, "M4", "bow", 256, 2, 456906);
  addResnet(rows, "M5", "bow", 16, 64, 37061, 16);
  addResnet(rows, "M17 POD16", "ipu2", 16, 6, 27054);
  addResnet(rows, "M17 POD64", "ipu2", 64, 2, 78861);
  addResnet(rows, "M18 POD16", "ipu2", 16, 10, 28917);
  addResnet(rows, "M18 POD64", "ipu2", 64, 3, 100469);
  addResnet(rows, "M18 POD256", "ipu2", 256, 2, 299783);
  addResnet(rows, "M19 Pod16", "bow", 16, 11, 42134);
  addResnet(rows, "M19 Pod128", "bow", 128, 2, 226821);
  addResnet(rows, "M28", "ipu2", 4, 1, 3556, 8);
  rows.back().kind = "models: others"; // no recipe is published
  rows.back().source = "CARA";
}

// The model on two IPUs.
void addResnext(Rows &rows) {
  ModelRow row;
  row.id = "M7";
  row.kind = "models: others";
  row.source = "PERF";
  row.what = "ResNeXt-101, 16 bow";
  row.published = 12277;
  row.batch = 6;
  row.setup = {"bow", 8, 2, 16, RecomputationType::Pipeline};
  row.model = "resnext101";
  row.make = [] { return resnext101(6); };
  rows.push_back(std::move(row));
}

// Fine-tuning as published: no dropout in attention, SGD, its state sharded on the chips, and
// layers that begin an IPU keep what stands between their halves, too.
void addFineTunedVit(Rows &rows) {
  ModelRow row;
  row.id = "NM10";
  row.kind = "models: others";
  row.source = "PERF";
  row.what = "ViT-Base/16, fine-tuning, 16 bow";
  row.published = 7319;
  row.batch = 17;
  row.setup = {"bow",
               4,
               4,
               30,
               RecomputationType::Pipeline,
               {popart::TensorStorage::OnChip, popart::ReplicatedTensorSharding::On}};
  row.setup.memoryProportion = "0.3";
  row.model = "vit fine-tuning";
  row.make = [] { return vit(17, VitTask::FineTuning); };
  rows.push_back(std::move(row));
}

void addVit(Rows &rows, const char *id, unsigned replicas, double published) {
  ModelRow row;
  row.id = id;
  row.kind = "models: others";
  row.source = "PERF";
  row.what = str("ViT-Base/16, ", 4 * replicas, " bow");
  row.published = published;
  row.batch = 8;
  row.setup = {"bow", replicas, 4, 8192 / replicas, RecomputationType::Pipeline, besideSharded()};
  row.model = "vit";
  row.make = [] { return vit(8, VitTask::PreTraining); };
  rows.push_back(std::move(row));
}

// Published are milliseconds of a batch.
void addYolo(Rows &rows, const char *id, std::int64_t pixels, double milliseconds,
             std::int64_t batch = 1, bool floats = false) {
  ModelRow row;
  row.id = id;
  row.kind = "models: others";
  row.source = "YOLO";
  row.what = str("YOLOv4-P5, ", pixels, " px, ", floats ? "float" : "half", ", 1 ipu2");
  row.published = double(batch) / milliseconds * 1000;
  row.batch = batch;
  row.setup = {"ipu2"};
  row.setup.partials = "float";
  row.model = str("yolo ", pixels, floats);
  row.make = [=] { return yolo(batch, pixels, floats ? "FLOAT" : "FLOAT16"); };
  rows.push_back(std::move(row));
}

void addYolos(Rows &rows) {
  addYolo(rows, "M25 128", 128, 1.04);
  addYolo(rows, "M25 224", 224, 1.38);
  addYolo(rows, "M25 320", 320, 1.85);
  addYolo(rows, "M25 640", 640, 4.09);
  addYolo(rows, "M25 1024", 1024, 8.16);
  addYolo(rows, "M26 128", 128, 1.49, 1, true);
  addYolo(rows, "M26 224", 224, 2.43, 1, true);
  addYolo(rows, "M26 320", 320, 3.84, 1, true);
  addYolo(rows, "M27 8", 128, 2.45, 8);
  addYolo(rows, "M27 32", 128, 7.02, 32);
}

// Four IPUs hold the model as a pipeline; every stage computes its forward pass again.
void addBert(Rows &rows, const char *id, const char *what, const char *chip, unsigned replicas,
             std::int64_t accumulation, double published, const BertShape &shape,
             double perRow = 1) {
  ModelRow row;
  row.id = id;
  row.kind = "models: BERT";
  row.source = id[1] == '2' ? "MLP" : "PERF";
  row.what = str(what, ", ", 4 * replicas, " ", chip);
  row.published = published;
  row.batch = shape.batch;
  row.setup = {chip, replicas, 4, accumulation, RecomputationType::Pipeline, besideSharded()};
  row.setup.memoryProportion = "0.15";
  row.model = str("bert ", shape.hidden, " ", shape.sequence, " ", shape.predictions, " ",
                  shape.perRow, shape.questions ? " questions" : "");
  row.make = [shape] { return bert(shape); };
  row.perRow = perRow;
  rows.push_back(std::move(row));
}

BertShape base(std::int64_t sequence, std::int64_t batch, std::int64_t predictions) {
  return {12, 768, 12, sequence, batch, predictions, 1, {0, 4, 4, 4}};
}
BertShape large(std::int64_t sequence, std::int64_t batch, std::int64_t predictions) {
  return {24, 1024, 16, sequence, batch, predictions, 1, {3, 7, 7, 7}};
}

// Several sequences to a row. 65536 and 16384 sequences make the published batches of M10 and M12;
// MLPerf's 512 places hold two on average.
void addPacked(Rows &rows) {
  auto shortRows = large(128, 8, 20), longRows = large(512, 2, 38);
  shortRows.perRow = longRows.perRow = 2;
  addBert(rows, "M10", "phase 1, 128, packed", "bow", 4, 1712, 6044, shortRows, 65536.0 / 54784);
  addBert(rows, "M12 Pod16", "phase 2, 512, packed", "bow", 4, 1200, 2126, longRows,
          16384.0 / 9600);
  addBert(rows, "M12 Pod64", "phase 2, 512, packed", "bow", 16, 300, 7789, longRows,
          16384.0 / 9600);
  addBert(rows, "M20 POD16", "MLPerf 1.0, packed", "ipu2", 4, 192, 1422, longRows, 2);
  addBert(rows, "M20 POD64", "MLPerf 1.0, packed", "ipu2", 16, 48, 4242, longRows, 2);
  addBert(rows, "M21 POD16", "MLPerf 1.1, packed", "ipu2", 4, 192, 1527, longRows, 2);
  addBert(rows, "M21 POD64", "MLPerf 1.1, packed", "ipu2", 16, 48, 4807, longRows, 2);
  addBert(rows, "M21 POD128", "MLPerf 1.1, packed", "ipu2", 32, 48, 9217, longRows, 2);
  addBert(rows, "M22 Pod16", "MLPerf 2.0, packed", "bow", 4, 192, 2290, longRows, 2);
  addBert(rows, "M22 Pod128", "MLPerf 2.0, packed", "bow", 32, 48, 13097, longRows, 2);
  addBert(rows, "M22 Pod256", "MLPerf 2.0, packed", "bow", 64, 27, 19202, longRows, 2);
}

void addBerts(Rows &rows) {
  addBert(rows, "M14 SL128", "phase 1, 128", "bow", 4, 512, 16391, base(128, 32, 20));
  addBert(rows, "M14 SL512", "phase 2, 512", "bow", 4, 512, 3656, base(512, 8, 76));
  addBert(rows, "M9 Pod16", "phase 1, 128", "bow", 4, 2048, 5179, large(128, 8, 20));
  addBert(rows, "M9 Pod64", "phase 1, 128", "bow", 16, 512, 19353, large(128, 8, 20));
  addBert(rows, "M11 Pod16", "phase 2, 384", "bow", 4, 2048, 1470, large(384, 2, 56));
  addBert(rows, "M11 Pod64", "phase 2, 384", "bow", 16, 512, 5444, large(384, 2, 56));
  auto questions = large(384, 2, 0);
  questions.questions = true;
  addPacked(rows);
  auto packed = large(128, 8, 20);
  packed.perRow = 2;
  addBert(rows, "NM1", "phase 1, 128, TF2", "bow", 4, 2040, 4527, large(128, 8, 20));
  addBert(rows, "NM2", "phase 1, 128, packed", "bow", 4, 1752, 5600, packed, 1.17);
  addBert(rows, "NM4", "phase 1, 128, TF2", "bow", 16, 520, 18199, large(128, 8, 20));
  addBert(rows, "NM7", "phase 1, 128, TF2", "bow", 4, 510, 15173, base(128, 32, 20));
  addBert(rows, "M13", "SQuAD, 384", "bow", 4, 32, 1183, questions);
}

} // namespace

std::vector<ModelRow> modelRows() {
  Rows rows;
  addResnets(rows);
  addBerts(rows);
  addResnext(rows);
  addVit(rows, "M8 Pod16", 4, 7615);
  addVit(rows, "M8 Pod64", 16, 27868);
  addFineTunedVit(rows);
  addYolos(rows);
  return rows;
}

} // namespace calibration::models
