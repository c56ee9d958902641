/** One error or warning about input that a person wrote. Findings are collected and reported together. */
export interface Finding {
  readonly level: 'error' | 'warning';
  /** JSON pointer into the checked value (`/subnet_ids/0`). Empty: the whole value. */
  readonly path: string;
  readonly message: string;
  /** The file that the value came from, if any. */
  readonly file?: string;
  /** Only in the last finding of a list that was cut: the least number of further findings. */
  readonly more?: number;
}

/**
 * The most findings that one answer reports, and the most hints that are searched. A call may be wrong in a hundred
 * thousand places.
 */
export const mostFindings = 100;

export const isError = (finding: Finding): boolean => finding.level === 'error';

/** `/machine_count: must be >= 1`: the form in which a finding is shown. */
export function sentence(finding: Finding): string {
  const place = [finding.file, finding.path].filter(Boolean).join(' ');
  return place ? `${place}: ${finding.message}` : finding.message;
}

/** Stands for the findings that are not reported. */
export const moreFindings = (more: number, level: Finding['level'] = 'error'): Finding => ({
  level,
  path: '',
  message: `at least ${more} more ${more === 1 ? 'finding is' : 'findings are'} not shown`,
  more,
});

/** The first `most` findings, and a last one with the number of the rest. */
export function firstOf(findings: readonly Finding[], most = mostFindings): readonly Finding[] {
  const single = findings.filter(({ more }) => more === undefined);
  if (single.length === findings.length && single.length <= most) return findings;
  const rest = [...single.slice(most), ...findings.filter(({ more }) => more !== undefined)];
  const more = rest.reduce((sum, finding) => sum + (finding.more ?? 1), 0);
  return [...single.slice(0, most), moreFindings(more, rest.some(isError) ? 'error' : 'warning')];
}

/** Compares by path, for sorting. */
export const byPath = (a: Finding, b: Finding): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** The first findings in one line, for a `detail`. */
export const sentences = (findings: readonly Finding[]): string => firstOf(findings).map(sentence).join('; ');

/** The first findings in the form of the details of an error. */
export const placesOf = (
  findings: readonly Finding[],
): readonly { readonly path: string; readonly message: string }[] =>
  firstOf(findings).map(({ path, message }) => ({ path, message }));
