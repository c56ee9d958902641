/** The strongly connected parts of a graph that have more than one node: each is a circle, or several that meet. */
export function circlesOf(arrows: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): void => {
    numbers.set(node, numbers.size);
    lowest.set(node, numbers.get(node) ?? 0);
    path.push(node);
    for (const next of arrows.get(node) ?? []) {
      if (!arrows.has(next)) continue;
      if (!numbers.has(next)) visit(next);
      if (path.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== numbers.get(node)) return;
    const part = path.splice(path.indexOf(node));
    if (part.length > 1) circles.push(part.toSorted());
  };
  for (const node of arrows.keys()) if (!numbers.has(node)) visit(node);
  return circles;
}
