// SPDX-License-Identifier: MIT
// What is known of one program; shown beside the tree and the execution trace.
import type { Context } from '../app';
import type { ProgramDetails } from '../data';
import type { Unit } from '../dom';
import { paletteColour } from '../canvas';
import { compared, format, h, num } from '../dom';
import { StackPlot } from '../stackplot';

// otherId: the same program of the report that this one is compared with, if there is one.
export async function programDetails(context: Context, id: number, otherId = -1): Promise<HTMLElement> {
  const [details, variables, memory, other] = await Promise.all([
    context.report.program(id),
    context.report.variables(),
    context.report.memory(),
    otherId >= 0 ? context.other?.program(otherId) : undefined,
  ]);
  const tiles = memory.total.length;
  const cycles = new Float64Array(tiles),
    received = new Float64Array(tiles);
  for (let i = 0; i < details.tiles.length; i += 5)
    for (let t = details.tiles[i]; t < details.tiles[i] + details.tiles[i + 1]; ++t) {
      cycles[t] = details.tiles[i + 2];
      received[t] = details.tiles[i + 3];
    }
  const row = (name: string, key: keyof ProgramDetails, unit: Unit = 'count') =>
    h('tr', {}, h('td', {}, name), compared(`program.${key}`, Number(details[key]), other && Number(other[key]), unit));
  const data =
    details.type === 'OnTileExecute'
      ? { values: cycles, unit: 'cycles' as const, name: 'cycles' }
      : {
          values: received.some(v => v) ? received : cycles,
          unit: received.some(v => v) ? ('bytes' as const) : ('cycles' as const),
          name: received.some(v => v) ? 'bytes received' : 'cycles',
        };
  const plot = data.values.some(v => v)
    ? new StackPlot({
        count: tiles,
        unit: data.unit,
        what: 'tile',
        height: 150,
        series: [{ name: data.name, colour: paletteColour(0), values: data.values }],
        select: tile => context.go('memory', tile),
      })
    : null;
  return h(
    'div',
    { class: 'panel', 'data-program': id },
    h('h3', {}, `${details.type} ${details.name}`),
    h(
      'table',
      {},
      h('tr', {}, h('td', {}, 'Id'), h('td', {}, num('program.id', details.id))),
      row('Cycles of one execution', 'cycles'),
      row('Executions', 'executions'),
      row('Cycles in all', 'totalCycles'),
      details.count ? row('Iterations', 'count') : null,
      row('Active tiles', 'activeTiles'),
      details.tileCycles
        ? [
            row('Tile balance', 'tileBalance', 'share'),
            row('Balance of active tiles', 'activeTileBalance', 'share'),
          ]
        : null,
      details.bytes ? [row('Bytes moved', 'bytes', 'bytes'), row('Messages', 'messages')] : null,
    ),
    plot ? [h('p', { class: 'soft' }, `${data.name} by tile`), plot.element] : null,
    details.vertices?.length
      ? h(
          'details',
          { open: true },
          h('summary', {}, `Vertices of ${details.computeSet}`),
          h(
            'table',
            {},
            h('tr', {}, h('th', {}, 'Type'), h('th', {}, 'Count'), h('th', {}, 'Worker cycles'), h('th', {}, 'FLOP')),
            details.vertices.map(v =>
              h(
                'tr',
                {},
                h('td', {}, v.type),
                h('td', {}, format(v.count, 'count')),
                h('td', {}, format(v.cycles, 'count')),
                h('td', {}, format(v.flops, 'count')),
              ),
            ),
          ),
        )
      : null,
    details.vars.length
      ? h(
          'details',
          {},
          h('summary', {}, `Variables (${details.vars.length})`),
          h(
            'table',
            {},
            details.vars
              .slice(0, 200)
              .map(v =>
                h(
                  'tr',
                  {},
                  h('td', {}, variables.name[v] || `variable ${v}`),
                  h('td', {}, variables.type[v]),
                  h('td', {}, format(variables.bytes[v], 'bytes')),
                ),
              ),
          ),
        )
      : null,
    details.contexts.length
      ? h(
          'details',
          { open: true },
          h('summary', {}, 'Made by'),
          h(
            'table',
            { class: 'text' },
            details.contexts.map(c =>
              h(
                'tr',
                {},
                h('td', {}, c.layer),
                h('td', {}, c.name),
                h(
                  'td',
                  { title: `${c.file}:${c.line} ${c.function}` },
                  c.file ? `${c.file.split('/').pop()}:${c.line}` : '',
                ),
              ),
            ),
          ),
        )
      : null,
  );
}
