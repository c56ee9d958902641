import { bases } from './bases.ts';

/** What is sent as the body: a value, until a step damages its text. */
export type Body = { readonly value: unknown; readonly text?: undefined } | { readonly text: string };

/** One change of a call: which, where (the place is counted through the body), and how much of it. */
export type Step = readonly [name: string, place: number, amount: number];

/** The largest body that is read. */
const largest = 1024 * 1024;

const nasty: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '💩',
  '__proto__',
  'constructor',
  'null',
  '../../etc/passwd',
  [],
  {},
  [[]],
  [null],
  { __proto__: null },
  { length: 1e9 },
];

interface Place {
  readonly value: unknown;
  /** The body with something else here. */
  put(other: unknown): unknown;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every value in the body, itself first; of long lists and wide objects only the first and the last. */
function* placesIn(value: unknown, put: (other: unknown) => unknown = (other) => other): Generator<Place> {
  yield { value, put };
  if (Array.isArray(value)) {
    for (const index of ends(value.map((_, i) => i)))
      yield* placesIn(value[index], (other) => put(value.with(index, other)));
  } else if (isMap(value)) {
    for (const key of ends(Object.keys(value)))
      yield* placesIn(value[key], (other) => put({ ...value, [key]: other }));
  }
}

const ends = <T>(all: readonly T[]): readonly T[] =>
  all.length <= 24 ? all : [...all.slice(0, 12), ...all.slice(-4)];

type Change = (value: unknown, amount: number) => unknown;

/** As many as fit into a body. */
const times = (amount: number, bytes: number): number =>
  Math.max(1, Math.min(amount, Math.floor((largest * 0.9) / Math.max(1, bytes))));
const count = (i: number): string => i.toString(36);

function widened(value: unknown, amount: number, nameOf: (i: number) => string, each: unknown): unknown {
  const here = isMap(value) ? value : { was: value };
  const size = JSON.stringify(each).length + nameOf(1_000).length + 4;
  return { ...here, ...Object.fromEntries(Array.from({ length: times(amount, size) }, (_, i) => [nameOf(i), each])) };
}

/** What may be done at one place. */
const changes: Readonly<Record<string, Change>> = {
  widen: (value, amount) => widened(value, amount, count, 0),
  /** Names that are near those that are there. */
  misspell: (value, amount) => {
    const known = isMap(value) ? Object.keys(value) : ['region'];
    return widened(value, amount, (i) => `${known[i % known.length]}${count(i)}`, 0);
  },
  /** The same fields under their other spelling. */
  respell: (value) =>
    isMap(value)
      ? {
          ...value,
          ...Object.fromEntries(
            Object.keys(value).map((key) => [key.replace(/_([a-z])/g, (_, l: string) => l.toUpperCase()), 0]),
          ),
        }
      : value,
  /** Entries that the schema may know, as often as they fit. */
  fill: (value, amount) => {
    const [first] = isMap(value) ? Object.values(value) : [value];
    return widened(value, amount, (i) => `k-${count(i)}`, first ?? null);
  },
  repeat: (value, amount) => {
    const list = Array.isArray(value) && value.length > 0 ? value : [value];
    const size = JSON.stringify(list).length + 1;
    return Array.from({ length: times(amount, size) }, () => list).flat();
  },
  /** As repeat, and every entry has a name of its own. */
  number: (value, amount) => {
    const [first] = Array.isArray(value) ? value : [value];
    const size = (JSON.stringify(first) ?? '').length + 9;
    const own = (i: number): unknown =>
      typeof first === 'string'
        ? `${first.slice(0, 200)}${count(i)}`
        : isMap(first)
          ? Object.fromEntries(
              Object.entries(first).map(([key, each]) => [
                key,
                typeof each === 'string' ? `${each.slice(0, 200)}${count(i)}` : each,
              ]),
            )
          : i;
    return Array.from({ length: times(amount, size) }, (_, i) => own(i));
  },
  lengthen: (value, amount) =>
    (typeof value === 'string' ? value || 'x' : 'x').repeat(times(amount, String(value).length || 1)),
  rename: (value, amount) =>
    isMap(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, each], i) => [
            i === 0 ? key.repeat(times(amount, key.length || 1)) : key,
            each,
          ]),
        )
      : value,
  deepen: (value, amount) => Array.from({ length: Math.min(amount, 200) }).reduce((inner) => [inner], value),
  bury: (value, amount) => Array.from({ length: Math.min(amount, 200) }).reduce((inner) => ({ a: inner }), value),
  swap: (_, amount) => nasty[amount % nasty.length],
  drop: (value, amount) =>
    isMap(value)
      ? Object.fromEntries(Object.entries(value).filter((_, i, all) => i !== amount % all.length))
      : undefined,
  splice: (_, amount) => {
    const all = Object.values(bases);
    return all[amount % all.length]?.body ?? {};
  },
};

/** What may be done to the text. */
const damages: Readonly<Record<string, (text: string, place: number, amount: number) => string>> = {
  cut: (text, place) => text.slice(0, place % Math.max(1, text.length)),
  stain: (text, place, amount) => {
    const at = place % Math.max(1, text.length);
    return `${text.slice(0, at)}${String.fromCharCode(amount % 128)}${text.slice(at + 1)}`;
  },
  double: (text, place, amount) => {
    const at = place % Math.max(1, text.length);
    return `${text.slice(0, at)}${text.slice(at, at + 20).repeat(times(amount, 20))}${text.slice(at)}`;
  },
};

export const stepNames: readonly string[] = [...Object.keys(changes), ...Object.keys(damages)];

/** A body after a step. A step that nobody knows changes nothing. */
export function stepped(body: Body, [name, place, amount]: Step): Body {
  const damage = damages[name];
  if (damage) return { text: damage(textOf(body), place, amount).slice(0, largest + 1) };
  const change = changes[name];
  if (!change || body.text !== undefined) return body;
  const places = [...placesIn(body.value)];
  const at = places[place % places.length];
  return at ? { value: at.put(change(at.value, amount)) } : body;
}

export const textOf = (body: Body): string => body.text ?? JSON.stringify(body.value) ?? '';
