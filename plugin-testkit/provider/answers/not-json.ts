/**
 * Describes in a sentence the first part of a value that JSON cannot store; undefined if there is none. An undefined
 * field counts as absent.
 */
export function notJson(value: unknown, at: string): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `${at} is ${value}, which JSON makes null`;
    case 'object':
      return value === null ? undefined : objectNotJson(value, at);
    default:
      return `${at} is a ${typeof value}, which JSON does not support`;
  }
}

function objectNotJson(value: object, at: string): string | undefined {
  if (Array.isArray(value)) {
    const hole = value.findIndex((item) => item === undefined);
    if (hole >= 0) return `${at}[${hole}] is undefined, which JSON makes null`;
    return first(value.map((item, index) => notJson(item, `${at}[${index}]`)));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && value.constructor?.name !== 'Object')
    return `${at} is a ${value.constructor?.name ?? 'class instance'}, which comes back from JSON as something else`;
  return first(Object.entries(value).map(([name, each]) => notJson(each, `${at}.${name}`)));
}

const first = (found: readonly (string | undefined)[]): string | undefined => found.find((each) => each !== undefined);
