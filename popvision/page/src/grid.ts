// SPDX-License-Identifier: MIT
// A table of any length: only the visible rows exist. Sorted by a click on a heading, filtered by a text, moved through
// with the arrow keys.
import { h, clear, timed } from './dom';
import { keep } from './keep';

export interface Column<Row> {
  title: string;
  hint?: string;
  width: string;
  right?: boolean;
  cell: (row: Row) => Node | string;
  sort?: (row: Row) => number | string;
  fill?: (row: Row) => number;
  colour?: string;
}
export interface GridOptions<Row> {
  columns: Column<Row>[];
  rows: Row[];
  height?: number;
  select?: (row: Row) => void;
  key?: (row: Row) => string;
  sorted?: number;
  ascending?: boolean;
  filter?: (row: Row, text: string) => boolean;
}

export class Grid<Row> {
  readonly element: HTMLElement;
  private readonly head: HTMLElement;
  private readonly body: HTMLElement;
  private shown: Row[] = [];
  private sortBy: number;
  private ascending: boolean;
  private text = '';
  selected: Row | null = null;
  readonly rowHeight = window.innerWidth >= 2400 ? 30 : 26;

  constructor(private readonly options: GridOptions<Row>) {
    this.sortBy = options.sorted ?? -1;
    this.ascending = options.ascending ?? false;
    this.head = h('div', { class: 'head', role: 'row' });
    this.body = h('div', { role: 'rowgroup' });
    this.body.style.position = 'relative';
    this.element = h('div', { class: 'grid', tabindex: 0, role: 'grid' }, this.head, this.body);
    this.element.style.height = `${options.height ?? 420}px`;
    this.element.addEventListener('scroll', () => this.render());
    this.element.addEventListener('keydown', event => this.key(event));
    new ResizeObserver(() => this.render()).observe(this.element);
    this.refresh();
    keep(
      'grid',
      this.element,
      () => (this.selected ? { name: this.name(this.selected), sort: this.sortBy, up: this.ascending } : null),
      kept => this.restore(kept),
    );
  }
  private name(row: Row): string {
    return String(this.options.key?.(row) ?? this.options.columns[0]!.sort?.(row));
  }
  private restore(kept: { name: string; sort: number; up: boolean }): void {
    this.sortBy = kept.sort;
    this.ascending = kept.up;
    this.refresh();
    const row = this.options.rows.find(r => this.name(r) === kept.name);
    if (row) this.pick(row);
  }
  setRows(rows: Row[]): void {
    this.options.rows = rows;
    this.refresh();
  }
  setFilter(text: string): void {
    this.text = text.toLowerCase();
    this.refresh();
  }
  get length(): number {
    return this.shown.length;
  }

  private refresh(): void {
    timed('table', () => {
      const { rows, filter, columns } = this.options;
      this.shown = this.text && filter ? rows.filter(row => filter(row, this.text)) : rows.slice();
      const sort = columns[this.sortBy]?.sort;
      if (sort) {
        const sign = this.ascending ? 1 : -1;
        const keyed = this.shown.map((row, index) => ({ row, key: sort(row), index }));
        keyed.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : a.index - b.index));
        this.shown = keyed.map(entry => entry.row);
      }
      this.heading();
      this.render();
    });
  }
  // So wide that every column has its least width: rows of any text then line up.
  private get least(): string {
    const pixels = this.options.columns.map(c => Number(/(\d+)px/.exec(c.width)?.[1] ?? 100));
    return `${pixels.reduce((a, b) => a + b, 0) + 10 * (pixels.length - 1) + 20}px`;
  }
  private get template(): string {
    return this.options.columns.map(c => c.width).join(' ');
  }
  private heading(): void {
    this.head.style.gridTemplateColumns = this.template;
    this.head.style.minWidth = this.body.style.minWidth = this.least;
    clear(
      this.head,
      this.options.columns.map((column, index) =>
        h(
          'span',
          {
            class: column.right ? 'right' : '',
            role: 'columnheader',
            title: column.hint ?? column.title,
            'aria-sort': index === this.sortBy ? (this.ascending ? 'ascending' : 'descending') : undefined,
            onclick: () => {
              this.ascending = this.sortBy === index ? !this.ascending : false;
              this.sortBy = index;
              this.refresh();
            },
          },
          column.title,
        ),
      ),
    );
  }
  private render(): void {
    const height = this.rowHeight;
    this.body.style.height = `${this.shown.length * height}px`;
    const first = Math.max(0, Math.floor(this.element.scrollTop / height) - 4);
    const last = Math.min(
      this.shown.length,
      Math.ceil((this.element.scrollTop + this.element.clientHeight) / height) + 4,
    );
    clear(
      this.body,
      Array.from({ length: Math.max(0, last - first) }, (_, i) => this.row(this.shown[first + i]!, first + i)),
    );
  }
  private row(row: Row, index: number): HTMLElement {
    const element = h(
      'div',
      {
        class: 'row',
        role: 'row',
        'aria-selected': row === this.selected,
        'data-row': this.options.key?.(row) ?? index,
        onclick: () => this.pick(row),
      },
      this.options.columns.map(column => {
        const cell = h('span', { role: 'gridcell', class: column.right ? 'right' : '' }, column.cell(row));
        if (typeof column.cell(row) === 'string') cell.title = cell.textContent ?? '';
        if (column.fill) {
          cell.classList.add('fill');
          const share = Math.min(1, Math.max(0, column.fill(row))) * 100;
          const tint = `color-mix(in srgb, ${column.colour ?? 'var(--accent)'} 30%, transparent)`;
          cell.style.backgroundImage = `linear-gradient(to left, ${tint} ${share}%, transparent ${share}%)`;
        }
        return cell;
      }),
    );
    element.style.gridTemplateColumns = this.template;
    element.style.top = `${index * this.rowHeight}px`;
    element.style.height = `${this.rowHeight}px`;
    return element;
  }
  pick(row: Row): void {
    timed('select', () => {
      this.selected = row;
      this.options.select?.(row);
      this.render();
    });
  }
  reveal(row: Row): void {
    const index = this.shown.indexOf(row);
    if (index >= 0) this.element.scrollTop = index * this.rowHeight - this.element.clientHeight / 2;
    this.pick(row);
  }
  private key(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }[event.key]!;
    if (!by || !this.shown.length) return;
    event.preventDefault();
    event.stopPropagation();
    const index = this.selected ? this.shown.indexOf(this.selected) : -1;
    this.reveal(this.shown[Math.min(this.shown.length - 1, Math.max(0, index + by))]!);
  }
}
