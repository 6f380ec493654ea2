// Finds instructions: every word of the query must occur, in any field or in
// the one named before a colon.

const SEARCH_FIELDS = {name: ['name'], op: ['op'], shape: ['shape'],
                       scope: ['opName'], op_name: ['opName'],
                       source: ['source']};
const ANY_FIELD = ['name', 'op', 'shape', 'opName', 'source'];

class Search {
  constructor(app) {
    this.app = app;
    this.hits = [];
    this.hitSet = new Set();
    this.current = -1;
    this.query = '';
  }

  // Which strings of the pool hold the word.
  poolHits(word) {
    const app = this.app;
    if (!app.lowerPool) app.lowerPool = app.pool.map((s) => s.toLowerCase());
    const hits = new Uint8Array(app.lowerPool.length);
    const lower = word.toLowerCase();
    for (let k = 0; k < hits.length; ++k) {
      if (app.lowerPool[k].includes(lower)) hits[k] = 1;
    }
    return hits;
  }

  find(stage, query) {
    let left = Array.from({length: stage.count}, (_, i) => i);
    for (const word of query.split(/\s+/).filter((w) => w)) {
      const [, key, rest] = /^([a-z_]+):(.*)$/.exec(word) || [null, '', word];
      const fields = SEARCH_FIELDS[key] || ANY_FIELD;
      const text = SEARCH_FIELDS[key] ? rest : word;
      if (!text) continue;
      const pool = this.poolHits(text);
      left = left.filter((i) => fields.some((f) => pool[stage[f][i]]));
    }
    // A whole name goes first.
    const exact = left.findIndex((i) => stage.nameOf(i) === query.trim());
    if (exact > 0) left.unshift(...left.splice(exact, 1));
    return left;
  }

  run(query) {
    this.query = query;
    const stage = this.app.view.stage;
    this.hits = query.trim() && stage ? this.find(stage, query) : [];
    this.hitSet = new Set(this.hits);
    this.current = -1;
    this.seen = null;
    this.app.showHits();
    this.app.view.redraw();
  }

  step(by) {
    if (this.hits.length === 0) return;
    this.current = (this.current + by + this.hits.length) % this.hits.length;
    this.app.select(this.hits[this.current], true);
    this.app.showHitCount();
  }

  // Places of hits that are drawn; at most 2000 get a frame.
  visible(view) {
    if (this.hits.length === 0 || view !== this.app.view) return [];
    const places = [];
    const walk = (opened) => {
      for (let item = 0; item < opened.nodes && places.length < 2000; ++item) {
        const content = opened.box.contents[item];
        if (content >= 0 && this.hitSet.has(content)) {
          places.push({opened, item});
        }
      }
      for (const parts of opened.inside.values()) parts.forEach(walk);
    };
    walk(view.root);
    return places;
  }
}
