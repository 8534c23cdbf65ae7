// SPDX-License-Identifier: MIT
// What every view gets: the report, the one it is compared with, and ways to go elsewhere.
import type { Report } from './data';
import type { Column } from './grid';
import type { Unit } from './dom';
import { h, num } from './dom';

export interface Context {
  report: Report;
  other: Report | null;
  target: number;
  go: (view: string, target?: number) => void;
  mark: (target: number) => void; // what is selected stands in the address, so that it can be linked
}
export type View = (context: Context) => Promise<HTMLElement>;
// What a file of views/ exports as `entry`: its name in the address, its title, and where it stands among the others.
export interface Entry {
  name: string;
  title: string;
  place: number;
  of: 'Graph' | 'System'; // a report, or traces of the host
  view: View;
}

export function kindColour(kind: string): string {
  return `var(--${kind})`;
}

export function numberColumn<Row>(
  title: string,
  value: (row: Row) => number,
  unit: Unit,
  width = '120px',
  key?: (row: Row) => string,
  hint?: string,
): Column<Row> {
  return { title, hint, width, right: true, sort: value, cell: row => num(key ? key(row) : '', value(row), unit) };
}

export function kindBar(byKind: Record<string, number>, total: number): HTMLElement {
  const bar = h('div', { class: 'kinds', role: 'img', 'aria-label': 'share of cycles by kind' });
  for (const [kind, cycles] of Object.entries(byKind)) {
    if (!cycles) continue;
    const part = h('span', { title: `${kind}: ${((100 * cycles) / Math.max(1, total)).toFixed(1)} %` });
    part.style.background = kindColour(kind);
    part.style.flex = String(cycles);
    bar.append(part);
  }
  return bar;
}
export function legend(entries: [string, string][]): HTMLElement {
  return h(
    'div',
    {},
    entries.map(([name, colour]) => {
      const box = h('i', {});
      box.style.background = colour;
      return h('span', { class: 'key' }, box, name);
    }),
  );
}
