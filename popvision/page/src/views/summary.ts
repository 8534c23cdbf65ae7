// SPDX-License-Identifier: MIT
import type { Entry, View } from '../app';
import type { Summary } from '../data';
import type { Unit } from '../dom';
import { kindBar, kindColour, legend } from '../app';
import { compared, format, h, num, tableOf } from '../dom';

const units: Record<string, Unit> = {
  bytesPerTile: 'bytes',
  bytesPerIPU: 'bytes',
  totalMemory: 'bytes',
  memoryPerReplica: 'bytes',
  clockFrequency: 'hertz',
};
const names: Record<string, string> = {
  type: 'Type',
  architecture: 'Architecture',
  chip: 'Chip',
  numIPUs: 'Total IPUs',
  numReplicas: 'Replicas',
  ipusPerReplica: 'IPUs per replica',
  numTiles: 'Total tiles',
  tilesPerIpu: 'Tiles per IPU',
  bytesPerTile: 'Memory per tile',
  bytesPerIPU: 'Memory per IPU',
  totalMemory: 'Total memory',
  memoryPerReplica: 'Memory per replica',
  clockFrequency: 'Clock',
  workersPerTile: 'Workers per tile',
  numComputeSets: 'Compute sets',
  numEdges: 'Edges',
  numVars: 'Variables',
  numVertices: 'Vertices',
  used: 'Used, without gaps',
  gaps: 'Gaps',
  alwaysLive: 'Always live',
  fullestTile: 'Fullest tile',
  fullestTileBytes: 'Bytes on it',
  tilesOverLimit: 'Tiles over the limit',
};

function rows(
  part: string,
  values: Record<string, string | number>,
  other: Record<string, string | number> | undefined,
  unit: (key: string) => Unit,
): HTMLElement {
  const head = other
    ? h('tr', {}, h('th', {}), h('th', {}, 'this'), h('th', {}, 'other'), h('th', {}, 'change'))
    : null;
  return h(
    'table',
    {},
    head,
    Object.entries(values).map(([key, value]) =>
      h(
        'tr',
        {},
        h('td', {}, names[key] ?? key),
        typeof value === 'number'
          ? compared(`${part}.${key}`, value, other ? Number(other[key] ?? 0) : undefined, unit(key))
          : [
              h('td', { 'data-key': `${part}.${key}` }, value),
              other ? h('td', {}, String(other[key] ?? '')) : null,
              other ? h('td', {}) : null,
            ],
      ),
    ),
  );
}

function execution(s: Summary, o: Summary | undefined): HTMLElement {
  const values: Record<string, number> = {
    totalCycles: s.execution.totalCycles,
    ...s.execution.cyclesByKind,
    runs: s.execution.runs,
    steps: s.execution.steps,
    droppedSteps: s.execution.droppedSteps,
    droppedBlocks: s.execution.droppedBlocks,
  };
  const others: Record<string, number> | undefined = o && {
    totalCycles: o.execution.totalCycles,
    ...o.execution.cyclesByKind,
    runs: o.execution.runs,
    steps: o.execution.steps,
    droppedSteps: o.execution.droppedSteps,
    droppedBlocks: o.execution.droppedBlocks,
  };
  const titles: Record<string, string> = {
    totalCycles: 'Cycles',
    runs: 'Runs in the trace',
    steps: 'Steps in the trace',
    droppedSteps: 'Steps left out',
    droppedBlocks: 'Blocks left out',
  };
  return h(
    'div',
    { class: 'panel' },
    h('h3', {}, 'All runs'),
    kindBar(s.execution.cyclesByKind, s.execution.totalCycles),
    legend(Object.keys(s.execution.cyclesByKind).map(kind => [kind, kindColour(kind)])),
    h(
      'table',
      {},
      Object.entries(values).map(([key, value]) =>
        h('tr', {}, h('td', {}, titles[key] ?? `  ${key}`), compared(`execution.${key}`, value, others?.[key])),
      ),
    ),
    s.execution.programRuns.length
      ? h(
          'table',
          {},
          s.execution.programRuns.map(run =>
            h(
              'tr',
              {},
              h('td', { class: 'soft' }, `runs of ${run.name || `program ${run.program}`}`),
              h('td', {}, format(run.runs, 'count')),
            ),
          ),
        )
      : null,
  );
}

function figure(title: string, value: HTMLElement | string, below: string): HTMLElement {
  return h(
    'div',
    { class: 'figure' },
    h('span', { class: 'soft' }, title),
    h('b', {}, value),
    h('span', { class: 'soft' }, below),
  );
}

function figures(s: Summary): HTMLElement {
  const { execution: e, memory: m, step } = s;
  const share = (step.cyclesByKind[step.bound] ?? 0) / Math.max(1, step.cycles),
    full = m.fullestTileBytes / Math.max(1, Number(s.target.bytesPerTile)),
    over = m.tilesOverLimit ? `${m.tilesOverLimit} over the limit` : 'everything fits',
    limit = format(Number(s.target.memoryPerReplica), 'bytes');
  return h(
    'div',
    { class: 'tiles4' },
    step.run >= 0
      ? figure('One step', num('top.step', step.seconds, 'seconds'), `${format(step.cycles, 'count')} cycles`)
      : figure('One step', '–', 'nothing ran'),
    step.bound
      ? figure('Most goes to', num('top.bound', share, 'share'), step.words)
      : figure('Most goes to', '–', 'not recorded'),
    figure('All runs', num('top.seconds', e.seconds, 'seconds'), `${format(e.totalCycles, 'count')} cycles`),
    figure('Memory used', num('top.used', m.used, 'bytes'), `of ${limit} per replica`),
    figure('Fullest tile', num('top.fullest', full, 'share'), `tile ${m.fullestTile}, ${over}`),
    e.joules
      ? figure('Energy', num('top.joules', e.joules, 'joules'), `${format(e.averageWatts, 'watts')} on average`)
      : figure('Energy', '–', 'not recorded'),
  );
}

type Row = (string | number)[];
function numbers(titles: string[], list: Row[]): HTMLElement | null {
  const cell = (value: string | number): HTMLElement =>
    h('td', {}, typeof value === 'number' ? format(value, 'count') : value);
  if (!list.length) return null;
  return h(
    'table',
    { class: 'numbers' },
    h('tr', {}, titles.map(title => h('th', {}, title))),
    list.map(row => h('tr', {}, row.map(cell))),
  );
}

function phases(s: Summary, o: Summary | undefined): HTMLElement {
  const { step } = s;
  const kinds = Object.entries(step.cyclesByKind).filter(([kind, cycles]) => cycles || o?.step.cyclesByKind[kind]);
  if (!step.traced)
    return h('p', { class: 'soft' }, 'The report has no whole run with its steps, so its phases are not known.');
  return h(
    'div',
    {},
    kindBar(step.cyclesByKind, step.cycles),
    legend(kinds.map(([kind]) => [kind, kindColour(kind)])),
    h(
      'table',
      {},
      h('tr', {}, h('td', {}, 'Cycles'), compared('step.cycles', step.cycles, o?.step.cycles)),
      kinds.map(([kind, cycles]) =>
        h('tr', {}, h('td', {}, `  ${kind}`), compared(`step.${kind}`, cycles, o?.step.cyclesByKind[kind])),
      ),
    ),
  );
}

// What users wait for: the median run of the program that computes most.
function oneStep(s: Summary, o: Summary | undefined): HTMLElement | null {
  const { step } = s;
  if (step.run < 0) return null;
  const of = step.runs > 1 ? `the median of ${format(step.runs, 'count')} runs of ${step.name}` : step.name;
  const streams = step.host.map(part => [part.name, part.waiting, part.moving, part.bytes, part.times]);
  const spread = step.spread.map(part => [
    part.kind,
    format(part.cycles / Math.max(1, step.cycles), 'share'),
    part.mean === undefined ? '' : `± ${format(part.mean, 'share')}`,
    part.rows,
  ]);
  const ipus = step.ipus.map(i => [
    String(i.ipu),
    i.compute,
    i.exchange,
    i.globalExchange,
    format(i.share, 'share'),
    i.bubble,
    i.bytesSent,
  ]);
  const longest = [...step.ipus].sort((a, b) => b.busy - a.busy)[0];
  const crossings = step.crossings.slice(0, 10).map(c => [c.name, c.cycles, c.bytes]);
  const others = step.others.map(other => [other.name, other.runs, other.cycles]);
  return h(
    'div',
    { class: 'panel' },
    h('h3', {}, 'One step ', h('span', { class: 'soft' }, of)),
    h(
      'div',
      { class: 'cards step' },
      h('div', {}, phases(s, o), numbers(['Longest parts', 'cycles'], Object.entries(step.parts).slice(0, 10))),
      h(
        'div',
        {},
        numbers(['IPU', 'compute', 'exchange', 'between IPUs', 'busy', 'bubble', 'bytes sent'], ipus),
        longest ? numbers([`Longest: IPU ${longest.ipu}`, 'cycles'], Object.entries(longest.parts).slice(0, 5)) : null,
        numbers(['Between IPUs', 'cycles', 'bytes each'], crossings),
        step.limit ? h('p', {}, 'What limits scaling: ', step.limit, '.') : null,
        numbers(['Stream', 'waiting', 'moving', 'bytes', 'times'], streams),
        numbers(['How sure: like measured', 'share', 'error', 'rows'], spread),
        numbers(['Apart from steps', 'runs', 'cycles'], others),
      ),
    ),
  );
}

function panel(...content: Parameters<typeof h>[2][]): HTMLElement {
  return h('div', { class: 'panel' }, ...content);
}
function software(s: Summary): HTMLElement {
  const files: [string, string][] = [
    ['✓ profile', s.profile],
    [s.debug ? '✓ debug information' : '? debug information', s.debug || 'not there'],
  ];
  for (const name of Object.keys(s.texts)) files.push([`✓ ${name}`, '']);
  return panel(
    h('h3', {}, 'Poplar'),
    tableOf([
      ['Version', h('span', { 'data-key': 'poplarVersion' }, s.poplarVersion)],
      ['Package', s.packageHash],
      ['Compute instrumentation', s.instrumentation.compute],
      ['External exchange instr.', s.instrumentation.externalExchange],
    ]),
    h('h3', {}, 'Report files'),
    tableOf(files),
  );
}
function cards(s: Summary, o: Summary | undefined): HTMLElement {
  const counted = new Set(['fullestTile', 'tilesOverLimit']);
  const options = Object.keys(s.options).length
    ? rows('options', s.options, undefined, () => 'count')
    : h('span', { class: 'soft' }, 'all defaults');
  return h(
    'div',
    { class: o ? 'cards compared' : 'cards' },
    panel(h('h3', {}, 'Target'), rows('target', s.target, o?.target, key => units[key] ?? 'count')),
    execution(s, o),
    panel(
      h('h3', {}, 'Memory'),
      rows('memory', s.memory, o?.memory, key => (counted.has(key) ? 'count' : 'bytes')),
      h('h3', {}, 'Graph'),
      rows('graph', s.graph, o?.graph, () => 'count'),
    ),
    software(s),
    panel(h('h3', {}, 'Engine options'), options),
  );
}

const summary: View = async ({ report, other }) => {
  const [s, o] = await Promise.all([report.summary(), other?.summary()]);
  const differs = (key: 'architecture' | 'tilesPerIpu'): boolean => o !== undefined && o.target[key] !== s.target[key];
  const warning = 'The two reports are of different chips: cycles and tiles do not compare one to one.';
  return h(
    'div',
    {},
    h('h2', {}, 'Summary'),
    differs('architecture') || differs('tilesPerIpu') ? h('p', { class: 'error' }, warning) : null,
    figures(s),
    oneStep(s, o),
    cards(s, o),
    Object.entries(s.texts).map(([name, text]) =>
      text ? panel(h('details', {}, h('summary', {}, name), h('pre', {}, text))) : null,
    ),
  );
};

export const entry: Entry = { name: 'summary', title: 'Summary', place: 10, of: 'Graph', view: summary };
