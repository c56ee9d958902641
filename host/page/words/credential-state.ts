import type { MetricsList } from '../api/shapes.ts';
import { roughly } from './durations.ts';

export type ShownCredentials = NonNullable<MetricsList['providers'][number]['credentials']>;

/** So long before their end credentials are marked that no one renews but a person. */
const hour = 3_600_000;
/** Credentials that renew themselves do so five minutes before their end, if calls are made: then this is late. */
const late = 240_000;

/** When credentials end, in words; with a mark where somebody should look. */
export function credentialState(
  { expires_at, renewed }: ShownCredentials,
  now: number,
): { readonly mark?: 'part' | 'bad'; readonly words: string } {
  if (expires_at === null) return { words: 'no end known' };
  const left = Date.parse(expires_at) - now;
  if (left <= 0)
    return renewed
      ? { mark: 'part', words: `ended ${roughly(-left)} ago; the next call gets new ones` }
      : { mark: 'bad', words: `ended ${roughly(-left)} ago` };
  const words = `end in ${roughly(left)}${renewed ? ', renewed before' : ''}`;
  return left <= (renewed ? late : hour) ? { mark: 'part', words } : { words };
}
