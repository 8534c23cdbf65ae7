// SPDX-License-Identifier: MIT
import type { Context, Entry, View } from '../app';
import type { Insight } from '../data';
import type { Unit } from '../dom';
import { changed, h, num, paired } from '../dom';

const marks: Record<string, string> = { bad: '✖', warn: '▲', note: '●', good: '✔' };
const units: Record<string, Unit> = {
  bytes: 'bytes',
  cycles: 'cycles',
  share: 'share',
  tiles: 'count',
  times: 'times',
};

// other: what the same rule says of the other report; null: nothing.
function shown(insight: Insight, index: number, context: Context, other?: Insight | null): HTMLElement {
  const unit = units[insight.unit] ?? 'count';
  const mark = h('span', { class: 'mark', title: insight.severity }, marks[insight.severity] ?? '●');
  mark.style.color = `var(--${insight.severity})`;
  return h(
    'div',
    { class: `panel insight ${insight.severity}`, 'data-insight': index },
    mark,
    h(
      'div',
      {},
      h('h3', {}, insight.title),
      h('p', { class: 'soft' }, insight.detail),
      insight.advice ? h('p', {}, insight.advice) : null,
      h('button', { onclick: () => context.go(insight.view, insight.target) }, 'Show'),
    ),
    h(
      'div',
      { class: 'value' },
      num(`insight.${index}`, insight.value, unit),
      h('div', { class: 'soft' }, ['share', 'bytes', 'times'].includes(insight.unit) ? '' : insight.unit),
      other
        ? [
            h('div', { class: 'soft' }, 'other: ', num(`insight.${index}.other`, other.value, unit)),
            changed(`insight.${index}`, insight.value, other.value, unit, unit !== 'share'),
          ]
        : other === null
          ? h('div', { class: 'shrunk' }, 'not in the other report')
          : null,
    ),
  );
}

const insights: View = async context => {
  const [list, others] = await Promise.all([context.report.insights(), context.other?.insights()]);
  const pairs = others && paired(
    list.map(i => i.rule),
    others.map(i => i.rule),
  );
  const only = others?.filter((_, i) => !pairs!.includes(i)) ?? [];
  const order = ['bad', 'warn', 'note', 'good'];
  const sorted = list
    .map((insight, index) => ({ insight, index }))
    .sort((a, b) => order.indexOf(a.insight.severity) - order.indexOf(b.insight.severity) || a.index - b.index);
  return h(
    'div',
    {},
    h('h2', {}, 'Insights'),
    h(
      'p',
      { class: 'soft' },
      'What stands out, most serious first. Each has the number behind it; ',
      'a saving is what a perfect arrangement would gain.',
    ),
    sorted.map(({ insight, index }) =>
      shown(insight, index, context, others && pairs ? (others[pairs[index]!] ?? null) : undefined),
    ),
    only.length ? h('h2', {}, 'Only in the other report') : null,
    only.map((insight, i) => shown(insight, list.length + i, context)),
  );
};

export const entry: Entry = { name: 'insights', title: 'Insights', place: 20, of: 'Graph', view: insights };
