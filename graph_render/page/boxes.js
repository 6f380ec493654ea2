// Open boxes: each box that is open has an Opened, which holds where its items
// are. The layout of closed boxes comes from the file; here only room is made
// for what is opened.

const ROW_GAP = 34, COLUMN_GAP = 14, PADDING = 12, HEADER = 22;
// A picture that is higher than this, and more times higher than wide, is
// folded as a newspaper is: long narrow parts into columns beside each other,
// wide parts between them over the whole width.
const FOLD_HEIGHT = 3000, FOLD_RATIO = 3, FOLD_GAP = 90, FOLD_SHAPE = 1.6;
const FOLD_BLOCK = 50;    // rows whose width is taken together
const FOLD_COLUMN = 800;  // columns are not cut to less than this height
// Rows wider than this, and so many times wider than most rows, are wide parts;
// of these numbers the one is taken that leaves the least room empty.
const WIDE_ROW = 1200, WIDE_RATIOS = [3, 6, 12, 24, Infinity];
const DRIFT_ROWS = 4;  // on each side of a row, for the middle of a column

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

// How the rows of a box are folded, by the closed boxes, so that the form stays
// when one is opened: {bands: [{first, shelf}], drift}. Bands of one shelf are
// columns beside each other, shelves are below each other; each row is moved
// left by its drift. One band where there is no need to fold.
function foldingOf(box) {
  if (!box.folding) {
    box.folding = findFolding(box) ||
        {bands: [{first: 0, shelf: 0}], drift: null};
  }
  return box.folding;
}

function rowExtents(box) {
  const low = new Float64Array(box.rows).fill(Infinity);
  const high = new Float64Array(box.rows);
  const heights = new Float64Array(box.rows).fill(ROW_GAP);
  for (let i = 0; i < box.x.length; ++i) {
    const r = box.row[i], isNode = i < box.contents.length;
    low[r] = Math.min(low[r], box.x[i]);
    high[r] = Math.max(high[r], box.x[i] + (isNode ? box.width[i] : 0));
    if (isNode) heights[r] = Math.max(heights[r], box.height[i] + ROW_GAP);
  }
  return {low, high, heights};
}

// The mean width of FOLD_BLOCK rows taken together: long programs drift to a
// side, so how wide the whole is says nothing.
function blockWidth(low, high) {
  const blocks = Math.ceil(low.length / FOLD_BLOCK);
  let width = 1, left = Infinity, right = 0;
  for (let r = 0; r < low.length; ++r) {
    left = Math.min(left, low[r]);
    right = Math.max(right, high[r]);
    if ((r + 1) % FOLD_BLOCK !== 0 && r + 1 < low.length) continue;
    if (right > left) width += (right - left) / blocks;
    left = Infinity;
    right = 0;
  }
  return width;
}

function findFolding(box) {
  const {low, high, heights} = rowExtents(box);
  const height = heights.reduce((sum, h) => sum + h, 0);
  if (height < FOLD_HEIGHT) return null;
  const width = blockWidth(low, high);
  let best = null;
  const widths = low.map((x, r) => Math.max(0, high[r] - x));
  const sorted = widths.slice().sort();
  const usual = sorted[Math.floor(0.6 * sorted.length)];
  const widest = sorted[sorted.length - 1];
  let limit = 0;
  for (const ratio of WIDE_RATIOS) {
    if (limit >= widest) break;  // nothing is wide any more
    limit = Math.max(WIDE_ROW, ratio * usual);
    const runs = wideRuns(widths, heights, limit);
    const narrow = runs.reduce((sum, r) => sum + (r.wide ? 0 : r.height), 0);
    if (narrow < FOLD_HEIGHT) continue;
    if (runs.length === 1 && height < FOLD_RATIO * width) continue;
    const drift = new Float64Array(box.rows);
    for (const run of runs) measureRun(run, low, high, heights, drift);
    const cost = countColumns(runs);
    if (!best || cost < best.cost) best = {runs, drift, cost};
  }
  if (!best) return null;
  const bands = [];
  best.runs.forEach((run, shelf) => {
    let sum = 0, cuts = 0;
    for (let r = run.first; r < run.end; ++r) {
      if (sum >= cuts * run.height / run.columns) {
        bands.push({first: r, shelf});
        ++cuts;
      }
      sum += heights[r];
    }
  });
  return bands.length > 1 ? {bands, drift: best.drift} : null;
}

// Sets how many columns each run has, so that the whole is a little wider than
// high. Returns what the picture costs: its area, more when it is long.
function countColumns(runs) {
  const area = runs.reduce((sum, run) =>
      sum + run.height * (run.width + FOLD_GAP), 0);
  const wish = runs.reduce(
      (most, run) => run.wide ? Math.max(most, run.width) : most,
      Math.sqrt(FOLD_SHAPE * area));
  let width = 1, height = 1;
  for (const run of runs) {
    const most = run.wide ? 1 : Math.ceil(run.height / FOLD_COLUMN);
    run.columns = Math.max(1, Math.min(
        most, Math.round((wish + FOLD_GAP) / (run.width + FOLD_GAP))));
    width = Math.max(width, run.columns * (run.width + FOLD_GAP));
    height += run.height / run.columns + FOLD_GAP;
  }
  const shape = width / height / FOLD_SHAPE;
  return width * height * Math.sqrt(Math.max(shape, 1 / shape));
}

// Runs of rows, narrow and wide in turn: {first, end, wide}. A short narrow run
// beside a wide one belongs to it.
function wideRuns(widths, heights, limit) {
  const runs = [];
  for (let r = 0; r < heights.length; ++r) {
    const wide = widths[r] > limit, last = runs[runs.length - 1];
    if (last && last.wide === wide) {
      last.end = r + 1;
      last.height += heights[r];
    } else {
      runs.push({first: r, end: r + 1, wide, height: heights[r]});
    }
  }
  const joined = [];
  for (const run of runs) {
    if (runs.length > 1 && run.height < FOLD_COLUMN) run.wide = true;
    const last = joined[joined.length - 1];
    if (last && last.wide === run.wide) {
      last.end = run.end;
      last.height += run.height;
    } else {
      joined.push(run);
    }
  }
  if (joined.length === 1) joined[0].wide = false;
  return joined;
}

// Sets the run's width. The middle line of a narrow run becomes a straight one:
// `drift` is how far each row is right of it.
function measureRun(run, low, high, heights, drift) {
  let left = Infinity, right = -Infinity;
  if (!run.wide) {
    const near = [];
    for (let r = run.first; r < run.end; ++r) {
      // The median follows jumps. Fewer rows near the ends, as many on each
      // side.
      const aside = Math.min(DRIFT_ROWS, r - run.first, run.end - 1 - r);
      near.length = 0;
      for (let other = r - aside; other <= r + aside; ++other) {
        const middle = high[other] >= low[other]
            ? (low[other] + high[other]) / 2 : 0;
        let k = near.length;
        for (; k > 0 && near[k - 1] > middle; --k) near[k] = near[k - 1];
        near[k] = middle;
      }
      drift[r] = Math.round(near[aside]);
    }
  }
  for (let r = run.first; r < run.end; ++r) {
    if (high[r] < low[r]) continue;
    left = Math.min(left, low[r] - drift[r]);
    right = Math.max(right, high[r] - drift[r]);
  }
  run.width = Math.max(1, right - left);
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

  // Shelves below each other, columns beside each other; `bands` are the
  // columns' rows and where they are.
  fold() {
    const box = this.box;
    const {bands, drift} = Opened.folding
        ? foldingOf(box) : {bands: [{first: 0, shelf: 0}], drift: null};
    this.bands = bands.map(({first, shelf}, k) => ({
      first, shelf, end: k + 1 < bands.length ? bands[k + 1].first : box.rows,
      left: 0, right: this.width, top: 0, bottom: this.height}));
    if (bands.length === 1) return;
    let left = 0, top = 0;
    this.width = this.height = 0;
    this.bands.forEach((band, k) => {
      if (k > 0 && band.shelf !== this.bands[k - 1].shelf) {
        left = 0;
        top = this.height + FOLD_GAP;
      }
      this.moveBand(band, drift, left, top);
      left = band.right + FOLD_GAP;
      this.width = Math.max(this.width, band.right);
      this.height = Math.max(this.height, band.bottom);
    });
  }

  moveBand(band, drift, left, top) {
    const box = this.box;
    const begin = box.rowStart[band.first], end = box.rowStart[band.end];
    let low = Infinity, high = -Infinity;
    for (let k = begin; k < end; ++k) {
      const item = box.rowItems[k];
      this.x[item] -= drift[box.row[item]];
      low = Math.min(low, this.x[item]);
      high = Math.max(high, this.x[item] + this.w[item]);
    }
    const head = this.rowY[band.first];
    for (let k = begin; k < end; ++k) {
      const item = box.rowItems[k];
      this.x[item] += left - low;
      this.y[item] += top - head;
    }
    for (let r = band.first; r < band.end; ++r) this.rowY[r] += top - head;
    const last = band.end - 1;
    band.left = left;
    band.right = left + high - low;
    band.top = top;
    band.bottom = this.rowY[last] + this.rowHeight[last];
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
    const band = this.bands.find((b) => x >= b.left && x < b.right &&
                                        y >= b.top && y < b.bottom);
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
