// Answers are built by joining strings: a tree of a page of 1000 machines (3 MB) is never needed.

// XML allows no control characters except tab and line ends.
const special = /[&<>"']|[^\P{Cc}\t\n\r]/u;
const everySpecial = /[&<>"']|[^\P{Cc}\t\n\r]/gu;
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text that may stand between tags. Control characters, which XML cannot carry, become `?`. */
export function escapeXml(value: string): string {
  return special.test(value) ? value.replace(everySpecial, (char) => entities[char] ?? '?') : value;
}

/** `<name>value</name>` with the value escaped; empty if the value is absent, which the SDK reads as `undefined`. */
export function leaf(name: string, value: string | number | boolean | undefined): string {
  if (value === undefined) return '';
  return `<${name}>${typeof value === 'string' ? escapeXml(value) : value}</${name}>`;
}

/** `<name>` around encoded XML. */
export function node(name: string, inner: string): string {
  return `<${name}>${inner}</${name}>`;
}

/** `<name><item>…</item>…</name>`; an empty list is `<name/>`, which the SDK reads as `[]`. */
export function itemSet<T>(name: string, entries: Iterable<T>, inner: (entry: T) => string): string {
  let items = '';
  for (const entry of entries) items += `<item>${inner(entry)}</item>`;
  return items === '' ? `<${name}/>` : `<${name}>${items}</${name}>`;
}

/** A time with its zone. Without a zone the SDK throws although the call succeeded. */
export function timestamp(name: string, at: number): string {
  return `<${name}>${new Date(at).toISOString()}</${name}>`;
}

/** The token of the next page; empty on the last page, because the SDK would read an empty element as a token. */
export function nextTokenXml(token: string | undefined): string {
  return leaf('nextToken', token);
}

/** The tag set of a resource that has no tag but perhaps `Name`. */
export function nameTagXml(name: string | undefined): string {
  return itemSet('tagSet', name === undefined ? [] : [name], (value) => leaf('key', 'Name') + leaf('value', value));
}

/**
 * Caches the last rendered value: machines of one launch follow each other in a list and share their parts. A larger
 * cache would need more memory than the machines if every launch has one machine.
 */
export function rememberLast<T extends object>(render: (thing: T) => string): (thing: T) => string {
  let last: T | undefined;
  let xml = '';
  return (thing) => {
    if (thing !== last) {
      xml = render(thing);
      last = thing;
    }
    return xml;
  };
}
