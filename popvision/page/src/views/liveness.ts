// SPDX-License-Identifier: MIT
import type { Context, Entry, View } from '../app';
import type { Liveness, Programs, Variables } from '../data';
import type { Series } from '../stackplot';
import { legend, numberColumn } from '../app';
import { paletteColour } from '../canvas';
import { chooser, clear, comparedRow, filterField, format, h, highest, num, searchField, tickBox } from '../dom';
import { Grid } from '../grid';
import { StackPlot } from '../stackplot';

interface Row {
  id: number;
  name: string;
  type: string;
  bytes: number;
  always: boolean;
  from: number;
  to: number;
}

export function liveAt(variables: Variables, step: number): Row[] {
  const rows: Row[] = [];
  for (let v = 0; v < variables.name.length; ++v) {
    const live = variables.live[v]!;
    for (let i = 0; i < live.length; i += 2)
      if (live[i]! <= step && step <= live[i + 1]!) {
        rows.push({
          id: v,
          name: variables.name[v]!,
          type: variables.type[v]!,
          bytes: variables.bytes[v]!,
          always: variables.alwaysLive[v] === 1,
          from: live[i]!,
          to: live[i + 1]!,
        });
        break;
      }
  }
  return rows;
}

function variableGrid(): Grid<Row> {
  return new Grid<Row>({
    rows: [],
    height: 430,
    sorted: 1,
    filter: (row, text) => row.name.toLowerCase().includes(text),
    columns: [
      { title: 'Variable', width: 'minmax(120px, 1fr)', cell: r => r.name || `variable ${r.id}`, sort: r => r.name },
      numberColumn(
        'Bytes',
        r => r.bytes,
        'bytes',
        '90px',
        r => `live.${r.id}`,
      ),
      { title: 'Type', width: '56px', cell: r => r.type, sort: r => r.type },
      { title: 'Steps', width: '84px', right: true, cell: r => `${r.from} – ${r.to}`, sort: r => r.to - r.from },
    ],
  });
}

interface Data {
  liveness: Liveness;
  variables: Variables;
  programs: Programs;
  second: Liveness | undefined;
  otherVariables: Variables | undefined;
}
interface Curve {
  name: string; // 'all tiles', or which
  bytes: number[];
  alwaysLive: number;
}

// What is live at each step, of all tiles or of one, and the variables of the step that is selected.
class Steps {
  readonly heading = h('div', { class: 'panel' });
  readonly details = h('div', {});
  readonly key = h('div', {});
  readonly grid = variableGrid();
  readonly plot: StackPlot;
  private curve: Curve;
  private withAlways = false;
  private always = false; // list the variables that are always live
  private step = -1;

  constructor(
    private readonly context: Context,
    private readonly data: Data,
  ) {
    this.curve = this.allTiles();
    this.plot = new StackPlot({
      count: this.curve.bytes.length,
      unit: 'bytes',
      what: 'step',
      series: [],
      other: data.second?.bytes,
      otherName: context.other?.name,
      describe: i => [['program', this.nameOf(i)]],
      select: i => {
        this.step = i;
        context.mark(i);
        this.fill();
      },
    });
    this.draw();
  }
  get count(): number {
    return this.curve.bytes.length;
  }
  get peak(): number {
    return this.curve.bytes.indexOf(highest(this.curve.bytes, 0));
  }
  showAlways(withAlways: boolean): void {
    this.withAlways = withAlways;
    this.draw();
  }
  list(always: boolean): void {
    this.always = always;
    this.fill();
  }
  async showTile(text: string): Promise<void> {
    try {
      this.curve = text === '' ? this.allTiles() : await this.ofTile(text);
      this.draw();
      this.plot.show(this.peak);
    } catch (error) {
      clear(this.heading, h('p', { class: 'error' }, (error as Error).message));
    }
  }
  findNext(text: string): void {
    for (let i = 1; i <= this.count; ++i) {
      const at = (this.step + i) % this.count;
      if (!this.nameOf(at).toLowerCase().includes(text.toLowerCase())) continue;
      this.plot.show(at);
      return;
    }
  }
  private allTiles(): Curve {
    return { name: 'all tiles', ...this.data.liveness };
  }
  private async ofTile(text: string): Promise<Curve> {
    const one = await this.context.report.livenessOfTile(Number(text));
    if (!one.known) throw new Error('What lies on a tile is recorded with autoReport.outputLoweredVars.');
    return { name: `tile ${text}`, ...one };
  }
  private nameOf(step: number): string {
    const program = this.data.liveness.program[step] ?? -1;
    return program < 0 ? '' : this.data.programs.names[this.data.programs.name[program]!]!;
  }
  private draw(): void {
    const { name, bytes, alwaysLive } = this.curve;
    const series: Series[] = [{ name: 'not always live', colour: paletteColour(1), values: bytes }];
    const values = new Float64Array(bytes.length).fill(alwaysLive);
    if (this.withAlways) series.unshift({ name: 'always live', colour: paletteColour(0), values });
    const comparable = name === 'all tiles' && !this.withAlways;
    this.plot.update({ series, other: comparable ? this.data.second?.bytes : undefined });
    clear(this.key, legend(series.map(s => [`${s.name}, ${name}`, s.colour])));
  }
  private listed(of: Variables): Row[] {
    return liveAt(of, this.step).filter(row => row.always === this.always);
  }
  private fill(): void {
    const rows = this.listed(this.data.variables),
      others = this.data.otherVariables && this.listed(this.data.otherVariables),
      program = this.data.liveness.program[this.step];
    this.grid.setRows(rows);
    clear(
      this.heading,
      h('h3', {}, 'Step ', num('step.index', this.step), ` ${this.nameOf(this.step)}`),
      h('table', {}, this.figures(rows, others)),
      program !== null
        ? h('button', { onclick: () => this.context.go('programs', program) }, 'Show in the program tree')
        : null,
    );
    this.details.dataset.step = String(this.step);
  }
  private figures(rows: Row[], others: Row[] | undefined): HTMLElement[] {
    const { liveness, second } = this.data,
      { bytes, alwaysLive } = this.curve;
    const largest = (of: Row[]): number =>
      highest(
        of.map(r => r.bytes),
        0,
      );
    const peak = (of: Liveness): number => highest(of.bytes, 0);
    const there = second && (second.bytes[this.step] ?? 0);
    return [
      comparedRow('Not always live', 'step.bytes', bytes[this.step]!, there, 'bytes'),
      comparedRow('Always live', 'step.alwaysLive', alwaysLive, second?.alwaysLive, 'bytes'),
      comparedRow('Variables listed', 'step.variables', rows.length, others?.length),
      comparedRow('The largest of them', 'step.largest', largest(rows), others && largest(others), 'bytes'),
      comparedRow('Peak of all steps', 'liveness.peak', peak(liveness), second && peak(second), 'bytes'),
    ];
  }
}

function bar(steps: Steps): HTMLElement {
  const source: HTMLInputElement = h('input', {
    type: 'search',
    placeholder: 'all tiles, or a number',
    size: 18,
    'aria-label': 'tile',
    onchange: () => void steps.showTile(source.value.trim()),
  });
  return h(
    'div',
    { class: 'bar' },
    h('label', {}, 'On ', source),
    searchField('Find a step by name, Enter for the next', text => steps.findNext(text)),
    tickBox('with always live', false, checked => steps.showAlways(checked)),
    h('button', { onclick: () => steps.plot.show(steps.peak) }, 'Peak'),
    h('button', { onclick: () => steps.plot.range.reset() }, 'All steps'),
    h('span', { class: 'soft' }, `${format(steps.count, 'count')} steps`),
  );
}
function listBar(steps: Steps): HTMLElement {
  const which: [string, string][] = [
    ['some', 'not always live'],
    ['always', 'always live'],
  ];
  return h(
    'div',
    { class: 'bar' },
    chooser(which, value => steps.list(value === 'always'), { 'aria-label': 'which variables' }),
    filterField('Filter variables', text => steps.grid.setFilter(text)),
  );
}

const liveness: View = async context => {
  const { report, other, target } = context;
  const [mine, variables, programs, second, otherVariables] = await Promise.all([
    report.liveness(),
    report.variables(),
    report.programs(),
    other?.liveness(),
    other?.variables(),
  ]);
  const title = h('h2', {}, 'Liveness');
  if (!mine.bytes.length) {
    const how = 'Set autoReport.outputGraphProfile (part of autoReport.all).';
    return h('div', {}, title, h('p', { class: 'soft' }, `The report has no liveness. ${how}`));
  }
  const steps = new Steps(context, { liveness: mine, variables, programs, second, otherVariables });
  steps.plot.show(target >= 0 && target < steps.count ? target : steps.peak);
  clear(steps.details, steps.heading, listBar(steps), steps.grid.element);
  const line = other ? h('p', { class: 'soft' }, `Line: ${other.name}, by step`) : null;
  const plot = h('div', { class: 'panel' }, steps.plot.element, steps.key, line);
  return h('div', {}, title, bar(steps), h('div', { class: 'split' }, plot, steps.details));
};

export const entry: Entry = { name: 'liveness', title: 'Liveness', place: 40, of: 'Graph', view: liveness };
