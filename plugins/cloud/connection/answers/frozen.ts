/** The value with all that is in it, which nobody can change from now on: several machines share it. It has no dates. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}
