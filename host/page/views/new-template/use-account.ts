import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { read, Refusal } from '../../api/broker-client.ts';
import { api } from '../../api/place.ts';
import type { Account } from '../../api/shapes.ts';
import type { Answer } from '../../api/use-answer.ts';

/**
 * What the account of an instance contains. Read once for an instance, and again when `turn` changes: each read calls
 * the cloud, so neither events nor failures repeat it.
 */
export function useAccount(instance: string, turn: number): ReadonlySignal<Answer<Account>> {
  const answer = useMemo(() => signal<Answer<Account>>({}), [instance, turn]);
  useEffect(() => {
    const left = new AbortController();
    read<Account>(`${api}/providers/${encodeURIComponent(instance)}/discover`, left.signal).then(
      (value) => (answer.value = { value }),
      (error: unknown) => {
        if (left.signal.aborted) return;
        answer.value = { failure: error instanceof Refusal ? error : new Refusal(0, 'BROKEN', String(error)) };
      },
    );
    return () => left.abort();
  }, [answer]);
  return answer;
}
