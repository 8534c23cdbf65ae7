// SPDX-License-Identifier: MIT
// Each operation by what it computes per byte it exchanges and how fast it is, under the roofs of the chip. Beside
// another report a line leads from where an operation is there to where it is here.
import type { Entry, View } from '../app';
import type { Operations } from '../data';
import type { Column } from '../grid';
import type { Row } from './operations';
import { numberColumn } from '../app';
import { Surface, colour, hideTip, showTip, textColour, tipTable, plotFont } from '../canvas';
import { changed, format, h, highest, lowest, paired, prefixed } from '../dom';
import { Grid } from '../grid';
import { group } from './operations';

const left = 84,
  bottom = 34;

interface Chip {
  peakHalf: number;
  peakFloat: number;
  bandwidth: number;
  speed: (row: Row) => number;
}
interface Pair {
  row: Row;
  other: Row | undefined;
}

function intensity(row: Row): number {
  return row.flops / Math.max(1, row.bytes);
}
function powers(low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low));
  return Array.from({ length: Math.max(0, Math.floor(Math.log10(high)) - first + 1) }, (_, i) => 10 ** (first + i));
}
function soft(text: string): HTMLElement {
  return h('p', { class: 'soft' }, text);
}

// The same as a table: sorted, with the keyboard, and beside the other report.
function table({ speed, peakHalf }: Chip, pairs: Pair[], two: boolean): HTMLElement {
  const key = (name: string) => (p: Pair) => `roof.${p.row.members[0]}.${name}`;
  const columns: Column<Pair>[] = [
    { title: 'Operation', width: 'minmax(180px, 1fr)', cell: p => p.row.name, sort: p => p.row.name },
    numberColumn<Pair>('Cycles', p => p.row.cycles, 'cycles', '120px', key('cycles')),
    numberColumn<Pair>('FLOP', p => p.row.flops, 'flops', '110px', key('flops')),
    numberColumn<Pair>('Bytes', p => p.row.bytes, 'bytes', '130px', key('bytes'), 'exchanged'),
    numberColumn<Pair>('FLOP per byte', p => intensity(p.row), 'number', '110px', key('intensity')),
    numberColumn<Pair>('Speed', p => speed(p.row), 'flopspeed', '120px', key('speed')),
    numberColumn<Pair>('Of half peak', p => speed(p.row) / peakHalf, 'share', '100px', key('peak')),
  ];
  if (two)
    columns.push(
      numberColumn<Pair>('Other speed', p => (p.other ? speed(p.other) : 0), 'flopspeed', '120px', key('speed.other')),
      {
        title: 'Change',
        width: '130px',
        right: true,
        sort: p => (p.other ? speed(p.other) - speed(p.row) : 0),
        cell: p => (p.other ? changed(key('speed')(p), speed(p.row), speed(p.other), 'flopspeed', false) : '–'),
      },
    );
  return new Grid<Pair>({ columns, rows: pairs, height: 320, sorted: 1 }).element;
}

// Circles under roofs, both axes logarithmic.
class Plot {
  private readonly surface = new Surface(560, () => this.draw());
  private readonly low: { x: number; y: number };
  private readonly high: { x: number; y: number };
  private readonly most: number;
  private hovered: Pair | null = null;

  constructor(
    private readonly chip: Chip,
    private readonly pairs: Pair[],
    select: () => void,
  ) {
    const all = pairs.flatMap(({ row, other }) => (other ? [row, other] : [row]));
    const speeds = all.map(r => chip.speed(r)),
      intensities = all.map(intensity);
    this.low = { x: lowest(intensities, 0.1) / 2, y: lowest(speeds, 1e9) / 2 };
    this.high = { x: highest(intensities, 1000) * 2, y: chip.peakHalf * 3 };
    this.most = highest(pairs.map(p => p.row.cycles));
    this.element.addEventListener('pointermove', event => this.hover(event));
    this.element.addEventListener('pointerleave', hideTip);
    this.element.addEventListener('click', event => {
      if (this.near(event)) select();
    });
  }
  get element(): HTMLCanvasElement {
    return this.surface.element;
  }
  private x(value: number): number {
    const share = Math.log(value / this.low.x) / Math.log(this.high.x / this.low.x);
    return left + share * (this.surface.width - left - 10);
  }
  private y(value: number): number {
    const share = Math.log(value / this.low.y) / Math.log(this.high.y / this.low.y);
    return 10 + (1 - share) * (this.surface.height - bottom - 10);
  }
  private place(row: Row): { x: number; y: number; radius: number } {
    const radius = 4 + 16 * Math.sqrt(row.cycles / this.most);
    return { x: this.x(intensity(row)), y: this.y(this.chip.speed(row)), radius };
  }
  private draw(): void {
    const c = this.surface.context;
    c.clearRect(0, 0, this.surface.width, this.surface.height);
    c.font = plotFont();
    this.axes(c);
    this.roof(c, this.chip.peakHalf, 'half', []);
    this.roof(c, this.chip.peakFloat, 'float', [6, 4]);
    c.strokeStyle = colour('soft');
    for (const pair of this.pairs) this.wayFromOther(c, pair);
    for (const pair of this.pairs) this.circle(c, pair);
    this.names(c);
  }
  private axes(c: CanvasRenderingContext2D): void {
    const { width, height } = this.surface;
    for (const power of powers(this.low.y, this.high.y)) {
      c.fillStyle = colour('line');
      c.fillRect(left, this.y(power), width, 1);
      c.fillStyle = colour('soft');
      c.textAlign = 'right';
      c.fillText(prefixed(power, 'FLOP/s'), left - 6, this.y(power) + 4);
    }
    for (const power of powers(this.low.x, this.high.x)) {
      c.fillStyle = colour('line');
      c.fillRect(this.x(power), 10, 1, height - bottom - 10);
      c.fillStyle = colour('soft');
      c.textAlign = 'center';
      c.fillText(String(Number(power.toPrecision(1))), this.x(power), height - 18);
    }
    c.fillText('FLOP per byte exchanged', left + (width - left) / 2, height - 4);
  }
  private roof(c: CanvasRenderingContext2D, peak: number, name: string, dash: number[]): void {
    const corner = peak / this.chip.bandwidth;
    c.strokeStyle = colour('soft');
    c.setLineDash(dash);
    c.beginPath();
    c.moveTo(this.x(this.low.x), this.y(Math.max(this.low.y, this.low.x * this.chip.bandwidth)));
    if (corner > this.low.x) c.lineTo(this.x(corner), this.y(peak));
    c.lineTo(this.x(this.high.x), this.y(peak));
    c.stroke();
    c.setLineDash([]);
    c.fillStyle = colour('soft');
    c.textAlign = 'right';
    c.fillText(`${name} ${prefixed(peak, 'FLOP/s')}`, this.surface.width - 14, this.y(peak) - 5);
  }
  private wayFromOther(c: CanvasRenderingContext2D, { row, other }: Pair): void {
    if (!other) return;
    const there = this.place(other),
      here = this.place(row);
    c.beginPath();
    c.arc(there.x, there.y, there.radius, 0, 7);
    c.moveTo(there.x, there.y);
    c.lineTo(here.x, here.y);
    c.stroke();
  }
  private circle(c: CanvasRenderingContext2D, pair: Pair): void {
    const { row } = pair,
      { x, y, radius } = this.place(row);
    c.globalAlpha = pair === this.hovered ? 1 : 0.65;
    c.fillStyle = textColour(row.name);
    c.beginPath();
    c.arc(x, y, radius, 0, 7);
    c.fill();
    c.globalAlpha = 1;
    c.strokeStyle = colour(pair === this.hovered ? 'accent' : 'panel');
    c.stroke();
  }
  // Of those that take most cycles, where no other name stands: right of the circle, or left of it.
  private names(c: CanvasRenderingContext2D): void {
    const taken: { from: number; to: number; y: number }[] = [];
    c.fillStyle = colour('ink');
    c.textAlign = 'left';
    const large = this.pairs.filter(p => p.row.cycles > 0.1 * this.most);
    for (const { row } of large.sort((a, b) => b.row.cycles - a.row.cycles)) {
      const { x, y, radius } = this.place(row),
        text = row.name.slice(-28),
        width = c.measureText(text).width;
      const fits = x + radius + 3 + width < this.surface.width,
        from = fits ? x + radius + 3 : x - radius - 3 - width,
        to = from + width;
      if (taken.some(t => from < t.to && to > t.from && Math.abs(y - t.y) < 12)) continue;
      c.fillText(text, from, y + 4);
      taken.push({ from, to, y });
    }
  }
  private near(event: MouseEvent): Pair | null {
    const within = ({ row }: Pair): boolean => {
      const { x, y, radius } = this.place(row);
      return Math.hypot(x - event.offsetX, y - event.offsetY) < radius + 2;
    };
    return this.pairs.filter(within).sort((a, b) => a.row.cycles - b.row.cycles)[0] ?? null;
  }
  private hover(event: MouseEvent): void {
    this.hovered = this.near(event);
    this.surface.request();
    if (!this.hovered) {
      hideTip();
      return;
    }
    const { row, other } = this.hovered,
      speed = this.chip.speed(row);
    const facts: [string, string][] = [
      ['', row.name],
      ['cycles', format(row.cycles, 'count')],
      ['FLOP', format(row.flops, 'count')],
      ['bytes exchanged', format(row.bytes, 'bytes')],
      ['speed', prefixed(speed, 'FLOP/s')],
      ['of half peak', format(speed / this.chip.peakHalf, 'share')],
    ];
    if (other) facts.push(['other speed', prefixed(this.chip.speed(other), 'FLOP/s')]);
    showTip(event.clientX, event.clientY, tipTable(facts));
  }
}

// Operations that compute, each beside the same one of the other report.
function pairsOf(operations: Operations, second: Operations | undefined): Pair[] {
  const computing = (of: Operations): Row[] => group(of, 'operation').filter(r => r.flops && r.cycles);
  const rows = computing(operations),
    others = second ? computing(second) : [];
  const names = (list: Row[]): string[] => list.map(r => r.name);
  const of = paired(names(rows), names(others));
  return rows.map((row, i) => ({ row, other: others[of[i]!] as Row | undefined }));
}

const roofline: View = async context => {
  const [operations, second] = await Promise.all([context.report.operations(), context.other?.operations()]);
  const title = h('h2', {}, 'Roofline'),
    pairs = pairsOf(operations, second);
  if (!operations.peakHalf) return h('div', {}, title, soft('The peaks of this chip are not known.'));
  if (!pairs.length) {
    const how = 'Set autoReport.all, or profiler.includeFlopEstimates and autoReport.outputDebugInfo.';
    return h('div', {}, title, soft(`No operation has FLOPs. ${how}`));
  }
  const chip = {
    peakHalf: operations.peakHalf,
    peakFloat: operations.peakFloat ?? operations.peakHalf,
    bandwidth: operations.exchangeBytesPerSecond ?? 1,
    speed: (r: Row): number => r.flops / (r.cycles / operations.clock),
  };
  return h(
    'div',
    {},
    title,
    soft(
      'A circle is an operation, its size the cycles it takes. Left of the corner exchange holds it back, ' +
        'right of it arithmetic; far below both: balance, few tiles, waiting.' +
        (second ? ' An empty circle is the same operation in the other report.' : ''),
    ),
    h('div', { class: 'panel plot' }, new Plot(chip, pairs, () => context.go('operations')).element),
    table(chip, pairs, second !== undefined),
  );
};

export const entry: Entry = { name: 'roofline', title: 'Roofline', place: 80, of: 'Graph', view: roofline };
