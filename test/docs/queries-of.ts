/** A metric in a query, and the labels that it matches. */
export interface Selector {
  readonly metric: string;
  readonly matched: readonly string[];
}

/** The metrics of a query of Prometheus. */
export function selectorsOf(expr: string): readonly Selector[] {
  return [...expr.matchAll(/\b(muster_\w+|process_\w+|nodejs_\w+|up\b)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', matchers = '']) => ({
      metric,
      matched: [...matchers.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"/g)].map(([, label = '']) => label),
    }),
  );
}

/** The labels by which a query groups or joins, and which its legend shows. */
export function labelsOf(expr: string, legend: string): readonly string[] {
  const lists = [...expr.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].map(([, list = '']) => list);
  const shown = [...legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, label = '']) => label);
  const listed = [...expr.matchAll(/label_values\([^,]+,\s*(\w+)\)/g)].map(([, label = '']) => label);
  return [...listed, ...lists.flatMap((list) => list.split(',').map((label) => label.trim())), ...shown];
}
