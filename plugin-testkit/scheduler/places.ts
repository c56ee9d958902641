/** An object in a list somewhere in a document. */
export interface Place {
  readonly path: readonly (string | number)[];
  readonly value: Readonly<Record<string, unknown>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects that are entries of lists, outermost first. */
export function places(document: unknown, path: readonly (string | number)[] = []): readonly Place[] {
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(document)
    ? document.map((each, i) => [i, each] as const)
    : isObject(document)
      ? Object.entries(document)
      : [];
  const here = Array.isArray(document)
    ? entries.flatMap(([i, value]) => (isObject(value) ? [{ path: [...path, i], value }] : []))
    : [];
  return [...here, ...entries.flatMap(([name, value]) => places(value, [...path, name]))];
}

/** A copy of the document with another value at a path. */
export function withPart(document: unknown, [first, ...rest]: readonly (string | number)[], part: unknown): unknown {
  if (first === undefined) return part;
  if (Array.isArray(document))
    return document.map((each: unknown, i) => (i === first ? withPart(each, rest, part) : each));
  const object = document as Readonly<Record<string, unknown>>;
  return { ...object, [first]: withPart(object[first], rest, part) };
}

/** The document without one entry of a list. */
export function withoutPart(document: unknown, path: readonly (string | number)[]): unknown {
  const list = path.slice(0, -1).reduce((each: any, name) => each[name], document) as readonly unknown[];
  return withPart(
    document,
    path.slice(0, -1),
    list.filter((_, i) => i !== path.at(-1)),
  );
}

/** The path of every part of a document, the document itself first. */
export function paths(
  document: unknown,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof document !== 'object' || document === null) return [path];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(document)
    ? [...document.entries()]
    : Object.entries(document);
  return [path, ...entries.flatMap(([name, value]) => paths(value, [...path, name]))];
}
