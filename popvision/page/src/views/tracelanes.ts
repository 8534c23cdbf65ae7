// SPDX-License-Identifier: MIT
// The lanes of the execution trace: runs, steps nested in their programs, tiles, blocks.
import type { Programs, Trace } from '../data';
import type { Flame, Lane } from '../flame';
import type { Frames } from '../nesting';
import { colour, textColour } from '../canvas';
import { kinds } from '../data';
import { format, highest, prefixed, thousands } from '../dom';

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Shown {
  lane: Lane;
  frame: Int32Array;
}

// who: whose IPU, where there are two reports.
export function flameLane(trace: Trace, programs: Programs, all: Frames, ipu: number, flat: boolean, who = ''): Shown {
  const at = trace.ipus[ipu]!;
  const chosen: number[] = [];
  for (let i = 0; i < all.program.length; ++i) {
    const leaf = programs.children[all.program[i]!]!.length === 0 && all.first[i] === all.last[i];
    if (leaf ? at.cycles[all.first[i]!]! > 0 : !flat) chosen.push(i);
  }
  const frame = Int32Array.from(chosen);
  const start = Float64Array.from(chosen, i => at.from[all.first[i]!]!),
    end = Float64Array.from(chosen, i => Math.max(at.to[all.last[i]!]!, at.from[all.first[i]!]! + at.cycles[all.first[i]!]!));
  const name = (i: number): string => {
    const p = all.program[frame[i]!]!;
    return programs.names[programs.name[p]!]! || programs.type[p]!;
  };
  const colours = kinds.map(kind => colour(kind));
  const intervals = {
    start,
    end,
    depth: Int32Array.from(chosen, i => (flat ? 0 : all.depth[i]!)),
    label: name,
    colour: (i: number) => {
      const p = all.program[frame[i]!]!;
      return programs.children[p]!.length ? `${textColour(name(i))}88` : colours[programs.kind[p]!]!;
    },
    describe: (i: number): [string, string][] => {
      const p = all.program[frame[i]!]!,
        step = all.first[frame[i]!]!;
      const rows: [string, string][] = [
        ['type', programs.type[p]!],
        ['from', thousands(start[i]!)],
        ['cycles', thousands(end[i]! - start[i]!)],
        ['time', prefixed((end[i]! - start[i]!) / trace.clock, 's')],
      ];
      if (!programs.children[p]!.length)
        rows.push(
          ['step', thousands(step)],
          ['active tiles', thousands(at.activeTiles[step]!)],
          ['tile balance', format(programs.tileBalance[p]!, 'share')],
        );
      return rows;
    },
  };
  const lane = { label: `${who}IPU ${ipu}`, hint: `${thousands(trace.program.length)} steps`, intervals };
  return { lane, frame };
}

export function runLane(trace: Trace, label: string): Lane {
  const cycles = (microseconds: number): number => (microseconds * trace.clock) / 1e6;
  return {
    label,
    intervals: {
      start: trace.runs.map(r => cycles(r.start)),
      end: trace.runs.map(r => cycles(r.end)),
      depth: trace.runs.map(() => 0),
      colour: () => colour('control'),
      label: i => `Engine::run #${i} ${trace.runs[i]!.name}`,
      describe: i => [
        ['cycles', thousands(trace.runs[i]!.cycles)],
        ['time', prefixed(trace.runs[i]!.cycles / trace.clock, 's')],
      ],
    },
  };
}

export function lastCycle(trace: Trace): number {
  return Math.max(1, ...trace.ipus.map(i => highest(i.to, 0)), ...trace.runs.map(r => (r.end * trace.clock) / 1e6));
}

// Every tile over time: what it does while its step lasts. Needs the cycles of each tile, so only what is visible, when
// that is little enough; before that the share of tiles that take part.
export class Bsp {
  private readonly ranges = new Map<number, number[]>();
  private flame: Flame | null = null;
  private asked = false;
  private shades: string[] = []; // of kinds, when it was last painted
  private waiting = '';
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
    const { to } = this.trace.ipus[this.ipu]!;
    let low = 0,
      high = to.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (to[middle]! >= time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  private describe(time: number, share: number): [string, string][] | null {
    const step = this.first(time),
      at = this.trace.ipus[this.ipu]!;
    if (step >= at.from.length || at.from[step]! > time) return null;
    const p = this.trace.program[step]!,
      tile = this.ipu * this.trace.tilesPerIpu + Math.floor(share * this.trace.tilesPerIpu),
      ranges = this.ranges.get(p);
    const rows: [string, string][] = [
      ['', this.programs.names[this.programs.name[p]!]!],
      ['type', this.programs.type[p]!],
      ['tile', String(tile)],
    ];
    for (let i = 0; ranges && i < ranges.length; i += 3)
      if (tile >= ranges[i]! && tile < ranges[i]! + ranges[i + 1]!)
        rows.push(['cycles of this tile', thousands(ranges[i + 2]!)]);
    return rows;
  }
  private paint(c: CanvasRenderingContext2D, area: Area, low: number, high: number): void {
    const at = this.trace.ipus[this.ipu]!,
      perPixel = (high - low) / area.width;
    const x = (time: number): number => area.x + (time - low) / perPixel;
    this.shades = kinds.map(kind => colour(kind));
    this.waiting = colour('line');
    const missing = new Set<number>();
    let narrow = 0;
    for (let step = this.first(low); step < at.from.length && at.from[step]! <= high; ++step) {
      const size = (at.to[step]! - at.from[step]!) / perPixel;
      if (size < 0.3 && ++narrow % 8) continue; // too narrow to tell apart
      const from = x(at.from[step]!),
        width = Math.max(0.5, x(at.to[step]!) - from),
        known = this.ranges.has(this.trace.program[step]!);
      if (!known && size >= 2) missing.add(this.trace.program[step]!);
      this.paintStep(c, { ...area, x: from, width }, step, known && size >= 2 ? perPixel : 0);
    }
    if (missing.size && !this.asked) void this.fetch([...missing].slice(0, 400));
  }
  // perPixel: cycles of a pixel where single tiles are drawn, else 0.
  private paintStep(c: CanvasRenderingContext2D, area: Area, step: number, perPixel: number): void {
    const program = this.trace.program[step]!,
      shade = this.shades[this.programs.kind[program]!] ?? this.waiting,
      active = this.trace.ipus[this.ipu]!.activeTiles[step]!,
      tiles = this.trace.tilesPerIpu;
    c.fillStyle = active ? this.waiting : `${shade}66`; // what no tile does by itself, all wait for
    c.fillRect(area.x, area.y, area.width, area.height);
    c.fillStyle = shade;
    if (perPixel) this.paintTiles(c, area, this.ranges.get(program)!, perPixel);
    else c.fillRect(area.x, area.y, area.width, (area.height * active) / Math.max(1, tiles));
  }
  private paintTiles(c: CanvasRenderingContext2D, area: Area, ranges: number[], perPixel: number): void {
    const tiles = this.trace.tilesPerIpu,
      base = this.ipu * tiles,
      rowHeight = area.height / tiles;
    for (let i = 0; i < ranges.length; i += 3) {
      const tile = Math.max(ranges[i]!, base),
        last = Math.min(ranges[i]! + ranges[i + 1]!, base + tiles);
      if (last <= tile || !ranges[i + 2]) continue;
      const width = Math.min(area.width, ranges[i + 2]! / perPixel);
      c.fillRect(area.x, area.y + (tile - base) * rowHeight, width, Math.max(0.5, (last - tile) * rowHeight));
    }
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

const blockTypes = ['block', 'stream copy', 'flush', 'overflow'];
const blockColours = ['compute', 'host', 'sync', 'bad'];

// How deep each interval lies within the ones before it; rows are in the order of their starts.
function depths(rows: { from: number; to: number }[]): number[] {
  const ends: number[] = [];
  return rows.map(row => {
    while (ends.length && ends[ends.length - 1]! <= row.from) ends.pop();
    ends.push(row.to);
    return Math.min(8, ends.length - 1);
  });
}

// What was recorded of chosen programs, on the tiles that record.
export function blockLane(trace: Trace, programs: Programs): Lane {
  const rows: { tile: number; program: number; from: number; to: number; type: number }[] = [];
  for (let i = 0; i < trace.blocks.length; i += 6) {
    const at = (k: number): number => trace.blocks[i + k]!;
    rows.push({ tile: at(0), program: at(2), from: at(3), to: at(4), type: at(5) });
  }
  const colours = blockColours.map(name => colour(name));
  rows.sort((a, b) => a.from - b.from || b.to - a.to);
  return {
    label: 'Blocks',
    intervals: {
      start: rows.map(r => r.from),
      end: rows.map(r => r.to),
      depth: depths(rows),
      colour: i => colours[rows[i]!.type]!,
      label: i => (rows[i]!.program >= 0 ? programs.names[programs.name[rows[i]!.program]!]! : blockTypes[rows[i]!.type]!),
      describe: i => [
        ['kind', blockTypes[rows[i]!.type]!],
        ['tile', String(rows[i]!.tile)],
        ['cycles', thousands(rows[i]!.to - rows[i]!.from)],
      ],
    },
  };
}
