// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two runs side by side: figures, layers by what changed, time lines on one axis.
'use strict';

(() => {
  const kRowHeight = 24;
  const kFigures = [['cycles', 'cycles', avocet.commas], ['predicted_cycles', 'predicted cycles', avocet.commas], ['roofline_cycles', 'roofline bound', avocet.commas], ['device_cycles', 'bound of the device', avocet.commas], ['utilization', 'use of the MAC array', avocet.percent],
                    ['executed_macs', 'MACs executed', avocet.count], ['dram_bytes', 'off-chip traffic', avocet.bytes], ['sram_bytes', 'on-chip traffic', avocet.bytes],
                    ['sram_peak_bytes', 'on-chip memory, most', avocet.bytes], ['energy_picojoules', 'energy, \u00b5J', (energy) => (energy / 1e6).toFixed(1)]];

  /** Layers of both runs by name: {name, a, b}; a layer of one run only has null for the other. Equal names in order. */
  avocet.matchLayers = (first, second) => {
    const rest = new Map();
    for (const layer of second.layers) rest.set(layer.name, [...(rest.get(layer.name) ?? []), layer]);
    const pairs = first.layers.map((a) => ({name: a.short_name, a, b: rest.get(a.name)?.shift() ?? null}));
    for (const layers of rest.values())
      for (const b of layers) pairs.push({name: b.short_name, a: null, b});
    return pairs;
  };

  const change = (a, b) => (a > 0 ? b / a - 1 : b > 0 ? Infinity : 0);
  const changeText = (a, b) => (Number.isFinite(change(a, b)) ? avocet.signedPercent(change(a, b)) : 'new');
  const changeClass = (a, b) => (b > a * 1.0005 ? 'worse' : b < a * 0.9995 ? 'better' : '');

  const figureTable = (runs) => {
    const [a, b] = runs.map((run) => run.figures);
    const kinds = Object.keys(a.dram_bytes_by_kind).map((kind) => [kind.replace(/_/g, ' ') + ', off chip', a.dram_bytes_by_kind[kind], b.dram_bytes_by_kind[kind] ?? 0, avocet.bytes]);
    const rows = [...kFigures.filter(([key]) => a[key] !== undefined && b[key] !== undefined).map(([key, title, format]) => [title, a[key], b[key], format]), ...kinds];
    return avocet.element('table', {class: 'figures'}, avocet.element('thead', {}, avocet.element('tr', {}, ...['', 'A', 'B', 'change'].map((text) => avocet.element('th', {text})))),
      avocet.element('tbody', {}, ...rows.map(([title, first, second, format]) => avocet.element('tr', {},
        avocet.element('th', {text: title}), avocet.element('td', {text: format(first)}), avocet.element('td', {text: format(second)}),
        avocet.element('td', {text: changeText(first, second), class: title.startsWith('use') ? changeClass(second, first) : title.includes('bound') || title.startsWith('predicted') ? '' : changeClass(first, second)})))));
  };

  const causeOf = (layer) => (layer ? avocet.titleOf(layer.bound_by) : '');

  const columns = [
    {id: 'name', title: 'layer', value: (pair) => pair.name, width: 'minmax(120px, 2fr)', isText: true},
    {id: 'a', title: 'cycles of A', value: (pair) => pair.a?.cycles ?? 0, width: '96px', text: (pair) => (pair.a ? avocet.commas(pair.a.cycles) : '\u2013')},
    {id: 'b', title: 'cycles of B', value: (pair) => pair.b?.cycles ?? 0, width: '96px', text: (pair) => (pair.b ? avocet.commas(pair.b.cycles) : '\u2013')},
    {id: 'delta', title: 'B \u2212 A', help: 'sorts by the size of the change', value: (pair) => Math.abs((pair.b?.cycles ?? 0) - (pair.a?.cycles ?? 0)), width: 'minmax(150px, 1fr)'},
    {id: 'percent', title: 'change', value: (pair) => change(pair.a?.cycles ?? 0, pair.b?.cycles ?? 0), width: '78px',
     text: (pair) => (pair.a && pair.b ? changeText(pair.a.cycles, pair.b.cycles) : pair.a ? 'only in A' : 'only in B')},
    {id: 'dram', title: 'off-chip B \u2212 A', value: (pair) => Math.abs((pair.b?.dram_bytes ?? 0) - (pair.a?.dram_bytes ?? 0)), width: '110px',
     text: (pair) => { const bytes = (pair.b?.dram_bytes ?? 0) - (pair.a?.dram_bytes ?? 0); return (bytes > 0 ? '+' : '') + avocet.bytes(bytes); }},
    {id: 'causes', title: 'bound by', value: (pair) => `${causeOf(pair.a)} ${causeOf(pair.b)}`, width: '170px', isText: true,
     text: (pair) => (pair.a?.bound_by === pair.b?.bound_by ? causeOf(pair.a) : `${causeOf(pair.a) || '\u2013'} \u2192 ${causeOf(pair.b) || '\u2013'}`)},
  ];

  /** A bar to the left for fewer, to the right for more cycles. */
  const deltaCell = (pair, most) => {
    const delta = (pair.b?.cycles ?? 0) - (pair.a?.cycles ?? 0), width = 50 * Math.abs(delta) / most;
    const bar = avocet.element('i', {class: delta > 0 ? 'worse-bar' : 'better-bar', style: `width:${width}%;left:${delta > 0 ? 50 : 50 - width}%`});
    return avocet.element('span', {class: 'cell delta'}, bar, avocet.element('b', {text: (delta > 0 ? '+' : '') + avocet.commas(delta)}));
  };

  const changeTable = (pairs, selections) => {
    const template = columns.map((column) => column.width).join(' ');
    const most = Math.max(1, ...pairs.map((pair) => Math.abs((pair.b?.cycles ?? 0) - (pair.a?.cycles ?? 0))));
    const search = avocet.element('input', {type: 'search', placeholder: 'Search layers', 'aria-label': 'Search layers of both', id: 'compare-search'});
    const pane = avocet.pane('changes', 'Layers: what changed', avocet.element('span', {class: 'hint', text: 'matched by name'}), search);
    const state = {sort: 'delta', isDescending: true, order: []};
    const isSelected = (pair) => (pair.a && pair.a.index === selections[0].layer) || (pair.b && pair.b.index === selections[1].layer);
    const header = avocet.sortHeader(columns, template, (id) => {
      state.isDescending = state.sort === id ? !state.isDescending : !columns.find((column) => column.id === id).isText;
      state.sort = id;
      arrange();
    });
    const list = new avocet.VirtualList(kRowHeight, (place) => {
      const pair = state.order[place];
      const row = avocet.element('div', {class: isSelected(pair) ? 'row selected' : 'row', style: `grid-template-columns:${template}`, 'data-place': place},
        ...columns.map((column) => (column.id === 'delta' ? deltaCell(pair, most)
          : avocet.element('span', {class: column.isText ? 'cell' : 'cell number', text: column.text ? column.text(pair) : column.value(pair)}))));
      row.style.setProperty('--layer', avocet.layerColor(pair.a?.index ?? pair.b.index));
      return row;
    }, header);
    const arrange = () => {
      const column = columns.find((candidate) => candidate.id === state.sort);
      state.order = pairs.filter((pair) => avocet.matchesSearch(pair.a ?? pair.b, search.value.trim()));
      state.order.sort((x, y) => avocet.compareValues(column.value(x), column.value(y)) * (state.isDescending ? -1 : 1));
      header.mark(state.sort, state.isDescending);
      list.setCount(state.order.length);
    };
    search.addEventListener('input', arrange);
    list.root.addEventListener('click', (event) => {
      const pair = state.order[event.target.closest('.row')?.dataset.place];
      if (!pair) return;
      selections[0].set_(pair.a?.index ?? -1, null, pane);
      selections[1].set_(pair.b?.index ?? -1, null, pane);
    });
    for (const selection of selections) selection.listen(() => list.render());
    document.addEventListener('themechange', () => list.render());
    pane.body.append(list.root);
    arrange();
    return pane.root;
  };

  /** A selection in one run selects the layer of the same name in the other. */
  const linkSelections = (pairs, selections) => {
    let isLinking = false;
    const link = (from, to, ofFrom, ofTo) => from.listen((selection) => {
      if (isLinking || !selection.command && selection.layer < 0 && to.layer < 0) return;
      const pair = pairs.find((candidate) => ofFrom(candidate)?.index === selection.layer);
      if (!pair && selection.layer >= 0) return;
      isLinking = true;
      to.set_(pair ? ofTo(pair)?.index ?? -1 : -1, null, from);
      isLinking = false;
    });
    link(selections[0], selections[1], (pair) => pair.a, (pair) => pair.b);
    link(selections[1], selections[0], (pair) => pair.b, (pair) => pair.a);
  };

  /** The decisions about the selected layer in both runs. */
  const decisionsOfBoth = (runs, selections) => {
    const root = avocet.element('div', {id: 'compare-decisions'});
    const side = (run, layer, name) => avocet.element('div', {}, avocet.element('h3', {text: `What the compiler decided in ${name} for ${run.layers[layer] ? run.layerName(layer) : 'the network'}`}),
                                                      ...avocet.decisionParts(run, run.layers[layer] ? layer : -1));
    const update = () => root.replaceChildren(...runs.map((run, i) => side(run, selections[i].layer, 'AB'[i])));
    for (const selection of selections) selection.listen(update);
    update();
    return root;
  };

  avocet.createComparison = (runs, selections) => {
    const pairs = avocet.matchLayers(...runs);
    const viewport = new avocet.Viewport(Math.max(...runs.map((run) => run.cycles)));
    const timeLines = runs.map((run, i) => avocet.createTimeLine(run, viewport, selections[i], i === 0 ? '-a' : '-b'));
    linkSelections(pairs, selections);
    const titles = avocet.element('p', {class: 'note', text: `A: ${runs[0].title}\nB: ${runs[1].title}`});
    const summary = avocet.pane('compare-figures', 'Figures');
    summary.body.append(titles, figureTable(runs), decisionsOfBoth(runs, selections));
    const root = avocet.element('div', {class: 'comparison'}, avocet.element('div', {class: 'times'}, ...timeLines.map((line) => line.root)),
                                avocet.element('div', {class: 'split'}, summary.root, changeTable(pairs, selections)));
    return {root, viewport, paint: () => timeLines.forEach((line) => line.paint())};
  };
})();
