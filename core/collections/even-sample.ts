/** At most `most` items, evenly spread over the list, in its order. `most` is at least 1. */
export function evenSample<T>(items: readonly T[], most: number): readonly T[] {
  const step = Math.ceil(items.length / most);
  return step <= 1 ? items : items.filter((_item, index) => index % step === 0);
}
