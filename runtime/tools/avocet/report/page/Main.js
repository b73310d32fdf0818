// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the page from its data: a view for each run, and one that compares two.
'use strict';

(() => {
  const kThemeKey = 'avocet-report-theme';

  /** Light or dark as the system, until the switch is used; kept for the next page if the browser allows it. */
  const themeSwitch = () => {
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    const root = document.documentElement;
    const stored = () => { try { return localStorage.getItem(kThemeKey); } catch { return null; } };
    const store = (theme) => { try { localStorage.setItem(kThemeKey, theme); } catch { /* private pages have no storage */ } };
    const isDark = () => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
    const apply = () => {
      button.textContent = isDark() ? 'Light' : 'Dark';
      document.dispatchEvent(new Event('themechange'));
    };
    const button = avocet.element('button', {id: 'theme', title: 'Switch between light and dark', on: {click: () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      store(root.dataset.theme);
      apply();
    }}});
    if (stored()) root.dataset.theme = stored();
    system.addEventListener('change', apply);
    button.textContent = isDark() ? 'Light' : 'Dark';
    return button;
  };

  const card = (title, value, note) => avocet.element('div', {class: 'card'}, avocet.element('span', {text: title}),
                                                      avocet.element('b', {text: value, class: /\d/.test(value) ? '' : 'words'}),
                                                      avocet.element('small', {text: note}));

  /** The figures of a run in one line. */
  const summary = (run) => {
    const {figures, target} = run;
    return avocet.element('div', {class: 'cards'},
      card('cycles', avocet.commas(figures.cycles), `${avocet.ratio(figures.cycles, figures.roofline_cycles).toFixed(2)}\u00d7 the roofline bound${figures.device_cycles ? `, ${avocet.ratio(figures.cycles, figures.device_cycles).toFixed(2)}\u00d7 that of the device` : ''}`),
      card('time', `${figures.simulated_ms.toFixed(3)} ms`, `at ${avocet.commas(target.clock_hz / 1e6)} MHz on ${target.name}`),
      card('MAC array', avocet.percent(figures.utilization), `${avocet.count(figures.macs)} MACs needed`),
      card('off chip', avocet.bytes(figures.dram_bytes), `least ${avocet.bytes(figures.least_dram_bytes)}`),
      card('on-chip memory', avocet.bytes(figures.sram_peak_bytes), `of ${avocet.bytes(target.sram_bytes)}, at most`),
      card('energy', `${(figures.energy_picojoules / 1e6).toFixed(1)} \u00b5J`, `${avocet.ratio(figures.energy_picojoules, figures.executed_macs).toFixed(2)} pJ per MAC`),
      card('predicted', figures.predicted_cycles ? avocet.commas(figures.predicted_cycles) : '\u2013',
           figures.predicted_cycles ? `simulated ${avocet.signedPercent(figures.cycles / figures.predicted_cycles - 1)}` : 'no prediction'),
      card('bound by', avocet.titleOf(figures.bound_by), 'of the network'));
  };

  /** Panes of which one is shown. Hidden ones have no size, so they draw themselves when they appear. */
  const tabs = (panes) => {
    const buttons = panes.map((pane, i) => avocet.element('button', {role: 'tab', text: pane.title, 'data-tab': pane.title, on: {click: () => show(i)}}));
    const body = avocet.element('div', {class: 'pane-body'}, ...panes.map((pane) => pane.root));
    const show = (index) => {
      panes.forEach((pane, i) => (pane.root.hidden = i !== index));
      buttons.forEach((button, i) => button.setAttribute('aria-selected', String(i === index)));
    };
    show(0);
    return avocet.element('section', {class: 'pane', id: 'tabs'}, avocet.element('div', {class: 'pane-head tabs', role: 'tablist'}, ...buttons), body);
  };

  const runView = (run, selection) => {
    const viewport = new avocet.Viewport(run.cycles);
    const timeLine = avocet.createTimeLine(run, viewport, selection), memory = avocet.createMemoryPane(run, viewport, selection);
    const panes = [avocet.createDetails(run, selection), avocet.createRoofline(run, selection), avocet.createTraffic(run, selection),
                   avocet.createGraph(run, selection), avocet.createIr(run, selection), avocet.createPrediction(run, selection)];
    const root = avocet.element('div', {class: 'view'}, summary(run), avocet.element('div', {class: 'times'}, timeLine.root, memory.root),
                                avocet.element('div', {class: 'split'}, avocet.createLayerTable(run, selection).root, tabs(panes)));
    selection.listen((_, source) => {
      const command = selection.command;
      const cycles = command ? [run.tracks[command.track].start[command.place], run.tracks[command.track].end[command.place]] : null;
      if (cycles && source?.root !== timeLine.root) viewport.reveal(...cycles);
    });
    return {root, viewport, panes, paint: () => { timeLine.paint(); memory.paint(); }};
  };

  /** Views by name; each is built when it is first shown. */
  const buildViews = (runs, app) => {
    const selections = runs.map(() => new avocet.Selection());
    const makers = {};
    if (runs.length === 2) makers.Compare = () => avocet.createComparison(runs, selections);
    runs.forEach((run, i) => (makers[runs.length === 2 ? 'AB'[i] : 'Run'] = () => runView(run, selections[i])));
    const views = {}, names = Object.keys(makers);
    const buttons = names.map((name) => avocet.element('button', {text: name, 'data-view': name, title: name.length === 1 ? runs['AB'.indexOf(name)].title : '',
                                                                 on: {click: () => show(name)}}));
    const show = (name) => {
      if (!views[name]) app.append((views[name] = makers[name]()).root);
      for (const [other, view] of Object.entries(views)) view.root.hidden = other !== name;
      buttons.forEach((button) => button.setAttribute('aria-pressed', String(button.dataset.view === name)));
    };
    show(names[0]);
    return {views, selections, show, buttons: names.length > 1 ? buttons : []};
  };

  const start = async () => {
    const app = document.getElementById('app'), tables = document.getElementById('tables');
    const runs = await avocet.loadRuns();
    const tablesButton = avocet.element('button', {id: 'show-tables', text: 'Tables', title: 'The report as plain tables', on: {click: () => {
      tables.hidden = !tables.hidden;
      app.hidden = !tables.hidden;
      tablesButton.setAttribute('aria-pressed', String(!tables.hidden));
    }}});
    const theme = themeSwitch();
    tables.hidden = true;
    app.hidden = false;
    const {views, selections, show, buttons} = buildViews(runs, app);
    document.getElementById('tools').append(...buttons, tablesButton, theme);
    document.addEventListener('keydown', (event) => event.key === 'Escape' && selections.forEach((selection) => selection.clear(null)));
    // For tests and for the console.
    avocet.page = {runs, views, selections, show, loadedMs: performance.now()};
    delete document.documentElement.dataset.loading;
    document.documentElement.dataset.ready = 'true';
  };

  start().catch((error) => {
    delete document.documentElement.dataset.loading;
    const problem = document.getElementById('problem');
    problem.hidden = false;
    problem.textContent = `The interactive part of this page failed (${error.message}). The tables below are complete. ` +
                          'Browsers since 2023 can show all of it.';
    console.error(error);
  });
})();
