import { figure } from '../words/numbers.ts';

interface MeterProps {
  readonly have: number;
  /** What is on its way, beyond `have`. */
  readonly coming?: number;
  readonly of: number | null;
  readonly label: string;
}

/** A thin bar: what there is, what is on its way, and of how many. */
export function Meter({ have, coming = 0, of, label }: MeterProps) {
  const whole = Math.max(1, of ?? have + coming);
  const share = (value: number): string => `${Math.min(100, (100 * value) / whole)}%`;
  const words = `${label}: ${figure(have)}${coming ? ` and ${figure(coming)} to come` : ''}${of === null ? '' : ` of ${figure(of)}`}`;
  return (
    <span class="meter" role="img" aria-label={words} title={words}>
      <span class="meter-have" style={{ width: share(have) }} />
      <span class="meter-coming" style={{ width: share(Math.min(coming, whole - Math.min(have, whole))) }} />
    </span>
  );
}
