// SPDX-License-Identifier: MIT
// The System Analyser: what threads and processes of the host did, with runs of the IPU and counters, on one time line.
import type { View } from '../app';
import type { Host, HostEvents, HostStatistic } from '../data';
import type { Lane } from '../flame';
import { numberColumn } from '../app';
import { colour, paletteColour, textColour } from '../canvas';
import { exported, get } from '../data';
import { clear, debounce, format, h, highest, lowest, num, thousands } from '../dom';
import { Flame } from '../flame';
import { Grid } from '../grid';

function ipuLanes(host: Host): Lane[] {
  const count = host.ipuRuns.length / 3;
  if (!count) return [];
  const at = (i: number, k: number): number => host.ipuRuns[3 * i + k];
  const describe = (i: number): [string, string][] => [
    ['modelled IPU', format(at(i, 2), 'seconds')],
    ['simulating it here', format(at(i, 1), 'ns')],
  ];
  const list = Array.from({ length: count }, (_, i) => i).sort((a, b) => at(a, 0) - at(b, 0));
  const lane = (label: string, hint: string, name: string, length: (i: number) => number, shade: string): Lane => ({
    label,
    hint,
    height: 36,
    intervals: {
      start: list.map(i => at(i, 0)),
      end: list.map(i => at(i, 0) + length(i)),
      depth: list.map(() => 0),
      colour: () => colour(shade),
      label: () => name,
      describe: i => describe(list[i]),
    },
  });
  return [
    lane('IPU, modelled', 'if it were real', 'run', i => at(i, 2) * 1e9, 'compute'),
    lane('IPU, simulated', 'on this host', 'run', i => at(i, 1), 'control'),
  ];
}

function counterLane(host: Host, graph: string): Lane {
  const series = host.counters.filter(c => c.graph === graph);
  const values = series.flatMap(s => s.values);
  const low = lowest(values, 0),
    high = highest(values, low + 1e-12);
  return {
    label: graph,
    hint: series.map(s => s.series).join(', '),
    height: 70,
    paint: (c, area, range) =>
      series.forEach((s, k) => {
        c.strokeStyle = paletteColour(k);
        c.lineWidth = 1.4;
        c.beginPath();
        let lastX = -1e9;
        for (let i = 0; i < s.times.length; ++i) {
          if (i + 1 < s.times.length && s.times[i + 1] < range.low) continue;
          if (i > 0 && s.times[i - 1] > range.high) break;
          const x = area.x + ((s.times[i] - range.low) / range.span) * area.width,
            y = area.y + area.height - 4 - ((s.values[i] - low) / (high - low)) * (area.height - 8);
          if (x - lastX < 0.3) continue;
          lastX = x;
          c.lineTo(x, y);
        }
        c.stroke();
      }),
    describe: time =>
      series.map((s): [string, string] => {
        let best = 0;
        for (let i = 0; i < s.times.length; ++i)
          if (Math.abs(s.times[i] - time) < Math.abs(s.times[best] - time)) best = i;
        return [s.series, String(s.values[best])];
      }),
  };
}

// Each column reaches to the next one; few and many are told apart by a logarithmic scale.
function heatLane(map: Host['heatmaps'][number], end: number): Lane {
  const rows = map.bins.length / 2,
    most = highest(map.counts, 1);
  const until = (i: number): number => map.times[i + 1] ?? Math.max(end, map.times[i] + 1);
  const name = (k: number): string => `${map.bins[2 * k]} to ${map.bins[2 * k + 1]}`;
  return {
    label: map.name,
    hint: `process ${map.process}, ${rows} bins`,
    height: Math.max(70, Math.min(160, rows * 8)),
    paint: (c, area, range) => {
      const tall = area.height / Math.max(1, rows);
      c.fillStyle = colour('compute');
      for (let i = 0; i < map.times.length; ++i) {
        if (until(i) < range.low || map.times[i] > range.high) continue;
        const at = (t: number): number => area.x + ((t - range.low) / range.span) * area.width;
        const x = Math.max(area.x, at(map.times[i])),
          right = Math.min(area.x + area.width, at(until(i)));
        for (let k = 0; k < rows; ++k) {
          const count = map.counts[i * rows + k];
          if (!count) continue;
          c.globalAlpha = 0.15 + 0.85 * (Math.log1p(count) / Math.log1p(most));
          c.fillRect(x, area.y + area.height - (k + 1) * tall, Math.max(1, right - x), Math.max(1, tall - 0.5));
        }
      }
      c.globalAlpha = 1;
    },
    describe: time => {
      let best = -1;
      for (let i = 0; i < map.times.length; ++i) if (map.times[i] <= time) best = i;
      if (best < 0) return [];
      return Array.from({ length: rows }, (_, k): [string, string] => [
        name(rows - 1 - k),
        thousands(map.counts[best * rows + rows - 1 - k]),
      ]);
    },
  };
}

export const host: View = async context => {
  const overview = await get<Host>('/api/host/overview');
  const range = (from: number, to: number): Promise<HostEvents> =>
    get(`/api/host/events?from=${Math.max(0, Math.floor(from))}&to=${Math.max(0, Math.ceil(to))}&pixels=2000`);
  let events = await range(0, overview.nanoseconds);
  const hidden = new Set<string>();
  const processName = (file: number, process: number): string =>
    overview.files[file].processes.find(p => p.startsWith(`${process} `)) ?? String(process);
  const side = h(
    'div',
    { class: 'panel' },
    h('p', { class: 'soft' }, 'Click an event. Shift and drag selects a stretch of time.'),
  );
  const statistics = new Grid<HostStatistic>({
    rows: [],
    height: 320,
    sorted: 2,
    filter: (row, text) => `${row.channel} ${row.name}`.toLowerCase().includes(text),
    columns: [
      { title: 'Event', width: 'minmax(160px, 1fr)', cell: r => r.name, sort: r => r.name },
      { title: 'Channel', width: '110px', cell: r => r.channel, sort: r => r.channel },
      numberColumn<HostStatistic>(
        'Total',
        r => r.total,
        'ns',
        '90px',
        r => `host.${r.channel}.${r.name}.total`,
      ),
      numberColumn<HostStatistic>(
        'Times',
        r => r.count,
        'count',
        '80px',
        r => `host.${r.channel}.${r.name}.count`,
      ),
      numberColumn<HostStatistic>('Mean', r => r.total / Math.max(1, r.count), 'ns', '90px'),
      numberColumn<HostStatistic>('Longest', r => r.longest, 'ns', '90px'),
    ],
  });
  const heading = h('h3', {}, 'Statistics: everything');
  const count = async (from: number, to: number): Promise<void> => {
    statistics.setRows(
      await get<HostStatistic[]>(
        `/api/host/statistics?from=${Math.max(0, Math.floor(from))}&to=${Math.max(0, Math.ceil(to))}`,
      ),
    );
    heading.textContent = `Statistics: ${format(from, 'ns')} to ${format(to, 'ns')}`;
  };
  // Each channel has a colour of its own, in the order of their names.
  const channels = [...new Set(events.threads.flatMap(t => t.channel))].map(c => events.texts[c]).sort();
  const shades = new Map(channels.map((channel, i) => [channel, paletteColour(i)]));
  const shade = (channel: string, name: string): string =>
    (channel && shades.get(channel)) || textColour(channel || name);
  const lanesOf = (): Lane[] =>
    overview.threads.map((thread, t): Lane => {
      const e = events.threads[t];
      const keep: number[] = [];
      for (let i = 0; i < e.start.length; ++i) if (!hidden.has(events.texts[e.channel[i]])) keep.push(i);
      const name = (i: number): string =>
        e.count[keep[i]] > 1 ? `×${thousands(e.count[keep[i]])}` : events.texts[e.name[keep[i]]];
      return {
        label: thread.name || `thread ${thread.thread}`,
        hint: `process ${processName(thread.file, thread.process)}, ${format(thread.busy, 'ns')} busy`,
        height: Math.max(2, thread.depth + 1) * 18,
        intervals: {
          start: keep.map(i => e.start[i]),
          end: keep.map(i => e.start[i] + Math.max(0, e.duration[i])),
          depth: keep.map(i => Math.min(40, e.depth[i])),
          label: name,
          colour: i => shade(events.texts[e.channel[keep[i]]], events.texts[e.name[keep[i]]]),
          describe: i => {
            const k = keep[i];
            return [
              ['channel', events.texts[e.channel[k]]],
              ['at', format(e.start[k], 'ns')],
              [
                'lasts',
                e.duration[k] < 0 ? 'an instant' : e.duration[k] < 1000 ? '<1 µs' : format(e.duration[k], 'ns'),
              ],
              ...(e.count[k] > 1 ? [['events', thousands(e.count[k])] as [string, string]] : []),
            ];
          },
        },
      };
    });
  const fixed = [
    ...ipuLanes(overview),
    ...[...new Set(overview.counters.map(c => c.graph))].map(g => counterLane(overview, g)),
    ...overview.heatmaps.map(m => heatLane(m, overview.nanoseconds)),
  ];
  let keeps: Lane[] = [];
  const build = (): void => {
    keeps = [...fixed, ...lanesOf()];
    flame.setLanes(keeps);
  };
  const more = debounce(async () => {
    if (events.whole || exported) return;
    const span = flame.range.span;
    events = await range(flame.range.low - span / 2, flame.range.high + span / 2);
    build();
  }, 60);
  const flame: Flame = new Flame(
    {
      min: 0,
      max: Math.max(1, overview.nanoseconds),
      least: 100,
      time: t => format(t, 'ns'),
      changed: more,
      maxHeight: 620,
      span: (from, to) => void count(from, to),
      select: async (lane, index) => {
        const thread = lane - fixed.length;
        if (thread < 0) return;
        const e = events.threads[thread],
          intervals = keeps[lane].intervals!;
        const i = e.start.findIndex(
          (s, k) => s === intervals.start[index] && Math.min(40, e.depth[k]) === intervals.depth[index],
        );
        const content: HTMLElement[] = [
          h('h3', {}, intervals.label(index)),
          h(
            'table',
            {},
            [
              ...intervals.describe(index),
              ['process', String(overview.threads[thread].process)] as [string, string],
              ['thread', String(overview.threads[thread].thread)] as [string, string],
            ].map(([k, v]) => h('tr', {}, h('td', {}, k), h('td', {}, v))),
          ),
        ];
        if (i >= 0 && e.details[i] >= 0 && !exported)
          content.push(
            h(
              'pre',
              {},
              JSON.stringify(
                await get(`/api/host/details?file=${overview.threads[thread].file}&index=${e.details[i]}`),
                null,
                2,
              ),
            ),
          );
        clear(side, content);
      },
    },
    [],
  );
  build();
  await count(0, overview.nanoseconds);
  const boxes = channels.map(channel => {
    const dot = h('i', { class: 'dot' });
    dot.style.background = shade(channel, channel);
    return h(
      'label',
      { class: 'key' },
      h('input', {
        type: 'checkbox',
        checked: true,
        onchange: (e: Event) => {
          if ((e.target as HTMLInputElement).checked) hidden.delete(channel);
          else hidden.add(channel);
          build();
        },
      }),
      dot,
      channel || '(none)',
    );
  });
  let hits: number[] = [],
    at = -1;
  const result = h('span', { class: 'soft', 'aria-live': 'polite' });
  const field: HTMLInputElement = h('input', {
    type: 'search',
    placeholder: 'Search events; Enter: next',
    oninput: () => {
      hits = [];
      at = -1;
      const text = field.value.toLowerCase();
      flame.highlight = text ? label => label.toLowerCase().includes(text) : null;
      flame.refresh();
    },
    onkeydown: async (e: KeyboardEvent) => {
      if (e.key !== 'Enter' || !field.value) return;
      if (!hits.length && exported)
        hits = events.threads.flatMap((t, k) =>
          t.start.flatMap((s, i) =>
            events.texts[t.name[i]].toLowerCase().includes(field.value.toLowerCase()) ? [k, s, t.duration[i]] : [],
          ),
        );
      if (!hits.length && !exported)
        hits = (
          await get<{ count: number; found: number[] }>(`/api/host/search?text=${encodeURIComponent(field.value)}`)
        ).found;
      if (!hits.length) {
        result.textContent = 'none';
        return;
      }
      at = (at + 1) % (hits.length / 3);
      const start = hits[3 * at + 1],
        span = Math.max(2000, Math.max(0, hits[3 * at + 2]) * 6);
      flame.range.set(start - span / 3, start + (2 * span) / 3);
      result.textContent = `${at + 1} of ${hits.length / 3}`;
    },
  });
  const v = overview.verdict;
  const save = async (): Promise<void> => {
    const text = JSON.stringify(await get('/api/host/perfetto'));
    const link = h('a', {
      href: URL.createObjectURL(new Blob([text], { type: 'application/json' })),
      download: 'host.perfetto.json',
    });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const notes = overview.files
    .filter(f => !f.complete)
    .map(f =>
      h('p', { class: 'soft' }, `${f.path} ends in the middle of an event: its program still runs, or was killed.`),
    );
  void context;
  return h(
    'div',
    {},
    h('h2', {}, 'Host and IPU over time'),
    h(
      'div',
      { class: `panel insight ${v.runs ? (v.between + v.callbacks > v.ipu ? 'warn' : 'good') : ''}` },
      h('span', { class: 'mark' }, '⚖'),
      h(
        'div',
        {},
        h('h3', { 'data-key': 'verdict' }, v.text),
        v.runs
          ? h(
              'table',
              {},
              [
                ['Runs', num('verdict.runs', v.runs)],
                ['From the first run to the end of the last', num('verdict.span', v.span, 'seconds')],
                ['Host alone, between runs', num('verdict.between', v.between, 'seconds')],
                ['Host in callbacks of streams', num('verdict.callbacks', v.callbacks, 'seconds')],
                ['Modelled IPU', num('verdict.ipu', v.ipu, 'seconds')],
                ['Simulating the IPU here (no IPU would take this)', num('verdict.simulated', v.simulated, 'seconds')],
                ['Writing reports (not counted)', num('verdict.reports', v.reports, 'seconds')],
              ].map(([k, n]) => h('tr', {}, h('td', {}, k), h('td', {}, n))),
            )
          : null,
      ),
      null,
    ),
    notes,
    h(
      'div',
      { class: 'bar' },
      field,
      result,
      h('button', { onclick: () => flame.range.reset() }, 'Everything'),
      exported ? null : h('button', { onclick: () => void save() }, 'Save for Perfetto'),
      h('span', { class: 'soft' }, num('host.events', overview.events), ' events'),
      boxes,
    ),
    h('div', { class: 'panel' }, flame.element),
    h('div', { class: 'split' }, h('div', {}, heading, statistics.element), side),
  );
};
