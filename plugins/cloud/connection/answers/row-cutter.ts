/** The tags of elements with these names that open or close one; an empty element does neither. */
const tagsOf = (names: ReadonlySet<string>, flags = 'g'): RegExp =>
  new RegExp(`<(/?)(${[...names].join('|')})(?:\\s[^<>]*[^<>/])?\\s*>`, flags);

/**
 * Cuts the rows out of an answer that lists machines while it arrives, without parsing them. `path`: the elements
 * around the rows, from the outermost one, such as `['reservationSet', 'item', 'instancesSet']`. The rows of all
 * reservations count as rows of one list.
 */
export class RowCutter {
  readonly #path: readonly [string, ...string[]];
  readonly #opening: RegExp;
  readonly #tags: RegExp;
  /** The elements that are open in the list. */
  #open: string[] | undefined;
  #before = '';
  /** Text of the list that may belong to a row, and how much of it was searched for tags. */
  #text = '';
  #searched = 0;
  #after = '';

  constructor(path: readonly [string, ...string[]]) {
    this.#path = path;
    this.#opening = tagsOf(new Set(path.slice(0, 1)), '');
    this.#tags = tagsOf(new Set(['item', ...path]));
  }

  /** The rows that end in the next part of the answer. */
  *cut(part: string): Generator<string> {
    if (this.list === 'absent') this.#seek(part);
    else if (this.list === 'open') this.#text += part;
    else this.#after += part;
    if (this.#open && this.list === 'open') yield* this.#rows(this.#open);
  }

  /** Whether the list has begun, and whether it has ended. An empty list is an empty element, and does neither. */
  get list(): 'absent' | 'open' | 'complete' {
    if (this.#open === undefined) return 'absent';
    return this.#open.length > 0 ? 'open' : 'complete';
  }

  /** An answer that has only these rows, and nothing that follows the list. The list must have begun. */
  partWith(rows: readonly string[]): string {
    const [, root = ''] = /<([A-Za-z][^\s>/]*)/.exec(this.#before) ?? [];
    return `${this.#around(rows)}</${root}>`;
  }

  /** The whole answer, with these rows alone. To be called at its end. */
  wholeWith(rows: readonly string[]): string {
    return this.list === 'absent' ? this.#before : this.#around(rows) + this.#after;
  }

  #around(rows: readonly string[]): string {
    const opened = this.#path.map((name) => `<${name}>`).join('');
    const closed = this.#path.map((name) => `</${name}>`).toReversed();
    return `${this.#before}${opened}${rows.join('')}${closed.join('')}`;
  }

  /** Looks for the beginning of the list. */
  #seek(part: string): void {
    const text = this.#before + part;
    const opening = this.#opening.exec(text);
    if (opening === null) return void (this.#before = text);
    this.#before = text.slice(0, opening.index);
    this.#text = text.slice(opening.index + opening[0].length);
    this.#open = [this.#path[0]];
  }

  *#rows(open: string[]): Generator<string> {
    const list = this.#path.at(-1);
    /** Rows contain items too, and so do other lists beside that of the rows. */
    const inList = (): boolean => open.length === this.#path.length && open.at(-1) === list;
    const tags = this.#tags;
    const text = this.#text;
    let row = 0;
    tags.lastIndex = this.#searched;
    for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
      const [, isClosing, name = ''] = tag;
      this.#searched = tags.lastIndex;
      if (!isClosing) {
        if (inList()) row = tag.index;
        open.push(name);
        continue;
      }
      open.pop();
      if (open.length === 0) {
        this.#after = text.slice(this.#searched);
        this.#text = '';
        return;
      }
      if (name === 'item' && inList()) yield text.slice(row, this.#searched);
    }
    const isInRow = open.length > this.#path.length;
    const kept = isInRow ? row : this.#searched;
    this.#text = text.slice(kept);
    this.#searched = Math.max(this.#searched, text.lastIndexOf('<')) - kept;
  }
}
