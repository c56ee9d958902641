import { InvalidAnswer } from './invalid-answer.ts';

/** Comments and raw text, in which tags mean nothing. One that is not complete yet reaches to the end. */
const opaque = String.raw`<!--[^]*?(?:-->|$)|<!\[CDATA\[[^]*?(?:\]\]>|$)`;
/** The tags of elements with these names: with `/` or not, the name, and what follows the name. */
const tagsOf = (names: readonly string[]): RegExp =>
  new RegExp(String.raw`${opaque}|<(/?)(${[...new Set(names)].join('|')})(?=[\s/>])([^<>]*)>`, 'g');
const isComplete = (text: string): boolean => text.endsWith('-->') || text.endsWith(']]>');

/** What precedes a root element. */
const declarations = /<!--[^]*?-->|<\?[^]*?\?>|<![^>]*>/g;
const element = /<([A-Za-z][^\s>/]*)/;

/** No row is longer, no list begins later, and no more follows a list. */
const mostCharacters = 1_000_000;

/**
 * Cuts the rows out of an answer that lists machines while it arrives, without parsing them. `path`: the elements
 * around the rows, from the outermost one, such as `['reservationSet', 'item', 'instancesSet']`. The rows of all
 * reservations count as rows of one list.
 */
export class RowCutter {
  readonly #path: readonly [string, ...string[]];
  readonly #tags: RegExp;
  /** The elements that are open in the list. Undefined: it has not begun. */
  #open: string[] | undefined;
  #before = '';
  /** Text that is needed yet: the beginning of a row, or of a tag. And how much of it was searched for tags. */
  #text = '';
  #searched = 0;
  #after = '';

  constructor(path: readonly [string, ...string[]]) {
    this.#path = path;
    this.#tags = tagsOf(['item', ...path]);
  }

  /** The rows that end in the next part of the answer. Throws for a text that is no such answer. */
  *cut(part: string): Generator<string> {
    if (this.list === 'complete') {
      this.#after += part;
    } else {
      this.#text += part;
      yield* this.#rows();
    }
    if (this.#text.length > mostCharacters || this.#after.length > mostCharacters)
      throw new InvalidAnswer(`The answer has ${mostCharacters} characters without a row of its list of machines.`);
  }

  /** Whether the list has begun, and whether it has ended. */
  get list(): 'absent' | 'open' | 'complete' {
    if (this.#open === undefined) return 'absent';
    return this.#open.length > 0 ? 'open' : 'complete';
  }

  /** An answer that has only these rows, and nothing that follows the list. The list must have begun. */
  partWith(rows: readonly string[]): string {
    const [, root = ''] = element.exec(this.#before.replaceAll(declarations, '')) ?? [];
    return `${this.#around(rows)}</${root}>`;
  }

  /** The whole answer, with these rows alone. The list must have ended. */
  wholeWith(rows: readonly string[]): string {
    return this.#around(rows) + this.#after;
  }

  #around(rows: readonly string[]): string {
    const opened = this.#path.map((name) => `<${name}>`).join('');
    const closed = this.#path.map((name) => `</${name}>`).toReversed();
    return `${this.#before}${opened}${rows.join('')}${closed.join('')}`;
  }

  *#rows(): Generator<string> {
    const [outermost] = this.#path;
    const list = this.#path.at(-1);
    /** Rows contain items too, and so do other lists beside that of the rows. */
    const inList = (): boolean => this.#open?.length === this.#path.length && this.#open.at(-1) === list;
    const tags = this.#tags;
    const text = this.#text;
    let row = 0;
    let searched = this.#searched;
    /** Where a comment begins that ends in a later part. */
    let rest: number | undefined;
    tags.lastIndex = searched;
    for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
      const [found, isClosing, name, attributes = ''] = tag;
      if (name === undefined) {
        if (isComplete(found)) {
          searched = tags.lastIndex;
          continue;
        }
        rest = tag.index;
        break;
      }
      searched = tags.lastIndex;
      const isEmpty = attributes.endsWith('/');
      if (this.#open === undefined) {
        if (name !== outermost || isClosing) continue;
        this.#before = text.slice(0, tag.index);
        this.#open = isEmpty ? [] : [name];
      } else if (isEmpty) {
        continue;
      } else if (!isClosing) {
        if (inList()) row = tag.index;
        this.#open.push(name);
      } else {
        this.#open.pop();
        if (name === 'item' && inList()) yield text.slice(row, searched);
      }
      if (this.#open.length === 0) {
        this.#after = text.slice(searched);
        this.#text = '';
        return;
      }
    }
    const isInRow = (this.#open?.length ?? 0) > this.#path.length;
    const kept = this.#open === undefined ? 0 : isInRow ? row : searched;
    this.#text = text.slice(kept);
    // A tag may end in a later part.
    this.#searched = (rest ?? Math.max(searched, text.lastIndexOf('<'))) - kept;
  }
}
