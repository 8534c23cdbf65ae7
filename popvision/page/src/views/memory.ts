// SPDX-License-Identifier: MIT
import type { Context, Entry, View } from '../app';
import type { Memory, Tile } from '../data';
import type { Series } from '../stackplot';
import { legend, numberColumn } from '../app';
import { Surface, colour, paletteColour, showTip, hideTip, tipTable } from '../canvas';
import { chooser, clear, comparedRow, filterField, folded, format, h, highest, num, tickBox } from '../dom';
import { Grid } from '../grid';
import { StackPlot } from '../stackplot';

type Breakdown = 'category' | 'liveness' | 'none';

function seriesOf(memory: Memory, breakdown: Breakdown, gaps: boolean): Series[] {
  const series: Series[] =
    breakdown === 'category'
      ? memory.categories
          .filter(c => c.bytes.some(v => v > 0))
          .map((c, i) => ({ name: c.name, colour: paletteColour(i), values: c.bytes }))
      : breakdown === 'liveness'
        ? [
            { name: 'always live', colour: paletteColour(0), values: memory.alwaysLive },
            { name: 'not always live', colour: paletteColour(1), values: memory.notAlwaysLive },
          ]
        : [{ name: 'used', colour: paletteColour(0), values: memory.total }];
  if (gaps) series.push({ name: 'gaps', colour: '#9994', values: memory.withGaps.map((v, i) => v - memory.total[i]!) });
  return series;
}

// Where the tiles sit on the chip: columns of rows of a few tiles; ids run down a column.
function floorPlan(memory: Memory, ipu: number, select: (tile: number) => void): HTMLElement {
  const floor = memory.floor ?? { columns: Math.ceil(Math.sqrt(memory.tilesPerIpu)), perRow: 1 };
  const across = floor.columns * floor.perRow,
    down = Math.ceil(memory.tilesPerIpu / across);
  const place = (tile: number): [number, number] => {
    const perColumn = down * floor.perRow,
      column = Math.floor(tile / perColumn),
      within = tile % perColumn;
    return [column * floor.perRow + (within % floor.perRow), Math.floor(within / floor.perRow)];
  };
  const high = highest(memory.withGaps, memory.bytesPerTile);
  const size = (): number => Math.max(4, Math.floor(Math.min(surface.width / across, 28)));
  const surface = new Surface(Math.max(160, down * 12), () => {
    const c = surface.context,
      cell = size();
    if (surface.height !== down * cell + 4) {
      surface.setHeight(down * cell + 4);
      return;
    }
    c.clearRect(0, 0, surface.width, surface.height);
    for (let t = 0; t < memory.tilesPerIpu; ++t) {
      const bytes = memory.withGaps[ipu * memory.tilesPerIpu + t] ?? 0,
        [x, y] = place(t);
      const share = bytes / high;
      c.fillStyle = bytes > memory.bytesPerTile ? colour('bad') : `hsl(${220 - 190 * share} 70% ${75 - 30 * share}%)`;
      c.fillRect(x * cell, y * cell, cell - 1, cell - 1);
    }
  });
  const at = (event: MouseEvent): number => {
    const cell = size(),
      x = Math.floor(event.offsetX / cell),
      y = Math.floor(event.offsetY / cell);
    if (x >= across || y >= down) return -1;
    const tile = Math.floor(x / floor.perRow) * down * floor.perRow + y * floor.perRow + (x % floor.perRow);
    return tile < memory.tilesPerIpu ? ipu * memory.tilesPerIpu + tile : -1;
  };
  surface.element.addEventListener('pointermove', event => {
    const tile = at(event);
    if (tile < 0) hideTip();
    else
      showTip(
        event.clientX,
        event.clientY,
        tipTable([
          ['tile', String(tile)],
          ['with gaps', format(memory.withGaps[tile]!, 'bytes')],
          ['always live', format(memory.alwaysLive[tile]!, 'bytes')],
        ]),
      );
  });
  surface.element.addEventListener('pointerleave', hideTip);
  surface.element.addEventListener('click', event => {
    const tile = at(event);
    if (tile >= 0) select(tile);
  });
  return h('div', { class: 'plot' }, surface.element);
}

type Variable = Tile['variables'][number];

function variableTable(tile: Tile): HTMLElement {
  if (!tile.variables.length) {
    const how = 'Which variables lie here is recorded with autoReport.outputLoweredVars (part of autoReport.all).';
    return h('p', { class: 'soft' }, how);
  }
  const live = (v: Variable): string => (v.alwaysLive === undefined ? '' : v.alwaysLive ? 'always' : 'at times');
  const key = (v: Variable): string => `tile.variable.${v.variable ?? v.name}`;
  const grid = new Grid<Variable>({
    rows: tile.variables,
    height: 360,
    sorted: 1,
    filter: (v, text) => v.name.toLowerCase().includes(text) || v.category.toLowerCase().includes(text),
    columns: [
      { title: 'Name', width: 'minmax(160px, 1fr)', cell: v => v.name || '(unnamed)', sort: v => v.name },
      numberColumn('Bytes', v => v.bytes, 'bytes', '120px', key),
      { title: 'Category', width: '150px', cell: v => v.category, sort: v => v.category },
      { title: 'Live', width: '70px', cell: live, sort: v => String(v.alwaysLive) },
    ],
  });
  const field = filterField('Filter variables', text => grid.setFilter(text));
  return h('div', {}, h('div', { class: 'bar' }, field), grid.element);
}

// Rows of what is not zero in either.
function categoryRows(
  key: string,
  mine: Record<string, number>,
  other: Record<string, number> | undefined,
  indent = '',
): HTMLElement[] {
  return Object.entries(mine)
    .filter(([name, bytes]) => bytes || other?.[name])
    .map(([name, bytes]) =>
      comparedRow(indent + name, `${key}.${name}`, bytes, other && (other[name] ?? 0), 'bytes'),
    );
}

function tileDetails(tile: Tile, other: Tile | undefined): HTMLElement {
  const row = (name: string, key: 'total' | 'withGaps' | 'alwaysLive' | 'notAlwaysLive' | 'overflowed') =>
    comparedRow(name, `tile.${key}`, tile[key], other?.[key], 'bytes');
  const always = categoryRows('tile.always', tile.alwaysLiveCategories, other?.alwaysLiveCategories);
  const types = tile.vertices.map(v => h('tr', {}, h('td', {}, v.name), h('td', {}, format(v.codeBytes, 'bytes'))));
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'panel' },
      h('h3', {}, 'Tile ', num('tile.tile', tile.tile)),
      h(
        'table',
        {},
        row('Total without gaps', 'total'),
        row('Total with gaps', 'withGaps'),
        row('Always live', 'alwaysLive'),
        row('Not always live, at its peak', 'notAlwaysLive'),
        tile.overflowed ? row('Over the limit', 'overflowed') : null,
        categoryRows('tile.category', tile.categories, other?.categories, '  '),
      ),
      folded('Always live, by category', always),
      tile.peakProgram ? h('p', { class: 'soft' }, `Its peak is at ${tile.peakProgram}.`) : null,
    ),
    variableTable(tile),
    types.length ? folded(`Vertex types (${types.length})`, types, { class: 'panel' }) : null,
  );
}

function sum(values: number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
// The bytes of all tiles by category, largest first.
function sums(memory: Memory, of: 'bytes' | 'alwaysLive'): Record<string, number> {
  const pairs = memory.categories.map((c): [string, number] => [c.name, sum(c[of])]);
  return Object.fromEntries(pairs.sort(([, a], [, b]) => b - a));
}

function totals(memory: Memory, other: Memory | undefined): HTMLElement {
  const always = categoryRows('all.always', sums(memory, 'alwaysLive'), other && sums(other, 'alwaysLive'));
  const row = (name: string, key: 'total' | 'alwaysLive'): HTMLElement =>
    comparedRow(name, `all.${key}`, sum(memory[key]), other && sum(other[key]), 'bytes');
  return h(
    'div',
    { class: 'panel' },
    h('h3', {}, 'All tiles'),
    h(
      'table',
      {},
      row('Total without gaps', 'total'),
      row('Always live', 'alwaysLive'),
      categoryRows('all.category', sums(memory, 'bytes'), other && sums(other, 'bytes'), '  '),
    ),
    folded('Always live, by category', always),
  );
}

// The plot of all tiles, the floor plan, and what is known of the tile that is selected.
class MemoryPlot {
  readonly details: HTMLElement;
  readonly key = h('div', {});
  readonly plan = h('div', { hidden: true });
  readonly plot: StackPlot;
  private breakdown: Breakdown = 'category';
  private gaps = false;

  constructor(
    private readonly context: Context,
    private readonly data: Memory,
    private readonly second: Memory | undefined,
  ) {
    const several = data.total.length > data.tilesPerIpu;
    this.details = h('div', {}, totals(data, second));
    this.plot = new StackPlot({
      count: data.total.length,
      unit: 'bytes',
      what: 'tile',
      series: [],
      limit: data.bytesPerTile,
      limitName: 'memory of a tile',
      other: second?.total,
      otherName: context.other?.name,
      select: tile => void this.select(tile),
      describe: tile => (several ? [['IPU', String(Math.floor(tile / data.tilesPerIpu))]] : []),
      marks: several ? i => i % data.tilesPerIpu === 0 && i > 0 : undefined,
    });
    this.set({});
  }
  set(choice: { breakdown?: Breakdown; gaps?: boolean }): void {
    this.breakdown = choice.breakdown ?? this.breakdown;
    this.gaps = choice.gaps ?? this.gaps;
    const series = seriesOf(this.data, this.breakdown, this.gaps);
    this.plot.update({ series });
    clear(this.key, legend(series.map(s => [s.name, s.colour])));
  }
  togglePlan(): void {
    this.plan.hidden = !this.plan.hidden;
    if (this.plan.hasChildNodes()) return;
    for (let ipu = 0; ipu < Math.min(4, this.data.total.length / this.data.tilesPerIpu); ++ipu) {
      const floor = floorPlan(this.data, ipu, tile => this.plot.show(tile));
      this.plan.append(h('div', { class: 'panel' }, h('h3', {}, `Floor plan, IPU ${ipu}`), floor));
    }
  }
  private async select(tile: number): Promise<void> {
    this.context.mark(tile);
    const { report, other } = this.context,
      there = tile < (this.second?.total.length ?? 0);
    try {
      const [one, two] = await Promise.all([report.tile(tile), there ? other?.tile(tile) : undefined]);
      clear(this.details, tileDetails(one, two));
      this.details.dataset.tile = String(tile);
    } catch (error) {
      clear(this.details, h('p', { class: 'error' }, (error as Error).message));
    }
  }
}

function bar(shown: MemoryPlot, data: Memory): HTMLElement {
  const { plot } = shown;
  const find: HTMLInputElement = h('input', {
    type: 'search',
    placeholder: 'Tile number',
    size: 10,
    'aria-label': 'tile',
    onchange: () => plot.show(Number(find.value)),
  });
  const breakdowns = ['category', 'liveness', 'none'];
  return h(
    'div',
    { class: 'bar' },
    h('label', {}, 'Break down by ', chooser(breakdowns, value => shown.set({ breakdown: value as Breakdown }))),
    tickBox('gaps', false, gaps => shown.set({ gaps })),
    find,
    h('button', { onclick: () => plot.range.reset() }, 'All tiles'),
    h('button', { onclick: () => plot.show(data.withGaps.indexOf(highest(data.withGaps))) }, 'Fullest tile'),
    h('button', { onclick: () => shown.togglePlan() }, 'Floor plan'),
  );
}

const memory: View = async context => {
  const [data, second] = await Promise.all([context.report.memory(), context.other?.memory()]);
  const shown = new MemoryPlot(context, data, second);
  if (context.target >= 0) shown.plot.show(context.target);
  const line = context.other ? h('p', { class: 'soft' }, `Line: ${context.other.name}`) : null;
  const plot = h('div', { class: 'panel' }, shown.plot.element, shown.key, line);
  return h(
    'div',
    {},
    h('h2', {}, 'Memory by tile'),
    bar(shown, data),
    h('div', { class: 'split' }, h('div', {}, plot, shown.plan), shown.details),
  );
};

export const entry: Entry = { name: 'memory', title: 'Memory', place: 30, of: 'Graph', view: memory };
