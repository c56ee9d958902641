import { Broken } from './broken.ts';

/** What is kept of an answer is stored with its request, and read with it each time. */
const mostParts = 100_000;
const mostCharacters = 4_000_000;
const deepest = 64;

/** What may still come of an answer. */
export interface Room {
  parts: number;
  characters: number;
}

export const roomOf = (): Room => ({ parts: mostParts, characters: mostCharacters });

/**
 * Insists that a value comes back from JSON as it is, and that there is room for it. A field that is undefined is as
 * good as none.
 */
export function plain(value: unknown, path: string, room: Room = roomOf()): void {
  walk(value, path, deepest, room);
}

function walk(value: unknown, path: string, depth: number, room: Room): void {
  if ((room.parts -= 1) < 0) throw new Broken(path, value, `JSON with at most ${mostParts} parts`);
  switch (typeof value) {
    case 'string':
      if ((room.characters -= value.length) < 0) throw new Broken(path, value, `JSON with at most ${mostCharacters} characters of text`);
      return;
    case 'boolean':
    case 'undefined':
      return;
    case 'number':
      if (!Number.isFinite(value)) throw new Broken(path, value, 'JSON');
      return;
    case 'object':
      if (value === null) return;
      // What goes round in circles is as deep as one looks.
      if (depth === 0) throw new Broken(path, value, `JSON that is no deeper than ${deepest}`);
      if (Array.isArray(value)) value.forEach((each, index) => walk(item(each, path, index), `${path}/${index}`, depth - 1, room));
      else fields(value, path, depth, room);
      return;
    default:
      throw new Broken(path, value, 'JSON');
  }
}

function item(each: unknown, path: string, index: number): unknown {
  if (each === undefined) throw new Broken(`${path}/${index}`, each, 'JSON');
  return each;
}

function fields(value: object, path: string, depth: number, room: Room): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && value.constructor?.name !== 'Object')
    throw new Broken(path, value, `plain JSON, not a ${value.constructor?.name ?? 'thing of its own kind'}`);
  for (const name in value) walk((value as Record<string, unknown>)[name], `${path}/${name}`, depth - 1, room);
}
