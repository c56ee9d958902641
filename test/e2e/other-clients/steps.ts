/** What an answer must have: the members of an object, all entries of a list in order, or what a function says. */
export type Expected =
  | string
  | number
  | boolean
  | ((found: unknown) => boolean)
  | readonly Expected[]
  | { readonly [name: string]: Expected };

/** One command of the AWS CLI, and what AWS documents of its outcome. */
export interface Step {
  /** Service, command and options, separated by spaces. No value has a space. */
  readonly command: () => string;
  /** What must be in the answer; default nothing. */
  readonly answer?: Expected;
  /** The error code, if the command must fail. */
  readonly code?: string;
  /** Takes values of the answer for later commands. */
  readonly keep?: (answer: Answer) => void;
}

/** The JSON of an answer. Members that are missing fail the step that reads them. */
// oxlint-disable-next-line typescript/no-explicit-any -- the answers of some eighty commands
export type Answer = any;

/** Values that a command keeps for later ones. */
export const kept: Record<string, string> = {};

/** Where an answer differs from what it must have; undefined if it does not. */
export function difference(found: unknown, expected: Expected, path = ''): string | undefined {
  if (typeof expected === 'function')
    return expected(found) ? undefined : `${path}: ${JSON.stringify(found)} does not meet ${expected}`;
  if (typeof expected !== 'object')
    return found === expected ? undefined : `${path}: ${JSON.stringify(found)} is not ${JSON.stringify(expected)}`;
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length)
      return `${path}: ${JSON.stringify(found)?.slice(0, 300)} has not ${expected.length} entries`;
    return first(expected.map((one: Expected, index) => difference(found[index], one, `${path}/${index}`)));
  }
  if (typeof found !== 'object' || found === null) return `${path}: ${JSON.stringify(found)} is no object`;
  return first(
    Object.entries(expected).map(([name, one]) =>
      difference((found as Record<string, unknown>)[name], one, `${path}/${name}`),
    ),
  );
}

const first = (found: readonly (string | undefined)[]) => found.find((one) => one !== undefined);

/** A text of this form. */
export const like = (form: RegExp) => (found: unknown) => typeof found === 'string' && form.test(found);

/** A list of so many entries. */
export const entries = (count: number) => (found: unknown) => Array.isArray(found) && found.length === count;

/** A list of at least one entry. */
export const some = (found: unknown) => Array.isArray(found) && found.length > 0;

/** Whatever is there. */
export const present = (found: unknown) => found !== undefined && found !== null;
