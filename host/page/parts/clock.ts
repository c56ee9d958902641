import { signal, type ReadonlySignal } from '@preact/signals';
import { brokerNow } from '../api/broker-client.ts';

const nowSignal = signal(brokerNow());

/** The time of the broker, to the second. Stands still while the page is hidden. */
export const now: ReadonlySignal<number> = nowSignal;

setInterval(() => {
  if (!document.hidden) nowSignal.value = brokerNow();
}, 1_000);
document.addEventListener('visibilitychange', () => {
  nowSignal.value = brokerNow();
});
