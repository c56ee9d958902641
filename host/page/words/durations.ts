const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const two = (value: number): string => String(value).padStart(2, '0');

/** A duration as people read it: `840 ms`, `41.3 s`, `2 min 05 s`, `3 h 12 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < second) return `${Math.round(length)} ms`;
  if (length < minute - 50) return `${(Math.floor(length / 100) / 10).toFixed(1)} s`;
  if (length < hour) return `${Math.floor(length / minute)} min ${two(Math.floor((length % minute) / second))} s`;
  if (length < day) return `${Math.floor(length / hour)} h ${two(Math.floor((length % hour) / minute))} min`;
  return `${Math.floor(length / day)} d ${Math.floor((length % day) / hour)} h`;
}

/** The same in whole units, for what ticks every second: `9 s`, `2 min`, `3 h`, `2 d`. */
export function roughly(ms: number): string {
  const length = Math.max(0, ms);
  if (length < minute) return `${Math.floor(length / second)} s`;
  if (length < hour) return `${Math.floor(length / minute)} min`;
  if (length < day) return `${Math.floor(length / hour)} h`;
  return `${Math.floor(length / day)} d`;
}

/** How long ago a time was. */
export const ago = (at: number, now: number): string => (now - at < 1_500 ? 'just now' : `${roughly(now - at)} ago`);

/** A countdown: `1:58`, `0:09`, `1:02:03`. */
export function countdown(ms: number): string {
  const left = Math.max(0, Math.ceil(ms / second));
  const [h, m, s] = [Math.floor(left / 3_600), Math.floor((left % 3_600) / 60), left % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
