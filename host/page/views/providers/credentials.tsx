import { now } from '../../parts/clock.ts';
import { State } from '../../parts/state-mark.tsx';
import { credentialState, type ShownCredentials } from '../../words/credential-state.ts';

/** Where the credentials of an instance come from, and when they end. */
export function Credentials({ credentials }: { readonly credentials: ShownCredentials }) {
  const { mark, words } = credentialState(credentials, now.value);
  const { source, expires_at } = credentials;
  const text = expires_at === null ? words : <time dateTime={expires_at}>{words}</time>;
  return (
    <>
      <span>{source}</span>
      <span class="row-note">{mark === undefined ? text : <State mark={mark}>{text}</State>}</span>
    </>
  );
}
