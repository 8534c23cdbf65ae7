// SPDX-License-Identifier: MIT
// What the server says, or what was put into the page when it was exported. Answers are kept until the files change.

import { ReportViews } from './records';
export type * from './records';

export const kinds = ['compute', 'rearrange', 'exchange', 'globalExchange', 'host', 'sync', 'control'];

const inside = document.getElementById('data')?.textContent ?? '';
export const exported = inside !== '';

// An exported page has its data compressed: reports repeat themselves.
async function unpacked(): Promise<Record<string, unknown>> {
  const bytes = Uint8Array.from(atob(inside), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return (await new Response(stream).json()) as Record<string, unknown>;
}
const bundle = exported ? unpacked() : null;

const kept = new Map<string, Promise<unknown>>();
export function forget(): void {
  kept.clear();
}

async function fetched(path: string): Promise<unknown> {
  if (bundle) {
    const all = await bundle;
    const found = all[path] ?? (path.startsWith('/api/host/') ? all[path.split('?')[0]!] : undefined);
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
export class Report extends ReportViews {
  constructor(
    readonly index: number,
    readonly name: string,
  ) {
    super();
  }
  protected at<T>(view: string): Promise<T> {
    return get<T>(`/api/report/${this.index}/${view}`);
  }
  override async programTiles(ids: number[]): Promise<Record<string, number[]>> {
    if (!ids.length) return {};
    if (!exported) return super.programTiles(ids);
    const result: Record<string, number[]> = {};
    for (const id of ids) {
      const tiles = (await this.program(id)).tiles; // [first, count, cycles, in, out]
      result[id] = [];
      for (let i = 0; i < tiles.length; i += 5) result[id]!.push(tiles[i]!, tiles[i + 1]!, tiles[i + 2]!);
    }
    return result;
  }
}
