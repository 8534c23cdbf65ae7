// SPDX-License-Identifier: MIT
import type { Context, Entry, View } from '../app';
import type { Operations } from '../data';
import type { Column } from '../grid';
import { numberColumn } from '../app';
import { changed, chooser, clear, filterField, format, h, highest, num, paired, thousands } from '../dom';
import { Grid } from '../grid';

export interface Row {
  name: string;
  members: number[];
  layer: string;
  where: string;
  cycles: number;
  compute: number;
  exchange: number;
  host: number;
  sync: number;
  executions: number;
  bytes: number;
  flops: number;
  tileCycles: number;
  other?: number;
}

const groupings: Record<string, (o: Operations, i: number) => string> = {
  operation: (_, i) => `${i}`,
  'layer of the model': (o, i) => o.group[i]! || o.name[i]!,
  'top layer of the model': (o, i) => (o.group[i]! || o.name[i]!).split('/')[0]!,
  name: (o, i) => o.name[i]!,
  'source line': (o, i) => (o.file[i] ? `${o.file[i]}:${o.line[i]}` : 'unknown'),
  'layer of software': (o, i) => o.layer[i] || 'none',
};

export function group(o: Operations, by: string): Row[] {
  const rows = new Map<string, Row>();
  for (let i = 0; i < o.name.length; ++i) {
    const key = groupings[by]!(o, i);
    let row = rows.get(key);
    if (!row) {
      row = {
        name: by === 'operation' ? o.name[i]! : key.split('/').pop()!.includes(':') ? key.split('/').pop()! : key,
        members: [],
        layer: o.layer[i]!,
        where: o.file[i] ? `${o.file[i]!.split('/').pop()}:${o.line[i]}` : '',
        cycles: 0,
        compute: 0,
        exchange: 0,
        host: 0,
        sync: 0,
        executions: 0,
        bytes: 0,
        flops: 0,
        tileCycles: 0,
      };
      rows.set(key, row);
    }
    row.members.push(i);
    row.cycles += o.cycles[i]!;
    row.compute += o.compute[i]!;
    row.exchange += o.exchange[i]! + o.globalExchange[i]!;
    row.host += o.host[i]!;
    row.sync += o.sync[i]! + o.control[i]!;
    row.executions = Math.max(row.executions, o.executions[i]!);
    row.bytes += o.bytes[i]!;
    row.flops += o.flops[i]!;
    row.tileCycles += o.tileCycles[i]!;
  }
  return [...rows.values()];
}

// What the flops would take at the peak of half precision, as a share of what they took.
export function peakShare(o: Operations, row: { flops: number; cycles: number }): number {
  return o.peakHalf && row.cycles ? row.flops / (o.peakHalf * (row.cycles / o.clock)) : 0;
}

function details(context: Context, o: Operations, row: Row): HTMLElement {
  const names = [...new Set(row.members.flatMap(i => o.programs[i]))];
  const list = (title: string, value: HTMLElement | string) => h('tr', {}, h('td', {}, title), h('td', {}, value));
  return h(
    'div',
    { class: 'panel' },
    h('h3', {}, row.name),
    h(
      'table',
      {},
      list('Operations', thousands(row.members.length)),
      list('Cycles', num('operation.cycles', row.cycles)),
      list('FLOP', num('operation.flops', row.flops)),
      list('Bytes exchanged', num('operation.bytes', row.bytes, 'bytes')),
      list('Share of half peak', format(peakShare(o, row), 'share')),
      list('Source', row.where || 'unknown'),
      list('Layer of software', row.layer || 'none'),
    ),
    h('h3', {}, `Programs (${names.length})`),
    h(
      'div',
      { class: 'bar' },
      names.slice(0, 60).map(id => h('button', { onclick: () => context.go('programs', id) }, `${id}`)),
    ),
    row.members.length > 1
      ? [
          h('h3', {}, 'Operations'),
          h(
            'table',
            {},
            row.members
              .slice()
              .sort((a, b) => o.cycles[b]! - o.cycles[a]!)
              .slice(0, 60)
              .map(i => h('tr', {}, h('td', {}, o.name[i]), h('td', {}, thousands(o.cycles[i]!)))),
          ),
        ]
      : null,
    row.members.some(i => o.firstStep[i]! >= 0)
      ? h(
          'button',
          { onclick: () => context.go('trace', Math.min(...row.members.map(i => o.firstStep[i]!).filter(s => s >= 0))) },
          'Show in the trace',
        )
      : null,
  );
}

function rowsOf(mine: Operations, second: Operations | undefined, by: string): Row[] {
  const rows = group(mine, by);
  if (!second) return rows;
  const others = group(second, by);
  const names = (list: Row[]): string[] => list.map(r => r.name);
  const of = paired(names(rows), names(others));
  rows.forEach((row, i) => (row.other = others[of[i]!]?.cycles ?? 0));
  return rows;
}

type Key = (name: string) => (row: Row) => string;

function otherColumns(key: Key): Column<Row>[] {
  const other = (r: Row): number => r.other ?? 0;
  return [
    numberColumn('Other', other, 'cycles', '105px'),
    {
      title: 'Change',
      width: '105px',
      right: true,
      sort: r => other(r) - r.cycles,
      cell: r => changed(key('cycles')(r), r.cycles, other(r), 'cycles', false),
    },
  ];
}
// A share that is not said where there is nothing to share.
function shareColumn(title: string, hint: string, width: string, share: (row: Row) => number): Column<Row> {
  const cell = (r: Row): string => (share(r) ? format(share(r), 'share') : '');
  return { title, hint, width, right: true, sort: share, cell };
}

function columns(o: Operations, two: boolean, key: Key): Column<Row>[] {
  const most = highest(o.cycles, 1);
  const balance = (r: Row): number => (r.compute ? r.tileCycles / r.compute / o.tiles : 0);
  const cycles = numberColumn<Row>('Cycles', r => r.cycles, 'cycles', '115px', key('cycles'));
  return [
    { title: 'Operation', width: 'minmax(180px, 1fr)', cell: r => r.name, sort: r => r.name },
    { ...cycles, fill: r => r.cycles / most },
    ...(two ? otherColumns(key) : []),
    shareColumn('Share', 'of all cycles', '60px', r => r.cycles / Math.max(1, o.totalCycles)),
    numberColumn('Compute', r => r.compute, 'cycles', '105px', key('compute')),
    numberColumn('Exchange', r => r.exchange, 'cycles', '95px', key('exchange')),
    numberColumn('Host', r => r.host, 'cycles', '90px', key('host')),
    numberColumn('Sync, control', r => r.sync, 'cycles', '110px'),
    numberColumn('Times', r => r.executions, 'count', '75px', key('executions')),
    numberColumn('Bytes', r => r.bytes, 'bytes', '120px', key('bytes'), 'exchanged'),
    numberColumn('FLOP', r => r.flops, 'flops', '95px', key('flops')),
    shareColumn('Of peak', 'FLOP by what the chip does in half precision in the same time', '70px', r =>
      r.flops ? peakShare(o, r) : 0,
    ),
    shareColumn('Balance', 'mean tile by slowest tile, while computing', '70px', balance),
    { title: 'Source', width: '150px', cell: r => r.where, sort: r => r.where },
  ];
}

function total(o: Operations): HTMLElement {
  const cycles = o.cycles.reduce((a, b) => a + b, 0);
  const hint = o.flops.some(f => f) ? '' : ' FLOPs are recorded with profiler.includeFlopEstimates.';
  return h('p', { class: 'soft' }, 'All rows together: ', num('operations.total', cycles), ` cycles.${hint}`);
}

const operations: View = async context => {
  const [o, second] = await Promise.all([context.report.operations(), context.other?.operations()]);
  let by = 'operation';
  const side = h('div', {}, h('p', { class: 'soft' }, 'Select an operation.'));
  const grid = new Grid<Row>({
    columns: columns(o, second !== undefined, name => r => (by === 'operation' ? `op.${r.members[0]}.${name}` : '')),
    rows: rowsOf(o, second, by),
    height: 560,
    sorted: 1,
    filter: (r, text) => `${r.name} ${r.where} ${r.layer}`.toLowerCase().includes(text),
    select: row => clear(side, details(context, o, row)),
  });
  const groups = chooser(Object.keys(groupings), value => {
    by = value;
    grid.setRows(rowsOf(o, second, by));
  });
  const filter = filterField('Filter', text => grid.setFilter(text));
  const fields = h('div', { class: 'bar' }, h('label', {}, 'Group by ', groups), filter);
  return h('div', {}, h('h2', {}, 'Operations'), fields, grid.element, total(o), side);
};

export const entry: Entry = { name: 'operations', title: 'Operations', place: 60, of: 'Graph', view: operations };
