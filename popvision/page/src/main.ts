// SPDX-License-Identifier: MIT
// The frame around the views: which report, which view, compared with what; all of it stands in the address.
import './style.css';
import type { Context, Entry } from './app';
import type { Site } from './data';
import { Report, exported, forget, fresh, get } from './data';
import type { MemoryUnit } from './dom';
import {
  clear,
  getMemoryUnit,
  h,
  localStorageGet,
  localStorageSet,
  memoryUnitNames,
  reactions,
  setMemoryUnit,
} from './dom';
import { hideTip } from './canvas';
import type { Kept } from './keep';
import { prune, restore, save } from './keep';

// The folder is the list: each file of a view says where it stands.
const files = import.meta.glob<{ entry?: Entry }>('./views/*.ts', { eager: true });
const entries = Object.values(files)
  .flatMap(file => file.entry ?? [])
  .sort((a, b) => a.place - b.place);

let site: Site;
let live = 0;
const state = { view: 'summary', report: 0, other: -1, target: -1 };
const app = document.getElementById('app')!;
const main = h('main', { tabindex: -1 });
const header = h('header', {});
const nav = h('nav', { 'aria-label': 'views' });

function readAddress(): void {
  const [view, query] = location.hash.replace(/^#\/?/, '').split('?');
  const values = new URLSearchParams(query ?? '');
  const number = (name: string, otherwise: number): number => {
    const value = Number(values.get(name) ?? otherwise);
    return Number.isInteger(value) ? value : otherwise;
  };
  state.view = (available().find(e => e.name === view) ?? available()[0]!).name;
  state.report = Math.min(Math.max(0, number('report', 0)), Math.max(0, site.reports.length - 1));
  state.other = number('other', -1) < site.reports.length ? number('other', -1) : -1;
  state.target = number('at', -1);
}
function address(change: Partial<typeof state>): string {
  const next = { ...state, target: -1, ...change };
  const values = new URLSearchParams();
  if (next.report) values.set('report', String(next.report));
  if (next.other >= 0) values.set('other', String(next.other));
  if (next.target >= 0) values.set('at', String(next.target));
  return `#/${next.view}${values.size ? `?${values}` : ''}`;
}
function go(change: Partial<typeof state>): void {
  location.hash = address(change);
}
function available(): Entry[] {
  return entries.filter(e => (e.of === 'System' ? site.traces.length : site.reports.length));
}

function theme(): string {
  return localStorageGet('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}
function applyTheme(name: string): void {
  document.documentElement.dataset.theme = name;
}

function chooser(label: string, value: number, none: boolean, choose: (index: number) => void): HTMLElement {
  const select: HTMLSelectElement = h(
    'select',
    { onchange: () => choose(Number(select.value)), 'aria-label': label },
    none ? h('option', { value: -1 }, 'nothing') : null,
    site.reports.map((r, i) => h('option', { value: i, selected: i === value }, `${i + 1} ${r.name}`)),
  );
  return h('label', {}, `${label} `, select);
}

function drawHeader(): void {
  clear(
    header,
    h('h1', {}, h('b', {}, 'Pop'), 'Vision'),
    site.reports.length ? chooser('Report', state.report, false, report => go({ report })) : null,
    site.reports.length > 1 ? chooser('Compare with', state.other, true, other => go({ other })) : null,
    h('span', { class: 'space' }),
    exported
      ? h('span', { class: 'soft' }, 'exported')
      : h('button', { title: 'reload when a file changes', 'aria-pressed': live !== 0, onclick: watch }, 'Live'),
    h(
      'select',
      {
        'aria-label': 'unit of memory',
        onchange: (e: Event) => {
          setMemoryUnit((e.target as HTMLSelectElement).value as MemoryUnit);
          void draw(true);
        },
      },
      memoryUnitNames.map(u => h('option', { value: u, selected: u === getMemoryUnit() }, u)),
    ),
    h('button', { title: 'dark or light (t)', onclick: toggleTheme }, theme() === 'dark' ? '☀' : '☾'),
  );
}
function drawNav(): void {
  const list: HTMLElement[] = [];
  let part = '';
  available().forEach((entry, i) => {
    if (entry.of !== part) list.push(h('div', { class: 'part' }, entry.of));
    part = entry.of;
    list.push(
      h(
        'a',
        {
          href: address({ view: entry.name }),
          'aria-current': entry.name === state.view ? 'page' : undefined,
          'data-view': entry.name,
        },
        entry.title,
        h('kbd', {}, i < 9 ? i + 1 : ''),
      ),
    );
  });
  clear(nav, list);
  // On a narrow screen views stand in a row that is longer than the screen.
  nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

let drawing = 0;
let kept: Kept | null = null;
// Again: the same view, of newer data or in other colours; what the user did to it stays.
async function draw(again = false): Promise<void> {
  const mine = ++drawing;
  if (!again) kept = null;
  else if (document.body.dataset.ready === state.view) kept = save(main);
  hideTip();
  drawHeader();
  drawNav();
  document.body.dataset.ready = '';
  const entry = entries.find(e => e.name === state.view)!;
  const make = (index: number): Report => new Report(index, site.reports[index]?.name ?? '');
  const context: Context = {
    report: make(state.report),
    other: state.other >= 0 ? make(state.other) : null,
    target: state.target,
    go: (view, target = -1) => go({ view, target }),
    mark: target => {
      if (mine !== drawing) return; // the user has gone on
      state.target = target;
      history.replaceState(null, '', address({ target }));
    },
  };
  let content: HTMLElement;
  try {
    content = await entry.view(context);
  } catch (error) {
    content = h(
      'div',
      { class: 'panel' },
      h('h2', {}, 'This cannot be shown'),
      h('p', { class: 'error', role: 'alert' }, (error as Error).message),
    );
  }
  if (mine !== drawing) return; // the user has gone on
  clear(main, content);
  prune();
  if (kept) restore(main, kept);
  kept = null;
  document.body.dataset.ready = entry.name;
}

function toggleTheme(): void {
  const name = theme() === 'dark' ? 'light' : 'dark';
  localStorageSet('theme', name);
  applyTheme(name);
  document.documentElement.dataset.theme = name;
  void draw(true);
}

async function look(): Promise<void> {
  try {
    const now = await fresh<Site>('/api/site');
    if (now.stamp === site.stamp) return;
    site = now;
    forget();
    void draw(true);
  } catch {
    /* the server may come back */
  }
}
function watch(): void {
  if (live) {
    clearInterval(live);
    live = 0;
  } else {
    live = window.setInterval(() => void look(), 1000);
    void look();
  }
  drawHeader();
}

function keys(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).matches('input, select')) return;
  const entry = /^[1-9]$/.test(event.key) ? available()[Number(event.key) - 1] : undefined;
  if (entry) go({ view: entry.name });
  else if (event.key === 't') toggleTheme();
  else if (event.key === '/') {
    const field = main.querySelector<HTMLInputElement>('input[type=search]');
    if (field) {
      event.preventDefault();
      field.focus();
    }
  }
}

async function start(): Promise<void> {
  applyTheme(theme());
  app.append(header, nav, main);
  site = await get<Site>('/api/site');
  if (!available().length) {
    clear(main, h('p', { class: 'error' }, 'There is nothing to show.'));
    return;
  }
  readAddress();
  addEventListener('hashchange', () => {
    readAddress();
    void draw();
  });
  addEventListener('keydown', keys);
  await draw();
}

(window as unknown as { popvision: unknown }).popvision = { reactions, kept: () => save(main) };
start().catch(error => clear(main, h('p', { class: 'error', role: 'alert' }, (error as Error).message)));
