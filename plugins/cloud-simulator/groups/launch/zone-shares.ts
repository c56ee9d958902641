/**
 * Divides `total` additional machines so that the zones become as even as possible. The result has the addition of
 * each zone. Among equal zones the first gets the odd machine. Pure.
 */
export function zoneShares(has: readonly number[], total: number): number[] {
  const shares = has.map(() => 0);
  const order = has
    .map((count, index) => ({ count, index }))
    .toSorted((a, b) => a.count - b.count || a.index - b.index);
  let left = total;
  // Fills the lowest zones together up to the level of the next zone.
  for (let width = 1; left > 0 && width <= order.length; width++) {
    const lowest = order.slice(0, width);
    const level = (order[width - 1] as { count: number }).count;
    const next = order[width]?.count ?? Number.POSITIVE_INFINITY;
    const rise = Math.min(next - level, Math.floor(left / width));
    for (const { index } of lowest) shares[index] = (shares[index] as number) + rise;
    left -= rise * width;
    if (rise < next - level) {
      for (const { index } of lowest.toSorted((a, b) => a.index - b.index).slice(0, left))
        shares[index] = (shares[index] as number) + 1;
      left = 0;
    }
  }
  return shares;
}
