// SPDX-License-Identifier: MIT
// Stacked bars over a long row of things (tiles, steps): zoom from all to one, an overview strip, hover, selection by
// click and arrow keys, a limit line, and the line of another report for comparison.
// Axes, scales and series are drawn by uPlot; what is selected and the strip are drawn here.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { axisUnit, h, format, thousands, timed } from './dom';
import { keep } from './keep';
import type { Unit } from './dom';
import { Surface, colour, hideTip, plotFont, showTip, tipTable } from './canvas';
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

const strip = 34;
// As high as the screen has room for, beside a heading, the fields above it and the legend.
function fittingHeight(): number {
  return Math.min(640, Math.max(260, innerHeight - 400));
}
// 1, 2 and 5 times powers of ten, of a unit.
function increments(unit: number, least: number): number[] {
  return Array.from({ length: 45 }, (_, i) => unit * [1, 2, 5][i % 3]! * 10 ** (Math.floor(i / 3) - 3)).filter(
    step => step >= least,
  );
}
const stepped = uPlot.paths.stepped!({ align: 1 });

export class StackPlot {
  readonly element: HTMLElement;
  readonly range: Range;
  private readonly body = h('div', {});
  private readonly chart: uPlot;
  private readonly overview: Surface;
  private totals: Float64Array;
  private shown: number[] = []; // by point: which one it shows, the highest where a pixel covers many
  private pending = false;
  private high = 1;
  selected = -1;
  private hovered = -1;

  constructor(private options: StackOptions) {
    this.overview = new Surface(strip, () => this.drawOverview());
    this.range = new Range(0, Math.max(1, options.count), Math.min(8, Math.max(1, options.count)), () => {
      this.request();
      this.overview.request();
    });
    this.totals = this.sum();
    this.chart = new uPlot(this.setup(), [[]], this.body);
    this.addSeries();
    this.element = h('div', { class: 'plot' }, this.body, this.overview.element);
    keep(
      'plot',
      this.element,
      () => (this.selected < 0 ? null : this.selected),
      kept => this.pick(kept),
    );
    new ResizeObserver(() => this.fit()).observe(this.body);
    this.listen(this.chart.ctx.canvas);
  }
  private listen(canvas: HTMLCanvasElement): void {
    canvas.tabIndex = 0;
    canvas.setAttribute('aria-label', `${this.options.what}; arrow keys select, plus and minus zoom`);
    attach(
      canvas,
      this.range,
      () => this.area(),
      (from, to) => this.range.set(from, to),
    );
    canvas.addEventListener('pointermove', event => this.hover(event));
    canvas.addEventListener('pointerleave', () => {
      this.hovered = -1;
      hideTip();
      this.request();
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
  // One of them is a step of the x axis, and its number stands in the middle of it.
  private setup(): uPlot.Options {
    const font = plotFont(),
      { unit } = this.options;
    return {
      width: 300,
      height: this.options.height ?? fittingHeight(),
      padding: [10, 12, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [this.range.low - 0.5, this.range.high - 0.5] },
        y: { range: () => [0, this.high] },
      },
      axes: [
        {
          font,
          stroke: () => colour('soft'),
          grid: { show: false },
          ticks: { stroke: () => colour('line'), width: 1, size: 4 },
          size: 26,
          space: 60,
          incrs: increments(1, 1),
          values: (_, marks) => marks.map(mark => thousands(mark)),
        },
        {
          font,
          stroke: () => colour('soft'),
          grid: { stroke: () => colour('line'), width: 1 },
          ticks: { show: false },
          size: 76,
          space: 44,
          incrs: () => increments(axisUnit(this.high, unit), 0),
          values: (_, marks) => marks.map(mark => format(mark, unit)),
        },
      ],
      series: [{}],
      hooks: { draw: [() => this.paintOver()] },
    };
  }
  // The highest first: what lies below it is painted over it.
  private addSeries(): void {
    while (this.chart.series.length > 1) this.chart.delSeries(this.chart.series.length - 1);
    const of = (series: uPlot.Series): void => this.chart.addSeries({ paths: stepped, points: { show: false }, ...series });
    for (const { colour } of [...this.options.series].reverse()) of({ fill: colour, width: 0 });
    if (this.options.other) of({ stroke: () => colour('ink'), width: 1.2 });
  }
  private fit(): void {
    const width = this.body.clientWidth;
    if (!width) return;
    this.chart.setSize({ width, height: this.options.height ?? fittingHeight() });
    this.paint();
    this.overview.request(); // it stands below the plot's area
  }
  // Once per frame, however often it is asked for.
  private request(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      if (this.body.clientWidth) this.paint();
    });
  }
  // Where the plot is, in the canvas.
  private area(): { left: number; width: number } {
    const { left, width } = this.chart.bbox;
    return { left: left / uPlot.pxRatio, width: width / uPlot.pxRatio };
  }

  update(options: Partial<StackOptions>): void {
    this.options = { ...this.options, ...options };
    this.totals = this.sum();
    this.addSeries();
    this.request();
    this.overview.request();
  }
  private sum(): Float64Array {
    const totals = new Float64Array(this.options.count);
    for (const series of this.options.series) for (let i = 0; i < totals.length; ++i) totals[i] += series.values[i]!;
    return totals;
  }
  pick(index: number): void {
    if (index < 0 || index >= this.options.count) return;
    timed('select', () => {
      this.selected = index;
      this.options.select(index);
      this.request();
    });
  }
  show(index: number): void {
    if (index < this.range.low || index >= this.range.high)
      this.range.set(index - this.range.span / 2, index + this.range.span / 2);
    this.pick(index);
  }
  private jump(x: number): void {
    const { left, width } = this.area();
    const at = ((x - left) / Math.max(1, width)) * this.options.count;
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
  private indexAt(x: number): number {
    const { left, width } = this.area();
    if (x < left || x >= left + width) return -1;
    const point = Math.floor(((x - left) / Math.max(1, width)) * this.shown.length);
    return this.range.span > width
      ? (this.shown[point] ?? -1)
      : Math.min(this.options.count - 1, Math.floor(this.range.low + ((x - left) / width) * this.range.span));
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
      for (const s of [...series].reverse()) if (s.values[index]) rows.push([s.name, format(s.values[index]!, unit)]);
      if (series.length > 1) rows.push(['total', format(this.totals[index]!, unit)]);
      if (other) rows.push([otherName ?? 'other', format(other[index] ?? 0, unit)]);
      showTip(event.clientX, event.clientY, tipTable(rows));
      this.request();
    });
  }

  private highest(from: number, to: number): number {
    let high = 0;
    for (let i = from; i < to; ++i) {
      if (this.totals[i]! > high) high = this.totals[i]!;
      if (this.options.other && this.options.other[i]! > high) high = this.options.other[i]!;
    }
    return high;
  }

  // The points in sight: each of them, or the highest of each pixel.
  private points(): { from: number[]; shown: number[] } {
    const pixels = Math.max(1, Math.floor(this.area().width)),
      first = Math.floor(this.range.low),
      last = Math.min(this.options.count, Math.ceil(this.range.high)),
      perPixel = this.range.span / pixels;
    const from: number[] = [],
      shown: number[] = [];
    const add = (x: number, index: number): void => {
      from.push(x);
      shown.push(index);
    };
    if (perPixel <= 1) for (let i = first; i < last; ++i) add(i, i);
    else
      for (let pixel = 0; pixel < pixels; ++pixel) {
        const begin = Math.floor(this.range.low + pixel * perPixel),
          end = Math.min(last, Math.max(begin + 1, Math.floor(this.range.low + (pixel + 1) * perPixel)));
        let best = begin;
        for (let i = begin; i < end; ++i) if (this.totals[i]! > this.totals[best]!) best = i;
        if (best < last) add(this.range.low + pixel * perPixel, best);
      }
    from.push(last); // where the last one ends
    return { from, shown };
  }
  private paint(): void {
    timed('draw', () => {
      const { series, limit, other } = this.options,
        { from, shown } = this.points();
      this.shown = shown;
      const top = this.highest(Math.floor(this.range.low), Math.min(this.options.count, Math.ceil(this.range.high)));
      this.high = 1.05 * (limit !== undefined && limit < 3 * top ? Math.max(top, limit) : top) || 1;
      const end = shown[shown.length - 1] ?? 0;
      const below = shown.map(() => 0);
      const stacked = series.map(s => [...shown, end].map((i, k) => (below[k] = (below[k] ?? 0) + (s.values[i] ?? 0))));
      const line = other ? [[...shown, end].map(i => other[i] ?? 0)] : [];
      const data = [from.map(x => x - 0.5), ...stacked.reverse(), ...line];
      this.chart.batch(() => {
        this.chart.setData(data as uPlot.AlignedData, false);
        this.chart.setScale('x', { min: this.range.low - 0.5, max: this.range.high - 0.5 });
      });
    });
  }
  // Over the series: what is selected, the pointer's place, the limit, and marks.
  private paintOver(): void {
    const { ctx: c, bbox } = this.chart,
      { limit, limitName, unit, marks } = this.options,
      ratio = uPlot.pxRatio;
    const x = (index: number): number => this.chart.valToPos(index - 0.5, 'x', true);
    const line = (x0: number, y0: number, x1: number, y1: number): void => {
      c.beginPath();
      c.moveTo(x0, y0);
      c.lineTo(x1, y1);
      c.stroke();
    };
    c.save();
    c.beginPath();
    c.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    c.clip();
    c.lineWidth = ratio;
    c.strokeStyle = colour('soft');
    if (marks)
      for (let i = Math.floor(this.range.low); i < this.range.high; ++i)
        if (marks(i)) line(x(i), bbox.top, x(i), bbox.top + bbox.height);
    for (const [index, name] of [
      [this.selected, 'accent'],
      [this.hovered, 'soft'],
    ] as [number, string][]) {
      if (index < 0) continue;
      c.strokeStyle = colour(name);
      c.lineWidth = 1.5 * ratio;
      c.strokeRect(x(index), bbox.top, Math.max(1, x(index + 1) - x(index)), bbox.height);
    }
    if (limit !== undefined && limit <= this.high) {
      const y = this.chart.valToPos(limit, 'y', true);
      c.strokeStyle = c.fillStyle = colour('bad');
      c.setLineDash([5 * ratio, 4 * ratio]);
      line(bbox.left, y, bbox.left + bbox.width, y);
      c.textAlign = 'right';
      c.fillText(`${limitName ?? 'limit'} ${format(limit, unit)}`, bbox.left + bbox.width - 6 * ratio, y - 4 * ratio);
    }
    c.restore();
  }
  private drawOverview(): void {
    const { context: c, width, height } = this.overview;
    const { left, width: plotWidth } = this.area(),
      count = this.options.count;
    const high = this.highest(0, count) || 1;
    c.clearRect(0, 0, width, height);
    c.fillStyle = colour('soft');
    for (let pixel = 0; pixel < plotWidth; ++pixel) {
      const from = Math.floor((pixel * count) / plotWidth),
        to = Math.max(from + 1, Math.floor(((pixel + 1) * count) / plotWidth));
      let value = 0;
      for (let i = from; i < Math.min(count, to); ++i) if (this.totals[i]! > value) value = this.totals[i]!;
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
