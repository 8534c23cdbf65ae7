// SPDX-License-Identifier: MIT
// What each IPU did, step by step, beside another report's if there is one.
import type { Context, Entry, View } from '../app';
import type { Programs, Trace } from '../data';
import type { Lane } from '../flame';
import type { Frames } from '../nesting';
import type { Shown } from './tracelanes';
import { kindColour, legend } from '../app';
import { kinds } from '../data';
import { clear, compared, debounce, h, num, prefixed, thousands } from '../dom';
import { Flame } from '../flame';
import { frames } from '../nesting';
import { programDetails } from './programdetails';
import { pairedPrograms } from './programs';
import { Bsp, blockLane, flameLane, lastCycle, runLane } from './tracelanes';

interface Sums {
  cycles: number[];
  steps: number;
  tileCycles: number;
  compute: number;
}
// What the visible steps of one IPU cost, by kind.
function visible(trace: Trace, programs: Programs, ipu: number, low: number, high: number): Sums {
  const at = trace.ipus[ipu]!,
    cycles = kinds.map(() => 0);
  let steps = 0,
    tileCycles = 0,
    compute = 0;
  for (let step = 0; step < at.from.length; ++step) {
    if (at.to[step]! < low || at.from[step]! > high) continue;
    ++steps;
    const p = trace.program[step]!;
    cycles[programs.kind[p]!] += at.cycles[step]!;
    if (programs.kind[p] === 0) {
      compute += at.cycles[step]!;
      tileCycles += at.cycles[step]! * programs.tileBalance[p]!;
    }
  }
  return { cycles, steps, tileCycles, compute };
}

interface Other {
  data: Trace;
  programs: Programs;
  all: Frames;
  of: Int32Array; // our programs there
}
async function otherOf(context: Context, mine: Programs): Promise<Other | null> {
  if (!context.other) return null;
  const [data, programs] = await Promise.all([context.other.trace(), context.other.programs()]);
  return { data, programs, all: frames(programs, data.program, data.runs), of: pairedPrograms(mine, programs) };
}


function sumsTable(ipu: number, mine: Sums, other: Sums | undefined): HTMLElement[] {
  const balance = (sums: Sums): number => (sums.compute ? sums.tileCycles / sums.compute : 0);
  const row = (name: string, ...cells: Parameters<typeof compared>) =>
    h('tr', {}, h('td', {}, name), compared(...cells));
  return [
    h('h3', {}, `Visible, IPU ${ipu}`),
    h(
      'table',
      {},
      other ? h('tr', {}, ['', 'this', 'other', 'change'].map(title => h('th', {}, title))) : null,
      row('Steps', 'visible.steps', mine.steps, other?.steps),
      kinds.map((kind, i) => row(kind, `visible.${kind}`, mine.cycles[i]!, other?.cycles[i], 'cycles')),
      row('Tile balance while computing', 'visible.balance', balance(mine), other && balance(other), 'share'),
    ),
  ];
}

// The trace as the user set it: nested or flat, with tiles or without, and whose figures are shown.
class TraceLine {
  readonly side = h('div', {}, h('p', { class: 'soft' }, 'Select a step.'));
  readonly sums = h('div', { class: 'panel' });
  readonly flame: Flame;
  private readonly all: Frames;
  private flat = false;
  private bsp = true;
  private ipu = 0;
  private shown: Shown[] = [];
  private lanes: Lane[] = [];

  constructor(
    private readonly context: Context,
    readonly data: Trace,
    readonly programs: Programs,
    private readonly other: Other | null,
  ) {
    this.all = frames(programs, data.program, data.runs);
    this.flame = new Flame(
      {
        min: 0,
        max: Math.max(lastCycle(data), other ? lastCycle(other.data) : 0),
        least: 20,
        time: cycles => `${thousands(cycles)} (${prefixed(cycles / data.clock, 's')})`,
        changed: debounce(() => this.total(), 120),
        select: (lane, index) => void this.showStep(lane, index),
      },
      [],
    );
    this.build();
    this.total();
  }
  set(choice: { flat?: boolean; bsp?: boolean }): void {
    Object.assign(this, choice);
    this.build();
  }
  showIpu(ipu: number): void {
    this.ipu = ipu;
    this.total();
  }
  jump(step: number): void {
    const { all, programs } = this,
      entry = this.shown[this.ipu]!;
    const index = entry.frame.findIndex(f => all.first[f] === step && programs.children[all.program[f]!]!.length === 0);
    if (index >= 0) this.flame.show(this.lanes.indexOf(entry.lane), index);
  }
  private build(): void {
    const { data, programs, other } = this;
    this.shown = data.ipus.map((_, i) => flameLane(data, programs, this.all, i, this.flat));
    const bands = this.bsp
      ? data.ipus.map((_, i) => new Bsp(data, programs, i, ids => this.context.report.programTiles(ids)))
      : [];
    for (const band of bands) band.attach(this.flame);
    this.lanes = [
      runLane(data, 'Runs'),
      ...(data.blocks.length ? [blockLane(data, programs)] : []),
      ...this.shown.flatMap(({ lane }, i) => [lane, ...bands.slice(i, i + 1).map(band => band.lane)]),
      ...(other ? this.otherLanes(other) : []),
    ];
    this.flame.setLanes(this.lanes);
  }
  private otherLanes({ data, programs, all }: Other): Lane[] {
    return [
      runLane(data, 'Other: runs'),
      ...data.ipus.map((_, i) => flameLane(data, programs, all, i, this.flat, 'Other: ').lane),
    ];
  }
  private total(): void {
    const { low, high } = this.flame.range,
      { ipu, other } = this;
    const sums = (data: Trace, programs: Programs): Sums => visible(data, programs, ipu, low, high);
    const second = other && ipu < other.data.ipus.length ? sums(other.data, other.programs) : undefined;
    clear(this.sums, sumsTable(ipu, sums(this.data, this.programs), second));
  }
  private async showStep(lane: number, index: number): Promise<void> {
    const entry = this.shown.find(s => s.lane === this.lanes[lane]);
    if (!entry) return;
    try {
      clear(this.side, await this.stepDetails(entry.frame[index]!));
      this.side.dataset.step = String(this.all.first[entry.frame[index]!]);
    } catch (error) {
      clear(this.side, h('p', { class: 'error' }, (error as Error).message));
    }
  }
  private async stepDetails(frame: number): Promise<HTMLElement> {
    const program = this.all.program[frame]!,
      step = this.all.first[frame]!,
      at = this.data.ipus[this.ipu]!;
    const details = await programDetails(this.context, program, this.other ? this.other.of[program] : -1);
    const numbers = [num('trace.step', step), num('trace.from', at.from[step]!)];
    const last = num('trace.to', at.to[this.all.last[frame]!]!);
    details.prepend(h('p', {}, 'Step ', numbers[0], ': cycles ', numbers[1], ' to ', last));
    details.append(h('button', { onclick: () => this.context.go('programs', program) }, 'Show in the program tree'));
    return details;
  }
}

// Marks what has the text in its name; Enter goes to the next step that has it.
function searchField(line: TraceLine): HTMLInputElement {
  const { data, programs, flame } = line;
  const nameOf = (step: number): string => programs.names[programs.name[data.program[step]!]!]!.toLowerCase();
  let found = -1;
  const next = (text: string): void => {
    for (let i = 1; i <= data.program.length; ++i) {
      const step = (found + i) % data.program.length;
      if (!nameOf(step).includes(text)) continue;
      found = step;
      line.jump(step);
      return;
    }
  };
  const field: HTMLInputElement = h('input', {
    type: 'search',
    placeholder: 'Find; Enter: next',
    oninput: () => {
      const text = field.value.toLowerCase();
      flame.highlight = text ? label => label.toLowerCase().includes(text) : null;
      flame.refresh();
    },
    onkeydown: (e: KeyboardEvent) => {
      if (e.key === 'Enter' && field.value) next(field.value.toLowerCase());
    },
  });
  return field;
}

function ipuChoice(line: TraceLine): HTMLElement | null {
  if (line.data.ipus.length < 2) return null;
  const onchange = (e: Event): void => line.showIpu(Number((e.target as HTMLSelectElement).value));
  const options = line.data.ipus.map((_, i) => h('option', { value: i }, i));
  return h('label', {}, 'Figures of IPU ', h('select', { onchange }, options));
}

function bar(line: TraceLine): HTMLElement {
  const chosen = (e: Event): void => line.set({ flat: (e.target as HTMLSelectElement).value === 'flat' });
  const ticked = (e: Event): void => line.set({ bsp: (e.target as HTMLInputElement).checked });
  const dropped = line.data.droppedSteps;
  return h(
    'div',
    { class: 'bar' },
    h('select', { 'aria-label': 'view', onchange: chosen }, h('option', {}, 'flame'), h('option', {}, 'flat')),
    h('label', {}, h('input', { type: 'checkbox', checked: true, onchange: ticked }), ' tiles (BSP)'),
    ipuChoice(line),
    searchField(line),
    h('button', { onclick: () => line.flame.range.reset() }, 'Everything'),
    dropped ? h('span', { class: 'soft' }, `${thousands(dropped)} later steps were not traced`) : null,
  );
}

const trace: View = async context => {
  const [data, programs] = await Promise.all([context.report.trace(), context.report.programs()]);
  const other = await otherOf(context, programs);
  const title = h('h2', {}, 'Execution trace');
  if (!data.program.length && !data.blocks.length) {
    const advice = 'Set autoReport.outputExecutionProfile (part of autoReport.all) and run a program.';
    return h('div', {}, title, h('p', { class: 'soft' }, `Nothing was traced. ${advice}`));
  }
  const line = new TraceLine(context, data, programs, other);
  if (context.target >= 0 && context.target < data.program.length) line.jump(context.target);
  return h(
    'div',
    {},
    title,
    bar(line),
    h('div', { class: 'panel' }, line.flame.element, legend(kinds.map(kind => [kind, kindColour(kind)]))),
    h('div', { class: 'split' }, line.side, line.sums),
  );
};

export const entry: Entry = { name: 'trace', title: 'Execution trace', place: 70, of: 'Graph', view: trace };
