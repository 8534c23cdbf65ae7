// SPDX-License-Identifier: MIT
// The model's operations, or its layers, as a graph: one depends on another when it uses a variable the other touched last.
import type { View } from '../app';
import type { Operations } from '../data';
import { format, h, highest, num, svg, thousands } from '../dom';
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

function nodesOf(o: Operations, by: (i: number) => string): { nodes: Node[]; of: Map<number, number> } {
  const index = new Map<string, number>(),
    nodes: Node[] = [],
    of = new Map<number, number>();
  for (let i = 0; i < o.name.length; ++i) {
    if (!o.context[i]) continue; // made by nobody in particular
    const key = by(i);
    if (!index.has(key)) {
      index.set(key, nodes.length);
      nodes.push({
        name: key.replace(/#\d+$/, ''),
        members: [],
        cycles: 0,
        flops: 0,
        bytes: 0,
        first: Infinity,
        step: -1,
        rank: 0,
        column: 0,
      });
    }
    const at = index.get(key)!,
      node = nodes[at];
    of.set(i, at);
    node.members.push(i);
    node.cycles += o.cycles[i];
    node.flops += o.flops[i];
    node.bytes += o.bytes[i];
    node.first = Math.min(node.first, o.programs[i][0]);
    if (node.step < 0) node.step = o.firstStep[i];
  }
  return { nodes, of };
}

export const layers: View = async context => {
  const [o, graph] = await Promise.all([context.report.operations(), context.report.layers()]);
  const ways: [string, (i: number) => string][] = [
    ['operation', i => `${o.name[i]}#${i}`],
    ['layer', i => o.group[i] || o.name[i]],
    ['top layer', i => (o.group[i] || o.name[i]).split('/')[0]],
  ];
  const holder = h('div', { class: 'panel' });
  const width = 190,
    height = 40,
    gapX = 24,
    gapY = 30;
  const draw = (way: number): void => {
    const { nodes, of } = nodesOf(o, ways[way][1]);
    if (!nodes.length) {
      holder.replaceChildren(
        h('p', { class: 'soft' }, 'No operation is known. Set autoReport.outputDebugInfo (part of autoReport.all).'),
      );
      return;
    }
    const order = nodes.map((_, i) => i).sort((a, b) => nodes[a].first - nodes[b].first || a - b);
    const place = new Map(order.map((node, i) => [node, i]));
    const edges = new Map<string, [number, number, number]>();
    for (let i = 0; i < graph.edges.length; i += 3) {
      const from = of.get(graph.edges[i]),
        to = of.get(graph.edges[i + 1]);
      if (from === undefined || to === undefined || from === to || place.get(from)! >= place.get(to)!) continue;
      const key = `${from},${to}`,
        found = edges.get(key);
      if (found) found[2] += graph.edges[i + 2];
      else edges.set(key, [from, to, graph.edges[i + 2]]);
    }
    const before: number[][] = nodes.map(() => []);
    for (const [from, to] of edges.values()) before[to].push(from);
    for (const at of order)
      for (const from of before[at]) nodes[at].rank = Math.max(nodes[at].rank, nodes[from].rank + 1);
    const filled: number[] = [];
    for (const at of order) nodes[at].column = filled[nodes[at].rank] = (filled[nodes[at].rank] ?? -1) + 1;
    const x = (n: Node): number => n.column * (width + gapX) + 8,
      y = (n: Node): number => n.rank * (height + gapY) + 8;
    const most = highest(
      nodes.map(n => n.cycles),
      1,
    );
    const picture = svg('svg', {
      width: highest(nodes.map(x)) + width + 16,
      height: highest(nodes.map(y)) + height + 16,
      role: 'img',
      'aria-label': 'graph of layers',
    });
    for (const [from, to, bytes] of edges.values()) {
      const a = nodes[from],
        b = nodes[to],
        x1 = x(a) + width / 2,
        y1 = y(a) + height,
        x2 = x(b) + width / 2,
        y2 = y(b);
      picture.append(
        svg('path', {
          class: 'edge',
          d: `M${x1},${y1} C${x1},${y1 + gapY} ${x2},${y2 - gapY} ${x2},${y2}`,
          'stroke-width': 1 + Math.min(5, Math.log10(1 + bytes) / 2),
        }),
      );
    }
    nodes.forEach(n => {
      const share = Math.sqrt(n.cycles / most);
      const label = n.name.length > 28 ? `…${n.name.slice(-27)}` : n.name;
      const box = svg('rect', {
        x: x(n),
        y: y(n),
        width,
        height,
        rx: 6,
        fill: `hsl(${45 - 45 * share} ${20 + 70 * share}% ${78 - 22 * share}%)`,
      });
      const one = svg('text', { x: x(n) + 8, y: y(n) + 16 }, label),
        two = svg('text', { x: x(n) + 8, y: y(n) + 32 }, `${thousands(n.cycles)} cycles`);
      one.style.fill = two.style.fill = '#1b2230';
      const element = svg('g', { class: 'node', tabindex: 0 }, box, one, two);
      element.addEventListener('pointermove', e =>
        showTip(
          e.clientX,
          e.clientY,
          tipTable([
            ['', n.name],
            ['cycles', format(n.cycles, 'count')],
            ['of all', format(n.cycles / Math.max(1, o.totalCycles), 'share')],
            ['FLOP', format(n.flops, 'count')],
            ['bytes exchanged', format(n.bytes, 'bytes')],
            ['operations', String(n.members.length)],
          ]),
        ),
      );
      element.addEventListener('pointerleave', hideTip);
      element.addEventListener('click', () =>
        context.go(n.step >= 0 ? 'trace' : 'programs', n.step >= 0 ? n.step : n.first),
      );
      picture.append(element);
    });
    const scroll = h('div', {}, picture);
    scroll.style.overflow = 'auto';
    scroll.style.maxHeight = '72vh';
    holder.replaceChildren(
      h(
        'p',
        { class: 'soft' },
        num('layers.nodes', nodes.length),
        ' nodes; redder is more cycles; thicker is more bytes',
      ),
      scroll,
    );
  };
  const first = o.name.length > 120 ? 1 : 0;
  draw(first);
  return h(
    'div',
    {},
    h('h2', {}, 'Layers'),
    h(
      'div',
      { class: 'bar' },
      h(
        'label',
        {},
        'One node per ',
        h(
          'select',
          { onchange: (e: Event) => draw(Number((e.target as HTMLSelectElement).value)) },
          ways.map(([name], i) => h('option', { value: i, selected: i === first }, name)),
        ),
      ),
    ),
    holder,
  );
};
