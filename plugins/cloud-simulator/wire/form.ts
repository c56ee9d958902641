import { unescape } from 'node:querystring';

/** Parameters of a query-protocol call as a tree: `Filter.1.Value.2=x` is `{Filter: {1: {Value: {2: 'x'}}}}`. */
export interface Params {
  [name: string]: string | Params;
}

/** The call as received: its parameters as a tree, and flat for hashing. */
export interface Form {
  readonly params: Params;
  readonly flat: Readonly<Record<string, string>>;
}

/** Reads an `application/x-www-form-urlencoded` body. Of duplicate keys the last one counts. */
export function readForm(body: string): Form {
  const flat: Record<string, string> = Object.create(null);
  const params: Params = Object.create(null);
  for (const pair of body.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const key = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    flat[key] = value;
    put(params, key, value);
  }
  return { params, flat };
}

// No AWS parameter has half as many steps. A longer key is stored flat, so that no reader of the tree overflows the
// stack.
const deepest = 32;

// Decoding copies the text. A substring would keep the whole body in memory as long as a token or a tag of it is
// stored.
function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return unescape(spaced);
  }
}

function put(params: Params, key: string, value: string): void {
  const steps = key.split('.', deepest + 1);
  if (steps.length === 1 || steps.length > deepest) {
    params[key] = value;
    return;
  }
  const last = steps.pop() as string;
  let at = params;
  for (const step of steps) {
    const next = at[step];
    at = typeof next === 'object' ? next : ((at[step] = Object.create(null)) as Params);
  }
  at[last] = value;
}

/** The text under `name`; `undefined` when it is absent or has parts of its own. */
export function text(params: Params | undefined, name: string): string | undefined {
  const value = params?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** The part under `name`; `undefined` when it is absent or plain text. */
export function part(params: Params | undefined, name: string): Params | undefined {
  const value = params?.[name];
  return typeof value === 'object' ? value : undefined;
}

/** Plain texts of a numbered list (`InstanceId.1`, `InstanceId.2`), in order of their numbers. */
export function texts(params: Params | undefined, name: string): string[] {
  return numbered(part(params, name)).filter((entry) => typeof entry === 'string');
}

/** Parts of a numbered list (`Filter.1.Name`, `Filter.2.Name`), in order of their numbers. */
export function parts(params: Params | undefined, name: string): Params[] {
  return numbered(part(params, name)).filter((entry) => typeof entry === 'object');
}

/** Whether a part is a numbered list and not a structure. */
export function isList(value: Params): boolean {
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
}

// JavaScript lists integer keys of an object in ascending order.
function numbered(list: Params | undefined): (string | Params)[] {
  return list === undefined ? [] : Object.values(list);
}
