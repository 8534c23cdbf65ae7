// SPDX-License-Identifier: MIT
// Stacked bars over a long row of things (tiles, steps): zoom from all to one, an overview strip, hover, selection by
// click and arrow keys, a limit line, and the line of another report for comparison.
import { axisUnit, h, format, thousands, timed } from './dom';
import { keep } from './keep';
import type { Unit } from './dom';
import { Surface, colour, hideTip, showTip, ticks, tipTable, plotFont } from './canvas';
import { Range, attach, wasDragged } from './range';

export interface Series {
  name: string;
  colour: string;
  values: ArrayLike<number>;
}
export interface StackOptions {
  count: number;
  unit: Unit;
  what: string;
  series: Series[];
  limit?: number;
  limitName?: string;
  other?: ArrayLike<number>;
  otherName?: string;
  describe?: (index: number) => [string, string][];
  select: (index: number) => void;
  height?: number;
  marks?: (index: number) => boolean;
}

const left = 84,
  bottom = 22,
  top = 8,
  strip = 34;

export class StackPlot {
  readonly element: HTMLElement;
  readonly range: Range;
  private readonly surface: Surface;
  private readonly overview: Surface;
  private totals: Float64Array;
  private tops: number[] = [];
  selected = -1;
  private hovered = -1;

  constructor(private options: StackOptions) {
    this.surface = new Surface(options.height ?? 320, () => this.draw());
    this.overview = new Surface(strip, () => this.drawOverview());
    this.range = new Range(0, Math.max(1, options.count), Math.min(8, Math.max(1, options.count)), () => {
      this.surface.request();
      this.overview.request();
    });
    this.totals = this.sum();
    this.element = h('div', { class: 'plot' }, this.surface.element, this.overview.element);
    keep(
      'plot',
      this.element,
      () => (this.selected < 0 ? null : this.selected),
      kept => this.pick(kept),
    );
    this.surface.element.setAttribute('aria-label', `${options.what}; arrow keys select, plus and minus zoom`);
    const canvas = this.surface.element;
    attach(
      canvas,
      this.range,
      () => ({ left, width: this.surface.width - left }),
      (from, to) => this.range.set(from, to),
    );
    canvas.addEventListener('pointermove', event => this.hover(event));
    canvas.addEventListener('pointerleave', () => {
      this.hovered = -1;
      hideTip();
      this.surface.request();
    });
    canvas.addEventListener('click', event => {
      if (!wasDragged(canvas)) this.pick(this.indexAt(event.offsetX));
    });
    canvas.addEventListener('keydown', event => this.key(event));
    this.overview.element.addEventListener('pointerdown', event => this.jump(event.offsetX));
    this.overview.element.addEventListener('pointermove', event => {
      if (event.buttons & 1) this.jump(event.offsetX);
    });
  }

  update(options: Partial<StackOptions>): void {
    this.options = { ...this.options, ...options };
    this.totals = this.sum();
    this.surface.request();
    this.overview.request();
  }
  private sum(): Float64Array {
    const totals = new Float64Array(this.options.count);
    for (const series of this.options.series) for (let i = 0; i < totals.length; ++i) totals[i] += series.values[i];
    return totals;
  }
  pick(index: number): void {
    if (index < 0 || index >= this.options.count) return;
    timed('select', () => {
      this.selected = index;
      this.options.select(index);
      this.surface.request();
    });
  }
  show(index: number): void {
    if (index < this.range.low || index >= this.range.high)
      this.range.set(index - this.range.span / 2, index + this.range.span / 2);
    this.pick(index);
  }
  private jump(x: number): void {
    const at = ((x - left) / Math.max(1, this.overview.width - left)) * this.options.count;
    timed('overview', () => this.range.set(at - this.range.span / 2, at + this.range.span / 2));
  }
  private key(event: KeyboardEvent): void {
    const step = event.shiftKey ? 10 : 1;
    const by = event.key === 'ArrowLeft' ? -step : event.key === 'ArrowRight' ? step : 0;
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    this.show(
      Math.min(
        Math.max((this.selected < 0 ? Math.floor(this.range.low) : this.selected) + by, 0),
        this.options.count - 1,
      ),
    );
  }
  // Where a pixel covers many, the highest of them.
  private indexAt(x: number): number {
    const column = Math.floor(x - left);
    if (column < 0) return -1;
    const perPixel = this.range.span / Math.max(1, this.surface.width - left);
    if (perPixel > 1 && this.tops[column] !== undefined) return this.tops[column];
    return Math.min(this.options.count - 1, Math.floor(this.range.low + (x - left) * perPixel));
  }
  private hover(event: PointerEvent): void {
    timed('hover', () => {
      const index = this.indexAt(event.offsetX);
      if (index < 0) {
        hideTip();
        return;
      }
      this.hovered = index;
      const { series, unit, other, otherName, describe, what } = this.options;
      const rows: [string, string][] = [[what, thousands(index)], ...(describe?.(index) ?? [])];
      for (const s of [...series].reverse()) if (s.values[index]) rows.push([s.name, format(s.values[index], unit)]);
      if (series.length > 1) rows.push(['total', format(this.totals[index], unit)]);
      if (other) rows.push([otherName ?? 'other', format(other[index] ?? 0, unit)]);
      showTip(event.clientX, event.clientY, tipTable(rows));
      this.surface.request();
    });
  }

  private highest(from: number, to: number): number {
    let high = 0;
    for (let i = from; i < to; ++i) {
      if (this.totals[i] > high) high = this.totals[i];
      if (this.options.other && this.options.other[i] > high) high = this.options.other[i];
    }
    return high;
  }

  private draw(): void {
    timed('draw', () => this.paint());
  }
  private paint(): void {
    const { context: c, width, height } = this.surface;
    const { count, series, limit, unit, other } = this.options;
    const first = Math.floor(this.range.low),
      last = Math.min(count, Math.ceil(this.range.high));
    const plotWidth = width - left,
      plotHeight = height - bottom - top;
    let high = this.highest(first, last);
    if (limit !== undefined && limit < 3 * high) high = Math.max(high, limit);
    high = high * 1.05 || 1;
    const y = (value: number): number => top + plotHeight * (1 - value / high);
    const x = (index: number): number => left + ((index - this.range.low) / this.range.span) * plotWidth;
    c.clearRect(0, 0, width, height);
    this.axes(y, x, high, first, last);
    this.tops = [];
    c.save();
    c.beginPath();
    c.rect(left, 0, plotWidth, height);
    c.clip();
    const perPixel = this.range.span / plotWidth;
    const column = (index: number, from: number, to: number): void => {
      let base = 0;
      for (const s of series) {
        const value = s.values[index];
        if (!value) continue;
        c.fillStyle = s.colour;
        c.fillRect(from, y(base + value), Math.max(0.6, to - from), y(base) - y(base + value));
        base += value;
      }
    };
    if (perPixel > 1) {
      for (let pixel = 0; pixel < plotWidth; ++pixel) {
        const from = Math.floor(this.range.low + pixel * perPixel),
          to = Math.min(count, Math.max(from + 1, Math.floor(this.range.low + (pixel + 1) * perPixel)));
        let best = from;
        for (let i = from; i < to; ++i) if (this.totals[i] > this.totals[best]) best = i;
        this.tops[pixel] = best;
        if (best < count) column(best, left + pixel, left + pixel + 1);
      }
    } else {
      const gap = plotWidth / this.range.span > 6 ? 1 : 0;
      for (let i = first; i < last; ++i) column(i, x(i), x(i + 1) - gap);
    }
    if (other) this.line(other, x, y, perPixel);
    for (const [index, name] of [
      [this.selected, 'accent'],
      [this.hovered, 'soft'],
    ] as [number, string][]) {
      if (index < 0) continue;
      c.strokeStyle = colour(name);
      c.lineWidth = 1.5;
      c.strokeRect(x(index), top, Math.max(1, x(index + 1) - x(index)), plotHeight);
    }
    if (limit !== undefined && limit <= high) {
      c.strokeStyle = colour('bad');
      c.setLineDash([5, 4]);
      c.beginPath();
      c.moveTo(left, y(limit));
      c.lineTo(width, y(limit));
      c.stroke();
      c.setLineDash([]);
      c.fillStyle = colour('bad');
      c.textAlign = 'right';
      c.fillText(`${this.options.limitName ?? 'limit'} ${format(limit, unit)}`, width - 6, y(limit) - 4);
    }
    c.restore();
  }
  private line(values: ArrayLike<number>, x: (i: number) => number, y: (v: number) => number, perPixel: number): void {
    const c = this.surface.context;
    c.strokeStyle = colour('ink');
    c.lineWidth = 1.2;
    c.beginPath();
    const step = Math.max(1, Math.floor(perPixel));
    for (let i = Math.floor(this.range.low); i < Math.min(values.length, this.range.high + step); i += step) {
      let high = values[i];
      for (let k = i; k < Math.min(values.length, i + step); ++k) if (values[k] > high) high = values[k];
      c.lineTo(x(i), y(high));
      c.lineTo(x(i + step), y(high));
    }
    c.stroke();
  }
  private axes(y: (v: number) => number, x: (i: number) => number, high: number, first: number, last: number): void {
    const { context: c, width, height } = this.surface;
    c.font = plotFont();
    c.textBaseline = 'alphabetic';
    const scale = axisUnit(high, this.options.unit);
    for (const mark of ticks(0, high / scale, 5)) {
      const value = mark * scale;
      c.strokeStyle = colour('line');
      c.lineWidth = 1;
      c.beginPath();
      c.moveTo(left, y(value));
      c.lineTo(width, y(value));
      c.stroke();
      c.fillStyle = colour('soft');
      c.textAlign = 'right';
      c.fillText(format(value, this.options.unit), left - 6, y(value) + 4);
    }
    c.textAlign = 'center';
    for (const value of ticks(first, last, Math.max(2, width / 130)))
      if (Number.isInteger(value)) c.fillText(thousands(value), Math.min(width - 20, x(value + 0.5)), height - 6);
    if (this.options.marks) {
      c.strokeStyle = colour('soft');
      for (let i = first; i < last; ++i)
        if (this.options.marks(i)) {
          c.beginPath();
          c.moveTo(x(i), top);
          c.lineTo(x(i), height - bottom);
          c.stroke();
        }
    }
  }
  private drawOverview(): void {
    const { context: c, width, height } = this.overview;
    const plotWidth = width - left,
      count = this.options.count;
    const high = this.highest(0, count) || 1;
    c.clearRect(0, 0, width, height);
    c.fillStyle = colour('soft');
    for (let pixel = 0; pixel < plotWidth; ++pixel) {
      const from = Math.floor((pixel * count) / plotWidth),
        to = Math.max(from + 1, Math.floor(((pixel + 1) * count) / plotWidth));
      let value = 0;
      for (let i = from; i < Math.min(count, to); ++i) if (this.totals[i] > value) value = this.totals[i];
      const size = (value / high) * (height - 4);
      c.globalAlpha = 0.55;
      c.fillRect(left + pixel, height - size, 1, size);
    }
    c.globalAlpha = 1;
    c.strokeStyle = colour('accent');
    c.lineWidth = 1.5;
    c.strokeRect(
      left + (this.range.low / count) * plotWidth + 1,
      1,
      Math.max(3, (this.range.span / count) * plotWidth - 2),
      height - 2,
    );
  }
}
