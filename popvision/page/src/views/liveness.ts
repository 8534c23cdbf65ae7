// SPDX-License-Identifier: MIT
import type { View } from '../app';
import type { Variables } from '../data';
import { legend, numberColumn } from '../app';
import { paletteColour } from '../canvas';
import { clear, compared, format, h, highest, num } from '../dom';
import { Grid } from '../grid';
import { StackPlot } from '../stackplot';

interface Row {
  id: number;
  name: string;
  type: string;
  bytes: number;
  always: boolean;
  from: number;
  to: number;
}

export function liveAt(variables: Variables, step: number): Row[] {
  const rows: Row[] = [];
  for (let v = 0; v < variables.name.length; ++v) {
    const live = variables.live[v];
    for (let i = 0; i < live.length; i += 2)
      if (live[i] <= step && step <= live[i + 1]) {
        rows.push({
          id: v,
          name: variables.name[v],
          type: variables.type[v],
          bytes: variables.bytes[v],
          always: variables.alwaysLive[v] === 1,
          from: live[i],
          to: live[i + 1],
        });
        break;
      }
  }
  return rows;
}

export const liveness: View = async ({ report, other, target, go }) => {
  const [data, variables, programs, second, otherVariables] = await Promise.all([
    report.liveness(),
    report.variables(),
    report.programs(),
    other?.liveness(),
    other?.variables(),
  ]);
  if (!data.bytes.length)
    return h(
      'div',
      {},
      h('h2', {}, 'Liveness'),
      h(
        'p',
        { class: 'soft' },
        'The report has no liveness. Set autoReport.outputGraphProfile (part of autoReport.all).',
      ),
    );
  const name = (step: number): string => {
    const p = data.program[step];
    return p === null || p === undefined ? '' : programs.names[programs.name[p]];
  };
  let bytes = data.bytes,
    always = data.alwaysLive,
    withAlways = false,
    which = 'all tiles',
    kind: 'some' | 'always' = 'some',
    step = -1;
  const details = h('div', {});
  const heading = h('div', { class: 'panel' });
  const grid = new Grid<Row>({
    rows: [],
    height: 430,
    sorted: 1,
    filter: (row, text) => row.name.toLowerCase().includes(text),
    columns: [
      { title: 'Variable', width: 'minmax(150px, 1fr)', cell: r => r.name || `variable ${r.id}`, sort: r => r.name },
      numberColumn<Row>(
        'Bytes',
        r => r.bytes,
        'bytes',
        '120px',
        r => `live.${r.id}`,
      ),
      { title: 'Type', width: '70px', cell: r => r.type, sort: r => r.type },
      { title: 'Steps', width: '110px', right: true, cell: r => `${r.from} – ${r.to}`, sort: r => r.to - r.from },
    ],
  });
  const fill = (): void => {
    const listed = (of: Variables) => liveAt(of, step).filter(r => r.always === (kind === 'always'));
    const rows = listed(variables),
      others = otherVariables && listed(otherVariables);
    const largest = (of: Row[]): number => highest(of.map(r => r.bytes), 0);
    grid.setRows(rows);
    clear(
      heading,
      h('h3', {}, 'Step ', num('step.index', step), ` ${name(step)}`),
      h(
        'table',
        {},
        h(
          'tr',
          {},
          h('td', {}, 'Not always live'),
          compared('step.bytes', bytes[step], second ? (second.bytes[step] ?? 0) : undefined, 'bytes'),
        ),
        h('tr', {}, h('td', {}, 'Always live'), compared('step.alwaysLive', always, second?.alwaysLive, 'bytes')),
        h('tr', {}, h('td', {}, 'Variables listed'), compared('step.variables', rows.length, others?.length)),
        h(
          'tr',
          {},
          h('td', {}, 'The largest of them'),
          compared('step.largest', largest(rows), others && largest(others), 'bytes'),
        ),
        h(
          'tr',
          {},
          h('td', {}, 'Peak of all steps'),
          compared('liveness.peak', highest(data.bytes, 0), second && highest(second.bytes, 0), 'bytes'),
        ),
      ),
      data.program[step] !== null
        ? h('button', { onclick: () => go('programs', data.program[step]!) }, 'Show in the program tree')
        : null,
    );
    details.dataset.step = String(step);
  };
  const plot = new StackPlot({
    count: bytes.length,
    unit: 'bytes',
    what: 'step',
    series: [],
    other: second?.bytes,
    otherName: other?.name,
    describe: i => [['program', name(i)]],
    select: i => {
      step = i;
      fill();
    },
  });
  const key = h('div', {});
  const draw = (): void => {
    const series = [{ name: 'not always live', colour: paletteColour(1), values: bytes as ArrayLike<number> }];
    if (withAlways)
      series.unshift({
        name: 'always live',
        colour: paletteColour(0),
        values: new Float64Array(bytes.length).fill(always),
      });
    plot.update({ series, other: which === 'all tiles' && !withAlways ? second?.bytes : undefined });
    clear(key, legend(series.map(s => [`${s.name}, ${which}`, s.colour])));
  };
  const peak = (): number => {
    let best = 0;
    for (let i = 1; i < bytes.length; ++i) if (bytes[i] > bytes[best]) best = i;
    return best;
  };
  const source = h('input', {
    type: 'search',
    placeholder: 'all tiles, or a number',
    size: 18,
    'aria-label': 'tile',
    onchange: async () => {
      const text = source.value.trim();
      try {
        if (text === '') {
          bytes = data.bytes;
          always = data.alwaysLive;
          which = 'all tiles';
        } else {
          const one = await report.livenessOfTile(Number(text));
          if (!one.known) throw new Error('What lies on a tile is recorded with autoReport.outputLoweredVars.');
          bytes = one.bytes;
          always = one.alwaysLive;
          which = `tile ${text}`;
        }
        draw();
        plot.show(peak());
      } catch (error) {
        clear(heading, h('p', { class: 'error' }, (error as Error).message));
      }
    },
  }) as HTMLInputElement;
  const find = h('input', {
    type: 'search',
    placeholder: 'Find a step by name, Enter for the next',
    onkeydown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter') return;
      const text = find.value.toLowerCase();
      for (let i = 1; i <= bytes.length; ++i) {
        const at = (step + i) % bytes.length;
        if (name(at).toLowerCase().includes(text)) {
          plot.show(at);
          return;
        }
      }
    },
  }) as HTMLInputElement;
  draw();
  plot.show(target >= 0 && target < bytes.length ? target : peak());
  clear(
    details,
    heading,
    h(
      'div',
      { class: 'bar' },
      h(
        'select',
        {
          'aria-label': 'which variables',
          onchange: (e: Event) => {
            kind = (e.target as HTMLSelectElement).value as 'some';
            fill();
          },
        },
        h('option', { value: 'some' }, 'not always live'),
        h('option', { value: 'always' }, 'always live'),
      ),
      h('input', {
        type: 'search',
        placeholder: 'Filter variables',
        oninput: (e: Event) => grid.setFilter((e.target as HTMLInputElement).value),
      }),
    ),
    grid.element,
  );
  return h(
    'div',
    {},
    h('h2', {}, 'Liveness'),
    h(
      'div',
      { class: 'bar' },
      h('label', {}, 'On ', source),
      find,
      h(
        'label',
        {},
        h('input', {
          type: 'checkbox',
          onchange: (e: Event) => {
            withAlways = (e.target as HTMLInputElement).checked;
            draw();
          },
        }),
        ' with always live',
      ),
      h('button', { onclick: () => plot.show(peak()) }, 'Peak'),
      h('button', { onclick: () => plot.range.reset() }, 'All steps'),
      h('span', { class: 'soft' }, `${format(bytes.length, 'count')} steps`),
    ),
    h(
      'div',
      { class: 'split' },
      h(
        'div',
        { class: 'panel' },
        plot.element,
        key,
        second ? h('p', { class: 'soft' }, `Line: ${other!.name}, by step`) : null,
      ),
      details,
    ),
  );
};
