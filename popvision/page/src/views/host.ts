// SPDX-License-Identifier: MIT
// The System Analyser: what threads and processes of the host did, with runs of the IPU and counters, on one time line.
import type { Entry, View } from '../app';
import type { Host, HostEvents, HostStatistic } from '../data';
import type { Lane } from '../flame';
import { numberColumn } from '../app';
import { paletteColour, textColour } from '../canvas';
import { exported, get } from '../data';
import { clear, debounce, format, h, num, tableOf } from '../dom';
import { Flame } from '../flame';
import { Grid } from '../grid';
import { fixedLanes, shownDepth, threadLane } from './hostlanes';

// The part of an address that names a stretch of time.
function between(from: number, to: number): string {
  return `from=${Math.max(0, Math.floor(from))}&to=${Math.max(0, Math.ceil(to))}`;
}
function eventsOf(from: number, to: number): Promise<HostEvents> {
  return get(`/api/host/events?${between(from, to)}&pixels=2000`);
}

function statisticsGrid(): Grid<HostStatistic> {
  const key = (name: string) => (r: HostStatistic) => `host.${r.channel}.${r.name}.${name}`;
  return new Grid<HostStatistic>({
    rows: [],
    height: 320,
    sorted: 2,
    filter: (row, text) => `${row.channel} ${row.name}`.toLowerCase().includes(text),
    columns: [
      { title: 'Event', width: 'minmax(160px, 1fr)', cell: r => r.name, sort: r => r.name },
      { title: 'Channel', width: '110px', cell: r => r.channel, sort: r => r.channel },
      numberColumn('Total', r => r.total, 'ns', '90px', key('total')),
      numberColumn('Times', r => r.count, 'count', '80px', key('count')),
      numberColumn('Mean', r => r.total / Math.max(1, r.count), 'ns', '90px'),
      numberColumn('Longest', r => r.longest, 'ns', '90px'),
    ],
  });
}

// Events over time, the statistics of a stretch of it, and the details of one event.
class TimeLine {
  readonly channels: string[];
  readonly statistics = statisticsGrid();
  readonly heading = h('h3', {}, 'Statistics: everything');
  readonly side: HTMLElement;
  readonly flame: Flame;
  private readonly hidden = new Set<string>();
  private readonly shades: Map<string, string>;
  private readonly fixed: Lane[];
  private lanes: Lane[] = [];

  constructor(
    private readonly host: Host,
    private visible: HostEvents,
  ) {
    const events = visible;
    // Each channel has a colour of its own, in the order of their names.
    this.channels = [...new Set(events.threads.flatMap(t => t.channel))].map(c => events.texts[c]!).sort();
    this.shades = new Map(this.channels.map((channel, i) => [channel, paletteColour(i)]));
    this.fixed = fixedLanes(host);
    const hint = 'Click an event. Shift and drag selects a stretch of time.';
    this.side = h('div', { class: 'panel' }, h('p', { class: 'soft' }, hint));
    this.flame = new Flame(
      {
        min: 0,
        max: Math.max(1, host.nanoseconds),
        least: 100,
        time: t => format(t, 'ns'),
        changed: debounce(() => void this.fetchVisible(), 60),
        maxHeight: 620,
        span: (from, to) => void this.count(from, to),
        select: (lane, index) => void this.showEvent(lane, index),
      },
      [],
    );
    this.build();
  }
  get events(): HostEvents {
    return this.visible;
  }
  shade(channel: string, name: string): string {
    return (channel && this.shades.get(channel)) || textColour(channel || name);
  }
  show(channel: string, shown: boolean): void {
    if (shown) this.hidden.delete(channel);
    else this.hidden.add(channel);
    this.build();
  }
  async count(from: number, to: number): Promise<void> {
    this.statistics.setRows(await get<HostStatistic[]>(`/api/host/statistics?${between(from, to)}`));
    this.heading.textContent = `Statistics: ${format(from, 'ns')} to ${format(to, 'ns')}`;
  }
  private build(): void {
    const shade = this.shade.bind(this);
    this.lanes = [
      ...this.fixed,
      ...this.host.threads.map((_, i) => threadLane(this.host, this.events, i, this.hidden, shade)),
    ];
    this.flame.setLanes(this.lanes);
  }
  private async fetchVisible(): Promise<void> {
    if (this.events.whole || exported) return;
    const { low, high, span } = this.flame.range;
    this.visible = await eventsOf(low - span / 2, high + span / 2);
    this.build();
  }
  private async showEvent(lane: number, index: number): Promise<void> {
    const at = lane - this.fixed.length;
    if (at < 0) return;
    const thread = this.host.threads[at]!,
      e = this.events.threads[at]!,
      shown = this.lanes[lane]!.intervals!;
    const i = e.start.findIndex((s, k) => s === shown.start[index] && shownDepth(e.depth[k]!) === shown.depth[index]);
    const content: HTMLElement[] = [
      h('h3', {}, shown.label(index)),
      tableOf([
        ...shown.describe(index),
        ['process', String(thread.process)],
        ['thread', String(thread.thread)],
      ]),
    ];
    if (i >= 0 && e.details[i]! >= 0 && !exported) {
      const details = await get(`/api/host/details?file=${thread.file}&index=${e.details[i]}`);
      content.push(h('pre', {}, JSON.stringify(details, null, 2)));
    }
    clear(this.side, content);
  }
}

// Finds events by their name; each Enter goes on to the next.
class Search {
  readonly result = h('span', { class: 'soft', 'aria-live': 'polite' });
  readonly field: HTMLInputElement = h('input', {
    type: 'search',
    placeholder: 'Search events; Enter: next',
    oninput: () => this.mark(),
    onkeydown: (e: KeyboardEvent) => {
      if (e.key === 'Enter' && this.field.value) void this.next();
    },
  });
  private hits: number[] = []; // thread, start, duration
  private at = -1;
  constructor(private readonly line: TimeLine) {}
  private mark(): void {
    this.hits = [];
    this.at = -1;
    const text = this.field.value.toLowerCase();
    this.line.flame.highlight = text ? label => label.toLowerCase().includes(text) : null;
    this.line.flame.refresh();
  }
  private async next(): Promise<void> {
    if (!this.hits.length) this.hits = await this.find(this.field.value);
    if (!this.hits.length) {
      this.result.textContent = 'none';
      return;
    }
    this.at = (this.at + 1) % (this.hits.length / 3);
    const start = this.hits[3 * this.at + 1]!,
      span = Math.max(2000, Math.max(0, this.hits[3 * this.at + 2]!) * 6);
    this.line.flame.range.set(start - span / 3, start + (2 * span) / 3);
    this.result.textContent = `${this.at + 1} of ${this.hits.length / 3}`;
  }
  private async find(text: string): Promise<number[]> {
    if (!exported) return (await get<{ found: number[] }>(`/api/host/search?text=${encodeURIComponent(text)}`)).found;
    const { threads, texts } = this.line.events;
    const found = (name: number): boolean => texts[name]!.toLowerCase().includes(text.toLowerCase());
    return threads.flatMap((t, k) => t.start.flatMap((s, i) => (found(t.name[i]!) ? [k, s, t.duration[i]!] : [])));
  }
}

function channelBox(line: TimeLine, channel: string): HTMLElement {
  const dot = h('i', { class: 'dot' });
  dot.style.background = line.shade(channel, channel);
  const onchange = (e: Event): void => line.show(channel, (e.target as HTMLInputElement).checked);
  return h(
    'label',
    { class: 'key' },
    h('input', { type: 'checkbox', checked: true, onchange }),
    dot,
    channel || '(none)',
  );
}

function verdictPanel(v: Host['verdict']): HTMLElement {
  const look = !v.runs ? '' : v.between + v.callbacks > v.ipu ? 'warn' : 'good';
  const rows: [string, HTMLElement][] = [
    ['Runs', num('verdict.runs', v.runs)],
    ['From the first run to the end of the last', num('verdict.span', v.span, 'seconds')],
    ['Host alone, between runs', num('verdict.between', v.between, 'seconds')],
    ['Host in callbacks of streams', num('verdict.callbacks', v.callbacks, 'seconds')],
    ['Modelled IPU', num('verdict.ipu', v.ipu, 'seconds')],
    ['Simulating the IPU here (no IPU would take this)', num('verdict.simulated', v.simulated, 'seconds')],
    ['Writing reports (not counted)', num('verdict.reports', v.reports, 'seconds')],
  ];
  return h(
    'div',
    { class: `panel insight ${look}` },
    h('span', { class: 'mark' }, '⚖'),
    h('div', {}, h('h3', { 'data-key': 'verdict' }, v.text), v.runs ? tableOf(rows) : null),
  );
}

async function saveForPerfetto(): Promise<void> {
  const text = JSON.stringify(await get('/api/host/perfetto'));
  const link = h('a', {
    href: URL.createObjectURL(new Blob([text], { type: 'application/json' })),
    download: 'host.perfetto.json',
  });
  link.click();
  URL.revokeObjectURL(link.href);
}

function bar(overview: Host, line: TimeLine): HTMLElement {
  const search = new Search(line);
  return h(
    'div',
    { class: 'bar' },
    search.field,
    search.result,
    h('button', { onclick: () => line.flame.range.reset() }, 'Everything'),
    exported ? null : h('button', { onclick: () => void saveForPerfetto() }, 'Save for Perfetto'),
    h('span', { class: 'soft' }, num('host.events', overview.events), ' events'),
    line.channels.map(channel => channelBox(line, channel)),
  );
}

const host: View = async () => {
  const overview = await get<Host>('/api/host/overview');
  const line = new TimeLine(overview, await eventsOf(0, overview.nanoseconds));
  await line.count(0, overview.nanoseconds);
  const cut = (path: string): string =>
    `${path} ends in the middle of an event: its program still runs, or was killed.`;
  return h(
    'div',
    {},
    h('h2', {}, 'Host and IPU over time'),
    verdictPanel(overview.verdict),
    overview.files.filter(f => !f.complete).map(f => h('p', { class: 'soft' }, cut(f.path))),
    bar(overview, line),
    h('div', { class: 'panel' }, line.flame.element),
    h('div', { class: 'split' }, h('div', {}, line.heading, line.statistics.element), line.side),
  );
};

export const entry: Entry = { name: 'host', title: 'Host and IPU', place: 100, of: 'System', view: host };
