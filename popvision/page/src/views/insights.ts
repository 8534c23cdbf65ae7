// SPDX-License-Identifier: MIT
import type { Context, View } from '../app';
import type { Insight } from '../data';
import type { Unit } from '../dom';
import { h, num } from '../dom';

const marks: Record<string, string> = { bad: '✖', warn: '▲', note: '●', good: '✔' };
const units: Record<string, Unit> = {
  bytes: 'bytes',
  cycles: 'cycles',
  share: 'share',
  tiles: 'count',
  times: 'times',
};

function entry(insight: Insight, index: number, context: Context): HTMLElement {
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
      num(`insight.${index}`, insight.value, units[insight.unit] ?? 'count'),
      h('div', { class: 'soft' }, insight.unit === 'share' ? '' : insight.unit === 'bytes' ? '' : insight.unit),
    ),
  );
}

export const insights: View = async context => {
  const list = await context.report.insights();
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
      'What stands out, most serious first. Each has the number behind it; a saving is what a perfect arrangement would gain.',
    ),
    sorted.map(({ insight, index }) => entry(insight, index, context)),
  );
};
