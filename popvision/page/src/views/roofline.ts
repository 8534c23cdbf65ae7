// SPDX-License-Identifier: MIT
// Each operation by what it computes per byte it exchanges and how fast it is, under the roofs of the chip.
import type { View } from '../app';
import type { Row } from './operations';
import { Surface, colour, hideTip, showTip, textColour, tipTable } from '../canvas';
import { format, h, prefixed } from '../dom';
import { group } from './operations';

export const roofline: View = async context => {
  const o = await context.report.operations();
  const rows = group(o, 'operation').filter(r => r.flops && r.cycles);
  if (!rows.length || !o.peakHalf)
    return h(
      'div',
      {},
      h('h2', {}, 'Roofline'),
      h(
        'p',
        { class: 'soft' },
        o.peakHalf
          ? 'No operation has FLOPs. Set profiler.includeFlopEstimates (and autoReport.outputDebugInfo) and run the program again.'
          : 'The peaks of this chip are not known.',
      ),
    );
  const speed = (r: Row): number => r.flops / (r.cycles / o.clock);
  const intensity = (r: Row): number => r.flops / Math.max(1, r.bytes);
  const low = { x: Math.min(0.1, ...rows.map(intensity)) / 2, y: Math.min(1e9, ...rows.map(speed)) / 2 };
  const high = { x: Math.max(1000, ...rows.map(intensity)) * 2, y: o.peakHalf * 3 };
  const left = 84,
    bottom = 34;
  const x = (value: number): number =>
    left + (Math.log(value / low.x) / Math.log(high.x / low.x)) * (surface.width - left - 10);
  const y = (value: number): number =>
    10 + (1 - Math.log(value / low.y) / Math.log(high.y / low.y)) * (surface.height - bottom - 10);
  const most = Math.max(...rows.map(r => r.cycles));
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
    c.font = '11px system-ui, sans-serif';
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
      'A circle is an operation, its size the cycles it takes. Left of the corner exchange holds it back, right of it arithmetic; far below both: balance, few tiles, waiting.',
    ),
    h('div', { class: 'panel plot' }, surface.element),
  );
};
