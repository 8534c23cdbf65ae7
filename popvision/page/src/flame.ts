// SPDX-License-Identifier: MIT
// Nested intervals over time in lanes (IPUs, threads), drawn in time that depends on the pixels, not on the intervals:
// at each depth they are in order, so the first visible one is looked up and everything within a pixel is skipped.
import { h, timed } from './dom';
import { keep } from './keep';
import { Surface, colour, hideTip, showTip, ticks, tipTable, plotFont } from './canvas';
import { Range, attach, wasDragged } from './range';

export interface Intervals {
  start: ArrayLike<number>;
  end: ArrayLike<number>;
  depth: ArrayLike<number>;
  colour: (i: number) => string;
  label: (i: number) => string;
  describe: (i: number) => [string, string][];
}
export interface Lane {
  label: string;
  hint?: string;
  intervals?: Intervals;
  height?: number;
  paint?: (
    c: CanvasRenderingContext2D,
    area: { x: number; y: number; width: number; height: number },
    range: Range,
  ) => void;
  describe?: (time: number, share: number) => [string, string][] | null; // of a painted lane: share is how far down
}
export interface FlameOptions {
  min: number;
  max: number;
  least: number;
  time: (value: number) => string;
  select?: (lane: number, index: number) => void;
  span?: (from: number, to: number) => void;
  changed?: () => void;
  maxHeight?: number;
}

const axis = 20,
  rowHeight = 18,
  between = 6;

// As much of a text as there is room for.
function fitted(c: CanvasRenderingContext2D, text: string, room: number): string {
  const width = c.measureText(text).width;
  if (width <= room) return text;
  const letters = Math.floor((text.length * room) / width) - 1;
  return `${text.slice(0, Math.max(1, letters))}…`;
}

interface Placed {
  lane: Lane;
  top: number;
  height: number;
  rows: Int32Array[];
}

function byDepth(intervals: Intervals): Int32Array[] {
  const rows: number[][] = [];
  for (let i = 0; i < intervals.start.length; ++i) (rows[intervals.depth[i]!] ??= []).push(i);
  return Array.from(rows, row => Int32Array.from(row ?? []));
}
// The first of a row that fits.
function search(row: Int32Array, fits: (i: number) => boolean, from = 0): number {
  let low = from,
    high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(row[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export class Flame {
  readonly element: HTMLElement;
  readonly range: Range;
  private readonly surface: Surface;
  private placed: Placed[] = [];
  private hovered: [number, number] | null = null;
  selected: [number, number] | null = null;
  private marked: [number, number] | null = null;
  highlight: ((label: string) => boolean) | null = null;

  constructor(
    private readonly options: FlameOptions,
    lanes: Lane[],
  ) {
    this.surface = new Surface(200, () => timed('draw', () => this.paint()));
    this.range = new Range(options.min, Math.max(options.max, options.min + options.least), options.least, () => {
      this.surface.request();
      options.changed?.();
    });
    const canvas = this.surface.element;
    this.element = h('div', { class: 'plot' }, canvas);
    this.element.style.maxHeight = `${options.maxHeight ?? 560}px`;
    this.element.style.overflowY = 'auto';
    canvas.setAttribute('aria-label', 'time line; a d pan, w s zoom, Home shows all');
    attach(
      canvas,
      this.range,
      () => ({ left: this.gutter, width: this.surface.width - this.gutter }),
      (from, to) => {
        this.marked = [from, to];
        this.surface.request();
        options.span?.(from, to);
      },
    );
    canvas.addEventListener('pointermove', event => timed('hover', () => this.hover(event)));
    canvas.addEventListener('pointerleave', () => {
      this.hovered = null;
      hideTip();
      this.surface.request();
    });
    canvas.addEventListener('click', event => {
      if (!wasDragged(canvas)) this.click(event);
    });
    this.setLanes(lanes);
    keep(
      'flame',
      this.element,
      () => this.mark(),
      kept => this.restore(kept),
    );
  }
  // What is selected, in words that newer data understand too.
  private mark(): { lane: string; start: number; depth: number; span: [number, number] | null } | null {
    const lane = this.selected && this.placed[this.selected[0]]?.lane;
    if (!lane?.intervals && !this.marked) return null;
    const index = this.selected?.[1] ?? -1;
    const { start, depth } = lane?.intervals ?? { start: [], depth: [] };
    return { lane: lane?.label ?? '', start: start[index] ?? -1, depth: depth[index] ?? -1, span: this.marked };
  }
  private restore(kept: { lane: string; start: number; depth: number; span: [number, number] | null }): void {
    if (kept.span) {
      this.marked = kept.span;
      this.options.span?.(...kept.span);
    }
    const lane = this.placed.findIndex(p => p.lane.label === kept.lane && p.lane.intervals);
    const intervals = this.placed[lane]?.lane.intervals;
    const row = this.placed[lane]?.rows[kept.depth];
    const index = row && intervals ? row[search(row, i => intervals.start[i]! >= kept.start)] : undefined;
    if (index === undefined || intervals!.start[index] !== kept.start) return;
    this.selected = [lane, index];
    this.options.select?.(lane, index);
    this.surface.request();
  }
  setLanes(lanes: Lane[]): void {
    let top = axis;
    this.placed = lanes.map(lane => {
      const rows = lane.intervals ? byDepth(lane.intervals) : [];
      const height = lane.height ?? Math.max(1, rows.length) * rowHeight;
      const placed = { lane, top, height, rows };
      top += height + between;
      return placed;
    });
    this.surface.setHeight(Math.min(30000, top + 4));
    this.surface.request();
  }
  refresh(): void {
    this.surface.request();
  }
  show(lane: number, index: number): void {
    const intervals = this.placed[lane]?.lane.intervals;
    if (!intervals) return;
    const start = intervals.start[index]!,
      end = intervals.end[index]!,
      span = Math.max((end - start) * 6, this.options.least);
    this.selected = [lane, index];
    this.range.set((start + end) / 2 - span / 2, (start + end) / 2 + span / 2);
  }
  // Where names of lanes stand: on a narrow screen the time line needs the room.
  private get gutter(): number {
    return Math.min(150, Math.round(0.3 * this.surface.width));
  }
  private x(time: number): number {
    return this.gutter + ((time - this.range.low) / this.range.span) * (this.surface.width - this.gutter);
  }
  private time(x: number): number {
    return this.range.low + ((x - this.gutter) / Math.max(1, this.surface.width - this.gutter)) * this.range.span;
  }

  private find(x: number, y: number): { lane: number; index: number } | null {
    const lane = this.placed.findIndex(p => y >= p.top && y < p.top + p.height);
    if (lane < 0 || x < this.gutter) return null;
    const {
      lane: { intervals },
      rows,
      top,
    } = this.placed[lane]!;
    const row = intervals && rows[Math.floor((y - top) / rowHeight)];
    if (!row) return { lane, index: -1 };
    const time = this.time(x),
      slack = (this.range.span / this.surface.width) * 1.5;
    const at = search(row, i => intervals.end[i]! >= time - slack);
    return at < row.length && intervals.start[row[at]!]! <= time + slack ? { lane, index: row[at]! } : { lane, index: -1 };
  }
  private hover(event: PointerEvent): void {
    const found = this.find(event.offsetX, event.offsetY);
    const before = this.hovered;
    this.hovered = found && found.index >= 0 ? [found.lane, found.index] : null;
    const { lane, top, height } = found ? this.placed[found.lane]! : { lane: null, top: 0, height: 1 };
    const rows = !lane
      ? null
      : this.hovered
        ? [['', lane.intervals!.label(found!.index)] as [string, string], ...lane.intervals!.describe(found!.index)]
        : (lane.describe?.(this.time(event.offsetX), (event.offsetY - top) / height) ?? null);
    if (rows) showTip(event.clientX, event.clientY, tipTable(rows));
    else hideTip();
    if (String(before) !== String(this.hovered)) this.surface.request();
  }
  private click(event: MouseEvent): void {
    const found = this.find(event.offsetX, event.offsetY);
    if (!found || found.index < 0) return;
    timed('select', () => {
      this.selected = [found.lane, found.index];
      this.options.select?.(found.lane, found.index);
      this.surface.request();
    });
  }

  private paint(): void {
    const { context: c, width, height } = this.surface;
    c.clearRect(0, 0, width, height);
    c.font = plotFont();
    c.textBaseline = 'middle';
    const view = {
      top: this.element.scrollTop - 200,
      bottom: this.element.scrollTop + (this.options.maxHeight ?? 560) + 400,
    };
    this.placed.forEach((placed, lane) => {
      if (placed.top < view.bottom && placed.top + placed.height > view.top) this.paintLane(placed, lane);
    });
    c.fillStyle = colour('soft');
    c.textAlign = 'center';
    for (const value of ticks(this.range.low, this.range.high, Math.max(2, width / 150))) {
      const x = this.x(value);
      if (x < this.gutter || x > width) continue;
      const text = this.options.time(value);
      const half = c.measureText(text).width / 2;
      if (x - half > this.gutter && x + half < width) c.fillText(text, x, axis / 2);
      c.globalAlpha = 0.25;
      c.fillRect(x, axis - 3, 1, height);
      c.globalAlpha = 1;
    }
    if (this.marked) {
      c.fillStyle = colour('accent');
      c.globalAlpha = 0.15;
      c.fillRect(this.x(this.marked[0]), axis, this.x(this.marked[1]) - this.x(this.marked[0]), height);
      c.globalAlpha = 1;
    }
  }
  private paintLane({ lane, top, height, rows }: Placed, number: number): void {
    const { context: c, width } = this.surface;
    c.fillStyle = colour('soft');
    c.textAlign = 'left';
    c.fillText(lane.label, 4, top + 9, this.gutter - 10);
    if (lane.hint && height > 26) {
      c.globalAlpha = 0.7;
      c.fillText(lane.hint, 4, top + 24, this.gutter - 10);
      c.globalAlpha = 1;
    }
    c.save();
    c.beginPath();
    c.rect(this.gutter, top, width - this.gutter, height);
    c.clip();
    lane.paint?.(c, { x: this.gutter, y: top, width: width - this.gutter, height }, this.range);
    rows.forEach((row, depth) => lane.intervals && this.paintRow(lane.intervals, row, top + depth * rowHeight, number));
    c.restore();
  }
  private paintRow(intervals: Intervals, row: Int32Array, y: number, lane: number): void {
    const { context: c, width } = this.surface;
    const perPixel = this.range.span / Math.max(1, width - this.gutter);
    for (let at = search(row, i => intervals.end[i]! >= this.range.low); at < row.length; ) {
      const i = row[at]!,
        start = intervals.start[i]!;
      if (start > this.range.high) break;
      const from = Math.max(this.gutter, this.x(start)),
        to = Math.min(width, this.x(intervals.end[i]!)),
        size = Math.max(1, to - from);
      c.fillStyle = intervals.colour(i);
      if (this.highlight && !this.highlight(intervals.label(i))) c.globalAlpha = 0.22;
      c.fillRect(from, y, size > 3 ? size - 0.5 : size, rowHeight - 2);
      c.globalAlpha = 1;
      const chosen = this.selected?.[0] === lane && this.selected[1] === i,
        hovered = this.hovered?.[0] === lane && this.hovered[1] === i;
      if (chosen || hovered) {
        c.strokeStyle = colour(chosen ? 'accent' : 'ink');
        c.lineWidth = 1.5;
        c.strokeRect(from + 0.5, y + 0.5, size - 1, rowHeight - 3);
      }
      if (size > 34) {
        c.fillStyle = intervals.colour(i).length > 7 ? colour('ink') : '#111'; // see-through, or full
        c.textAlign = 'left';
        c.fillText(fitted(c, intervals.label(i), size - 8), from + 4, y + rowHeight / 2 - 1);
      }
      if (size > 1) ++at;
      else {
        const next = this.time(from + 1);
        at = Math.max(
          at + 1,
          search(row, k => intervals.end[k]! >= next, at),
        );
      }
      if (perPixel <= 0) break;
    }
  }
}
