// SPDX-License-Identifier: MIT
// What is known of one program; shown beside the tree and the execution trace.
import type { Context } from '../app';
import type { ProgramDetails, Variables } from '../data';
import type { Unit } from '../dom';
import { paletteColour } from '../canvas';
import { comparedRow, folded, format, h, num } from '../dom';
import { StackPlot } from '../stackplot';

type Rows = (HTMLElement | null)[];

function figures(details: ProgramDetails, other: ProgramDetails | undefined): Rows {
  const row = (name: string, key: keyof ProgramDetails, unit: Unit = 'count'): HTMLElement =>
    comparedRow(name, `program.${key}`, Number(details[key]), other && Number(other[key]), unit);
  return [
    h('tr', {}, h('td', {}, 'Id'), h('td', {}, num('program.id', details.id))),
    row('Cycles of one execution', 'cycles'),
    row('Executions', 'executions'),
    row('Cycles in all', 'totalCycles'),
    details.count ? row('Iterations', 'count') : null,
    row('Active tiles', 'activeTiles'),
    details.tileCycles ? row('Tile balance', 'tileBalance', 'share') : null,
    details.tileCycles ? row('Balance of active tiles', 'activeTileBalance', 'share') : null,
    details.bytes ? row('Bytes moved', 'bytes', 'bytes') : null,
    details.bytes ? row('Messages', 'messages') : null,
  ];
}

// What each tile does in it: bytes for what moves data, else cycles.
function byTile(details: ProgramDetails, tiles: number): { values: Float64Array; unit: Unit; name: string } {
  const cycles = new Float64Array(tiles),
    received = new Float64Array(tiles);
  for (let i = 0; i < details.tiles.length; i += 5) {
    const first = details.tiles[i]!,
      end = first + details.tiles[i + 1]!;
    cycles.fill(details.tiles[i + 2]!, first, end);
    received.fill(details.tiles[i + 3]!, first, end);
  }
  return details.type !== 'OnTileExecute' && received.some(v => v)
    ? { values: received, unit: 'bytes', name: 'bytes received' }
    : { values: cycles, unit: 'cycles', name: 'cycles' };
}
function plotOf(context: Context, details: ProgramDetails, tiles: number): Rows {
  const { values, unit, name } = byTile(details, tiles);
  if (!values.some(v => v)) return [];
  const plot = new StackPlot({
    count: tiles,
    unit,
    what: 'tile',
    height: 150,
    series: [{ name, colour: paletteColour(0), values }],
    select: tile => context.go('memory', tile),
  });
  return [h('p', { class: 'soft' }, `${name} by tile`), plot.element];
}

function cells(...texts: string[]): HTMLElement {
  return h(
    'tr',
    {},
    texts.map(text => h('td', {}, text)),
  );
}
function vertices(details: ProgramDetails): HTMLElement | null {
  if (!details.vertices?.length) return null;
  const titles = ['Type', 'Count', 'Worker cycles', 'FLOP'].map(title => h('th', {}, title));
  const counts = (...values: number[]): string[] => values.map(v => format(v, 'count'));
  const rows = details.vertices.map(v => cells(v.type, ...counts(v.count, v.cycles, v.flops)));
  return folded(`Vertices of ${details.computeSet}`, [h('tr', {}, titles), ...rows], { open: true });
}
function variablesOf(details: ProgramDetails, { name, type, bytes }: Variables): HTMLElement | null {
  if (!details.vars.length) return null;
  const row = (v: number): HTMLElement => cells(name[v] || `variable ${v}`, type[v]!, format(bytes[v]!, 'bytes'));
  return folded(`Variables (${details.vars.length})`, details.vars.slice(0, 200).map(row));
}
function makers(details: ProgramDetails): HTMLElement | null {
  if (!details.contexts.length) return null;
  const place = (c: ProgramDetails['contexts'][number]): HTMLElement =>
    h('td', { title: `${c.file}:${c.line} ${c.function}` }, c.file ? `${c.file.split('/').pop()}:${c.line}` : '');
  const rows = details.contexts.map(c => h('tr', {}, h('td', {}, c.layer), h('td', {}, c.name), place(c)));
  return h('details', { open: true }, h('summary', {}, 'Made by'), h('table', { class: 'text' }, rows));
}

// otherId: the same program of the report that this one is compared with, if there is one.
export async function programDetails(context: Context, id: number, otherId = -1): Promise<HTMLElement> {
  const [details, variables, memory, other] = await Promise.all([
    context.report.program(id),
    context.report.variables(),
    context.report.memory(),
    otherId >= 0 ? context.other?.program(otherId) : undefined,
  ]);
  return h(
    'div',
    { class: 'panel', 'data-program': id },
    h('h3', {}, `${details.type} ${details.name}`),
    h('table', {}, figures(details, other)),
    plotOf(context, details, memory.total.length),
    vertices(details),
    variablesOf(details, variables),
    makers(details),
  );
}
