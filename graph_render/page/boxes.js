// Open boxes: each box that is open has an Opened, which holds where its items
// are. The layout of closed boxes comes from the file; here only room is made
// for what is opened.

const ROW_GAP = 34, COLUMN_GAP = 14, PADDING = 12, HEADER = 22;
// A picture that is higher than this, and more times higher than wide, is
// folded into columns beside each other, as a text is.
const FOLD_HEIGHT = 3000, FOLD_RATIO = 3, FOLD_GAP = 90, FOLD_SHAPE = 1.6;
const FOLD_BLOCK = 50;  // rows whose width is taken together

// Items of a box by rows, segments by the row of their upper end; made once.
function rowsOf(box) {
  if (box.rowItems) return box;
  const n = box.row.length;
  box.rowStart = new Int32Array(box.rows + 1);
  for (let i = 0; i < n; ++i) ++box.rowStart[box.row[i] + 1];
  for (let r = 0; r < box.rows; ++r) box.rowStart[r + 1] += box.rowStart[r];
  box.rowItems = new Int32Array(n);
  const next = box.rowStart.slice();
  for (let i = 0; i < n; ++i) box.rowItems[next[box.row[i]]++] = i;
  for (let r = 0; r < box.rows; ++r) {
    box.rowItems.subarray(box.rowStart[r], box.rowStart[r + 1])
        .sort((a, b) => box.x[a] - box.x[b]);
  }
  sortSegments(box);
  return box;
}

function sortSegments(box) {
  const m = box.segments.length / 2;
  box.segmentStart = new Int32Array(box.rows + 1);
  for (let s = 0; s < m; ++s) {
    ++box.segmentStart[box.row[box.segments[2 * s]] + 1];
  }
  for (let r = 0; r < box.rows; ++r) {
    box.segmentStart[r + 1] += box.segmentStart[r];
  }
  const next = box.segmentStart.slice();
  box.segmentOrder = new Int32Array(m);
  for (let s = 0; s < m; ++s) {
    box.segmentOrder[next[box.row[box.segments[2 * s]]]++] = s;
  }
  box.farFrom = new Set();
  box.farTo = new Set();
  for (let f = 0; f < box.far.length; f += 2) {
    box.farFrom.add(box.far[f]);
    box.farTo.add(box.far[f + 1]);
  }
}

// Where columns begin, by the closed boxes, so that they stay when one is
// opened: first rows. One column where there is no need.
function columnsOf(box) {
  if (box.columns) return box.columns;
  const heights = new Int32Array(box.rows);
  // Long programs drift to a side: what counts is how wide they are on the way.
  const blocks = Math.ceil(box.rows / FOLD_BLOCK);
  const low = new Array(blocks).fill(Infinity), high = new Array(blocks).fill(0);
  for (let i = 0; i < box.contents.length; ++i) {
    const block = Math.floor(box.row[i] / FOLD_BLOCK);
    heights[box.row[i]] = Math.max(heights[box.row[i]], box.height[i]);
    low[block] = Math.min(low[block], box.x[i]);
    high[block] = Math.max(high[block], box.x[i] + box.width[i]);
  }
  let width = 1;
  for (let b = 0; b < blocks; ++b) {
    if (high[b] > low[b]) width += (high[b] - low[b]) / blocks;
  }
  const height = heights.reduce((sum, h) => sum + h + ROW_GAP, 0);
  box.columns = [0];
  if (height < FOLD_HEIGHT || height < FOLD_RATIO * width) return box.columns;
  const count = Math.max(1, Math.round(
      Math.sqrt(FOLD_SHAPE * height / (width + FOLD_GAP))));
  let sum = 0;
  for (let r = 0; r < box.rows; ++r) {
    if (sum >= box.columns.length * height / count) box.columns.push(r);
    sum += heights[r] + ROW_GAP;
  }
  return box.columns;
}

class Opened {
  // `key` says where it is, with names, so that it can be found in another
  // stage.
  constructor(stage, number, title, key, parent, parentItem) {
    this.stage = stage;
    this.number = number;
    this.box = rowsOf(stage.boxes[number]);
    this.title = title;
    this.key = key;
    this.parent = parent;
    this.parentItem = parentItem;
    this.nodes = this.box.contents.length;
    this.inside = new Map();  // item -> [Opened]
    this.itemOfContent = null;
  }

  itemOf(content) {
    if (!this.itemOfContent) {
      this.itemOfContent = new Map();
      this.box.contents.forEach((c, k) => this.itemOfContent.set(c, k));
    }
    const item = this.itemOfContent.get(content);
    return item === undefined ? -1 : item;
  }

  canOpen(item) {
    const content = this.box.contents[item];
    return content < 0 || this.stage.calls.count(content) > 0;
  }

  keyOf(item) {
    const content = this.box.contents[item];
    if (content >= 0) return this.key + '>' + this.stage.nameOf(content);
    const name = this.stage.boxes[~content].name;
    let nth = 0;
    for (let k = 0; k < item; ++k) {
      const other = this.box.contents[k];
      if (other < 0 && this.stage.boxes[~other].name === name) ++nth;
    }
    return this.key + '>scope ' + this.stage.pool[name] + ' ' + nth;
  }

  depth() { return this.parent ? this.parent.depth() + 1 : 0; }

  open(item, mode) {
    if (this.inside.has(item) || !this.canOpen(item) || this.depth() > 200) {
      return false;
    }
    const content = this.box.contents[item];
    const key = this.keyOf(item);
    const stage = this.stage;
    const make = (box, title, more) => new Opened(
        stage, box, title, key + more, this, item);
    if (content < 0) {
      this.inside.set(item, [make(~content, '', '')]);
      return true;
    }
    this.inside.set(item, Array.from(stage.calls.of(content), (c, k) =>
        make(stage.boxOf(c, mode), stage.computations[c].name, '/' + k)));
    return true;
  }

  // Where everything is; boxes inside first.
  place() {
    const box = this.box, n = box.row.length;
    if (!this.x) {
      this.x = new Int32Array(n);
      this.y = new Int32Array(n);
      this.w = new Int32Array(n);
      this.h = new Int32Array(n);
      this.rowY = new Int32Array(box.rows);
      this.rowHeight = new Int32Array(box.rows);
    }
    for (let i = 0; i < n; ++i) {
      this.w[i] = i < this.nodes ? box.width[i] : 8;
      this.h[i] = i < this.nodes ? box.height[i] : 0;
    }
    for (const [item, parts] of this.inside) {
      let width = PADDING, height = 0;
      for (const part of parts) {
        part.place();
        part.dx = width;
        part.dy = HEADER + (part.title ? 16 : 4);
        width += part.width + PADDING;
        height = Math.max(height, part.dy + part.height + PADDING);
      }
      this.w[item] = Math.max(this.w[item], width);
      this.h[item] = height;
    }
    this.placeColumns();
    this.placeRows();
    this.fold();
  }

  // Columns beside each other; `bands` are their rows and where they stand.
  fold() {
    const box = this.box;
    const starts = Opened.folding ? columnsOf(box) : [0];
    this.bands = starts.map((first, k) => ({
      first, end: k + 1 < starts.length ? starts[k + 1] : box.rows, left: 0,
      right: this.width}));
    if (starts.length === 1) return;
    let left = 0;
    this.height = 0;
    for (const band of this.bands) {
      let low = Infinity, high = -Infinity;
      const begin = box.rowStart[band.first], end = box.rowStart[band.end];
      for (let k = begin; k < end; ++k) {
        const item = box.rowItems[k];
        low = Math.min(low, this.x[item]);
        high = Math.max(high, this.x[item] + this.w[item]);
      }
      const top = this.rowY[band.first];
      for (let k = begin; k < end; ++k) {
        const item = box.rowItems[k];
        this.x[item] += left - low;
        this.y[item] -= top;
      }
      for (let r = band.first; r < band.end; ++r) this.rowY[r] -= top;
      band.left = left;
      band.right = left + high - low;
      left = band.right + FOLD_GAP;
      const last = band.end - 1;
      this.height = Math.max(this.height,
                             this.rowY[last] + this.rowHeight[last]);
    }
    this.width = left - FOLD_GAP;
  }

  // What stands right of an open box moves by what the box grew; the order in
  // each row stays, so nothing overlaps.
  placeColumns() {
    const box = this.box;
    const grown = Array.from(this.inside.keys(), (item) =>
        [box.x[item] + box.width[item], this.w[item] - box.width[item]])
        .sort((a, b) => a[0] - b[0]);
    const shift = (x) => {
      let sum = 0;
      for (const [edge, more] of grown) {
        if (edge > x) break;
        sum += more;
      }
      return sum;
    };
    const many = grown.length > 40;  // then rows only make their own room
    this.width = 0;
    for (let r = 0; r < box.rows; ++r) {
      let next = -Infinity;
      for (let k = box.rowStart[r]; k < box.rowStart[r + 1]; ++k) {
        const item = box.rowItems[k];
        const wish = box.x[item] +
            (grown.length > 0 && !many ? shift(box.x[item]) : 0);
        this.x[item] = Math.max(wish, next);
        next = this.x[item] + this.w[item] + COLUMN_GAP;
        this.width = Math.max(this.width, this.x[item] + this.w[item]);
      }
    }
  }

  placeRows() {
    const box = this.box;
    let y = 0;
    this.height = 0;
    for (let r = 0; r < box.rows; ++r) {
      let height = 0;
      for (let k = box.rowStart[r]; k < box.rowStart[r + 1]; ++k) {
        height = Math.max(height, this.h[box.rowItems[k]]);
      }
      for (let k = box.rowStart[r]; k < box.rowStart[r + 1]; ++k) {
        const item = box.rowItems[k];
        this.y[item] = y + ((height - this.h[item]) >> 1);
      }
      this.rowY[r] = y;
      this.rowHeight[r] = height;
      this.height = y + height;
      y += height + ROW_GAP;
    }
  }

  // The first row of a band whose lower edge is at or below y.
  firstRowBelow(y, band) {
    let low = band.first, high = band.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rowY[middle] + this.rowHeight[middle] < y) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Its left upper corner in the picture.
  origin() {
    if (!this.parent) return [0, 0];
    const [x, y] = this.parent.origin();
    return [x + this.parent.x[this.parentItem] + this.dx,
            y + this.parent.y[this.parentItem] + this.dy];
  }

  // The innermost open box and item at a place of its own coordinates.
  at(x, y) {
    const box = this.box;
    const band = this.bands.find((b) => x >= b.left && x < b.right);
    if (!band) return null;
    const r = this.firstRowBelow(y, band);
    if (r >= band.end) return null;
    for (let k = box.rowStart[r]; k < box.rowStart[r + 1]; ++k) {
      const item = box.rowItems[k];
      if (item >= this.nodes || x < this.x[item] || y < this.y[item] ||
          x >= this.x[item] + this.w[item] ||
          y >= this.y[item] + this.h[item]) {
        continue;
      }
      for (const part of this.inside.get(item) || []) {
        const found = part.at(x - this.x[item] - part.dx,
                              y - this.y[item] - part.dy);
        if (found) return found;
      }
      return {opened: this, item};
    }
    return null;
  }
}

Opened.folding = true;
