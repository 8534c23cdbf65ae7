// SPDX-License-Identifier: MIT
import type { Context, View } from '../app';
import type { Operations } from '../data';
import type { Column } from '../grid';
import { numberColumn } from '../app';
import { changed, clear, format, h, highest, num, paired, thousands } from '../dom';
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
  'layer of the model': (o, i) => o.group[i] || o.name[i],
  'top layer of the model': (o, i) => (o.group[i] || o.name[i]).split('/')[0],
  name: (o, i) => o.name[i],
  'source line': (o, i) => (o.file[i] ? `${o.file[i]}:${o.line[i]}` : 'unknown'),
  'layer of software': (o, i) => o.layer[i] || 'none',
};

export function group(o: Operations, by: string): Row[] {
  const rows = new Map<string, Row>();
  for (let i = 0; i < o.name.length; ++i) {
    const key = groupings[by](o, i);
    let row = rows.get(key);
    if (!row) {
      row = {
        name: by === 'operation' ? o.name[i] : key.split('/').pop()!.includes(':') ? key.split('/').pop()! : key,
        members: [],
        layer: o.layer[i],
        where: o.file[i] ? `${o.file[i].split('/').pop()}:${o.line[i]}` : '',
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
    row.cycles += o.cycles[i];
    row.compute += o.compute[i];
    row.exchange += o.exchange[i] + o.globalExchange[i];
    row.host += o.host[i];
    row.sync += o.sync[i] + o.control[i];
    row.executions = Math.max(row.executions, o.executions[i]);
    row.bytes += o.bytes[i];
    row.flops += o.flops[i];
    row.tileCycles += o.tileCycles[i];
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
              .sort((a, b) => o.cycles[b] - o.cycles[a])
              .slice(0, 60)
              .map(i => h('tr', {}, h('td', {}, o.name[i]), h('td', {}, thousands(o.cycles[i])))),
          ),
        ]
      : null,
    row.members.some(i => o.firstStep[i] >= 0)
      ? h(
          'button',
          { onclick: () => context.go('trace', Math.min(...row.members.map(i => o.firstStep[i]).filter(s => s >= 0))) },
          'Show in the trace',
        )
      : null,
  );
}

export const operations: View = async context => {
  const [o, second] = await Promise.all([context.report.operations(), context.other?.operations()]);
  let by = 'operation';
  const side = h('div', {}, h('p', { class: 'soft' }, 'Select an operation.'));
  const rowsOf = (): Row[] => {
    const rows = group(o, by);
    if (!second) return rows;
    const others = group(second, by);
    const of = paired(
      rows.map(r => r.name),
      others.map(r => r.name),
    );
    rows.forEach((row, i) => (row.other = others[of[i]]?.cycles ?? 0));
    return rows;
  };
  const key = (name: string) => (r: Row) => (by === 'operation' ? `op.${r.members[0]}.${name}` : '');
  const most = highest(o.cycles, 1);
  const columns: Column<Row>[] = [
    { title: 'Operation', width: 'minmax(180px, 1fr)', cell: r => r.name, sort: r => r.name },
    { ...numberColumn<Row>('Cycles', r => r.cycles, 'cycles', '115px', key('cycles')), fill: r => r.cycles / most },
    ...(second
      ? [
          numberColumn<Row>('Other', r => r.other ?? 0, 'cycles', '105px'),
          {
            title: 'Change',
            width: '105px',
            right: true,
            sort: (r: Row) => (r.other ?? 0) - r.cycles,
            cell: (r: Row) => changed(key('cycles')(r), r.cycles, r.other ?? 0, 'cycles', false),
          },
        ]
      : []),
    {
      title: 'Share',
      width: '60px',
      right: true,
      sort: r => r.cycles,
      cell: r => format(r.cycles / Math.max(1, o.totalCycles), 'share'),
    },
    numberColumn<Row>('Compute', r => r.compute, 'cycles', '105px', key('compute')),
    numberColumn<Row>('Exchange', r => r.exchange, 'cycles', '95px', key('exchange')),
    numberColumn<Row>('Host', r => r.host, 'cycles', '90px', key('host')),
    numberColumn<Row>('Sync', r => r.sync, 'cycles', '95px', undefined, 'sync and control'),
    numberColumn<Row>('Times', r => r.executions, 'count', '75px', key('executions')),
    numberColumn<Row>('Bytes', r => r.bytes, 'bytes', '120px', key('bytes'), 'exchanged'),
    numberColumn<Row>('FLOP', r => r.flops, 'flops', '95px', key('flops')),
    {
      title: 'Of peak',
      hint: 'FLOP by what the chip does in half precision in the same time',
      width: '70px',
      right: true,
      sort: r => peakShare(o, r),
      cell: r => (r.flops ? format(peakShare(o, r), 'share') : ''),
    },
    {
      title: 'Balance',
      hint: 'mean tile by slowest tile, while computing',
      width: '70px',
      right: true,
      sort: r => (r.compute ? r.tileCycles / r.compute / o.tiles : 0),
      cell: r => (r.compute ? format(r.tileCycles / r.compute / o.tiles, 'share') : ''),
    },
    { title: 'Source', width: '150px', cell: r => r.where, sort: r => r.where },
  ];
  const grid = new Grid<Row>({
    columns,
    rows: rowsOf(),
    height: 560,
    sorted: 1,
    filter: (r, text) => `${r.name} ${r.where} ${r.layer}`.toLowerCase().includes(text),
    select: row => clear(side, details(context, o, row)),
  });
  const total = h(
    'p',
    { class: 'soft' },
    'All rows together: ',
    num(
      'operations.total',
      o.cycles.reduce((a, b) => a + b, 0),
    ),
    ' cycles.',
    o.flops.some(f => f) ? '' : ' FLOPs are recorded with profiler.includeFlopEstimates.',
  );
  return h(
    'div',
    {},
    h('h2', {}, 'Operations'),
    h(
      'div',
      { class: 'bar' },
      h(
        'label',
        {},
        'Group by ',
        h(
          'select',
          {
            onchange: (e: Event) => {
              by = (e.target as HTMLSelectElement).value;
              grid.setRows(rowsOf());
            },
          },
          Object.keys(groupings).map(g => h('option', { value: g }, g)),
        ),
      ),
      h('input', {
        type: 'search',
        placeholder: 'Filter',
        oninput: (e: Event) => grid.setFilter((e.target as HTMLInputElement).value),
      }),
    ),
    grid.element,
    total,
    side,
  );
};
