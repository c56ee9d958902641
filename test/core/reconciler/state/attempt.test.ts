import test from 'ava';
import fc from 'fast-check';
import { ProviderFault, type AttemptRecord, type AttemptState } from '../../../../core/index.ts';
import * as attempts from '../../../../core/reconciler/state/attempt.ts';
import { attemptOf } from '../../../support/records.ts';

const fault = new ProviderFault('unavailable', 'Away.');
const shortfall = { kind: 'capacity' as const, code: 'none', message: 'No machines.' };

/** Every transition, with sample arguments. */
const transitions: Readonly<Record<string, (attempt: AttemptRecord) => AttemptRecord>> = {
  inherited: attempts.inherited,
  prepared: (each) => attempts.prepared(each, {}),
  sent: (each) => attempts.sent(each, 5),
  accepted: (each) => attempts.accepted(each, {}),
  launched: (each) => attempts.launched(each, { handle: {}, settled: true }),
  refused: (each) => attempts.refused(each, shortfall),
  deferred: (each) => attempts.deferred(each, fault, 5),
  doubted: (each) => attempts.doubted(each, fault, 5),
  dropped: attempts.dropped,
  expired: (each) => attempts.expired(each, 5),
  sought: (each) => attempts.sought(each, 5),
  found: (each) => attempts.found(each, {}),
  missed: (each) => attempts.missed(each, undefined),
  observed: (each) => attempts.observed(each, { settled: true }),
  bounded: (each) => attempts.bounded(each, 0, 0),
  disposed: attempts.disposed,
};

const { handle: _handle, ...withoutHandle } = attemptOf(1, { settled: false });
const inState: Readonly<Record<AttemptState, AttemptRecord>> = {
  open: { ...withoutHandle, state: 'open', unsent: true },
  launched: attemptOf(1, { settled: false }),
  closed: { ...withoutHandle, state: 'closed', settled: true },
  lost: { ...withoutHandle, state: 'lost', settled: true },
};

const table: Readonly<Record<AttemptState, Readonly<Record<string, AttemptState>>>> = {
  open: {
    inherited: 'open',
    prepared: 'open',
    sent: 'open',
    accepted: 'open',
    launched: 'launched',
    refused: 'closed',
    deferred: 'open',
    doubted: 'open',
    dropped: 'closed',
    expired: 'lost',
  },
  launched: { observed: 'launched', bounded: 'launched', disposed: 'launched' },
  closed: { sought: 'lost', disposed: 'closed' },
  lost: { sought: 'lost', found: 'lost', missed: 'lost', observed: 'lost', bounded: 'lost', disposed: 'lost' },
};

for (const [state, from] of Object.entries(inState) as [AttemptState, AttemptRecord][]) {
  for (const [name, move] of Object.entries(transitions)) {
    test(`${state}: ${name} ${table[state][name] === undefined ? 'comes too late and changes no state' : `leads to ${table[state][name]}`}`, (t) => {
      t.is(move(from).state, table[state][name] ?? state);
    });
  }
}

test('an order that may have been sent is never dropped, and an unsent one is not in doubt for a new holder', (t) => {
  t.is(attempts.dropped({ ...inState.open, unsent: false }).state, 'open');
  t.false(attempts.inherited(inState.open).doubtful);
  t.true(attempts.inherited({ ...inState.open, unsent: false }).doubtful);
});

test('an accepted order is never taken for one that was not executed, whatever its replay returns', (t) => {
  const accepted = attempts.accepted({ ...inState.open, unsent: false }, { id: 'f-1' });
  t.false(attempts.deferred(accepted, fault, 6).unsent);
});

test('an order stays in doubt until its outcome is known, whatever later calls return', (t) => {
  const doubtful = attempts.doubted({ ...inState.open, unsent: false }, fault, 5);
  t.false(attempts.deferred(doubtful, fault, 6).unsent);
  t.true(attempts.deferred(doubtful, fault, 6).doubtful);
  t.false(attempts.launched(doubtful, { handle: {}, settled: true }).doubtful);
});

test('an accepted order is not closed by the refusal of a replay: its handle is known', (t) => {
  const taken = attempts.accepted({ ...inState.open, unsent: false, doubtful: true }, { id: 'f-1' });
  t.is(taken.handle, undefined);
  t.like(attempts.refused(taken, shortfall), { state: 'launched', handle: { id: 'f-1' }, settled: false });
  t.like(attempts.expired(taken, 5), { state: 'lost', handle: { id: 'f-1' } });
  t.like(attempts.launched(taken, { handle: { id: 'f-2' }, settled: true }), {
    state: 'launched',
    handle: { id: 'f-2' },
    settled: true,
  });
});

test('an attempt without a handle is searched once more when a machine of it appears, and no more often', (t) => {
  const again = attempts.sought(inState.closed, 5);
  t.like(again, { state: 'lost', settled: false, sought: true, searches: 0 });
  const inVain = attempts.missed(again, undefined);
  t.true(attempts.isSettled(inVain));
  t.is(attempts.sought(inVain, 9), inVain);
  t.is(attempts.sought(inState.launched, 9), inState.launched, 'it can be released as it is');
});

test('a machine that was lost after the last target reopens the attempt; derived from counts, not stored', (t) => {
  const told = attempts.bounded(attemptOf(1, { settled: false }), 0, 1);
  t.true(attempts.isSettled(attempts.derived(told, 1, 9)));
  const reopened = attempts.derived(told, 2, 9);
  t.false(attempts.isSettled(reopened));
  t.true(reopened.active);
  t.is(attempts.derived(reopened, 2, 9), reopened, 'twice is once');
});

test('a lost machine that turns out to live does not hide the next loss', (t) => {
  const told = attempts.bounded(attemptOf(1, { settled: false }), 0, 1);
  const revived = attempts.derived(told, 0, 9);
  t.false(revived.reopened);
  t.true(attempts.derived(revived, 1, 9).reopened);
});

test('no sequence of events reactivates a refused or lost attempt, or loses its handle', (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Object.keys(transitions)), { maxLength: 12 }), (names) => {
      let attempt = inState.open;
      for (const name of names) {
        const next = transitions[name]?.(attempt) ?? attempt;
        if (attempt.handle !== undefined && next.handle === undefined) return false;
        if (attempt.state === 'closed' && next.state !== 'closed' && name !== 'sought') return false;
        if (attempt.state === 'launched' && next.state !== 'launched') return false;
        if (attempt.doubtful && next.state === 'closed' && !['refused'].includes(name)) return false;
        attempt = next;
      }
      return true;
    }),
  );
  t.pass();
});
