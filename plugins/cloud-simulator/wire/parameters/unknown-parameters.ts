import { AwsError } from '../errors.ts';
import type { Params } from '../form.ts';
// Generated from the SDK's model: structures by their names, and actions by theirs. A member is a scalar (empty) or a
// structure; `[]` marks a list of either.
import names from './parameter-names.json' with { type: 'json' };

const shapes: Readonly<Record<string, Readonly<Record<string, string>>>> = names;

// Every call may have these. The others belong to older forms of signatures.
const common = new Set([
  'Action',
  'Version',
  'AWSAccessKeyId',
  'Expires',
  'SecurityToken',
  'Signature',
  'SignatureMethod',
  'SignatureVersion',
  'Timestamp',
]);

/** Characters of a path that a message shows. */
const longest = 200;

/** Throws UnknownParameter if a call of EC2 has a parameter that the action does not have, at any depth. */
export function refuseUnknownParameters(action: string, params: Params): void {
  const unknown = unknownIn(params, action, '', (name) => common.has(name) || /^x-amz-/i.test(name));
  if (unknown !== undefined)
    throw new AwsError('UnknownParameter', `The parameter ${unknown.slice(0, longest)} is not recognized`);
}

/** The path of the first name that the structure does not have; undefined if there is none. */
function unknownIn(
  params: Params,
  shape: string,
  path: string,
  isCommon: (name: string) => boolean = () => false,
): string | undefined {
  const members = shapes[shape] ?? {};
  for (const [name, value] of Object.entries(params)) {
    const kind = Object.hasOwn(members, name) ? members[name] : undefined;
    const here = `${path}${name}`;
    if (kind === undefined) {
      if (isCommon(name)) continue;
      return here;
    }
    const found = kind.endsWith('[]')
      ? unknownInList(value, kind.slice(0, -2), here)
      : unknownInOne(value, kind, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unknownInList(value: string | Params, kind: string, path: string): string | undefined {
  // An empty list is sent as an empty text.
  if (typeof value === 'string') return undefined;
  for (const [index, entry] of Object.entries(value)) {
    const here = `${path}.${index}`;
    const found = /^\d+$/.test(index) ? unknownInOne(entry, kind, here) : here;
    if (found !== undefined) return found;
  }
  return undefined;
}

function unknownInOne(value: string | Params, kind: string, path: string): string | undefined {
  if (typeof value === 'string') return undefined;
  if (kind !== '') return unknownIn(value, kind, `${path}.`);
  return `${path}.${Object.keys(value)[0]}`;
}
