import { now } from './clock.ts';
import { ago, countdown, duration } from '../words/durations.ts';

const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** A time as `14:03:22`; the date stands in its title. */
export const TimeOfDay = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={full.format(Date.parse(at))} class="number">
    {clock.format(Date.parse(at))}
  </time>
);

/** A time as `3 min ago`, which counts on. */
export const Ago = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={full.format(Date.parse(at))} class="number nowrap">
    {ago(Date.parse(at), now.value)}
  </time>
);

interface UntilProps {
  readonly at: string;
  /** What stands before the time that is left. */
  readonly before?: string;
  /** What stands behind it. */
  readonly after?: string;
  /** What stands there when the time has passed. */
  readonly passed?: string;
}

/** A time to come as `1:58`, which counts down; `now` when it has passed. */
export const Until = ({ at, before = '', after = '', passed = 'now' }: UntilProps) => (
  <time dateTime={at} title={full.format(Date.parse(at))} class="number nowrap">
    {Date.parse(at) <= now.value ? passed : `${before}${countdown(Date.parse(at) - now.value)}${after}`}
  </time>
);

/** The time between two moments; without an end it counts on. */
export const Between = ({ from, to }: { readonly from: string; readonly to?: string | null | undefined }) => (
  <span class="number nowrap">{duration((to ? Date.parse(to) : now.value) - Date.parse(from))}</span>
);

export const Moment = ({ at }: { readonly at: string }) => (
  <time dateTime={at} class="number">
    {full.format(Date.parse(at))}
  </time>
);
