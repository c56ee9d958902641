import type { ComponentChildren } from 'preact';
import type { Answer } from '../api/use-answer.ts';
import { isLost } from '../api/use-answer.ts';
import type { Refusal } from '../api/broker-client.ts';

interface ShowProps<T> {
  readonly answer: Answer<T>;
  /** What is being read, for the words while it loads: "requests". */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows an answer; while there is none, says that it is read, or why there is none. */
export function Show<T>({ answer: { value, failure }, what, children }: ShowProps<T>) {
  if (value === undefined) return failure ? <Failure failure={failure} what={what} /> : <Loading what={what} />;
  return (
    <>
      {failure && !isLost() ? <Failure failure={failure} what={what} /> : null}
      {children(value)}
    </>
  );
}

export const Loading = ({ what }: { readonly what: string }) => (
  <p class="quiet loading" aria-busy="true">
    Reading {what}…
  </p>
);

export const Failure = ({ failure, what }: { readonly failure: Refusal; readonly what: string }) => (
  <p class="trouble-note" role="alert">
    <strong>{failure.status === 0 ? 'No answer.' : `The broker did not give ${what}.`}</strong> {failure.message}
  </p>
);

/** Words for an empty list: what it would hold, and what to do. */
export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="quiet empty">{children}</p>;
