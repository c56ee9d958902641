/** One thing that is wrong, or odd, in what a person wrote. Collected, never thrown one by one. */
export interface Finding {
  readonly level: 'error' | 'warning';
  /** JSON pointer into what was checked (`/subnet_ids/0`); empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** Where it was read from, when it came out of a file. */
  readonly file?: string;
  /** Of the last one of a list that was cut: how many more there are, at least. */
  readonly more?: number;
}

/** So many findings are told at once, and so many hints are looked for: a call may be wrong in a hundred thousand places. */
export const mostFindings = 100;

export const isError = (finding: Finding): boolean => finding.level === 'error';

/** `/machine_count: must be >= 1`, the form in which a finding is shown. */
export function sentence(finding: Finding): string {
  const place = [finding.file, finding.path].filter(Boolean).join(' ');
  return place ? `${place}: ${finding.message}` : finding.message;
}

/** Stands for findings that are not told. */
export const moreFindings = (more: number, level: Finding['level'] = 'error'): Finding => ({
  level,
  path: '',
  message: `at least ${more} more ${more === 1 ? 'finding is' : 'findings are'} not shown`,
  more,
});

/** The first findings, and a last one that says how many more there are. */
export function firstOf(findings: readonly Finding[], most = mostFindings): readonly Finding[] {
  const single = findings.filter(({ more }) => more === undefined);
  if (single.length === findings.length && single.length <= most) return findings;
  const rest = [...single.slice(most), ...findings.filter(({ more }) => more !== undefined)];
  const more = rest.reduce((sum, finding) => sum + (finding.more ?? 1), 0);
  return [...single.slice(0, most), moreFindings(more, rest.some(isError) ? 'error' : 'warning')];
}

/** By the path, as people read them. */
export const byPath = (a: Finding, b: Finding): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** The first findings in one line, for a `detail`. */
export const sentences = (findings: readonly Finding[]): string => firstOf(findings).map(sentence).join('; ');

/** The first findings as the details of a refusal have them. */
export const placesOf = (findings: readonly Finding[]): readonly { readonly path: string; readonly message: string }[] =>
  firstOf(findings).map(({ path, message }) => ({ path, message }));
