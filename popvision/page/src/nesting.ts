// SPDX-License-Identifier: MIT
// Which containers (sequences, loops, calls) each execution of the trace ran in. The trace has leaves only; the tree
// says where a leaf stands. A function has several callers: the one that follows the present place in the caller is
// taken.
import type { Programs } from './data';

export class Nesting {
  private readonly parent: Int32Array;
  private readonly order: Int32Array; // place in a walk over the whole tree
  private readonly callers = new Map<number, number[]>();
  private readonly chains = new Map<number, number[]>();

  constructor(private readonly programs: Programs) {
    const count = programs.type.length;
    this.parent = new Int32Array(count).fill(-1);
    this.order = new Int32Array(count).fill(-1);
    for (let p = 0; p < count; ++p) {
      for (const child of programs.children[p]!) {
        if (programs.type[p] === 'Call') {
          const list = this.callers.get(child) ?? [];
          list.push(p);
          this.callers.set(child, list);
        } else if (this.parent[child]! < 0) this.parent[child] = p;
      }
    }
    let next = 0;
    for (const root of [...programs.programs, ...programs.functions]) {
      const stack = [root];
      while (stack.length) {
        const at = stack.pop()!;
        if (this.order[at]! >= 0) continue;
        this.order[at] = next++;
        if (programs.type[at] !== 'Call')
          for (let i = programs.children[at]!.length - 1; i >= 0; --i) stack.push(programs.children[at]![i]!);
      }
    }
  }
  // From the root of its function down to the program.
  private chain(program: number): number[] {
    let found = this.chains.get(program);
    if (found) return found;
    found = [];
    for (let at = program; at >= 0 && found.length < 10000; at = this.parent[at]!) found.push(at);
    found.reverse();
    this.chains.set(program, found);
    return found;
  }
  private isLoop(program: number): boolean {
    return this.programs.type[program] === 'Repeat';
  }

  // The path of the next execution, given that of the one before.
  next(leaf: number, before: number[], depth = 0): number[] {
    const chain = this.chain(leaf),
      root = chain[0]!;
    for (let k = before.length - 1; k >= 0; --k) {
      if (before[k] !== root) continue;
      const within = before.slice(k);
      const last = within[Math.min(within.length - 1, chain.length - 1)]!;
      let common = 0;
      while (common < within.length && common < chain.length && within[common] === chain[common]) ++common;
      const forward =
        depth > 0 || this.order[leaf]! > this.order[last]! || chain.slice(0, common).some(p => this.isLoop(p)) || k === 0;
      if (forward) return [...before.slice(0, k), ...chain];
      break; // it runs again without a loop of its own: called anew
    }
    const callers = this.callers.get(root);
    if (!callers || depth > 30) return chain;
    let best: number[] | null = null;
    for (const call of callers) {
      const outer = this.next(call, before, depth + 1);
      const at = this.order[call]!,
        now = Math.max(-1, ...before.filter(p => this.chain(p)[0]! === this.chain(call)[0]!).map(p => this.order[p]!));
      if (!best) best = outer;
      if (at > now) {
        best = outer;
        break;
      }
    }
    return [...best!, ...chain];
  }
}

// Intervals of steps at every depth: [program, first step, last step].
export interface Frames {
  program: Int32Array;
  first: Int32Array;
  last: Int32Array;
  depth: Int32Array;
}

export function frames(programs: Programs, steps: number[], runs: { firstStep: number; numSteps: number }[]): Frames {
  const nesting = new Nesting(programs);
  const program: number[] = [],
    first: number[] = [],
    last: number[] = [],
    depth: number[] = [];
  const kept = new Map<string, number[]>();
  for (const run of runs) {
    let before: number[] = [];
    const open: number[] = []; // index of the frame at each depth
    for (let step = run.firstStep; step < run.firstStep + run.numSteps; ++step) {
      const outer = before.length > 1 ? before[0] : -1;
      const key = `${before.length ? before[before.length - 1] : -1},${steps[step]},${outer}`;
      let path = programs.functions.length ? undefined : kept.get(key);
      if (!path) {
        path = nesting.next(steps[step]!, before);
        kept.set(key, path);
      }
      let same = 0;
      while (same < path.length - 1 && same < before.length - 1 && path[same] === before[same]) ++same;
      for (let d = 0; d < same; ++d) last[open[d]!] = step;
      for (let d = same; d < path.length; ++d) {
        open[d] = program.length;
        program.push(path[d]!);
        first.push(step);
        last.push(step);
        depth.push(d);
      }
      before = path;
    }
  }
  return {
    program: Int32Array.from(program),
    first: Int32Array.from(first),
    last: Int32Array.from(last),
    depth: Int32Array.from(depth),
  };
}
