// SPDX-License-Identifier: MIT
// What the user did to a view (zoom, selection, fields, where it is scrolled to), done again to the same view of newer
// data. Plots and tables register when they are made; the same view makes the same ones in the same order.

interface Keeper {
  kind: string; // 'range' is given back last: selecting may move it
  element: HTMLElement;
  save: () => unknown;
  restore: (state: unknown) => void;
}
export interface Kept {
  parts: { kind: string; state: unknown }[];
  fields: Record<string, { value: string; checked: boolean }>;
  focus: number;
  scroll: number;
  plots: number[];
}

let keepers: Keeper[] = [];
export function keep<State>(
  kind: string,
  element: HTMLElement,
  save: () => State | null,
  restore: (state: State) => void,
): void {
  keepers.push({ kind, element, save, restore: restore as (state: unknown) => void });
}
// Of the view that is on the page; others were left before they were finished.
export function prune(): void {
  keepers = keepers.filter(k => k.element.isConnected);
}

type Field = HTMLInputElement | HTMLSelectElement;
// By what they look like, and which of those: a field that comes or goes does not move the others.
function fieldsOf(main: HTMLElement): [string, Field][] {
  const seen = new Map<string, number>();
  return [...main.querySelectorAll<Field>('input, select')].map(field => {
    const placeholder = field instanceof HTMLInputElement ? field.placeholder : field.options[0]?.text;
    const look = `${field.type} ${placeholder} ${field.parentElement?.textContent}`;
    seen.set(look, (seen.get(look) ?? 0) + 1);
    return [`${look} ${seen.get(look)}`, field];
  });
}
const focusable = (main: HTMLElement): HTMLElement[] => [
  ...main.querySelectorAll<HTMLElement>('input, select, button, canvas, [tabindex]'),
];
const scrolled = (main: HTMLElement): HTMLElement[] => [...main.querySelectorAll<HTMLElement>('.plot, .grid')];

export function save(main: HTMLElement): Kept {
  prune();
  return {
    parts: keepers.map(k => ({ kind: k.kind, state: k.save() })),
    fields: Object.fromEntries(
      fieldsOf(main).map(([name, field]) => [
        name,
        { value: field.value, checked: field instanceof HTMLInputElement && field.checked },
      ]),
    ),
    focus: focusable(main).indexOf(document.activeElement as HTMLElement),
    scroll: main.scrollTop || document.scrollingElement?.scrollTop || 0,
    plots: scrolled(main).map(e => e.scrollTop),
  };
}

// A field acts by its own listeners.
function restoreFields(main: HTMLElement, kept: Kept): void {
  fieldsOf(main).forEach(([name, field]) => {
    const before = kept.fields[name];
    if (!before) return;
    const box = field instanceof HTMLInputElement && field.type === 'checkbox';
    if (box ? field.checked === before.checked : field.value === before.value) return;
    if (box) field.checked = before.checked;
    else field.value = before.value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  });
}

export function restore(main: HTMLElement, kept: Kept): void {
  restoreFields(main, kept);
  for (const late of [false, true])
    keepers.forEach((keeper, i) => {
      const part = kept.parts[i];
      if (part?.kind === keeper.kind && part.state !== null && (keeper.kind === 'range') === late)
        keeper.restore(part.state);
    });
  if (main.scrollTop !== kept.scroll) main.scrollTop = kept.scroll;
  if (document.scrollingElement) document.scrollingElement.scrollTop = kept.scroll;
  scrolled(main).forEach((e, i) => (e.scrollTop = kept.plots[i] ?? 0));
  if (kept.focus >= 0) focusable(main)[kept.focus]?.focus({ preventScroll: true });
}
