// SPDX-License-Identifier: MIT
import type { View } from '../app';
import type { Summary } from '../data';
import type { Unit } from '../dom';
import { kindBar, kindColour, legend } from '../app';
import { compared, format, h, num } from '../dom';

const units: Record<string, Unit> = {
  bytesPerTile: 'bytes',
  bytesPerIPU: 'bytes',
  totalMemory: 'bytes',
  memoryPerReplica: 'bytes',
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
  clockFrequency: 'Clock (Hz)',
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
    h('h3', {}, 'Execution'),
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

export const summary: View = async ({ report, other }) => {
  const [s, o] = await Promise.all([report.summary(), other?.summary()]);
  const limit = Number(s.target.bytesPerTile);
  const text = (title: string, value: string): HTMLElement | null =>
    value ? h('div', { class: 'panel' }, h('details', {}, h('summary', {}, title), h('pre', {}, value))) : null;
  const different =
    o && (o.target.architecture !== s.target.architecture || o.target.tilesPerIpu !== s.target.tilesPerIpu);
  return h(
    'div',
    {},
    h('h2', {}, 'Summary'),
    different
      ? h(
          'p',
          { class: 'error' },
          'The two reports are of different chips: cycles and tiles do not compare one to one.',
        )
      : null,
    h(
      'div',
      { class: 'tiles4' },
      figure(
        'Time on the IPU',
        num('top.seconds', s.execution.seconds, 'seconds'),
        `${format(s.execution.totalCycles, 'count')} cycles`,
      ),
      figure(
        'Computing',
        num('top.compute', s.execution.cyclesByKind.compute / Math.max(1, s.execution.totalCycles), 'share'),
        'of the cycles',
      ),
      figure(
        'Memory used',
        num('top.used', s.memory.used, 'bytes'),
        `of ${format(Number(s.target.memoryPerReplica), 'bytes')} per replica`,
      ),
      figure(
        'Fullest tile',
        num('top.fullest', s.memory.fullestTileBytes / Math.max(1, limit), 'share'),
        `tile ${s.memory.fullestTile}, ` +
          (s.memory.tilesOverLimit ? `${s.memory.tilesOverLimit} over the limit` : 'everything fits'),
      ),
      figure(
        'Energy',
        s.execution.joules ? num('top.joules', s.execution.joules, 'joules') : '–',
        s.execution.joules ? `${format(s.execution.averageWatts, 'watts')} on average` : 'not recorded',
      ),
    ),
    h(
      'div',
      { class: o ? 'cards compared' : 'cards' },
      h(
        'div',
        { class: 'panel' },
        h('h3', {}, 'Target'),
        rows('target', s.target, o?.target, key => units[key] ?? 'count'),
      ),
      execution(s, o),
      h(
        'div',
        { class: 'panel' },
        h('h3', {}, 'Memory'),
        rows('memory', s.memory, o?.memory, key =>
          key === 'fullestTile' || key === 'tilesOverLimit' ? 'count' : 'bytes',
        ),
        h('h3', {}, 'Graph'),
        rows('graph', s.graph, o?.graph, () => 'count'),
      ),
      h(
        'div',
        { class: 'panel' },
        h('h3', {}, 'Poplar'),
        h(
          'table',
          {},
          h('tr', {}, h('td', {}, 'Version'), h('td', { 'data-key': 'poplarVersion' }, s.poplarVersion)),
          h('tr', {}, h('td', {}, 'Package'), h('td', {}, s.packageHash)),
          h('tr', {}, h('td', {}, 'Compute instrumentation'), h('td', {}, s.instrumentation.compute)),
          h('tr', {}, h('td', {}, 'External exchange instr.'), h('td', {}, s.instrumentation.externalExchange)),
        ),
        h('h3', {}, 'Report files'),
        h(
          'table',
          {},
          h('tr', {}, h('td', {}, '✓ profile'), h('td', {}, s.profile)),
          h(
            'tr',
            {},
            h('td', {}, s.debug ? '✓ debug information' : '? debug information'),
            h('td', {}, s.debug || 'not there'),
          ),
          Object.keys(s.texts).map(name => h('tr', {}, h('td', {}, `✓ ${name}`), h('td', {}))),
        ),
      ),
      h(
        'div',
        { class: 'panel' },
        h('h3', {}, 'Engine options'),
        Object.keys(s.options).length
          ? rows('options', s.options, undefined, () => 'count')
          : h('span', { class: 'soft' }, 'all defaults'),
      ),
    ),
    Object.entries(s.texts).map(([name, value]) => text(name, value)),
  );
};
