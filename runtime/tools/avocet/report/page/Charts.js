// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Roofline plot and off-chip traffic by kind. Drawn by D3 in SVG.
'use strict';

(() => {
  const kMargin = avocet.kPlotMargin = {left: 62, right: 18, top: 14, bottom: 40};

  /** An empty plot of the size of its parent, with axes. */
  avocet.startPlot = (parent, {x, y, xTitle, yTitle, xFormat, yFormat}) => {
    const width = Math.max(240, parent.clientWidth), height = Math.max(140, parent.clientHeight);
    const svg = d3.select(parent).append('svg').attr({width, height, role: 'img', 'aria-label': `${yTitle} against ${xTitle}`});
    x.range([kMargin.left, width - kMargin.right]);
    y.range([height - kMargin.bottom, kMargin.top]);
    const axis = (scale, orient, format) => d3.svg.axis().scale(scale).orient(orient).ticks(6).tickFormat(format).tickSize(4, 0);
    svg.append('g').attr({class: 'axis', transform: `translate(0,${height - kMargin.bottom})`}).call(axis(x, 'bottom', xFormat));
    svg.append('g').attr({class: 'axis', transform: `translate(${kMargin.left},0)`}).call(axis(y, 'left', yFormat));
    svg.append('text').attr({class: 'axis-title', x: (width + kMargin.left) / 2, y: height - 6, 'text-anchor': 'middle'}).text(xTitle);
    svg.append('text').attr({class: 'axis-title', transform: `translate(13,${height / 2}) rotate(-90)`, 'text-anchor': 'middle'}).text(yTitle);
    return {svg, width, height};
  };

  /** Redraws a chart when its size or theme changes or it becomes visible. */
  avocet.keepDrawn = (root, draw) => {
    const redraw = () => {
      if (root.clientWidth === 0) return;
      root.replaceChildren();
      draw();
    };
    new ResizeObserver(redraw).observe(root);
    document.addEventListener('themechange', redraw);
    return redraw;
  };

  /** Layers by MACs per off-chip byte and MACs per cycle, under the limits of the array and of the off-chip port. */
  avocet.createRoofline = (run, selection) => {
    const root = avocet.element('div', {class: 'chart', id: 'roofline'});
    const points = run.layers.filter((layer) => layer.executed_macs > 0 && layer.cycles > 0 && layer.macs > 0).map((layer) => ({
      layer, intensity: layer.macs / Math.max(1, layer.dram_bytes), rate: layer.macs / layer.cycles}));
    const ceilingOf = (layer) => avocet.ratio(layer.macs, layer.roofline_cycles);
    const peak = run.target.macs_per_cycle, port = run.target.dram_bytes_per_cycle;
    let circles = null;
    const mark = () => circles?.attr('class', (point) => 'point' + (selection.layer < 0 ? '' : point.layer.index === selection.layer ? ' selected' : ' dimmed'));
    const draw = () => {
      const plot = root.appendChild(avocet.element('div', {class: 'plot'}));
      if (points.length === 0) return plot.append(avocet.element('p', {class: 'empty', text: 'No layer has MACs.'}));
      const ridge = peak / port;
      const [low, high] = d3.extent([ridge / 4, ridge * 4, ...points.map((point) => point.intensity)]);
      const x = d3.scale.log().domain([low / 1.5, high * 1.5]);
      const y = d3.scale.log().domain([Math.min(peak / 100, d3.min(points, (point) => point.rate)) / 1.5, peak * 2]);
      const format = (value) => (Math.abs(Math.log10(value) % 1) < 1e-6 ? d3.format('s')(value) : '');
      const {svg} = avocet.startPlot(plot, {x, y, xTitle: 'MACs per off-chip byte', yTitle: 'MACs per cycle', xFormat: format, yFormat: format});
      const roof = [[x.domain()[0], x.domain()[0] * port], [ridge, peak], [x.domain()[1], peak]].filter(([, rate]) => rate > 0);
      svg.append('path').attr({class: 'roof', d: d3.svg.line().x(([value]) => x(value)).y(([, value]) => y(Math.max(value, y.domain()[0])))(roof)});
      svg.append('text').attr({class: 'roof-name', x: x(x.domain()[1]) - 4, y: y(peak) - 6, 'text-anchor': 'end'}).text(`array: ${peak} MACs per cycle`);
      svg.append('text').attr({class: 'roof-name', x: kMargin.left + 8, y: Math.max(30, y(Math.max(y.domain()[0], x.domain()[0] * port)) - 10)})
          .text(`off-chip port: ${port.toFixed(1)} bytes per cycle`);
      // Each layer has a ceiling of its own: a depthwise convolution can use a part of the array only.
      svg.selectAll('path.ceiling').data(points.filter((point) => ceilingOf(point.layer) > point.rate)).enter().append('path')
          .attr({class: 'ceiling', stroke: (point) => avocet.layerColor(point.layer.index),
                 d: (point) => `M${x(point.intensity)},${y(point.rate)}V${y(ceilingOf(point.layer))}m-5,0h10`});
      const radius = d3.scale.sqrt().domain([0, d3.max(points, (point) => point.layer.cycles)]).range([3, 17]);
      circles = svg.selectAll('circle').data(points.slice().sort((a, b) => b.layer.cycles - a.layer.cycles)).enter().append('circle')
          .attr({cx: (point) => x(point.intensity), cy: (point) => y(point.rate), r: (point) => radius(point.layer.cycles),
                 fill: (point) => avocet.layerColor(point.layer.index), 'data-layer': (point) => point.layer.index})
          .on('click', (point) => selection.selectLayer(point.layer.index, root))
          .on('mousemove', (point) => avocet.showTooltip(d3.event, [
            point.layer.short_name, `${point.intensity.toFixed(1)} MACs per off-chip byte, ${point.rate.toFixed(1)} MACs per cycle`,
            `${avocet.commas(point.layer.cycles)} cycles, bound by ${avocet.titleOf(point.layer.bound_by)}`,
            `at most ${ceilingOf(point.layer).toFixed(1)} MACs per cycle with its shape and constants`]))
          .on('mouseleave', () => avocet.showTooltip(d3.event, null));
      mark();
    };
    avocet.keepDrawn(root, draw);
    selection.listen(mark);
    return {title: 'Roofline', root};
  };

  const kKinds = [['constants', 'constants', 'kind-1'], ['scratch', 'intermediate results', 'kind-3'],
                  ['inputs', 'inputs', 'kind-4'], ['outputs', 'outputs', 'kind-5']];
  const kTotals = {weights: 'weights, read once', refetched_weights: 'weights, read again', spills: 'intermediate results',
                   inputs: 'inputs', outputs: 'outputs'};

  const totalBars = (run) => {
    const kinds = Object.entries(run.figures.dram_bytes_by_kind), most = Math.max(1, ...kinds.map(([, bytes]) => bytes));
    return avocet.element('div', {class: 'bars'}, ...kinds.flatMap(([kind, bytes], i) => [
      avocet.element('span', {text: kTotals[kind] ?? kind}),
      avocet.element('span', {class: 'bar-line'}, avocet.element('i', {style: `width:${100 * bytes / most}%;background:var(--kind-${1 + i % 5})`})),
      avocet.element('span', {class: 'number', text: `${avocet.bytes(bytes)}  ${avocet.percent(avocet.ratio(bytes, run.figures.dram_bytes))}`}),
    ]));
  };

  /** Totals by kind, and the layers with most traffic. */
  avocet.createTraffic = (run, selection) => {
    const root = avocet.element('div', {class: 'chart scrolls', id: 'traffic'});
    const sum = (layer) => d3.sum(kKinds, ([key]) => layer.transfers[key]);
    const other = {index: -1, short_name: 'no layer', name: 'transfers of inputs, outputs and prefetches without a layer', transfers: run.json.transfers_without_layer};
    const layers = [...run.layers, other].filter((layer) => sum(layer) > 0).sort((a, b) => sum(b) - sum(a)), most = layers.length ? sum(layers[0]) : 1;
    const rows = layers.slice(0, 200).map((layer) => avocet.element('div', {class: 'bars traffic-row', 'data-layer': layer.index,
      on: {click: () => selection.selectLayer(layer.index, root)}},
      avocet.element('span', {text: layer.short_name, title: layer.name}),
      avocet.element('span', {class: 'bar-line'}, ...kKinds.map(([key, title, color]) => avocet.element('i', {
        title: `${title}: ${avocet.bytes(layer.transfers[key])}`, style: `width:${100 * layer.transfers[key] / most}%;background:var(--${color})`}))),
      avocet.element('span', {class: 'number', text: avocet.bytes(sum(layer))})));
    const legend = avocet.element('p', {class: 'legend'}, ...kKinds.flatMap(([, title, color]) => [
      avocet.element('i', {style: `background:var(--${color})`}), avocet.element('span', {text: title})]));
    root.append(avocet.element('h3', {text: `${avocet.bytes(run.figures.dram_bytes)} off chip`}), totalBars(run),
                avocet.element('h3', {text: 'Layers by the traffic of their transfers'}), legend, ...rows);
    if (layers.length > 200) root.append(avocet.element('p', {class: 'hint', text: `and ${layers.length - 200} layers with less`}));
    selection.listen(() => rows.forEach((row) => row.classList.toggle('selected', Number(row.dataset.layer) === selection.layer)));
    return {title: 'Traffic', root};
  };
})();
