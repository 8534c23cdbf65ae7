// SPDX-License-Identifier: MIT
// A canvas that is as sharp as the screen and follows its width, and a tool tip.
import { h, clear } from './dom';

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || '#888';
}

// Colours that stay apart, for categories and channels.
const palette = [
  '#4e79a7',
  '#f28e2b',
  '#e15759',
  '#76b7b2',
  '#59a14f',
  '#edc948',
  '#b07aa1',
  '#ff9da7',
  '#9c755f',
  '#8cd17d',
  '#86bcb6',
  '#d37295',
  '#a0cbe8',
  '#b6992d',
  '#499894',
  '#f1ce63',
];
export function paletteColour(index: number): string {
  return palette[index % palette.length]!;
}
export function textColour(text: string): string {
  let hash = 7;
  for (let i = 0; i < text.length; ++i) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  return paletteColour(Math.abs(hash));
}

// Of texts in plots: it grows with that of the page (style.css), as far as rows of a flame graph have room.
export function plotFont(): string {
  return `${window.matchMedia('(min-width: 2400px)').matches ? 13 : 11}px system-ui, sans-serif`;
}

export class Surface {
  readonly element = h('canvas', { tabindex: 0 });
  readonly context: CanvasRenderingContext2D;
  width = 0;
  private pending = false;
  private observer: ResizeObserver;

  constructor(
    public height: number,
    private readonly draw: () => void,
  ) {
    this.context = this.element.getContext('2d')!;
    this.element.style.height = `${height}px`;
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.element);
  }
  setHeight(height: number): void {
    this.height = height;
    this.element.style.height = `${height}px`;
    this.fit();
  }
  private fit(): void {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.element.clientWidth;
    if (!this.width) return;
    this.element.width = Math.round(this.width * ratio);
    this.element.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw();
  }
  // Once per frame, however often it is asked for.
  request(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      if (this.width) this.draw();
    });
  }
}

const tip = h('div', { class: 'tip', role: 'tooltip', hidden: true });
export function showTip(x: number, y: number, ...content: (Node | string)[]): void {
  if (!tip.isConnected) document.body.append(tip);
  clear(tip, ...content);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, x + 16 + box.width > innerWidth ? x - box.width - 14 : x + 16)}px`;
  tip.style.top = `${Math.max(4, y + 14 + box.height > innerHeight ? y - box.height - 10 : y + 14)}px`;
}
export function hideTip(): void {
  tip.hidden = true;
}
export function tipTable(rows: [string, string][]): HTMLElement {
  return h(
    'table',
    {},
    rows.map(([name, value]) => h('tr', {}, h('td', { class: 'soft' }, name), h('td', {}, value))),
  );
}

// "Nice" marks for an axis: about `count` of them.
export function ticks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough) ?? power * 10;
  const marks: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) marks.push(value);
  return marks;
}
