// What the page was given: compressed JSON in script elements that browsers do
// not run. A Stage is one state of the program.

async function readBlock(id) {
  const element = document.getElementById(id);
  const binary = atob(element.textContent);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream()
      .pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

const CHANGE_ADDED = 1, CHANGE_CHANGED = 2, CHANGE_GONE = 4;

// Lists of lists from their lengths and members.
class Lists {
  constructor(counts, values) {
    this.start = new Int32Array(counts.length + 1);
    for (let i = 0; i < counts.length; ++i) {
      this.start[i + 1] = this.start[i] + counts[i];
    }
    this.values = Int32Array.from(values);
  }
  of(i) { return this.values.subarray(this.start[i], this.start[i + 1]); }
  count(i) { return this.start[i + 1] - this.start[i]; }

  // For each member (below n) the lists that hold it, each once.
  reversed(n) {
    const counts = new Int32Array(n), last = new Int32Array(n).fill(-1);
    const each = (fn) => {
      last.fill(-1);
      for (let i = 0; i + 1 < this.start.length; ++i) {
        for (const member of this.of(i)) {
          if (member < 0 || last[member] === i) continue;
          last[member] = i;
          fn(member, i);
        }
      }
    };
    each((member) => { ++counts[member]; });
    const result = new Lists(counts, new Int32Array(0));
    result.values = new Int32Array(result.start[n]);
    const next = result.start.slice(0, n);
    each((member, i) => { result.values[next[member]++] = i; });
    return result;
  }
}

class Stage {
  constructor(json, pool, number) {
    this.number = number;
    this.pool = pool;
    this.count = json.name.length;
    for (const key of ['name', 'op', 'shape', 'opName', 'source', 'fill',
                       'title', 'subtitle', 'text']) {
      this[key] = Int32Array.from(json[key]);
    }
    this.operands = new Lists(json.operandCount, json.operand);
    this.controls = new Lists(json.controlCount, json.control);
    this.calls = new Lists(json.callCount, json.call);
    this.users = this.operands.reversed(this.count);
    this.change = json.change ? Uint8Array.from(json.change) : null;
    this.removed = json.removed || [];
    this.computations = json.computations.map(
        ([name, first, count, root, flat, scoped, entry]) =>
            ({name: pool[name], first, count, root, flat, scoped,
              entry: entry === 1}));
    this.boxes = json.boxes;
    this.computationOf = new Int32Array(this.count);
    this.computations.forEach((c, k) => {
      this.computationOf.fill(k, c.first, c.first + c.count);
    });
    this.callers = this.calls.reversed(this.computations.length);
    this.numberByName = new Map();
    for (let i = 0; i < this.count; ++i) this.numberByName.set(this.name[i], i);
    this.findParents();
  }

  // In which scope box an instruction stands, and in which box that one.
  findParents() {
    this.scopeOf = new Int32Array(this.count).fill(-1);
    this.parentBox = new Int32Array(this.boxes.length).fill(-1);
    for (const c of this.computations) {
      if (c.scoped < 0) continue;
      const pending = [c.scoped];
      while (pending.length > 0) {
        const box = pending.pop();
        for (const content of this.boxes[box].contents) {
          if (content >= 0) {
            this.scopeOf[content] = box;
          } else {
            this.parentBox[~content] = box;
            pending.push(~content);
          }
        }
      }
    }
  }

  nameOf(i) { return this.pool[this.name[i]]; }
  find(name) {
    if (!this.pool.numbers) {  // of all stages, made once
      this.pool.numbers = new Map();
      this.pool.forEach((text, k) => this.pool.numbers.set(text, k));
    }
    const i = this.numberByName.get(this.pool.numbers.get(name));
    return i === undefined ? -1 : i;
  }
  findComputation(name) {
    return this.computations.findIndex((c) => c.name === name);
  }
  // Its own box, whole or by scopes.
  boxOf(computation, mode) {
    const c = this.computations[computation];
    return mode === 'scoped' && c.scoped >= 0 ? c.scoped : c.flat;
  }
}
