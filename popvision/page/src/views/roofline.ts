// SPDX-License-Identifier: MIT
// Each operation by what it computes per byte it exchanges and how fast it is, under the roofs of the chip. Beside
// another report a line leads from where an operation is there to where it is here.
import type { View } from '../app';
import type { Column } from '../grid';
import type { Row } from './operations';
import { numberColumn } from '../app';
import { Surface, colour, hideTip, showTip, textColour, tipTable, plotFont } from '../canvas';
import { changed, format, h, highest, lowest, paired, prefixed } from '../dom';
import { Grid } from '../grid';
import { group } from './operations';

interface Pair {
  row: Row;
  other: Row | undefined;
}

// The same as a table: sorted, with the keyboard, and beside the other report.
function table(pairs: Pair[], speed: (r: Row) => number, intensity: (r: Row) => number, peak: number, two: boolean) {
  const key = (name: string) => (p: Pair) => `roof.${p.row.members[0]}.${name}`;
  const columns: Column<Pair>[] = [
    { title: 'Operation', width: 'minmax(180px, 1fr)', cell: p => p.row.name, sort: p => p.row.name },
    numberColumn<Pair>('Cycles', p => p.row.cycles, 'cycles', '120px', key('cycles')),
    numberColumn<Pair>('FLOP', p => p.row.flops, 'flops', '110px', key('flops')),
    numberColumn<Pair>('Bytes', p => p.row.bytes, 'bytes', '130px', key('bytes'), 'exchanged'),
    numberColumn<Pair>('FLOP per byte', p => intensity(p.row), 'number', '110px', key('intensity')),
    numberColumn<Pair>('Speed', p => speed(p.row), 'flopspeed', '120px', key('speed')),
    numberColumn<Pair>('Of half peak', p => speed(p.row) / peak, 'share', '100px', key('peak')),
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

export const roofline: View = async context => {
  const [o, second] = await Promise.all([context.report.operations(), context.other?.operations()]);
  const rows = group(o, 'operation').filter(r => r.flops && r.cycles);
  const others = second ? group(second, 'operation').filter(r => r.flops && r.cycles) : [];
  const of = paired(
    rows.map(r => r.name),
    others.map(r => r.name),
  );
  const pairs = rows.map((row, i) => ({ row, other: others[of[i]] as Row | undefined }));
  if (!rows.length || !o.peakHalf)
    return h(
      'div',
      {},
      h('h2', {}, 'Roofline'),
      h(
        'p',
        { class: 'soft' },
        o.peakHalf
          ? 'No operation has FLOPs. Set autoReport.all, or profiler.includeFlopEstimates and autoReport.outputDebugInfo.'
          : 'The peaks of this chip are not known.',
      ),
    );
  const speed = (r: Row): number => r.flops / (r.cycles / o.clock);
  const intensity = (r: Row): number => r.flops / Math.max(1, r.bytes);
  const all = [...rows, ...others];
  const low = { x: lowest(all.map(intensity), 0.1) / 2, y: lowest(all.map(speed), 1e9) / 2 };
  const high = { x: highest(all.map(intensity), 1000) * 2, y: o.peakHalf * 3 };
  const left = 84,
    bottom = 34;
  const x = (value: number): number =>
    left + (Math.log(value / low.x) / Math.log(high.x / low.x)) * (surface.width - left - 10);
  const y = (value: number): number =>
    10 + (1 - Math.log(value / low.y) / Math.log(high.y / low.y)) * (surface.height - bottom - 10);
  const most = highest(rows.map(r => r.cycles));
  const radius = (r: Row): number => 4 + 16 * Math.sqrt(r.cycles / most);
  let hovered: Row | null = null;
  const roof = (peak: number, bandwidth: number, name: string, dash: number[]): void => {
    const c = surface.context,
      corner = peak / bandwidth;
    c.strokeStyle = colour('soft');
    c.setLineDash(dash);
    c.beginPath();
    c.moveTo(x(low.x), y(Math.max(low.y, low.x * bandwidth)));
    if (corner > low.x) c.lineTo(x(corner), y(peak));
    c.lineTo(x(high.x), y(peak));
    c.stroke();
    c.setLineDash([]);
    c.fillStyle = colour('soft');
    c.textAlign = 'right';
    c.fillText(`${name} ${prefixed(peak, 'FLOP/s')}`, surface.width - 14, y(peak) - 5);
  };
  const surface = new Surface(560, () => {
    const c = surface.context;
    c.clearRect(0, 0, surface.width, surface.height);
    c.font = plotFont();
    for (let e = Math.ceil(Math.log10(low.y)); e <= Math.log10(high.y); ++e) {
      c.fillStyle = colour('line');
      c.fillRect(left, y(10 ** e), surface.width, 1);
      c.fillStyle = colour('soft');
      c.textAlign = 'right';
      c.fillText(prefixed(10 ** e, 'FLOP/s'), left - 6, y(10 ** e) + 4);
    }
    for (let e = Math.ceil(Math.log10(low.x)); e <= Math.log10(high.x); ++e) {
      c.fillStyle = colour('line');
      c.fillRect(x(10 ** e), 10, 1, surface.height - bottom - 10);
      c.fillStyle = colour('soft');
      c.textAlign = 'center';
      c.fillText(String(10 ** e >= 1 ? 10 ** e : (10 ** e).toFixed(-e)), x(10 ** e), surface.height - 18);
    }
    c.fillText('FLOP per byte exchanged', left + (surface.width - left) / 2, surface.height - 4);
    roof(o.peakHalf!, o.exchangeBytesPerSecond ?? 1, 'half', []);
    roof(o.peakFloat ?? o.peakHalf!, o.exchangeBytesPerSecond ?? 1, 'float', [6, 4]);
    c.strokeStyle = colour('soft');
    for (const { row, other } of pairs) {
      if (!other) continue;
      c.beginPath();
      c.arc(x(intensity(other)), y(speed(other)), radius(other), 0, 7);
      c.moveTo(x(intensity(other)), y(speed(other)));
      c.lineTo(x(intensity(row)), y(speed(row)));
      c.stroke();
    }
    for (const row of rows) {
      c.globalAlpha = row === hovered ? 1 : 0.65;
      c.fillStyle = textColour(row.name);
      c.beginPath();
      c.arc(x(intensity(row)), y(speed(row)), radius(row), 0, 7);
      c.fill();
      c.globalAlpha = 1;
      c.strokeStyle = colour(row === hovered ? 'accent' : 'panel');
      c.stroke();
      if (row.cycles > 0.1 * most) {
        c.fillStyle = colour('ink');
        c.textAlign = 'left';
        c.fillText(row.name.slice(-28), x(intensity(row)) + radius(row) + 3, y(speed(row)) + 4);
      }
    }
  });
  const near = (event: MouseEvent): Row | null =>
    rows
      .filter(r => Math.hypot(x(intensity(r)) - event.offsetX, y(speed(r)) - event.offsetY) < radius(r) + 2)
      .sort((a, b) => a.cycles - b.cycles)[0] ?? null;
  surface.element.addEventListener('pointermove', event => {
    hovered = near(event);
    surface.request();
    const other = hovered && pairs[rows.indexOf(hovered)].other;
    if (hovered)
      showTip(
        event.clientX,
        event.clientY,
        tipTable([
          ['', hovered.name],
          ['cycles', format(hovered.cycles, 'count')],
          ['FLOP', format(hovered.flops, 'count')],
          ['bytes exchanged', format(hovered.bytes, 'bytes')],
          ['speed', prefixed(speed(hovered), 'FLOP/s')],
          ['of half peak', format(speed(hovered) / o.peakHalf!, 'share')],
          ...(other ? [['other speed', prefixed(speed(other), 'FLOP/s')] as [string, string]] : []),
        ]),
      );
    else hideTip();
  });
  surface.element.addEventListener('pointerleave', hideTip);
  surface.element.addEventListener('click', event => {
    const row = near(event);
    if (row) context.go('operations');
  });
  return h(
    'div',
    {},
    h('h2', {}, 'Roofline'),
    h(
      'p',
      { class: 'soft' },
      'A circle is an operation, its size the cycles it takes. Left of the corner exchange holds it back, ',
      'right of it arithmetic; far below both: balance, few tiles, waiting.',
      second ? ' An empty circle is the same operation in the other report.' : '',
    ),
    h('div', { class: 'panel plot' }, surface.element),
    table(pairs, speed, intensity, o.peakHalf, second !== undefined),
  );
};
