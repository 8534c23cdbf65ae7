// SPDX-License-Identifier: MIT
// The part of an axis that is visible, and the ways to move it: wheel (at the pointer), drag, double click, keys.
import { timed } from './dom';
import { keep } from './keep';

export class Range {
  low: number;
  high: number;
  constructor(
    public min: number,
    public max: number,
    public least: number,
    private readonly changed: () => void,
  ) {
    this.low = min;
    this.high = max;
  }
  get span(): number {
    return this.high - this.low;
  }
  set(low: number, high: number): void {
    const span = Math.min(Math.max(high - low, this.least), this.max - this.min);
    this.low = Math.min(Math.max(low, this.min), this.max - span);
    this.high = this.low + span;
    this.changed();
  }
  zoom(factor: number, at: number): void {
    const span = Math.min(Math.max(this.span * factor, this.least), this.max - this.min);
    const share = this.span ? (at - this.low) / this.span : 0.5;
    this.set(at - share * span, at - share * span + span);
  }
  pan(share: number): void {
    this.set(this.low + share * this.span, this.high + share * this.span);
  }
  reset(): void {
    this.set(this.min, this.max);
  }
  get whole(): boolean {
    return this.low <= this.min && this.high >= this.max;
  }
}

// Wheel zooms, shift or a sideways wheel pans, dragging pans (with shift: selects a range to zoom to), keys do the
// same.
export function attach(
  element: HTMLElement,
  range: Range,
  area: () => { left: number; width: number },
  select?: (from: number, to: number) => void,
): void {
  keep(
    'range',
    element,
    () => (range.whole ? null : [range.low, range.high]),
    kept => range.set(kept[0]!, kept[1]!),
  );
  const at = (x: number): number => {
    const { left, width } = area();
    return range.low + ((x - element.getBoundingClientRect().left - left) / Math.max(1, width)) * range.span;
  };
  element.addEventListener(
    'wheel',
    event => {
      event.preventDefault();
      timed('zoom', () => {
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
          range.pan((event.deltaX || event.deltaY) / 800);
        else range.zoom(Math.exp(event.deltaY / 400), at(event.clientX));
      });
    },
    { passive: false },
  );
  let from: { x: number; low: number; shift: boolean; at: number } | null = null;
  element.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    from = { x: event.clientX, low: range.low, shift: event.shiftKey, at: at(event.clientX) };
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener('pointermove', event => {
    if (!from || Math.abs(event.clientX - from.x) < 4) return;
    if (from.shift) {
      select?.(Math.min(from.at, at(event.clientX)), Math.max(from.at, at(event.clientX)));
      return;
    }
    const low = from.low - ((event.clientX - from.x) / Math.max(1, area().width)) * range.span;
    timed('pan', () => range.set(low, low + range.span));
  });
  element.addEventListener('pointerup', event => {
    if (from && Math.abs(event.clientX - from.x) >= 4) element.dataset.dragged = '1'; // the click that follows is none
    from = null;
  });
  element.addEventListener('dblclick', () => timed('reset', () => range.reset()));
  element.addEventListener('keydown', event => {
    const middle = (range.low + range.high) / 2;
    const keys: Record<string, () => void> = {
      '+': () => range.zoom(0.6, middle),
      '=': () => range.zoom(0.6, middle),
      '-': () => range.zoom(1 / 0.6, middle),
      w: () => range.zoom(0.6, middle),
      s: () => range.zoom(1 / 0.6, middle),
      a: () => range.pan(-0.2),
      d: () => range.pan(0.2),
      Home: () => range.reset(),
      '0': () => range.reset(),
      PageUp: () => range.pan(-0.9),
      PageDown: () => range.pan(0.9),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    timed('key', keys[event.key]!);
  });
}

export function wasDragged(element: HTMLElement): boolean {
  const dragged = element.dataset.dragged === '1';
  delete element.dataset.dragged;
  return dragged;
}
