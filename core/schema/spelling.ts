import { closest, distance } from 'fastest-levenshtein';

/** `machine_count` → `machineCount`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The known name that was probably meant, if one is similar. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(name.length / 3));
  // A name whose length differs by more is not similar. This test avoids slow comparisons of many or long names.
  const candidates = known.filter((each) => Math.abs(each.length - name.length) <= most);
  if (candidates.length === 0) return undefined;
  const found = closest(name.toLowerCase(), candidates);
  return distance(name.toLowerCase(), found.toLowerCase()) <= most ? found : undefined;
}

/** `; did you mean 'x'?`, or the list of known names when none is similar. */
export function hint(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near) return `; did you mean '${near}'?`;
  return known.length > 0 ? `; known: ${known.join(', ')}` : '';
}
