// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simulated cycles of the layers against those that the compiler predicted, and against their least ones.
'use strict';

(() => {
  const kRadius = 5;

  const summary = (run) => {
    const predicted = run.figures.predicted_cycles, cycles = run.figures.cycles;
    if (predicted === 0) return 'The compiler made no prediction. ';
    const network = `The compiler predicted ${avocet.commas(predicted)} cycles, the simulation took ${avocet.commas(cycles)} (${avocet.signedPercent(cycles / predicted - 1)}). `;
    if (run.prediction.sum === null) return network + `By layer: ${run.prediction.note}. `;
    const errors = run.layers.reduce((sum, layer) => sum + Math.abs(layer.cycles - (layer.predicted_cycles ?? 0)), 0);
    return `${network}The differences of the layers, without their signs, are ${avocet.percent(avocet.ratio(errors, cycles))} of the cycles. `;
  };

  const withTooltip = (shapes, selection, root, lines) => shapes
      .on('click', (layer) => selection.selectLayer(layer.index, root))
      .on('mousemove', (layer) => avocet.showTooltip(d3.event, [layer.short_name, ...lines(layer)]))
      .on('mouseleave', () => avocet.showTooltip(d3.event, null));

  const cyclesText = (layer) => [`predicted ${avocet.commas(layer.predicted_cycles)}, simulated ${avocet.commas(layer.cycles)} cycles`,
                                 `simulated ${avocet.signedPercent(avocet.predictionError(layer))}`];

  const isEmpty = (plot, known) => {
    if (known.length === 0) plot.append(avocet.element('p', {class: 'empty', text: 'No layer has both figures.'}));
    return known.length === 0;
  };

  /** One point for each layer; the line is where both are equal. */
  const drawLayers = (plot, run, selection, root) => {
    const known = run.layers.filter((layer) => layer.predicted_cycles > 0 && layer.cycles > 0);
    if (isEmpty(plot, known)) return;
    const [low, high] = d3.extent(known.flatMap((layer) => [layer.predicted_cycles, layer.cycles]));
    const x = d3.scale.log().domain([low / 1.5, high * 1.5]), y = d3.scale.log().domain(x.domain());
    const format = (value) => (Math.abs(Math.log10(value) % 1) < 1e-6 ? d3.format('s')(value) : '');
    const {svg} = avocet.startPlot(plot, {x, y, xTitle: 'predicted cycles of a layer', yTitle: 'simulated cycles', xFormat: format, yFormat: format});
    const [first, last] = x.domain();
    svg.append('line').attr({class: 'roof', x1: x(first), x2: x(last), y1: y(first), y2: y(last)});
    const circles = svg.selectAll('circle').data(known).enter().append('circle').attr({
      class: 'point', cx: (layer) => x(layer.predicted_cycles), cy: (layer) => y(layer.cycles), r: kRadius, fill: (layer) => avocet.layerColor(layer.index), 'data-layer': (layer) => layer.index});
    withTooltip(circles, selection, root, cyclesText);
  };

  /** Layers by the ratio of simulated cycles to others, each with its share of the time. */
  const drawHistogram = (plot, run, selection, root, {baseOf, xTitle, range}) => {
    const known = run.layers.filter((layer) => baseOf(layer) > 0 && layer.cycles > 0), ratioOf = (layer) => Math.log2(layer.cycles / baseOf(layer));
    if (isEmpty(plot, known)) return;
    const x = d3.scale.linear().domain([Math.min(range[0], Math.floor(2 * d3.min(known, ratioOf)) / 2), Math.max(range[1], Math.ceil(2 * d3.max(known, ratioOf)) / 2)]);
    const bins = d3.layout.histogram().value(ratioOf).range(x.domain()).bins(x.ticks(28))(known);
    for (const bin of bins) bin.share = d3.sum(bin, (layer) => layer.cycles) / run.figures.cycles;
    const y = d3.scale.linear().domain([0, d3.max(bins, (bin) => bin.share) * 1.1 || 1]);
    const {svg, height} = avocet.startPlot(plot, {x, y, xTitle, yTitle: 'share of the cycles', yFormat: d3.format('.0%'),
                                                  xFormat: (value) => `${Number((2 ** value).toFixed(2))}\u00d7`});
    const bars = bins.flatMap((bin) => {
      let top = y(0);
      return bin.map((layer) => {
        const size = y(0) - y(layer.cycles / run.figures.cycles);
        top -= size;
        return {...layer, left: x(bin.x) + 1, width: Math.max(1, x(bin.x + bin.dx) - x(bin.x) - 2), top, size};
      });
    });
    const rects = svg.selectAll('rect.point').data(bars).enter().append('rect').attr({
      class: 'point', x: (bar) => bar.left, width: (bar) => bar.width, y: (bar) => bar.top, height: (bar) => Math.max(0.5, bar.size),
      fill: (bar) => avocet.layerColor(bar.index), 'data-layer': (bar) => bar.index});
    withTooltip(rects, selection, root, (layer) => [`${avocet.commas(layer.cycles)} cycles, ${(layer.cycles / baseOf(layer)).toFixed(2)} times ${avocet.commas(baseOf(layer))}`]);
    svg.append('line').attr({class: 'roof', x1: x(0), x2: x(0), y1: avocet.kPlotMargin.top, y2: height - avocet.kPlotMargin.bottom});
  };

  const kBars = 'Bars: layers, as high as their share of the cycles.';
  const kCharts = [
    {id: 'layers', title: 'Layers', note: 'Layers above the line took longer than predicted.', draw: drawLayers},
    {id: 'prediction', title: 'Over prediction', note: kBars, draw: (...rest) => drawHistogram(...rest, {
      baseOf: (layer) => layer.predicted_cycles, xTitle: 'simulated over predicted cycles', range: [-1, 1]})},
    {id: 'bound', title: 'Over bound', note: kBars, draw: (...rest) => drawHistogram(...rest, {
      baseOf: (layer) => layer.roofline_cycles, xTitle: 'simulated cycles over the roofline bound (a layer under 1 overlaps others)', range: [-1, 3]})},
  ];

  avocet.createPrediction = (run, selection) => {
    const root = avocet.element('div', {class: 'chart', id: 'prediction'}), chart = avocet.element('div', {class: 'plot-area'});
    let shown = run.prediction.sum === null ? kCharts[2] : kCharts[0];
    const buttons = kCharts.map((entry) => avocet.element('button', {text: entry.title, 'data-chart': entry.id, on: {click: () => {
      shown = entry;
      redraw();
    }}}));
    const mark = () => chart.querySelectorAll('.point').forEach((point) => {
      const isSelected = Number(point.dataset.layer) === selection.layer;
      point.setAttribute('class', 'point' + (selection.layer < 0 ? '' : isSelected ? ' selected' : ' dimmed'));
    });
    const redraw = avocet.keepDrawn(chart, () => {
      const plot = avocet.element('div', {class: 'plot'});
      chart.append(avocet.element('p', {class: 'note', text: summary(run) + shown.note}), plot);
      shown.draw(plot, run, selection, root);
      buttons.forEach((button) => button.setAttribute('aria-pressed', String(button.dataset.chart === shown.id)));
      mark();
    });
    root.append(avocet.element('div', {class: 'chart-tools'}, ...buttons), chart);
    selection.listen(mark);
    return {title: 'Predicted', root};
  };
})();
