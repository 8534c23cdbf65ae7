// SPDX-License-Identifier: MIT
import type { Entry, View } from '../app';
import type { Programs } from '../data';
import { kindColour } from '../app';
import { kinds } from '../data';
import { changed, clear, h, num, paired, thousands, timed } from '../dom';
import { keep } from '../keep';
import { programDetails } from './programdetails';

interface Node {
  program: number;
  path: string;
  depth: number;
  title?: string;
}

// The tree with what is open, as rows; only the visible ones are elements.
class Tree {
  readonly element = h('div', { class: 'grid', tabindex: 0, role: 'tree' });
  private readonly body = h('div', {});
  private rows: Node[] = [];
  private readonly open = new Set<string>();
  selected = '';
  private text = '';
  private readonly height = 26;

  constructor(
    private readonly programs: Programs,
    private readonly select: (program: number) => void,
    private readonly others: { programs: Programs; of: Int32Array } | null,
  ) {
    this.element.append(this.body);
    this.element.style.height = '640px';
    this.body.style.position = 'relative';
    this.element.addEventListener('scroll', () => this.render());
    this.element.addEventListener('keydown', event => this.key(event));
    new ResizeObserver(() => this.render()).observe(this.element);
    this.unfold();
    keep(
      'tree',
      this.element,
      () => ({ open: [...this.open], selected: this.selected }),
      kept => this.restore(kept),
    );
  }
  private restore(kept: { open: string[]; selected: string }): void {
    this.open.clear();
    for (const path of kept.open) this.open.add(path);
    this.flatten();
    const node = this.rows.find(r => r.path === kept.selected);
    if (node) this.pick(node);
    this.render();
  }
  private roots(): Node[] {
    const { programs, functions } = this.programs;
    return [
      ...programs.map((program, i) => ({ program, path: `p${i}`, depth: 0, title: `Program ${i}` })),
      ...functions.map((program, i) => ({ program, path: `f${i}`, depth: 0, title: `Function ${i}` })),
    ];
  }
  private children(node: Node): Node[] {
    return this.programs.children[node.program]!.map((program, i) => ({
      program,
      path: `${node.path}.${i}`,
      depth: node.depth + 1,
    }));
  }
  // Levels are opened as long as there are not too many rows.
  private unfold(): void {
    let level = this.roots(),
      count = level.length;
    while (level.length) {
      const next = level.flatMap(node => this.children(node));
      if (count + next.length > 300) break;
      for (const node of level) this.open.add(node.path);
      count += next.length;
      level = next;
    }
    this.flatten();
  }
  private flatten(): void {
    timed('tree', () => {
      this.rows = [];
      const stack = this.roots().reverse();
      while (stack.length) {
        const node = stack.pop()!;
        this.rows.push(node);
        if (this.open.has(node.path)) stack.push(...this.children(node).reverse());
      }
      this.render();
    });
  }
  all(open: boolean): void {
    this.open.clear();
    if (open) {
      const stack = this.roots();
      while (stack.length && this.open.size < 200000) {
        const node = stack.pop()!;
        const below = this.children(node);
        if (below.length) {
          this.open.add(node.path);
          stack.push(...below);
        }
      }
    }
    this.flatten();
  }
  private toggle(path: string): void {
    if (!this.open.delete(path)) this.open.add(path);
    this.flatten();
  }
  private name(program: number): string {
    return this.programs.names[this.programs.name[program]!]!;
  }

  // The next program whose name, type or id has the text, wherever it is folded away.
  search(text: string, back: boolean): number {
    this.text = text.toLowerCase();
    const matches: Node[] = [];
    const stack = this.roots().reverse();
    for (let seen = 0; stack.length && seen < 500000; ++seen) {
      const node = stack.pop()!;
      if (this.matches(node.program)) matches.push(node);
      stack.push(...this.children(node).reverse());
    }
    if (!matches.length) {
      this.render();
      return 0;
    }
    const at = matches.findIndex(m => m.path === this.selected);
    this.reveal(matches[(at + (back ? -1 : 1) + matches.length) % matches.length]!);
    return matches.length;
  }
  private matches(program: number): boolean {
    return (
      this.text !== '' &&
      (`${this.programs.type[program]} ${this.name(program)}`.toLowerCase().includes(this.text) ||
        String(program) === this.text)
    );
  }
  reveal(node: Node): void {
    for (let dot = node.path.indexOf('.'); dot >= 0; dot = node.path.indexOf('.', dot + 1))
      this.open.add(node.path.slice(0, dot));
    this.flatten();
    this.pick(node);
    this.element.scrollTop = Math.max(
      0,
      this.rows.findIndex(r => r.path === node.path) * this.height - this.element.clientHeight / 2,
    );
    this.render();
  }
  find(program: number): void {
    const stack = this.roots().reverse();
    for (let seen = 0; stack.length && seen < 500000; ++seen) {
      const node = stack.pop()!;
      if (node.program === program) {
        this.reveal(node);
        return;
      }
      stack.push(...this.children(node).reverse());
    }
  }
  private pick(node: Node): void {
    this.selected = node.path;
    this.select(node.program);
    this.render();
  }
  private key(event: KeyboardEvent): void {
    const at = this.rows.findIndex(r => r.path === this.selected),
      node = this.rows[at];
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
    if (by) {
      const next = this.rows[Math.min(this.rows.length - 1, Math.max(0, at + by))]!;
      this.element.scrollTop = Math.max(0, this.rows.indexOf(next) * this.height - this.element.clientHeight / 2);
      this.pick(next);
    } else if (node && event.key === 'ArrowRight' && !this.open.has(node.path)) this.toggle(node.path);
    else if (node && event.key === 'ArrowLeft' && this.open.has(node.path)) this.toggle(node.path);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  private render(): void {
    this.body.style.height = `${this.rows.length * this.height}px`;
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.height) - 4),
      last = Math.min(
        this.rows.length,
        Math.ceil((this.element.scrollTop + this.element.clientHeight) / this.height) + 4,
      );
    clear(
      this.body,
      this.rows.slice(first, last).map((node, i) => this.row(node, first + i)),
    );
  }
  // What the other report has in its place, and the difference.
  private change(id: number): HTMLElement[] {
    const { programs, of } = this.others!;
    const mine = this.programs.totalCycles[id]!,
      other = of[id]! < 0 ? 0 : programs.totalCycles[of[id]!]!;
    const cell = (content: HTMLElement | string) => h('span', { class: 'right' }, content);
    if (of[id]! < 0) return [cell(mine ? '–' : ''), cell('')];
    if (!mine && !other) return [cell(''), cell('')];
    return [cell(num(`tree.${id}.other`, other, 'cycles')), cell(changed(`tree.${id}`, mine, other, 'cycles', false))];
  }
  private row(node: Node, index: number): HTMLElement {
    const p = this.programs,
      id = node.program,
      folded = p.children[id]!.length;
    const dot = h('i', { class: 'dot' });
    dot.style.background = kindColour(kinds[p.kind[id]!]!);
    const text = `${p.type[id]}${p.count[id] ? ` ×${p.count[id]}` : ''} `;
    const name = this.matches(id) ? h('mark', {}, this.name(id) || p.type[id]) : h('b', {}, this.name(id));
    const line = h(
      'span',
      {},
      h(
        'span',
        {
          class: 'twist',
          onclick: (e: Event) => {
            e.stopPropagation();
            this.toggle(node.path);
          },
        },
        folded ? (this.open.has(node.path) ? '▾' : '▸') : '',
      ),
      dot,
      node.title ? `${node.title}: ` : '',
      text,
      name,
      h('span', { class: 'soft' }, ` (Id: ${id})`),
    );
    line.style.paddingLeft = `${node.depth * 16}px`;
    const row = h(
      'div',
      {
        class: 'row',
        role: 'treeitem',
        'aria-level': node.depth + 1,
        'aria-expanded': folded ? this.open.has(node.path) : undefined,
        'aria-selected': node.path === this.selected,
        'data-program': id,
        onclick: () => this.pick(node),
        ondblclick: () => folded && this.toggle(node.path),
      },
      line,
      h('span', { class: 'right' }, p.totalCycles[id] ? num(`tree.${id}`, p.totalCycles[id]!, 'cycles') : ''),
      this.others ? this.change(id) : null,
    );
    row.style.gridTemplateColumns = this.others ? 'minmax(180px, 1fr) 95px 95px 95px' : 'minmax(300px, 1fr) 120px';
    row.style.top = `${index * this.height}px`;
    return row;
  }
}

// Programs of two reports that are the same: of one type and name, in the same order.
export function pairedPrograms(mine: Programs, other: Programs): Int32Array {
  const names = (p: Programs) => p.type.map((type, i) => `${type} ${p.names[p.name[i]!]}`);
  return paired(names(mine), names(other));
}

const programs: View = async context => {
  const [data, second] = await Promise.all([context.report.programs(), context.other?.programs()]);
  const others = second ? { programs: second, of: pairedPrograms(data, second) } : null;
  const details = h('div', {}, h('p', { class: 'soft' }, 'Select a program.'));
  const select = async (id: number): Promise<void> => {
    context.mark(id);
    try {
      clear(details, await programDetails(context, id, others ? others.of[id] : -1));
    } catch (error) {
      clear(details, h('p', { class: 'error' }, (error as Error).message));
    }
  };
  const tree = new Tree(data, id => void select(id), others);
  const count = h('span', { class: 'soft', 'aria-live': 'polite' });
  const run = (back: boolean): void => {
    const found = tree.search(field.value, back);
    count.textContent = field.value ? `${thousands(found)} found` : '';
  };
  const field: HTMLInputElement = h('input', {
    type: 'search',
    placeholder: 'Search name, type or id; Enter: next',
    onkeydown: (e: KeyboardEvent) => {
      if (e.key === 'Enter') run(e.shiftKey);
    },
  });
  if (context.target >= 0) setTimeout(() => tree.find(context.target));
  return h(
    'div',
    {},
    h('h2', {}, 'Program tree'),
    h(
      'div',
      { class: 'bar' },
      field,
      h('button', { onclick: () => run(true) }, '↑'),
      h('button', { onclick: () => run(false) }, '↓'),
      count,
      h('button', { onclick: () => tree.all(true) }, 'Expand all'),
      h('button', { onclick: () => tree.all(false) }, 'Collapse all'),
      h(
        'span',
        { class: 'soft' },
        `${thousands(data.type.length)} programs; on the right: cycles in all runs`,
        others ? ', those of the other report, and the change' : '',
      ),
    ),
    h('div', { class: 'split' }, tree.element, details),
  );
};

export const entry: Entry = { name: 'programs', title: 'Program tree', place: 50, of: 'Graph', view: programs };
