// SPDX-License-Identifier: MIT
// One pass.
#include "NormLoops.hpp"
#include "NormSpace.hpp"
#include "poplin/kernels/Norms.hpp"

namespace poplin::norms {
namespace {

using openipu::KernelArgs;
using Settings = kernels::NormAffineOf;

class AffineKernel {
public:
  explicit AffineKernel(const KernelArgs &args)
      : settings_(Settings::read(args.attributes)),
        space_(settings_.groups,
               {&args.inputs[0], &args.outputs[0], &args.outputs[args.outputs.size() - 1]}),
        walk_(space_) {
    if (settings_.normalised && args.outputs.back().unread)
      settings_.whitened = false; // inference: only training reads it
  }

  void run(const KernelArgs &args) {
    Tables tables = tablesOf(args);
    rows::Data x(args.inputs[0]), y, w;
    if (settings_.normalised)
      y = rows::Data(args.outputs[0]);
    if (settings_.whitened)
      w = rows::Data(args.outputs[args.outputs.size() - 1]);
    walk_.run([&](const Block &block) { apply(block, tables, x, y, w); });
  }

private:
  struct Tables {
    const float *mean = nullptr, *isd = nullptr, *gamma = nullptr, *beta = nullptr;
  };
  Tables tablesOf(const KernelArgs &args) const {
    Tables tables;
    unsigned next = 1;
    if (settings_.stat) {
      tables.mean = rows::table(args.inputs[next++], 8);
      tables.isd = rows::table(args.inputs[next++], 9);
    }
    if (settings_.gamma)
      tables.gamma = rows::table(args.inputs[next++], 10);
    if (settings_.beta)
      tables.beta = rows::table(args.inputs[next++], 11);
    return tables;
  }
  // A vector where others of its kind are, also when it is absent.
  Value value(const float *table, const Block &block, unsigned which, float absent,
              unsigned slot) const {
    if (table || !space_.varies[which])
      return valueOf(table, space_, block, which, absent, slot);
    float *same = rows::scratch(slot, block.n);
    std::fill(same, same + block.n, absent);
    return {0, same};
  }
  void apply(const Block &block, const Tables &tables, const rows::Data &x, const rows::Data &y,
             const rows::Data &w) const {
    AffineValues values;
    values.mean.one = 0;
    values.invStdDev.one = values.gamma.one = 1;
    if (settings_.stat) {
      values.mean = value(tables.mean, block, 0, 0, 3);
      values.invStdDev = value(tables.isd, block, 0, 1, 4);
    }
    if (settings_.gamma || settings_.beta) {
      values.gamma = value(tables.gamma, block, 1, 1, 5);
      values.beta = value(tables.beta, block, 1, 0, 6);
    }
    auto in = read(x, space_, block, 0, 0);
    Target none{nullptr, 0};
    auto yTo = settings_.normalised ? target(y, space_, block, 1, 1) : none;
    auto wTo = settings_.whitened ? target(w, space_, block, 2, 2) : none;
    affineBlock({block.rows, block.n}, {in.at, in.ld}, {yTo.at, yTo.ld}, {wTo.at, wTo.ld}, values);
    if (settings_.normalised)
      write(y, space_, block, 1, yTo);
    if (settings_.whitened)
      write(w, space_, block, 2, wTo);
  }

  Settings settings_;
  Space space_;
  BlockWalk walk_;
};

const openipu::Registered registered{
    openipu::stateful<AffineKernel>(kernels::normAffine, openipu::alwaysGivesFloats)};

} // namespace
} // namespace poplin::norms
