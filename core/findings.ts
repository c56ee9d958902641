/** One thing that is wrong, or odd, in what a person wrote. Collected, never thrown one by one. */
export interface Finding {
  readonly level: 'error' | 'warning';
  /** JSON pointer into what was checked (`/subnet_ids/0`); empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** Where it was read from, when it came out of a file. */
  readonly file?: string;
}

export const isError = (finding: Finding): boolean => finding.level === 'error';

/** `/machine_count: must be >= 1`, the form in which a finding is shown. */
export function sentence(finding: Finding): string {
  const place = [finding.file, finding.path].filter(Boolean).join(' ');
  return place ? `${place}: ${finding.message}` : finding.message;
}

/** All findings in one line, for a `detail`. */
export const sentences = (findings: readonly Finding[]): string => findings.map(sentence).join('; ');
