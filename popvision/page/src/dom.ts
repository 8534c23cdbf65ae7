// SPDX-License-Identifier: MIT
// Making elements, and writing numbers. A number that comes from a report carries its key and its exact value, so that
// tests can read them off the page.

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each event has its own type
type Listener = (event: any) => void;
type Child = Node | string | number | null | undefined | false | Child[];
type Attributes = Record<string, string | number | boolean | Listener | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  append(element, children);
  return element;
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== false) element.append(String(child));
  }
}

export function clear(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

// Two columns: what, and its value.
export function tableOf(rows: [string, Child][]): HTMLElement {
  return h(
    'table',
    {},
    rows.map(([name, value]) => h('tr', {}, h('td', {}, name), h('td', {}, value))),
  );
}

// A line of a table that compares: what, then the cells of compared().
export function comparedRow(title: string, ...cells: Parameters<typeof compared>): HTMLElement {
  return h('tr', {}, h('td', {}, title), compared(...cells));
}
// A part that opens, with a table in it.
export function folded(title: string, rows: Child, attributes: Attributes = {}): HTMLElement {
  return h('details', attributes, h('summary', {}, title), h('table', {}, rows));
}

// ---- fields ----

// options: values, or pairs of value and text.
export function chooser(
  options: (string | [string, string])[],
  choose: (value: string) => void,
  attributes: Attributes = {},
): HTMLSelectElement {
  const select: HTMLSelectElement = h('select', { ...attributes, onchange: () => choose(select.value) });
  for (const option of options) {
    const [value, text] = typeof option === 'string' ? [option, option] : option;
    select.append(h('option', { value }, text));
  }
  return select;
}
export function tickBox(label: string, checked: boolean, change: (checked: boolean) => void): HTMLElement {
  const box: HTMLInputElement = h('input', { type: 'checkbox', checked, onchange: () => change(box.checked) });
  return h('label', {}, box, ` ${label}`);
}
export function filterField(placeholder: string, change: (text: string) => void): HTMLInputElement {
  const field: HTMLInputElement = h('input', { type: 'search', placeholder, oninput: () => change(field.value) });
  return field;
}
// enter: what Enter does with the text.
export function searchField(
  placeholder: string,
  enter: (text: string, back: boolean) => void,
  attributes: Attributes = {},
): HTMLInputElement {
  const onkeydown = (e: KeyboardEvent): void => {
    if (e.key === 'Enter') enter(field.value, e.shiftKey);
  };
  const field: HTMLInputElement = h('input', { type: 'search', placeholder, onkeydown, ...attributes });
  return field;
}

const svgSpace = 'http://www.w3.org/2000/svg';
export function svg(
  tag: string,
  attributes: Record<string, string | number> = {},
  ...children: (Node | string)[]
): SVGElement {
  const element = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

// ---- numbers ----

export type Unit =
  | 'bytes'
  | 'cycles'
  | 'count'
  | 'share'
  | 'seconds'
  | 'text'
  | 'flops'
  | 'flopspeed'
  | 'number'
  | 'times'
  | 'ns'
  | 'watts'
  | 'hertz'
  | 'joules';
const memoryUnits = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
export type MemoryUnit = 'auto' | keyof typeof memoryUnits;
export const memoryUnitNames = ['auto', ...Object.keys(memoryUnits)];
let memoryUnit = (localStorageGet('unit') as MemoryUnit | null) ?? 'auto';
export function setMemoryUnit(unit: MemoryUnit): void {
  memoryUnit = unit;
  localStorageSet('unit', unit);
}
export function getMemoryUnit(): string {
  return memoryUnit;
}
// The largest unit of which there is at least one.
function fitting(bytes: number): keyof typeof memoryUnits {
  if (bytes < 1024) return 'B';
  return bytes < 1024 ** 2 ? 'KiB' : bytes < 1024 ** 3 ? 'MiB' : 'GiB';
}
function unitFor(bytes: number): keyof typeof memoryUnits {
  return memoryUnit === 'auto' ? fitting(Math.abs(bytes)) : memoryUnit;
}
// What an axis up to a value counts in.
export function axisUnit(high: number, unit: Unit): number {
  return unit === 'bytes' ? memoryUnits[unitFor(high)] : 1;
}
function memoryText(bytes: number): string {
  const unit = unitFor(bytes);
  return unit === 'B' ? `${thousands(bytes)} B` : `${(bytes / memoryUnits[unit]).toFixed(unit === 'KiB' ? 1 : 2)} ${unit}`;
}

// An exported page may stand where nothing can be stored.
export function localStorageGet(key: string): string | null {
  try {
    return localStorage.getItem(`popvision.${key}`);
  } catch {
    return null;
  }
}
export function localStorageSet(key: string, value: string): void {
  try {
    localStorage.setItem(`popvision.${key}`, value);
  } catch {
    /* then not */
  }
}

export function thousands(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}
function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
export function prefixed(value: number, unit: string): string {
  if (value === 0) return `0 ${unit}`;
  const names = ['p', 'n', 'µ', 'm', '', 'k', 'M', 'G', 'T', 'P'];
  const power = Math.max(-4, Math.min(5, Math.floor(Math.log10(Math.abs(value)) / 3)));
  return `${digits(value / 1000 ** power)} ${names[power + 4]}${unit}`;
}
export function format(value: number, unit: Unit): string {
  switch (unit) {
    case 'bytes':
      return memoryText(value);
    case 'share':
      return `${(100 * value).toFixed(1)} %`;
    case 'seconds':
      return prefixed(value, 's');
    case 'ns':
      return prefixed(value / 1e9, 's');
    case 'flops':
      return prefixed(value, 'FLOP');
    case 'flopspeed':
      return prefixed(value, 'FLOP/s');
    case 'number':
      return digits(value);
    case 'joules':
      return prefixed(value, 'J');
    case 'hertz':
      return prefixed(value, 'Hz');
    case 'watts':
      return `${digits(value)} W`;
    case 'times':
      return `${value.toFixed(2)} ×`;
    default:
      return thousands(value);
  }
}

export function num(key: string, value: number, unit: Unit = 'count'): HTMLElement {
  const title = unit === 'bytes' ? `${thousands(value)} B` : undefined; // exactly
  return h('span', { class: 'num', title, 'data-key': key, 'data-v': value }, format(value, unit));
}

export function percentOf(value: number, other: number): string {
  return value && other !== value ? `${other > value ? '+' : ''}${((100 * (other - value)) / value).toFixed(1)} %` : '';
}
export function grown(change: number): string {
  return change > 0 ? 'grown' : change < 0 ? 'shrunk' : 'same';
}
export function changeText(change: number, unit: Unit): string {
  return change === 0 ? '0' : `${change > 0 ? '+' : '−'}${format(Math.abs(change), unit)}`;
}
// How the other report's value differs.
export function changed(key: string, value: number, other: number, unit: Unit = 'count', share = true): HTMLElement {
  const change = other - value,
    percent = share ? percentOf(value, other) : '';
  return h(
    'span',
    { class: `num ${grown(change)}`, 'data-key': `${key}.change`, 'data-v': change },
    h('span', {}, changeText(change, unit)),
    percent ? [' ', h('span', {}, `(${percent})`)] : null,
  );
}
// A value, and beside it the other report's and the difference when there is one.
export function compared(key: string, value: number, other: number | undefined, unit: Unit = 'count'): Child[] {
  const cells: Child[] = [h('td', {}, num(key, value, unit))];
  if (other === undefined) return cells;
  cells.push(h('td', {}, num(`${key}.other`, other, unit)));
  cells.push(h('td', {}, changed(key, value, other, unit)));
  return cells;
}
// Which of the other's names each of ours is: the first of a name is the first, the second the second. -1: none.
export function paired(names: ArrayLike<string>, others: ArrayLike<string>): Int32Array {
  const free = new Map<string, number[]>();
  for (let i = others.length - 1; i >= 0; --i) {
    const list = free.get(others[i]!);
    if (list) list.push(i);
    else free.set(others[i]!, [i]);
  }
  return Int32Array.from(names, name => free.get(name)?.pop() ?? -1);
}

// Of lists too long to be arguments of Math.max.
export function highest(values: ArrayLike<number>, least = -Infinity): number {
  let high = least;
  for (let i = 0; i < values.length; ++i) if (values[i]! > high) high = values[i]!;
  return high;
}
export function lowest(values: ArrayLike<number>, most = Infinity): number {
  let low = most;
  for (let i = 0; i < values.length; ++i) if (values[i]! < low) low = values[i]!;
  return low;
}

export function debounce(work: () => void, wait: number): () => void {
  let timer = 0;
  return () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(work, wait);
  };
}

// How long each reaction to the user took, for the bench.
export const reactions: { what: string; ms: number }[] = [];
export function timed<T>(what: string, work: () => T): T {
  const begin = performance.now();
  const result = work();
  reactions.push({ what, ms: performance.now() - begin });
  if (reactions.length > 5000) reactions.splice(0, 2500);
  return result;
}
