// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of layers: sortable, searchable, with rows for the visible layers only.
'use strict';

(() => {
  const kRowHeight = 24;

  const kUnknown = '\u2013';

  /** Simulated over predicted cycles - 1; the least number if there is no prediction, so that such layers sort together. */
  avocet.predictionError = (layer) => (layer.predicted_cycles > 0 ? layer.cycles / layer.predicted_cycles - 1 : -Infinity);

  /** Columns: title, unit or meaning, the value by which it sorts, its text, the share that a bar shows, and the text of the total of layers. */
  const columnsOf = (run) => {
    const rest = run.figures.without_layer ?? {}; // data of earlier versions has none
    const isAll = (layers) => layers.length === run.layers.length;
    const sumOf = (key, layers) => layers.reduce((sum, layer) => sum + layer[key], isAll(layers) ? rest[key] ?? 0 : 0);
    const sum = (key, format) => (layers) => format(sumOf(key, layers));
    const predicted = (layers) => (run.prediction.sum === null ? null : layers.reduce((total, layer) => total + (layer.predicted_cycles ?? 0), 0));
    const errorText = (error) => (Number.isFinite(error) ? avocet.signedPercent(error) : kUnknown);
    const most = Math.max(1, ...run.layers.map((layer) => layer.cycles));
    const total = Math.max(1, run.figures.cycles);
    const overBound = (layer) => avocet.ratio(layer.cycles, layer.roofline_cycles);
    // The sum is the longest number of its column, and bold.
    const cyclesWidth = `max(92px, calc(${avocet.commas(total).length}ch + 22px))`;
    return [
      {id: 'index', title: '#', help: 'number', value: (layer) => layer.index, text: String, width: '34px'},
      {id: 'name', title: 'layer', help: 'name in the file', value: (layer) => layer.short_name, text: String, width: 'minmax(170px, 2fr)', isText: true,
       total: (layers) => (!isAll(layers) ? `${layers.length} layers` : rest.cycles > 0 || rest.dram_bytes > 0 ? 'all layers and the rest' : 'all layers')},
      {id: 'operation', title: 'operation', help: '', value: (layer) => layer.operation, text: String, width: 'minmax(128px, 1fr)', isText: true},
      ...(run.layers.some((layer) => layer.group) ?
        [{id: 'group', title: 'part of', help: 'layers that are steps of one', value: (layer) => layer.group ?? '', text: String, width: 'minmax(110px, 1fr)', isText: true}] : []),
      {id: 'engine', title: 'engine', help: '', value: (layer) => avocet.titleOf(layer.engine), text: String, width: '76px', isText: true},
      {id: 'cycles', title: 'cycles', help: 'simulated; with those of no layer they add up to those of the run', value: (layer) => layer.cycles, text: avocet.commas,
       width: cyclesWidth, bar: (layer) => layer.cycles / most, total: sum('cycles', avocet.commas)},
      {id: 'predicted', title: 'predicted', help: 'cycles, by the compiler; divided among layers by the command that completes next', value: (layer) => layer.predicted_cycles ?? -1,
       text: (cycles) => (cycles < 0 ? kUnknown : avocet.commas(cycles)), width: cyclesWidth, total: (layers) => (predicted(layers) === null ? kUnknown : avocet.commas(predicted(layers)))},
      {id: 'error', title: 'difference', help: 'simulated against predicted cycles', value: avocet.predictionError, text: errorText, width: '86px',
       total: (layers) => (predicted(layers) > 0 ? errorText(layers.reduce((total, layer) => total + layer.cycles, 0) / predicted(layers) - 1) : kUnknown)},
      {id: 'share', title: '%', help: 'of all cycles', value: (layer) => layer.cycles / total, text: (part) => (100 * part).toFixed(1), width: '50px',
       total: (layers) => (100 * sumOf('cycles', layers) / total).toFixed(1)},
      {id: 'bound', title: '\u00d7 bound', help: 'cycles over the layer\'s roofline bound', value: overBound,
       text: (ratio) => (ratio > 0 ? ratio.toFixed(2) : ''), width: '72px'},
      {id: 'utilization', title: 'use', help: 'of the MAC array', value: (layer) => layer.utilization, text: (part) => (100 * part).toFixed(0) + ' %', width: '52px'},
      {id: 'macs', title: 'MACs', help: 'needed', value: (layer) => layer.macs, text: avocet.count, width: '66px', total: sum('macs', avocet.count)},
      {id: 'dram', title: 'off-chip', help: 'bytes read and written', value: (layer) => layer.dram_bytes, text: avocet.bytes, width: '76px', total: sum('dram_bytes', avocet.bytes)},
      {id: 'sram', title: 'on-chip', help: 'bytes read and written', value: (layer) => layer.sram_bytes, text: avocet.bytes, width: '82px', total: sum('sram_bytes', avocet.bytes)},
      {id: 'energy', title: '\u00b5J', help: 'energy', value: (layer) => layer.energy_picojoules / 1e6, text: (energy) => energy.toFixed(1), width: '60px',
       total: (layers) => (sumOf('energy_picojoules', layers) / 1e6).toFixed(1)},
      {id: 'cause', title: 'bound by', help: 'the longest component of its time', value: (layer) => avocet.titleOf(layer.bound_by), text: String, width: '92px', isText: true},
    ];
  };

  /** Whether a layer has all words of the search in its name, operation, engine or cause. */
  avocet.matchesSearch = (layer, search) => {
    const text = [layer.index, layer.name, layer.operation, layer.group, layer.engine, avocet.titleOf(layer.engine), layer.bound_by, avocet.titleOf(layer.bound_by)].join(' ').toLowerCase();
    return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  };

  avocet.compareValues = (a, b) => (typeof a === 'string' ? a.localeCompare(b, 'en', {numeric: true}) : a - b);

  /** The heading row of a sortable table: marks the sorted column, calls `onSort(id)`. */
  avocet.sortHeader = (columns, template, onSort) => {
    const cells = columns.map((column) => avocet.element('button', {
      class: column.isText ? 'cell' : 'cell number', text: column.title, title: `${column.help || column.title}; click to sort`,
      'data-column': column.id, on: {click: () => onSort(column.id)},
    }));
    const root = avocet.element('div', {class: 'row head', style: `grid-template-columns:${template}`}, ...cells);
    root.mark = (id, isDescending) => cells.forEach((cell) => {
      cell.setAttribute('aria-sort', cell.dataset.column !== id ? 'none' : isDescending ? 'descending' : 'ascending');
    });
    return root;
  };

  avocet.createLayerTable = (run, selection) => {
    const columns = columnsOf(run), template = columns.map((column) => column.width).join(' ');
    const count = avocet.element('span', {class: 'hint'});
    const totals = avocet.element('div', {class: 'row total', style: `grid-template-columns:${template}`});
    const search = avocet.element('input', {type: 'search', placeholder: 'Search layers', 'aria-label': 'Search layers', id: 'search'});
    const pane = avocet.pane('layers', 'Layers', count, search);
    const state = {sort: 'index', isDescending: false, order: []};

    const makeCell = (column, layer) => {
      const value = column.value(layer);
      const cell = avocet.element('span', {class: column.isText ? 'cell' : 'cell number', text: column.text(value),
                                           title: column.id === 'name' ? layer.name : undefined});
      if (column.bar) cell.style.setProperty('--bar', (100 * column.bar(layer)).toFixed(1) + '%');
      if (column.bar) cell.classList.add('bar');
      return cell;
    };
    const header = avocet.sortHeader(columns, template, (id) => {
      const isText = columns.find((column) => column.id === id).isText || id === 'index';
      state.isDescending = state.sort === id ? !state.isDescending : !isText;
      state.sort = id;
      arrange();
    });
    const list = new avocet.VirtualList(kRowHeight, (place) => {
      const layer = run.layers[state.order[place]], isSelected = layer.index === selection.layer;
      const row = avocet.element('div', {class: isSelected ? 'row selected' : 'row', style: `grid-template-columns:${template}`,
                                         'data-layer': layer.index, 'aria-selected': String(isSelected)},
                                 ...columns.map((column) => makeCell(column, layer)));
      row.style.setProperty('--layer', avocet.layerColor(layer.index));
      return row;
    }, header, totals);

    /** Of the layers shown. Bounds and use of the array are no sums. */
    const addUp = (layers) => totals.replaceChildren(...columns.map((column) => avocet.element('span', {
      class: column.isText ? 'cell' : 'cell number', 'data-total': column.id, text: column.total?.(layers) ?? ''})));

    const arrange = () => {
      const column = columns.find((candidate) => candidate.id === state.sort);
      const shown = run.layers.filter((layer) => avocet.matchesSearch(layer, search.value.trim()));
      shown.sort((a, b) => avocet.compareValues(column.value(a), column.value(b)) * (state.isDescending ? -1 : 1) || a.index - b.index);
      state.order = shown.map((layer) => layer.index);
      const of = shown.length === run.layers.length ? '' : ` of ${run.layers.length}`;
      count.textContent = `${shown.length}${of}${run.prediction.note ? '; ' + run.prediction.note : ''}`;
      addUp(shown);
      header.mark(state.sort, state.isDescending);
      list.setCount(shown.length);
    };

    search.addEventListener('input', arrange);
    list.root.addEventListener('click', (event) => {
      const row = event.target.closest('.row[data-layer]');
      if (row) selection.selectLayer(Number(row.dataset.layer), pane);
    });
    list.root.addEventListener('keydown', (event) => {
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
      if (!step || state.order.length === 0) return;
      event.preventDefault();
      const place = state.order.indexOf(selection.layer) + step;
      selection.selectLayer(state.order[Math.max(0, Math.min(state.order.length - 1, place))], pane);
      list.reveal(state.order.indexOf(selection.layer));
    });
    selection.listen((_, source) => {
      const place = state.order.indexOf(selection.layer);
      if (place >= 0 && source !== pane) list.reveal(place);
      else list.render();
    });
    document.addEventListener('themechange', () => list.render());
    pane.body.append(list.root);
    arrange();
    // A view that is built later shows what is selected already.
    requestAnimationFrame(() => selection.layer >= 0 && list.reveal(state.order.indexOf(selection.layer)));
    return {root: pane.root};
  };
})();
