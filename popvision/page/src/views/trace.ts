// SPDX-License-Identifier: MIT
import type { Context, View } from '../app';
import type { Frames } from '../nesting';
import type { Lane } from '../flame';
import type { Programs, Trace } from '../data';
import { kindColour, legend } from '../app';
import { colour, textColour } from '../canvas';
import { kinds } from '../data';
import { clear, compared, debounce, format, h, highest, num, prefixed, thousands } from '../dom';
import { Flame } from '../flame';
import { frames } from '../nesting';
import { programDetails } from './programdetails';
import { pairedPrograms } from './programs';

interface Shown {
  lane: Lane;
  frame: Int32Array;
}

// who: whose IPU, where there are two reports.
function flameLane(trace: Trace, programs: Programs, all: Frames, ipu: number, flat: boolean, who = ''): Shown {
  const at = trace.ipus[ipu];
  const chosen: number[] = [];
  for (let i = 0; i < all.program.length; ++i) {
    const leaf = programs.children[all.program[i]].length === 0 && all.first[i] === all.last[i];
    if (leaf ? at.cycles[all.first[i]] > 0 : !flat) chosen.push(i);
  }
  const frame = Int32Array.from(chosen);
  const start = Float64Array.from(chosen, i => at.from[all.first[i]]),
    end = Float64Array.from(chosen, i => Math.max(at.to[all.last[i]], at.from[all.first[i]] + at.cycles[all.first[i]]));
  const name = (i: number): string => {
    const p = all.program[frame[i]];
    return programs.names[programs.name[p]] || programs.type[p];
  };
  const colours = kinds.map(kind => colour(kind));
  const intervals = {
    start,
    end,
    depth: Int32Array.from(chosen, i => (flat ? 0 : all.depth[i])),
    label: name,
    colour: (i: number) => {
      const p = all.program[frame[i]];
      return programs.children[p].length ? `${textColour(name(i))}88` : colours[programs.kind[p]];
    },
    describe: (i: number): [string, string][] => {
      const p = all.program[frame[i]],
        step = all.first[frame[i]];
      const rows: [string, string][] = [
        ['type', programs.type[p]],
        ['from', thousands(start[i])],
        ['cycles', thousands(end[i] - start[i])],
        ['time', prefixed((end[i] - start[i]) / trace.clock, 's')],
      ];
      if (!programs.children[p].length)
        rows.push(
          ['step', thousands(step)],
          ['active tiles', thousands(at.activeTiles[step])],
          ['tile balance', format(programs.tileBalance[p], 'share')],
        );
      return rows;
    },
  };
  const lane = { label: `${who}IPU ${ipu}`, hint: `${thousands(trace.program.length)} steps`, intervals };
  return { lane, frame };
}

function runLane(trace: Trace, label: string): Lane {
  const cycles = (microseconds: number): number => (microseconds * trace.clock) / 1e6;
  return {
    label,
    intervals: {
      start: trace.runs.map(r => cycles(r.start)),
      end: trace.runs.map(r => cycles(r.end)),
      depth: trace.runs.map(() => 0),
      colour: () => colour('control'),
      label: i => `Engine::run #${i} ${trace.runs[i].name}`,
      describe: i => [
        ['cycles', thousands(trace.runs[i].cycles)],
        ['time', prefixed(trace.runs[i].cycles / trace.clock, 's')],
      ],
    },
  };
}

function lastCycle(trace: Trace): number {
  return Math.max(1, ...trace.ipus.map(i => highest(i.to, 0)), ...trace.runs.map(r => (r.end * trace.clock) / 1e6));
}

// Every tile over time: what it does while its step lasts. Needs the cycles of each tile, so only what is visible, when
// that is little enough; before that the share of tiles that take part.
class Bsp {
  private readonly ranges = new Map<number, number[]>();
  private flame: Flame | null = null;
  private asked = false;
  readonly lane: Lane;
  constructor(
    private readonly trace: Trace,
    private readonly programs: Programs,
    private readonly ipu: number,
    private readonly load: (ids: number[]) => Promise<Record<string, number[]>>,
  ) {
    this.lane = {
      label: `IPU ${ipu} tiles`,
      hint: 'top: tile 0',
      height: 184,
      paint: (c, area, range) => this.paint(c, area, range.low, range.high),
      describe: (time, share) => this.describe(time, share),
    };
  }
  attach(flame: Flame): void {
    this.flame = flame;
  }
  private first(time: number): number {
    const { to } = this.trace.ipus[this.ipu];
    let low = 0,
      high = to.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (to[middle] >= time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  private describe(time: number, share: number): [string, string][] | null {
    const step = this.first(time),
      at = this.trace.ipus[this.ipu];
    if (step >= at.from.length || at.from[step] > time) return null;
    const p = this.trace.program[step],
      tile = this.ipu * this.trace.tilesPerIpu + Math.floor(share * this.trace.tilesPerIpu),
      ranges = this.ranges.get(p);
    const rows: [string, string][] = [
      ['', this.programs.names[this.programs.name[p]]],
      ['type', this.programs.type[p]],
      ['tile', String(tile)],
    ];
    for (let i = 0; ranges && i < ranges.length; i += 3)
      if (tile >= ranges[i] && tile < ranges[i] + ranges[i + 1])
        rows.push(['cycles of this tile', thousands(ranges[i + 2])]);
    return rows;
  }
  private paint(
    c: CanvasRenderingContext2D,
    area: { x: number; y: number; width: number; height: number },
    low: number,
    high: number,
  ): void {
    const at = this.trace.ipus[this.ipu],
      first = this.first(low),
      perPixel = (high - low) / area.width;
    const x = (time: number): number => area.x + ((time - low) / (high - low)) * area.width;
    const tiles = this.trace.tilesPerIpu,
      base = this.ipu * tiles,
      rowHeight = area.height / tiles;
    const colours = kinds.map(kind => colour(kind)),
      wait = colour('line');
    const missing = new Set<number>();
    let steps = 0;
    for (let step = first; step < at.from.length && at.from[step] <= high; ++step) {
      const size = (at.to[step] - at.from[step]) / perPixel;
      if (size < 0.3 && ++steps % 8) continue; // too narrow to tell apart
      const p = this.trace.program[step],
        kind = this.programs.kind[p],
        from = x(at.from[step]),
        to = Math.max(from + 0.5, x(at.to[step]));
      c.fillStyle = at.activeTiles[step] ? wait : `${colours[kind]}66`; // what no tile does by itself, all wait for
      c.fillRect(from, area.y, to - from, area.height);
      c.fillStyle = colours[kind];
      const ranges = this.ranges.get(p);
      if (!ranges || size < 2) {
        if (!ranges && size >= 2) missing.add(p);
        c.fillRect(from, area.y, to - from, (area.height * at.activeTiles[step]) / Math.max(1, tiles));
        continue;
      }
      for (let i = 0; i < ranges.length; i += 3) {
        const tile = Math.max(ranges[i], base),
          last = Math.min(ranges[i] + ranges[i + 1], base + tiles);
        if (last > tile && ranges[i + 2])
          c.fillRect(
            from,
            area.y + (tile - base) * rowHeight,
            Math.min(to - from, ranges[i + 2] / perPixel),
            Math.max(0.5, (last - tile) * rowHeight),
          );
      }
    }
    if (missing.size && !this.asked) void this.fetch([...missing].slice(0, 400));
  }
  private async fetch(ids: number[]): Promise<void> {
    this.asked = true;
    try {
      const found = await this.load(ids);
      for (const id of ids) this.ranges.set(id, found[id] ?? []);
    } catch {
      for (const id of ids) this.ranges.set(id, []);
    }
    this.asked = false;
    this.flame?.refresh();
  }
}

// What the visible steps of one IPU cost, by kind.
function visible(
  trace: Trace,
  programs: Programs,
  ipu: number,
  low: number,
  high: number,
): { cycles: number[]; steps: number; tileCycles: number; compute: number } {
  const at = trace.ipus[ipu],
    cycles = kinds.map(() => 0);
  let steps = 0,
    tileCycles = 0,
    compute = 0;
  for (let step = 0; step < at.from.length; ++step) {
    if (at.to[step] < low || at.from[step] > high) continue;
    ++steps;
    const p = trace.program[step];
    cycles[programs.kind[p]] += at.cycles[step];
    if (programs.kind[p] === 0) {
      compute += at.cycles[step];
      tileCycles += at.cycles[step] * programs.tileBalance[p];
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

export const trace: View = async context => {
  const [data, programs] = await Promise.all([context.report.trace(), context.report.programs()]);
  const other = await otherOf(context, programs);
  if (!data.program.length && !data.blocks.length)
    return h(
      'div',
      {},
      h('h2', {}, 'Execution trace'),
      h(
        'p',
        { class: 'soft' },
        'Nothing was traced. Set autoReport.outputExecutionProfile (part of autoReport.all) and run a program.',
      ),
    );
  const all = frames(programs, data.program, data.runs);
  let flat = false,
    bsp = true,
    ipu = 0;
  const side = h('div', {}, h('p', { class: 'soft' }, 'Select a step.')),
    sums = h('div', { class: 'panel' });
  let shown: Shown[] = [];
  const last = Math.max(lastCycle(data), other ? lastCycle(other.data) : 0);
  const runs = runLane(data, 'Runs');
  const blockLane = (): Lane | null => {
    if (!data.blocks.length) return null;
    const rows: number[][] = [];
    for (let i = 0; i < data.blocks.length; i += 6) rows.push(data.blocks.slice(i, i + 6));
    rows.sort((a, b) => a[3] - b[3] || b[4] - a[4]);
    const ends: number[] = [],
      depth = rows.map(r => {
        while (ends.length && ends[ends.length - 1] <= r[3]) ends.pop();
        ends.push(r[4]);
        return Math.min(8, ends.length - 1);
      });
    const type = ['block', 'stream copy', 'flush', 'overflow'];
    return {
      label: 'Blocks',
      intervals: {
        start: rows.map(r => r[3]),
        end: rows.map(r => r[4]),
        depth,
        colour: i => [colour('compute'), colour('host'), colour('sync'), colour('bad')][rows[i][5]],
        label: i => (rows[i][2] >= 0 ? programs.names[programs.name[rows[i][2]]] : type[rows[i][5]]),
        describe: i => [
          ['kind', type[rows[i][5]]],
          ['tile', String(rows[i][0])],
          ['cycles', thousands(rows[i][4] - rows[i][3])],
        ],
      },
    };
  };
  const totals = (): void => {
    const { low, high } = flame.range;
    const v = visible(data, programs, ipu, low, high);
    const o = other && ipu < other.data.ipus.length ? visible(other.data, other.programs, ipu, low, high) : undefined;
    const balance = (x: typeof v): number => (x.compute ? x.tileCycles / x.compute : 0);
    const row = (name: string, ...cells: Parameters<typeof compared>) =>
      h('tr', {}, h('td', {}, name), compared(...cells));
    clear(
      sums,
      h('h3', {}, `Visible, IPU ${ipu}`),
      h(
        'table',
        {},
        o ? h('tr', {}, ['', 'this', 'other', 'change'].map(title => h('th', {}, title))) : null,
        row('Steps', 'visible.steps', v.steps, o?.steps),
        kinds.map((kind, i) => row(kind, `visible.${kind}`, v.cycles[i], o?.cycles[i], 'cycles')),
        row('Tile balance while computing', 'visible.balance', balance(v), o && balance(o), 'share'),
      ),
    );
  };
  const flame: Flame = new Flame(
    {
      min: 0,
      max: last,
      least: 20,
      time: cycles => `${thousands(cycles)} (${prefixed(cycles / data.clock, 's')})`,
      changed: debounce(() => totals(), 120),
      select: async (lane, index) => {
        const entry = shown.find(s => s.lane === lanes[lane]);
        if (!entry) return;
        const frame = entry.frame[index],
          p = all.program[frame],
          step = all.first[frame];
        const at = data.ipus[ipu];
        try {
          const details = await programDetails(context, p, other ? other.of[p] : -1);
          details.prepend(
            h(
              'p',
              {},
              'Step ',
              num('trace.step', step),
              ': cycles ',
              num('trace.from', at.from[step]),
              ' to ',
              num('trace.to', at.to[all.last[frame]]),
            ),
          );
          details.append(h('button', { onclick: () => context.go('programs', p) }, 'Show in the program tree'));
          clear(side, details);
          side.dataset.step = String(step);
        } catch (error) {
          clear(side, h('p', { class: 'error' }, (error as Error).message));
        }
      },
    },
    [],
  );
  let lanes: Lane[] = [];
  const build = (): void => {
    shown = data.ipus.map((_, i) => flameLane(data, programs, all, i, flat));
    const bands = bsp
      ? data.ipus.map((_, i) => new Bsp(data, programs, i, ids => context.report.programTiles(ids)))
      : [];
    for (const band of bands) band.attach(flame);
    const blocks = blockLane();
    lanes = [
      runs,
      ...(blocks ? [blocks] : []),
      ...data.ipus.flatMap((_, i) => [shown[i].lane, ...(bsp ? [bands[i].lane] : [])]),
    ];
    if (other) {
      lanes.push(runLane(other.data, 'Other: runs'));
      for (let i = 0; i < other.data.ipus.length; ++i)
        lanes.push(flameLane(other.data, other.programs, other.all, i, flat, 'Other: ').lane);
    }
    flame.setLanes(lanes);
  };
  build();
  totals();
  const jump = (step: number): void => {
    const entry = shown[ipu];
    const index = entry.frame.findIndex(f => all.first[f] === step && programs.children[all.program[f]].length === 0);
    if (index >= 0) flame.show(lanes.indexOf(entry.lane), index);
  };
  if (context.target >= 0 && context.target < data.program.length) jump(context.target);
  let found = -1;
  const field: HTMLInputElement = h('input', {
    type: 'search',
    placeholder: 'Find; Enter: next',
    oninput: () => {
      const text = field.value.toLowerCase();
      flame.highlight = text ? label => label.toLowerCase().includes(text) : null;
      flame.refresh();
    },
    onkeydown: (e: KeyboardEvent) => {
      if (e.key !== 'Enter' || !field.value) return;
      for (let i = 1; i <= data.program.length; ++i) {
        const step = (found + i) % data.program.length;
        if (programs.names[programs.name[data.program[step]]].toLowerCase().includes(field.value.toLowerCase())) {
          found = step;
          jump(step);
          return;
        }
      }
    },
  });
  return h(
    'div',
    {},
    h('h2', {}, 'Execution trace'),
    h(
      'div',
      { class: 'bar' },
      h(
        'select',
        {
          'aria-label': 'view',
          onchange: (e: Event) => {
            flat = (e.target as HTMLSelectElement).value === 'flat';
            build();
          },
        },
        h('option', {}, 'flame'),
        h('option', {}, 'flat'),
      ),
      h(
        'label',
        {},
        h('input', {
          type: 'checkbox',
          checked: true,
          onchange: (e: Event) => {
            bsp = (e.target as HTMLInputElement).checked;
            build();
          },
        }),
        ' tiles (BSP)',
      ),
      data.ipus.length > 1
        ? h(
            'label',
            {},
            'Figures of IPU ',
            h(
              'select',
              {
                onchange: (e: Event) => {
                  ipu = Number((e.target as HTMLSelectElement).value);
                  totals();
                },
              },
              data.ipus.map((_, i) => h('option', { value: i }, i)),
            ),
          )
        : null,
      field,
      h('button', { onclick: () => flame.range.reset() }, 'Everything'),
      data.droppedSteps
        ? h('span', { class: 'soft' }, `${thousands(data.droppedSteps)} later steps were not traced`)
        : null,
    ),
    h('div', { class: 'panel' }, flame.element, legend(kinds.map(kind => [kind, kindColour(kind)]))),
    h('div', { class: 'split' }, side, sums),
  );
};
