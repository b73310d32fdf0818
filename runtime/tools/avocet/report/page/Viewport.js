// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cycles that are in view, shared by all panes with a time axis, and the pointer that changes them.
'use strict';

(() => {
  const kLeastCycles = 20;
  avocet.kLabelWidth = 92; // of the names left of a time axis

  avocet.Viewport = class {
    constructor(cycles) {
      this.full = cycles;
      this.begin = 0;
      this.end = cycles;
      this.listeners_ = [];
    }

    listen(listener) {
      this.listeners_.push(listener);
    }

    set(begin, end) {
      const length = Math.min(Math.max(end - begin, kLeastCycles), this.full);
      const middle = (begin + end) / 2;
      this.begin = Math.min(Math.max(middle - length / 2, 0), this.full - length);
      this.end = this.begin + length;
      for (const listener of this.listeners_) listener();
    }

    reset() {
      this.set(0, this.full);
    }

    /** Keeps the cycle under the pointer where it is. */
    zoom(cycle, factor) {
      this.set(cycle - (cycle - this.begin) * factor, cycle + (this.end - cycle) * factor);
    }

    pan(cycles) {
      this.set(this.begin + cycles, this.end + cycles);
    }

    /** Shows cycles with a margin, unless they are in view and large enough to see. */
    reveal(begin, end) {
      const length = this.end - this.begin;
      if (begin >= this.begin && end <= this.end && end - begin > length / 200) return;
      const margin = Math.max((end - begin) * 0.5, kLeastCycles);
      this.set(begin - margin, end + margin);
    }

    /** Pixels for cycles on an axis that `width` pixels are wide, names included. */
    scale(width) {
      return d3.scale.linear().domain([this.begin, this.end]).range([avocet.kLabelWidth, width - 8]);
    }
  };

  /** Wheel zooms, dragging pans, shift and dragging selects cycles, a double click shows all; keys do the same. */
  avocet.attachViewport = (canvas, viewport, {onClick, onHover}) => {
    let drag = null;
    const scale = () => viewport.scale(canvas.clientWidth);
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const perPixel = () => (viewport.end - viewport.begin) / Math.max(1, canvas.clientWidth - avocet.kLabelWidth - 8);

    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) viewport.pan(event.deltaX * perPixel());
      else viewport.zoom(scale().invert(place(event)[0]), Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))));
    }, {passive: false});

    canvas.addEventListener('pointerdown', (event) => {
      drag = {x: place(event)[0], begin: viewport.begin, end: viewport.end, moved: false, isSelecting: event.shiftKey};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      const [x, y] = place(event);
      if (!drag) return onHover(event, x, y);
      drag.moved ||= Math.abs(x - drag.x) > 3;
      const offset = (drag.x - x) * perPixel();
      if (drag.moved && !drag.isSelecting) viewport.set(drag.begin + offset, drag.end + offset);
    });
    canvas.addEventListener('pointerup', (event) => {
      const [x, y] = place(event), finished = drag;
      drag = null;
      if (!finished) return;
      if (!finished.moved) onClick(event, x, y);
      else if (finished.isSelecting) viewport.set(...[scale().invert(finished.x), scale().invert(x)].sort((a, b) => a - b));
    });
    canvas.addEventListener('pointerleave', (event) => avocet.showTooltip(event, null));
    canvas.addEventListener('dblclick', () => viewport.reset());
    canvas.addEventListener('keydown', (event) => {
      const length = viewport.end - viewport.begin, middle = (viewport.begin + viewport.end) / 2;
      const actions = {'+': () => viewport.zoom(middle, 0.5), '=': () => viewport.zoom(middle, 0.5),
                       '-': () => viewport.zoom(middle, 2), ArrowLeft: () => viewport.pan(-length / 5),
                       ArrowRight: () => viewport.pan(length / 5), Home: () => viewport.reset()};
      if (!actions[event.key]) return;
      event.preventDefault();
      actions[event.key]();
    });
  };

  /** Ticks and grid of a time axis at the top of a canvas. */
  avocet.drawTimeAxis = (context, viewport, width, height) => {
    const scale = viewport.scale(width);
    const ticks = scale.ticks(Math.max(2, Math.floor(width / 130)));
    context.strokeStyle = avocet.cssColor('grid');
    context.fillStyle = avocet.cssColor('muted');
    context.textBaseline = 'top';
    context.textAlign = 'center';
    for (const tick of ticks) {
      const x = Math.round(scale(tick)) + 0.5;
      context.beginPath();
      context.moveTo(x, 16);
      context.lineTo(x, height);
      context.stroke();
      context.fillText(avocet.commas(tick), Math.min(x, width - 30), 3);
    }
    context.textAlign = 'left';
    return scale;
  };
})();
