// Answers are built by joining strings: a page of 1000 machines is 3 MB, and no tree of it is ever needed.

// Control characters but tab and line ends cannot stand in XML at all.
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

/**
 * `<name>value</name>` with the value escaped; nothing at all when it is absent, which the SDK reads as `undefined`.
 */
export function leaf(name: string, value: string | number | boolean | undefined): string {
  if (value === undefined) return '';
  return `<${name}>${typeof value === 'string' ? escapeXml(value) : value}</${name}>`;
}

/** `<name>` around XML that is ready. */
export function node(name: string, inner: string): string {
  return `<${name}>${inner}</${name}>`;
}

/** `<name><item>…</item>…</name>`; an empty list is `<name/>`, which the SDK reads as `[]`. */
export function itemSet<T>(name: string, entries: Iterable<T>, inner: (entry: T) => string): string {
  let items = '';
  for (const entry of entries) items += `<item>${inner(entry)}</item>`;
  return items === '' ? `<${name}/>` : `<${name}>${items}</${name}>`;
}

/** A time as the SDK reads it: with its zone. Without, it throws on an answer that succeeded. */
export function timestamp(name: string, at: number): string {
  return `<${name}>${new Date(at).toISOString()}</${name}>`;
}

/**
 * The end of a list: the token of the next page, or nothing on the last page, since an empty element would be a token
 * of its own.
 */
export function nextTokenXml(token: string | undefined): string {
  return leaf('nextToken', token);
}

/**
 * Renders, and remembers the last thing rendered: machines of one launch stand together in a list and share their
 * parts. Remembering more would cost more memory than the machines themselves when every launch is of one machine. /
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
