// SPDX-License-Identifier: MIT
// The model's operations, or its layers, as a graph: one depends on another when it uses a variable the other touched
// last. Beside another report the colour is that of the change.
import type { View } from '../app';
import type { Operations } from '../data';
import { changeText, format, h, highest, num, paired, percentOf, svg, thousands } from '../dom';
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

function nodesOf(o: Operations, by: (o: Operations, i: number) => string): { nodes: Node[]; of: Map<number, number> } {
  const index = new Map<string, number>(),
    nodes: Node[] = [],
    of = new Map<number, number>();
  for (let i = 0; i < o.name.length; ++i) {
    if (!o.context[i]) continue; // made by nobody in particular
    const key = by(o, i);
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
  const [o, graph, second] = await Promise.all([
    context.report.operations(),
    context.report.layers(),
    context.other?.operations(),
  ]);
  const ways: [string, (of: Operations, i: number) => string][] = [
    ['operation', (of, i) => `${of.name[i]}#${i}`],
    ['layer', (of, i) => of.group[i] || of.name[i]],
    ['top layer', (of, i) => (of.group[i] || of.name[i]).split('/')[0]],
  ];
  const holder = h('div', { class: 'panel' });
  const width = 190,
    height = 40,
    gapX = 24,
    gapY = 30;
  const draw = (way: number): void => {
    const { nodes, of } = nodesOf(o, ways[way][1]);
    const others = second ? nodesOf(second, ways[way][1]).nodes : null;
    const pairs =
      others &&
      paired(
        nodes.map(n => n.name),
        others.map(n => n.name),
      );
    const otherOf = (n: number): number | undefined => others?.[pairs![n]]?.cycles;
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
    nodes.forEach((n, index) => {
      const share = Math.sqrt(n.cycles / most),
        other = otherOf(index);
      // Between halved and doubled.
      const growth = other === undefined ? 0 : Math.max(-1, Math.min(1, Math.log2((other + 1) / (n.cycles + 1))));
      const label = n.name.length > 28 ? `…${n.name.slice(-27)}` : n.name;
      const box = svg('rect', {
        x: x(n),
        y: y(n),
        width,
        height,
        rx: 6,
        fill: second
          ? `hsl(${growth > 0 ? 5 : 140} ${80 * Math.abs(growth)}% ${80 - 15 * Math.abs(growth)}%)`
          : `hsl(${45 - 45 * share} ${20 + 70 * share}% ${78 - 22 * share}%)`,
      });
      const one = svg('text', { x: x(n) + 8, y: y(n) + 16 }, label),
        two = svg('text', { x: x(n) + 8, y: y(n) + 32 }, `${thousands(n.cycles)} cycles`);
      if (other !== undefined) {
        const key = { 'data-key': `layer.${index}.cycles.change`, 'data-v': other - n.cycles };
        two.append(svg('tspan', key, ` ${percentOf(n.cycles, other) || changeText(other - n.cycles, 'cycles')}`));
      }
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
            ...(other === undefined
              ? []
              : ([
                  ['other', format(other, 'count')],
                  ['change', changeText(other - n.cycles, 'cycles')],
                ] as [string, string][])),
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
        second
          ? ' nodes; red takes longer in the other report, green less long; thicker is more bytes'
          : ' nodes; redder is more cycles; thicker is more bytes',
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
