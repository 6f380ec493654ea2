// Draws open boxes on a canvas: only what can be seen, with less detail from
// afar.

const FONT = '11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const TEXT_SCALE = 0.45;   // no texts below this scale
const EDGE_LIMIT = 120000; // no edges in a frame with more
const FAR_LIMIT = 500;     // no far edges of a box with more, unless wanted

class Drawer {
  constructor(context, look) {
    this.context = context;
    this.look = look;  // colours, see Look
  }

  // camera: {x, y, scale}: the picture's point at the left upper corner.
  draw(root, camera, width, height, marks) {
    const c = this.context;
    this.camera = camera;
    this.marks = marks;
    this.edges = 0;
    c.fillStyle = this.look.ground;
    c.fillRect(0, 0, width, height);
    c.save();
    c.scale(camera.scale, camera.scale);
    c.translate(-camera.x, -camera.y);
    this.left = camera.x;
    this.top = camera.y;
    this.right = camera.x + width / camera.scale;
    this.bottom = camera.y + height / camera.scale;
    c.font = FONT;
    c.textBaseline = 'middle';
    this.drawOpened(root, 0, 0);
    this.drawSelected(root);
    c.restore();
  }

  drawOpened(opened, x, y) {
    this.drawFar(opened, x, y);
    opened.bands.forEach((band, k) => {
      if (k > 0) this.drawTurn(opened, opened.bands[k - 1], band, x, y);
      this.drawBand(opened, band, x, y);
    });
  }

  drawBand(opened, band, x, y) {
    const first = opened.firstRowBelow(this.top - y - 200, band);
    const last = Math.min(band.end - 1,
                          opened.firstRowBelow(this.bottom - y + 200, band));
    const isSeen = x + band.right >= this.left && x + band.left <= this.right;
    if (!isSeen || first >= band.end) return;
    this.drawSegments(opened, band, x, y, first, last);
    const rowStart = opened.box.rowStart, rowItems = opened.box.rowItems;
    for (let r = first; r <= last; ++r) {
      for (let k = rowStart[r]; k < rowStart[r + 1]; ++k) {
        const item = rowItems[k];
        if (item >= opened.nodes) continue;
        const ix = x + opened.x[item];
        if (ix > this.right) break;
        if (ix + opened.w[item] < this.left) continue;
        this.drawItem(opened, item, ix, y + opened.y[item]);
      }
    }
  }

  setEdgeStyle() {
    const c = this.context;
    c.strokeStyle = this.look.edge;
    c.lineWidth = Math.max(1, 0.5 / this.camera.scale);
    c.globalAlpha = this.camera.scale > 0.2 ? 0.9 : 0.35;
  }

  drawSegments(opened, band, x, y, first, last) {
    const box = opened.box;
    const begin = box.segmentStart[Math.max(band.first, first - 1)];
    // Those of a column's last row lead to the next column.
    const end = box.segmentStart[Math.min(last + 1,
        band.end < box.rows ? band.end - 1 : band.end)];
    this.edges += Math.max(0, end - begin);
    if (this.edges > EDGE_LIMIT || end <= begin) return;
    const c = this.context;
    const curved = this.camera.scale > 0.2;
    this.setEdgeStyle();
    c.beginPath();
    for (let k = begin; k < end; ++k) {
      const s = box.segmentOrder[k];
      this.addSegment(opened, box.segments[2 * s], box.segments[2 * s + 1], x,
                      y, curved);
    }
    c.stroke();
    c.globalAlpha = 1;
    if (this.camera.scale > TEXT_SCALE) {
      this.drawArrows(opened, x, y, begin, end);
    }
  }

  // From the foot of a column to the head of the next, through the gap between
  // them: beside it, or above the next shelf.
  drawTurn(opened, band, next, x, y) {
    if (x + Math.max(band.right, next.right) < this.left ||
        x + Math.min(band.left, next.left) > this.right) {
      return;
    }
    const box = opened.box, c = this.context;
    const isBeside = band.shelf === next.shelf;
    const gap = x + band.right + FOLD_GAP / 2;
    const begin = box.segmentStart[band.end - 1];
    const end = box.segmentStart[band.end];
    this.edges += end - begin;
    if (this.edges > EDGE_LIMIT) return;
    this.setEdgeStyle();
    c.beginPath();
    const count = Math.max(1, end - begin);
    for (let k = begin; k < end; ++k) {
      const s = box.segmentOrder[k];
      const from = box.segments[2 * s], to = box.segments[2 * s + 1];
      const x0 = x + opened.x[from] + opened.w[from] / 2;
      const y0 = y + opened.y[from] + opened.h[from];
      const x1 = x + opened.x[to] + opened.w[to] / 2;
      const y1 = y + opened.y[to];
      const shift = ((k - begin + 0.5) / count - 0.5) * FOLD_GAP / 2;
      c.moveTo(x0, y0);
      if (!isBeside) {
        const lane = y + next.top - FOLD_GAP / 2 + shift;
        c.lineTo(x0, lane);
        c.lineTo(x1, lane);
        c.lineTo(x1, y1);
        continue;
      }
      const lane = gap + shift;
      const low = y + opened.rowY[band.end - 1] +
          opened.rowHeight[band.end - 1] + ROW_GAP / 2;
      const high = y + next.top - ROW_GAP / 2;
      c.lineTo(x0, low - 6);
      c.quadraticCurveTo(x0, low, x0 + 6, low);
      c.lineTo(lane - 6, low);
      c.quadraticCurveTo(lane, low, lane, low - 6);
      c.lineTo(lane, high + 6);
      c.quadraticCurveTo(lane, high, lane + 6, high);
      c.lineTo(x1 - 6, high);
      c.quadraticCurveTo(x1, high, x1, high + 6);
      c.lineTo(x1, y1);
    }
    c.stroke();
    c.globalAlpha = 1;
    if (this.camera.scale > TEXT_SCALE) {
      this.drawArrows(opened, x, y, begin, end);
    }
  }

  // Whether edges without a way of their own are drawn as faint lines: where
  // they are few, or as somebody wants it.
  showsFar(box) {
    return this.farLines === undefined ? box.far.length <= 2 * FAR_LIMIT
                                       : this.farLines;
  }

  drawFar(opened, x, y) {
    const box = opened.box, c = this.context;
    if (box.far.length === 0 || !this.showsFar(box)) return;
    c.strokeStyle = this.look.edge;
    c.lineWidth = Math.max(1, 0.5 / this.camera.scale);
    c.globalAlpha = 0.3;
    c.beginPath();
    for (let f = 0; f < box.far.length && this.edges < EDGE_LIMIT; f += 2) {
      const from = box.far[f], to = box.far[f + 1];
      const x0 = x + opened.x[from] + opened.w[from] / 2;
      const y0 = y + opened.y[from] + opened.h[from];
      const x1 = x + opened.x[to] + opened.w[to] / 2, y1 = y + opened.y[to];
      if (Math.max(x0, x1) < this.left || Math.min(x0, x1) > this.right ||
          Math.max(y0, y1) < this.top || Math.min(y0, y1) > this.bottom) {
        continue;
      }
      ++this.edges;
      const bend = Math.min(200, Math.abs(y1 - y0) / 2);
      c.moveTo(x0, y0);
      c.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
    }
    c.stroke();
    c.globalAlpha = 1;
  }

  addSegment(opened, from, to, x, y, curved) {
    const c = this.context;
    const x0 = x + opened.x[from] + opened.w[from] / 2;
    const y0 = y + opened.y[from] + opened.h[from];
    const x1 = x + opened.x[to] + opened.w[to] / 2;
    const y1 = y + opened.y[to];
    if (Math.max(x0, x1) < this.left || Math.min(x0, x1) > this.right) return;
    c.moveTo(x0, y0);
    if (curved) {
      const middle = (y0 + y1) / 2;
      c.bezierCurveTo(x0, middle, x1, middle, x1, y1);
    } else {
      c.lineTo(x1, y1);
    }
  }

  // Heads at nodes, not at points that edges pass.
  drawArrows(opened, x, y, begin, end) {
    const c = this.context, box = opened.box;
    c.fillStyle = this.look.edge;
    c.beginPath();
    for (let k = begin; k < end; ++k) {
      const to = box.segments[2 * box.segmentOrder[k] + 1];
      if (to >= opened.nodes) continue;
      const tx = x + opened.x[to] + opened.w[to] / 2, ty = y + opened.y[to];
      c.moveTo(tx, ty);
      c.lineTo(tx - 3.5, ty - 6);
      c.lineTo(tx + 3.5, ty - 6);
    }
    c.fill();
  }

  drawItem(opened, item, x, y) {
    const c = this.context, w = opened.w[item], h = opened.h[item];
    const content = opened.box.contents[item];
    const parts = opened.inside.get(item);
    if (parts) {
      this.drawFrame(opened, item, content, parts, x, y);
      return;
    }
    const colors = content >= 0 ? this.look.ofInstruction(opened.stage, content)
                                : this.look.ofScope(opened.stage, ~content);
    const pixel = 1 / this.camera.scale;
    c.fillStyle = pixel > 8 ? this.look.fromAfar(colors.fill) : colors.fill;
    c.fillRect(x, y, Math.max(w, pixel), Math.max(h, pixel));
    if (pixel > 8) return;
    c.strokeStyle = colors.stroke;
    c.lineWidth = colors.width || 1;
    if (colors.dashed) c.setLineDash([5, 3]);
    c.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    if (colors.dashed) c.setLineDash([]);
    if (this.camera.scale > 0.3 && !this.showsFar(opened.box)) {
      this.drawFarEnds(opened, item, x, y);
    }
    if (this.camera.scale < TEXT_SCALE) return;
    this.drawTexts(opened, item, content, colors, x, y);
  }

  drawTexts(opened, item, content, colors, x, y) {
    const c = this.context, w = opened.w[item], h = opened.h[item];
    const stage = opened.stage, pool = stage.pool;
    const fit = Math.max(1, Math.floor((w - 12) / 6.62));
    const cut = (s) => s.length > fit ? s.slice(0, fit - 1) + '\u2026' : s;
    let first, second;
    if (content >= 0) {
      first = pool[stage.title[content]];
      second = pool[stage.subtitle[content]];
      if (stage.calls.count(content) > 0) first = '\u25b8 ' + first;
    } else {
      first = '\u25b8 ' + pool[stage.boxes[~content].name];
      second = stage.boxes[~content].count + ' ops' +
          (colors.sum > 0 ? ', ' + +colors.sum.toPrecision(3) + ' ' +
                            colors.unit : '');
    }
    c.fillStyle = colors.text;
    if (!second || h < 30) {
      c.fillText(cut(first), x + 7, y + h / 2 + 0.5);
      return;
    }
    c.font = 'bold ' + FONT;
    c.fillText(cut(first), x + 7, y + 11);
    c.font = FONT;
    c.fillText(cut(second), x + 7, y + 24);
  }

  // Short ends of far edges where they are not drawn.
  drawFarEnds(opened, item, x, y) {
    const c = this.context, middle = x + opened.w[item] / 2 + 6;
    const stub = (from, to) => {
      c.beginPath();
      c.strokeStyle = this.look.edge;
      c.setLineDash([2, 2]);
      c.moveTo(middle, from);
      c.lineTo(middle, to);
      c.stroke();
      c.setLineDash([]);
    };
    if (opened.box.farTo.has(item)) stub(y - 9, y);
    if (opened.box.farFrom.has(item)) {
      stub(y + opened.h[item], y + opened.h[item] + 9);
    }
  }

  drawFrame(opened, item, content, parts, x, y) {
    const c = this.context, w = opened.w[item], h = opened.h[item];
    const stage = opened.stage;
    const colors = content >= 0 ? this.look.ofInstruction(stage, content)
                                : this.look.ofScope(stage, ~content);
    c.fillStyle = this.look.inside;
    c.fillRect(x, y, w, h);
    c.fillStyle = colors.fill;
    c.fillRect(x, y, w, HEADER);
    c.strokeStyle = colors.stroke;
    c.lineWidth = 1.5;
    c.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    if (this.camera.scale > TEXT_SCALE) {
      const title = content >= 0
          ? stage.pool[stage.title[content]] + '  ' +
            stage.pool[stage.subtitle[content]]
          : stage.pool[stage.boxes[~content].name];
      // In view as long as any of the head is.
      const begin = Math.max(x + 7, Math.min(this.left + 8, x + w - 120));
      const fit = Math.max(1, Math.floor((x + w - begin - 5) / 6.62));
      c.fillStyle = colors.text;
      c.fillText(('\u25be ' + title).slice(0, fit), begin, y + HEADER / 2);
      c.fillStyle = this.look.dim;
      for (const part of parts) {
        if (part.title) {
          c.fillText(part.title, x + part.dx, y + HEADER + 8);
        }
      }
    }
    for (const part of parts) this.drawOpened(part, x + part.dx, y + part.dy);
  }

  // The selected instruction's edges, also far ones, and frames around search
  // hits in sight.
  drawSelected(root) {
    const c = this.context, marks = this.marks;
    if (!marks) return;
    const line = Math.max(2, 1.5 / this.camera.scale);
    for (const [list, color] of [[marks.operands, this.look.incoming],
                                 [marks.users, this.look.outgoing]]) {
      c.strokeStyle = color;
      c.lineWidth = line;
      for (const [a, b] of list) {
        const middle = (a.y + b.y) / 2;
        c.beginPath();
        c.moveTo(a.x, a.y);
        c.bezierCurveTo(a.x, middle, b.x, middle, b.x, b.y);
        c.stroke();
      }
    }
    for (const frame of marks.frames) {
      c.strokeStyle = frame.strong ? this.look.outgoing : this.look.hit;
      c.lineWidth = frame.strong ? line * 1.5 : line;
      c.strokeRect(frame.x - 2, frame.y - 2, frame.w + 4, frame.h + 4);
    }
  }
}
