// SPDX-License-Identifier: MIT
import type { View } from '../app';
import type { Memory, Tile } from '../data';
import type { Series } from '../stackplot';
import { legend, numberColumn } from '../app';
import { Surface, colour, paletteColour, showTip, hideTip, tipTable } from '../canvas';
import { clear, compared, format, h, highest, num } from '../dom';
import { Grid } from '../grid';
import { StackPlot } from '../stackplot';

type Breakdown = 'category' | 'liveness' | 'none';

function seriesOf(memory: Memory, breakdown: Breakdown, gaps: boolean): Series[] {
  const series: Series[] =
    breakdown === 'category'
      ? memory.categories
          .filter(c => c.bytes.some(v => v > 0))
          .map((c, i) => ({ name: c.name, colour: paletteColour(i), values: c.bytes }))
      : breakdown === 'liveness'
        ? [
            { name: 'always live', colour: paletteColour(0), values: memory.alwaysLive },
            { name: 'not always live', colour: paletteColour(1), values: memory.notAlwaysLive },
          ]
        : [{ name: 'used', colour: paletteColour(0), values: memory.total }];
  if (gaps) series.push({ name: 'gaps', colour: '#9994', values: memory.withGaps.map((v, i) => v - memory.total[i]) });
  return series;
}

// Where the tiles sit on the chip: columns of rows of a few tiles; ids run down a column.
function floorPlan(memory: Memory, ipu: number, select: (tile: number) => void): HTMLElement {
  const floor = memory.floor ?? { columns: Math.ceil(Math.sqrt(memory.tilesPerIpu)), perRow: 1 };
  const across = floor.columns * floor.perRow,
    down = Math.ceil(memory.tilesPerIpu / across);
  const place = (tile: number): [number, number] => {
    const perColumn = down * floor.perRow,
      column = Math.floor(tile / perColumn),
      within = tile % perColumn;
    return [column * floor.perRow + (within % floor.perRow), Math.floor(within / floor.perRow)];
  };
  const high = highest(memory.withGaps, memory.bytesPerTile);
  const size = (): number => Math.max(4, Math.floor(Math.min(surface.width / across, 28)));
  const surface = new Surface(Math.max(160, down * 12), () => {
    const c = surface.context,
      cell = size();
    if (surface.height !== down * cell + 4) {
      surface.setHeight(down * cell + 4);
      return;
    }
    c.clearRect(0, 0, surface.width, surface.height);
    for (let t = 0; t < memory.tilesPerIpu; ++t) {
      const bytes = memory.withGaps[ipu * memory.tilesPerIpu + t] ?? 0,
        [x, y] = place(t);
      const share = bytes / high;
      c.fillStyle = bytes > memory.bytesPerTile ? colour('bad') : `hsl(${220 - 190 * share} 70% ${75 - 30 * share}%)`;
      c.fillRect(x * cell, y * cell, cell - 1, cell - 1);
    }
  });
  const at = (event: MouseEvent): number => {
    const cell = size(),
      x = Math.floor(event.offsetX / cell),
      y = Math.floor(event.offsetY / cell);
    if (x >= across || y >= down) return -1;
    const tile = Math.floor(x / floor.perRow) * down * floor.perRow + y * floor.perRow + (x % floor.perRow);
    return tile < memory.tilesPerIpu ? ipu * memory.tilesPerIpu + tile : -1;
  };
  surface.element.addEventListener('pointermove', event => {
    const tile = at(event);
    if (tile < 0) hideTip();
    else
      showTip(
        event.clientX,
        event.clientY,
        tipTable([
          ['tile', String(tile)],
          ['with gaps', format(memory.withGaps[tile], 'bytes')],
          ['always live', format(memory.alwaysLive[tile], 'bytes')],
        ]),
      );
  });
  surface.element.addEventListener('pointerleave', hideTip);
  surface.element.addEventListener('click', event => {
    const tile = at(event);
    if (tile >= 0) select(tile);
  });
  return h('div', { class: 'plot' }, surface.element);
}

function tileDetails(tile: Tile, other: Tile | undefined): HTMLElement {
  const row = (name: string, key: string, value: number, second: number | undefined) =>
    h('tr', {}, h('td', {}, name), compared(`tile.${key}`, value, second, 'bytes'));
  const grid = new Grid({
    rows: tile.variables,
    height: 360,
    sorted: 1,
    filter: (v, text) => v.name.toLowerCase().includes(text) || v.category.toLowerCase().includes(text),
    columns: [
      { title: 'Name', width: 'minmax(160px, 1fr)', cell: v => v.name || '(unnamed)', sort: v => v.name },
      numberColumn<Tile['variables'][0]>(
        'Bytes',
        v => v.bytes,
        'bytes',
        '120px',
        v => `tile.variable.${v.variable ?? v.name}`,
      ),
      { title: 'Category', width: '150px', cell: v => v.category, sort: v => v.category },
      {
        title: 'Live',
        width: '70px',
        cell: v => (v.alwaysLive === undefined ? '' : v.alwaysLive ? 'always' : 'at times'),
        sort: v => String(v.alwaysLive),
      },
    ],
  });
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'panel' },
      h('h3', {}, 'Tile ', num('tile.tile', tile.tile)),
      h(
        'table',
        {},
        row('Total without gaps', 'total', tile.total, other?.total),
        row('Total with gaps', 'withGaps', tile.withGaps, other?.withGaps),
        row('Always live', 'alwaysLive', tile.alwaysLive, other?.alwaysLive),
        row('Not always live, at its peak', 'notAlwaysLive', tile.notAlwaysLive, other?.notAlwaysLive),
        tile.overflowed ? row('Over the limit', 'overflowed', tile.overflowed, other?.overflowed) : null,
        Object.entries(tile.categories)
          .filter(([name, bytes]) => bytes || other?.categories[name])
          .map(([name, bytes]) =>
            row(`  ${name}`, `category.${name}`, bytes, other ? (other.categories[name] ?? 0) : undefined),
          ),
      ),
      h(
        'details',
        {},
        h('summary', {}, 'Always live, by category'),
        h(
          'table',
          {},
          Object.entries(tile.alwaysLiveCategories)
            .filter(([name, bytes]) => bytes || other?.alwaysLiveCategories[name])
            .map(([name, bytes]) =>
              row(name, `always.${name}`, bytes, other ? (other.alwaysLiveCategories[name] ?? 0) : undefined),
            ),
        ),
      ),
      tile.peakProgram ? h('p', { class: 'soft' }, `Its peak is at ${tile.peakProgram}.`) : null,
    ),
    tile.variables.length
      ? h(
          'div',
          {},
          h(
            'div',
            { class: 'bar' },
            h('input', {
              type: 'search',
              placeholder: 'Filter variables',
              oninput: (e: Event) => grid.setFilter((e.target as HTMLInputElement).value),
            }),
          ),
          grid.element,
        )
      : h(
          'p',
          { class: 'soft' },
          'Which variables lie here is recorded with autoReport.outputLoweredVars (part of autoReport.all).',
        ),
    tile.vertices.length
      ? h(
          'details',
          { class: 'panel' },
          h('summary', {}, `Vertex types (${tile.vertices.length})`),
          h(
            'table',
            {},
            tile.vertices.map(v => h('tr', {}, h('td', {}, v.name), h('td', {}, format(v.codeBytes, 'bytes')))),
          ),
        )
      : null,
  );
}

function totals(memory: Memory, other: Memory | undefined): HTMLElement {
  const sum = (values: number[] | undefined): number => (values ?? []).reduce((a, b) => a + b, 0);
  return h(
    'div',
    { class: 'panel' },
    h('h3', {}, 'All tiles'),
    h(
      'table',
      {},
      h(
        'tr',
        {},
        h('td', {}, 'Total without gaps'),
        compared('all.total', sum(memory.total), other && sum(other.total), 'bytes'),
      ),
      h(
        'tr',
        {},
        h('td', {}, 'Always live'),
        compared('all.alwaysLive', sum(memory.alwaysLive), other && sum(other.alwaysLive), 'bytes'),
      ),
      memory.categories
        .map(c => ({
          name: c.name,
          bytes: sum(c.bytes),
          second: other && sum(other.categories.find(o => o.name === c.name)?.bytes),
        }))
        .filter(c => c.bytes || c.second)
        .sort((a, b) => b.bytes - a.bytes)
        .map(c =>
          h('tr', {}, h('td', {}, `  ${c.name}`), compared(`all.category.${c.name}`, c.bytes, c.second, 'bytes')),
        ),
    ),
    h(
      'details',
      {},
      h('summary', {}, 'Always live, by category'),
      h(
        'table',
        {},
        memory.categories
          .map(c => ({
            name: c.name,
            bytes: sum(c.alwaysLive),
            second: other && sum(other.categories.find(o => o.name === c.name)?.alwaysLive),
          }))
          .filter(c => c.bytes || c.second)
          .sort((a, b) => b.bytes - a.bytes)
          .map(c => h('tr', {}, h('td', {}, c.name), compared(`all.always.${c.name}`, c.bytes, c.second, 'bytes'))),
      ),
    ),
  );
}

export const memory: View = async ({ report, other, target }) => {
  const [data, second] = await Promise.all([report.memory(), other?.memory()]);
  let breakdown: Breakdown = 'category',
    gaps = false;
  const details = h('div', {}, totals(data, second));
  const keyHolder = h('div', {});
  const select = async (tile: number): Promise<void> => {
    try {
      const [one, two] = await Promise.all([
        report.tile(tile),
        other && tile < (second?.total.length ?? 0) ? other.tile(tile) : undefined,
      ]);
      clear(details, tileDetails(one, two));
      details.dataset.tile = String(tile);
    } catch (error) {
      clear(details, h('p', { class: 'error' }, (error as Error).message));
    }
  };
  const plot = new StackPlot({
    count: data.total.length,
    unit: 'bytes',
    what: 'tile',
    series: [],
    limit: data.bytesPerTile,
    limitName: 'memory of a tile',
    other: second?.total,
    otherName: other?.name,
    select: tile => void select(tile),
    describe: tile =>
      data.total.length > data.tilesPerIpu ? [['IPU', String(Math.floor(tile / data.tilesPerIpu))]] : [],
    marks: data.total.length > data.tilesPerIpu ? i => i % data.tilesPerIpu === 0 && i > 0 : undefined,
  });
  const draw = (): void => {
    const series = seriesOf(data, breakdown, gaps);
    plot.update({ series });
    clear(keyHolder, legend(series.map(s => [s.name, s.colour])));
  };
  draw();
  const plan = h('div', { hidden: true });
  const find = h('input', {
    type: 'search',
    placeholder: 'Tile number',
    size: 10,
    'aria-label': 'tile',
    onchange: (e: Event) => plot.show(Number((e.target as HTMLInputElement).value)),
  });
  const bar = h(
    'div',
    { class: 'bar' },
    h(
      'label',
      {},
      'Break down by ',
      h(
        'select',
        {
          onchange: (e: Event) => {
            breakdown = (e.target as HTMLSelectElement).value as Breakdown;
            draw();
          },
        },
        ['category', 'liveness', 'none'].map(b => h('option', { value: b }, b)),
      ),
    ),
    h(
      'label',
      {},
      h('input', {
        type: 'checkbox',
        onchange: (e: Event) => {
          gaps = (e.target as HTMLInputElement).checked;
          draw();
        },
      }),
      ' gaps',
    ),
    find,
    h('button', { onclick: () => plot.range.reset() }, 'All tiles'),
    h('button', { onclick: () => plot.show(data.withGaps.indexOf(highest(data.withGaps))) }, 'Fullest tile'),
    h(
      'button',
      {
        onclick: () => {
          plan.hidden = !plan.hidden;
          if (!plan.hasChildNodes())
            for (let ipu = 0; ipu < Math.min(4, data.total.length / data.tilesPerIpu); ++ipu)
              plan.append(
                h(
                  'div',
                  { class: 'panel' },
                  h('h3', {}, `Floor plan, IPU ${ipu}`),
                  floorPlan(data, ipu, tile => plot.show(tile)),
                ),
              );
        },
      },
      'Floor plan',
    ),
  );
  if (target >= 0) plot.show(target);
  return h(
    'div',
    {},
    h('h2', {}, 'Memory by tile'),
    bar,
    h(
      'div',
      { class: 'split' },
      h(
        'div',
        {},
        h(
          'div',
          { class: 'panel' },
          plot.element,
          keyHolder,
          second ? h('p', { class: 'soft' }, `Line: ${other!.name}`) : null,
        ),
        plan,
      ),
      details,
    ),
  );
};
