// SPDX-License-Identifier: MIT
// The lanes of the System Analyser, each a function of what the server said.
import type { Host, HostEvents } from '../data';
import type { Lane } from '../flame';
import { colour, paletteColour } from '../canvas';
import { format, highest, lowest, thousands } from '../dom';

function ipuLanes(host: Host): Lane[] {
  const count = host.ipuRuns.length / 3;
  if (!count) return [];
  const at = (i: number, k: number): number => host.ipuRuns[3 * i + k]!;
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
      describe: i => describe(list[i]!),
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
          if (i + 1 < s.times.length && s.times[i + 1]! < range.low) continue;
          if (i > 0 && s.times[i - 1]! > range.high) break;
          const x = area.x + ((s.times[i]! - range.low) / range.span) * area.width,
            y = area.y + area.height - 4 - ((s.values[i]! - low) / (high - low)) * (area.height - 8);
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
          if (Math.abs(s.times[i]! - time) < Math.abs(s.times[best]! - time)) best = i;
        return [s.series, String(s.values[best])];
      }),
  };
}

// Each column reaches to the next one; few and many are told apart by a logarithmic scale.
function heatLane(map: Host['heatmaps'][number], end: number): Lane {
  const rows = map.bins.length / 2,
    most = highest(map.counts, 1);
  const until = (i: number): number => map.times[i + 1] ?? Math.max(end, map.times[i]! + 1);
  const name = (k: number): string => `${map.bins[2 * k]} to ${map.bins[2 * k + 1]}`;
  return {
    label: map.name,
    hint: `process ${map.process}, ${rows} bins`,
    height: Math.max(70, Math.min(160, rows * 8)),
    paint: (c, area, range) => {
      const tall = area.height / Math.max(1, rows);
      c.fillStyle = colour('compute');
      for (let i = 0; i < map.times.length; ++i) {
        if (until(i) < range.low || map.times[i]! > range.high) continue;
        const at = (t: number): number => area.x + ((t - range.low) / range.span) * area.width;
        const x = Math.max(area.x, at(map.times[i]!)),
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
      for (let i = 0; i < map.times.length; ++i) if (map.times[i]! <= time) best = i;
      if (best < 0) return [];
      return Array.from({ length: rows }, (_, k): [string, string] => [
        name(rows - 1 - k),
        thousands(map.counts[best * rows + rows - 1 - k]!),
      ]);
    },
  };
}

// What a thread did, without the channels that are hidden.
export function threadLane(
  host: Host,
  events: HostEvents,
  index: number,
  hidden: Set<string>,
  shade: (channel: string, name: string) => string,
): Lane {
  const thread = host.threads[index]!,
    e = events.threads[index]!;
  const keep = [...e.start.keys()].filter(i => !hidden.has(events.texts[e.channel[i]!]!));
  return {
    label: thread.name || `thread ${thread.thread}`,
    hint: `process ${processName(host, thread.file, thread.process)}, ${format(thread.busy, 'ns')} busy`,
    height: Math.max(2, thread.depth + 1) * 18,
    intervals: {
      start: keep.map(i => e.start[i]!),
      end: keep.map(i => e.start[i]! + Math.max(0, e.duration[i]!)),
      depth: keep.map(i => shownDepth(e.depth[i]!)),
      label: i => (e.count[keep[i]!]! > 1 ? `×${thousands(e.count[keep[i]!]!)}` : events.texts[e.name[keep[i]!]!]!),
      colour: i => shade(events.texts[e.channel[keep[i]!]!]!, events.texts[e.name[keep[i]!]!]!),
      describe: i => eventRows(events, index, keep[i]!),
    },
  };
}
export function shownDepth(depth: number): number {
  return Math.min(40, depth);
}
function processName(host: Host, file: number, process: number): string {
  return host.files[file]!.processes.find(p => p.startsWith(`${process} `)) ?? String(process);
}
function eventRows(events: HostEvents, thread: number, i: number): [string, string][] {
  const e = events.threads[thread]!,
    lasts = e.duration[i]!;
  const rows: [string, string][] = [
    ['channel', events.texts[e.channel[i]!]!],
    ['at', format(e.start[i]!, 'ns')],
    ['lasts', lasts < 0 ? 'an instant' : lasts < 1000 ? '<1 µs' : format(lasts, 'ns')],
  ];
  if (e.count[i]! > 1) rows.push(['events', thousands(e.count[i]!)]);
  return rows;
}

// Lanes that stay the same however far one zooms.
export function fixedLanes(host: Host): Lane[] {
  const graphs = [...new Set(host.counters.map(c => c.graph))];
  return [
    ...ipuLanes(host),
    ...graphs.map(graph => counterLane(host, graph)),
    ...host.heatmaps.map(map => heatLane(map, host.nanoseconds)),
  ];
}
