// SPDX-License-Identifier: MIT
// The model's operations, or its layers, as a graph: one depends on another when it uses a variable the other touched
// last. Beside another report the colour is that of the change.
import type { Context, Entry, View } from '../app';
import type { Layers, Operations } from '../data';
import { changeText, clear, format, h, highest, num, paired, percentOf, svg, thousands } from '../dom';
import { hideTip, showTip, tipTable } from '../canvas';

interface Node {
  name: string;
  members: number[];
  cycles: number;
  flops: number;
  bytes: number;
  first: number;
  step: number;
  rank: number;
  column: number;
}

type Grouping = (operations: Operations, i: number) => string;

function nodesOf(o: Operations, by: Grouping): { nodes: Node[]; of: Map<number, number> } {
  const index = new Map<string, number>(),
    nodes: Node[] = [],
    of = new Map<number, number>();
  for (let i = 0; i < o.name.length; ++i) {
    if (!o.context[i]) continue; // made by nobody in particular
    const key = by(o, i);
    if (!index.has(key)) {
      index.set(key, nodes.length);
      const sums = { cycles: 0, flops: 0, bytes: 0, first: Infinity, step: -1 };
      nodes.push({ name: key.replace(/#\d+$/, ''), members: [], ...sums, rank: 0, column: 0 });
    }
    const at = index.get(key)!,
      node = nodes[at]!;
    of.set(i, at);
    node.members.push(i);
    node.cycles += o.cycles[i]!;
    node.flops += o.flops[i]!;
    node.bytes += o.bytes[i]!;
    node.first = Math.min(node.first, o.programs[i]![0]!);
    if (node.step < 0) node.step = o.firstStep[i]!;
  }
  return { nodes, of };
}

const width = 190,
  height = 40,
  gapX = 24,
  gapY = 30;
const left = (node: Node): number => node.column * (width + gapX) + 8;
const top = (node: Node): number => node.rank * (height + gapY) + 8;

type Edge = [from: number, to: number, bytes: number];

// Edges between nodes, forwards in the order of the program; several between the same two are one.
function edgesOf(graph: Layers, of: Map<number, number>, place: number[]): Edge[] {
  const edges = new Map<string, Edge>();
  for (let i = 0; i < graph.edges.length; i += 3) {
    const from = of.get(graph.edges[i]!),
      to = of.get(graph.edges[i + 1]!);
    if (from === undefined || to === undefined || place[from]! >= place[to]!) continue;
    const found = edges.get(`${from},${to}`);
    if (found) found[2] += graph.edges[i + 2]!;
    else edges.set(`${from},${to}`, [from, to, graph.edges[i + 2]!]);
  }
  return [...edges.values()];
}

// Each node stands below all that it depends on, in the next free column.
function arrange(nodes: Node[], of: Map<number, number>, graph: Layers): Edge[] {
  const order = nodes.map((_, i) => i).sort((a, b) => nodes[a]!.first - nodes[b]!.first || a - b);
  const place: number[] = [];
  order.forEach((node, i) => (place[node] = i));
  const edges = edgesOf(graph, of, place);
  const before: number[][] = nodes.map(() => []);
  for (const [from, to] of edges) before[to]!.push(from);
  const filled: number[] = [];
  for (const at of order) {
    const node = nodes[at]!;
    node.rank = before[at]!.reduce((rank, from) => Math.max(rank, nodes[from]!.rank + 1), 0);
    node.column = filled[node.rank] = (filled[node.rank] ?? -1) + 1;
  }
  return edges;
}

function edgePath(from: Node, to: Node, bytes: number): SVGElement {
  const x1 = left(from) + width / 2,
    y1 = top(from) + height,
    x2 = left(to) + width / 2,
    y2 = top(to);
  return svg('path', {
    class: 'edge',
    d: `M${x1},${y1} C${x1},${y1 + gapY} ${x2},${y2 - gapY} ${x2},${y2}`,
    'stroke-width': 1 + Math.min(5, Math.log10(1 + bytes) / 2),
  });
}

// The graph of one way to group operations, with the other report's cycles where there are some.
class Picture {
  readonly nodes: Node[];
  private readonly edges: Edge[];
  private readonly others: (number | undefined)[];
  private readonly most: number;

  constructor(
    private readonly context: Context,
    private readonly operations: Operations,
    private readonly second: Operations | undefined,
    graph: Layers,
    by: Grouping,
  ) {
    const { nodes, of } = nodesOf(operations, by);
    const others = second ? nodesOf(second, by).nodes : [];
    const names = (list: Node[]): string[] => list.map(n => n.name);
    const pairs = paired(names(nodes), names(others));
    this.nodes = nodes;
    this.others = nodes.map((_, n) => others[pairs[n]!]?.cycles);
    this.edges = arrange(nodes, of, graph);
    this.most = highest(
      nodes.map(n => n.cycles),
      1,
    );
  }
  draw(): SVGElement {
    const picture = svg('svg', {
      width: highest(this.nodes.map(left)) + width + 16,
      height: highest(this.nodes.map(top)) + height + 16,
      role: 'img',
      'aria-label': 'graph of layers',
    });
    for (const [from, to, bytes] of this.edges) picture.append(edgePath(this.nodes[from]!, this.nodes[to]!, bytes));
    this.nodes.forEach((node, i) => picture.append(this.box(node, i)));
    return picture;
  }
  private fill(cycles: number, other: number | undefined): string {
    const share = Math.sqrt(cycles / this.most);
    if (!this.second) return `hsl(${45 - 45 * share} ${20 + 70 * share}% ${78 - 22 * share}%)`;
    // Between halved and doubled.
    const growth = other === undefined ? 0 : Math.max(-1, Math.min(1, Math.log2((other + 1) / (cycles + 1))));
    return `hsl(${growth > 0 ? 5 : 140} ${80 * Math.abs(growth)}% ${80 - 15 * Math.abs(growth)}%)`;
  }
  private box(node: Node, index: number): SVGElement {
    const other = this.others[index],
      x = left(node),
      y = top(node);
    const box = svg('rect', { x, y, width, height, rx: 6, fill: this.fill(node.cycles, other) });
    const label = node.name.length > 28 ? `…${node.name.slice(-27)}` : node.name;
    const one = svg('text', { x: x + 8, y: y + 16 }, label),
      two = svg('text', { x: x + 8, y: y + 32 }, `${thousands(node.cycles)} cycles`);
    if (other !== undefined) {
      const key = { 'data-key': `layer.${index}.cycles.change`, 'data-v': other - node.cycles };
      const change = percentOf(node.cycles, other) || changeText(other - node.cycles, 'cycles');
      two.append(svg('tspan', key, ` ${change}`));
    }
    one.style.fill = two.style.fill = '#1b2230';
    const element = svg('g', { class: 'node', tabindex: 0 }, box, one, two);
    element.addEventListener('pointermove', e => showTip(e.clientX, e.clientY, tipTable(this.facts(node, other))));
    element.addEventListener('pointerleave', hideTip);
    element.addEventListener('click', () =>
      this.context.go(node.step >= 0 ? 'trace' : 'programs', node.step >= 0 ? node.step : node.first),
    );
    return element;
  }
  private facts(node: Node, other: number | undefined): [string, string][] {
    const change: [string, string][] =
      other === undefined
        ? []
        : [
            ['other', format(other, 'count')],
            ['change', changeText(other - node.cycles, 'cycles')],
          ];
    return [
      ['', node.name],
      ['cycles', format(node.cycles, 'count')],
      ['of all', format(node.cycles / Math.max(1, this.operations.totalCycles), 'share')],
      ...change,
      ['FLOP', format(node.flops, 'count')],
      ['bytes exchanged', format(node.bytes, 'bytes')],
      ['operations', String(node.members.length)],
    ];
  }
}

const ways: [string, Grouping][] = [
  ['operation', (of, i) => `${of.name[i]}#${i}`],
  ['layer', (of, i) => of.group[i]! || of.name[i]!],
  ['top layer', (of, i) => (of.group[i]! || of.name[i]!).split('/')[0]!],
];

const layers: View = async context => {
  const [operations, graph, second] = await Promise.all([
    context.report.operations(),
    context.report.layers(),
    context.other?.operations(),
  ]);
  const holder = h('div', { class: 'panel' });
  const draw = (way: number): void => {
    const picture = new Picture(context, operations, second, graph, ways[way]![1]);
    const none = 'No operation is known. Set autoReport.outputDebugInfo (part of autoReport.all).';
    const meaning = second
      ? ' nodes; red takes longer in the other report, green less long; thicker is more bytes'
      : ' nodes; redder is more cycles; thicker is more bytes';
    if (!picture.nodes.length) clear(holder, h('p', { class: 'soft' }, none));
    else
      clear(
        holder,
        h('p', { class: 'soft' }, num('layers.nodes', picture.nodes.length), meaning),
        h('div', { class: 'scrolled' }, picture.draw()),
      );
  };
  const first = operations.name.length > 120 ? 1 : 0;
  draw(first);
  const onchange = (e: Event): void => draw(Number((e.target as HTMLSelectElement).value));
  const options = ways.map(([name], i) => h('option', { value: i, selected: i === first }, name));
  const choice = h('label', {}, 'One node per ', h('select', { onchange }, options));
  return h('div', {}, h('h2', {}, 'Layers'), h('div', { class: 'bar' }, choice), holder);
};

export const entry: Entry = { name: 'layers', title: 'Layers', place: 90, of: 'Graph', view: layers };
