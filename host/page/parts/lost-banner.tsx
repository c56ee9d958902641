import { signal } from '@preact/signals';
import { connection } from '../api/live.ts';
import { roughly } from '../words/durations.ts';

/** Counts by the clock of this computer: the broker's cannot be asked. */
const localNow = signal(Date.now());
setInterval(() => (localNow.value = Date.now()), 1_000);

/** Says, above every view, that what is shown may be old. Goes by itself when the broker answers again. */
export function LostBanner() {
  const { state, since } = connection.value;
  return (
    <div role="status" class="lost-place">
      {state === 'lost' ? (
        <p class="lost-banner">
          <strong>Connection lost.</strong> What you see is {roughly(localNow.value - since)} old. The page tries again
          by itself.
        </p>
      ) : null}
    </div>
  );
}
