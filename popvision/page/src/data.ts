// SPDX-License-Identifier: MIT
// What the server says, or what was put into the page when it was exported. Answers are kept until the files change.

export interface Site {
  stamp: number;
  reports: { name: string; profile: string }[];
  traces: string[];
}
export interface Summary {
  name: string;
  profile: string;
  debug: string;
  poplarVersion: string;
  packageHash: string;
  format: number;
  target: Record<string, string | number>;
  graph: Record<string, number>;
  instrumentation: Record<string, string>;
  memory: {
    used: number;
    gaps: number;
    alwaysLive: number;
    fullestTile: number;
    fullestTileBytes: number;
    tilesOverLimit: number;
  };
  execution: {
    totalCycles: number;
    seconds: number;
    runs: number;
    steps: number;
    droppedSteps: number;
    droppedBlocks: number;
    cyclesByKind: Record<string, number>;
    programRuns: { name: string; runs: number; program: number }[];
    joules: number;
    averageWatts: number;
  };
  options: Record<string, string>;
  texts: Record<string, string>;
}
export interface Insight {
  severity: string;
  title: string;
  detail: string;
  advice: string;
  value: number;
  unit: string;
  view: string;
  target: number;
  rule: string;
}
export interface Memory {
  bytesPerTile: number;
  tilesPerIpu: number;
  floor?: { columns: number; perRow: number };
  total: number[];
  withGaps: number[];
  alwaysLive: number[];
  notAlwaysLive: number[];
  categories: { name: string; bytes: number[]; alwaysLive: number[] }[];
  vertexMemory: Record<string, number>;
}
export interface Tile {
  tile: number;
  total: number;
  withGaps: number;
  overflowed: number;
  alwaysLive: number;
  notAlwaysLive: number;
  peakProgram: string;
  categories: Record<string, number>;
  alwaysLiveCategories: Record<string, number>;
  variables: { name: string; bytes: number; category: string; variable?: number; alwaysLive?: boolean }[];
  vertices: { name: string; codeBytes: number }[];
}
export interface Variables {
  name: string[];
  type: string[];
  bytes: number[];
  alwaysLive: number[];
  live: number[][];
}
export interface Liveness {
  alwaysLive: number;
  program: (number | null)[];
  bytes: number[];
}
export interface TileLiveness {
  known: boolean;
  alwaysLive: number;
  bytes: number[];
}
export interface Programs {
  name: number[];
  names: string[];
  type: string[];
  kind: number[];
  children: number[][];
  count: number[];
  cycles: number[];
  bytes: number[];
  activeTiles: number[];
  tileBalance: number[];
  executions: number[];
  totalCycles: number[];
  programs: number[];
  functions: number[];
}
export interface ProgramDetails {
  id: number;
  name: string;
  type: string;
  cycles: number;
  activeTiles: number;
  tileCycles: number;
  threadCycles: number;
  tileBalance: number;
  activeTileBalance: number;
  bytes: number;
  messages: number;
  count: number;
  executions: number;
  totalCycles: number;
  vars: number[];
  computeSet?: string;
  vertices?: { type: string; count: number; cycles: number; flops: number }[];
  contexts: { name: string; layer: string; file: string; line: number; function: string }[];
  tiles: number[];
}
export interface Operations {
  totalCycles: number;
  clock: number;
  tiles: number;
  peakHalf?: number;
  peakFloat?: number;
  exchangeBytesPerSecond?: number;
  memoryBytesPerSecond?: number;
  name: string[];
  layer: string[];
  group: string[];
  file: string[];
  line: number[];
  cycles: number[];
  compute: number[];
  exchange: number[];
  globalExchange: number[];
  host: number[];
  sync: number[];
  control: number[];
  executions: number[];
  bytes: number[];
  flops: number[];
  tileCycles: number[];
  firstStep: number[];
  context: number[];
  programs: number[][];
}
export interface Trace {
  clock: number;
  tilesPerIpu: number;
  droppedSteps: number;
  runs: {
    name: string;
    cycles: number;
    program: number;
    firstStep: number;
    numSteps: number;
    start: number;
    end: number;
  }[];
  program: number[];
  ipus: { cycles: number[]; from: number[]; to: number[]; activeTiles: number[] }[];
  blocks: number[];
}
export interface Layers {
  edges: number[];
}
export interface Host {
  nanoseconds: number;
  events: number;
  files: { path: string; complete: boolean; events: number; unmatched: number; processes: string[] }[];
  threads: {
    file: number;
    process: number;
    thread: number;
    name: string;
    events: number;
    busy: number;
    depth: number;
  }[];
  counters: { graph: string; series: string; process: number; times: number[]; values: number[] }[];
  heatmaps: { name: string; process: number; bins: string[]; times: number[]; counts: number[] }[];
  ipuRuns: number[];
  verdict: {
    runs: number;
    span: number;
    between: number;
    callbacks: number;
    simulated: number;
    reports: number;
    ipu: number;
    text: string;
  };
}
export interface HostEvents {
  whole: boolean;
  from: number;
  to: number;
  texts: string[];
  threads: {
    start: number[];
    duration: number[];
    depth: number[];
    name: number[];
    channel: number[];
    count: number[];
    details: number[];
  }[];
}
export interface HostStatistic {
  channel: string;
  name: string;
  count: number;
  total: number;
  longest: number;
}

export const kinds = ['compute', 'exchange', 'globalExchange', 'host', 'sync', 'control'];

const inside = document.getElementById('data')?.textContent ?? '';
const bundle: Record<string, unknown> | null = inside ? (JSON.parse(inside) as Record<string, unknown>) : null;
export const exported = bundle !== null;

const kept = new Map<string, Promise<unknown>>();
export function forget(): void {
  kept.clear();
}

async function fetched(path: string): Promise<unknown> {
  if (bundle) {
    const found = bundle[path] ?? (path.startsWith('/api/host/') ? bundle[path.split('?')[0]] : undefined);
    if (found === undefined)
      throw new Error(
        'This is not in the exported file, which has details only of the fullest tiles and the most expensive programs.',
      );
    const error = (found as { error?: string }).error;
    if (error) throw new Error(error);
    return found;
  }
  const answer = await fetch(path);
  const value = (await answer.json()) as { error?: string };
  if (!answer.ok) throw new Error(value.error ?? `The server answered ${answer.status}.`);
  return value;
}

export function get<T>(path: string): Promise<T> {
  let found = kept.get(path);
  if (!found) {
    if (kept.size > 2000) kept.clear();
    found = fetched(path);
    found.catch(() => kept.delete(path));
    kept.set(path, found);
  }
  return found as Promise<T>;
}
export function fresh<T>(path: string): Promise<T> {
  return fetched(path) as Promise<T>;
}

// The views of one report.
export class Report {
  constructor(
    readonly index: number,
    readonly name: string,
  ) {}
  private at<T>(view: string): Promise<T> {
    return get<T>(`/api/report/${this.index}/${view}`);
  }
  summary() {
    return this.at<Summary>('summary');
  }
  insights() {
    return this.at<Insight[]>('insights');
  }
  memory() {
    return this.at<Memory>('memory');
  }
  tile(tile: number) {
    return this.at<Tile>(`tile?tile=${tile}`);
  }
  variables() {
    return this.at<Variables>('variables');
  }
  liveness() {
    return this.at<Liveness>('liveness');
  }
  livenessOfTile(tile: number) {
    return this.at<TileLiveness>(`livenessOfTile?tile=${tile}`);
  }
  programs() {
    return this.at<Programs>('programs');
  }
  program(id: number) {
    return this.at<ProgramDetails>(`program?program=${id}`);
  }
  operations() {
    return this.at<Operations>('operations');
  }
  trace() {
    return this.at<Trace>('trace');
  }
  layers() {
    return this.at<Layers>('layers');
  }
  async programTiles(ids: number[]): Promise<Record<string, number[]>> {
    if (!ids.length) return {};
    if (!exported) return this.at<Record<string, number[]>>(`programTiles?programs=${ids.join(',')}`);
    const result: Record<string, number[]> = {};
    for (const id of ids) {
      const tiles = (await this.program(id)).tiles; // [first, count, cycles, in, out]
      result[id] = [];
      for (let i = 0; i < tiles.length; i += 5) result[id].push(tiles[i], tiles[i + 1], tiles[i + 2]);
    }
    return result;
  }
}
