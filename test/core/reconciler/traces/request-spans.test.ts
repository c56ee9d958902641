import test from 'ava';
import type { AttemptRecord } from '../../../../core/model/attempt.ts';
import type { RequestRecord } from '../../../../core/model/request.ts';
import { RequestSpans } from '../../../../core/reconciler/traces/request-spans.ts';
import { placeIn } from '../../../../core/tracing/trace-context.ts';
import { noTracer, type FinishedSpan, type Tracer } from '../../../../core/tracing/tracer.ts';

const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
const requestOf = (fields: Partial<RequestRecord> = {}): RequestRecord =>
  ({
    request_id: 'req-1',
    kind: 'provision',
    status: 'in_progress',
    machine_count: 1,
    created_at: 0,
    trace,
    ...fields,
  }) as RequestRecord;
const attemptOf = (attempt: number): AttemptRecord =>
  ({
    attempt,
    request_id: 'req-1',
    order: { machine_count: 1, template: { template_id: 'small' } },
    shortfall: [],
    created_at: 0,
    ended_at: 5,
  }) as unknown as AttemptRecord;

function recorder(returns: readonly RequestRecord[] = []) {
  const recorded: FinishedSpan[] = [];
  const tracer: Tracer = { ...noTracer, on: true, record: (span) => void recorded.push(span) };
  const store = {
    get: async (_: string, { request_id }: any) => returns.find((each) => each.request_id === request_id),
  };
  return { spans: new RequestSpans(tracer, store as never), recorded };
}

test('a request has at most a thousand spans, and its own says how many were left out', (t) => {
  const { spans, recorded } = recorder();
  const request = requestOf();
  const places = Array.from({ length: 3_000 }, (_, index) => spans.ofAttempt(request, attemptOf(index + 1)));
  t.is(places.filter((place) => place !== null).length, 1_000);
  t.not(spans.ofAttempt(requestOf({ request_id: 'req-2' }), attemptOf(1)), null);
  const attempts = Array.from({ length: 50 }, (_, index) => attemptOf(index + 1));
  const change = {
    request: requestOf({ status: 'completed', completed_at: 9 }),
    endedAttempts: attempts,
    machines: { of: () => [] },
  };
  spans.became(request, change as never);
  t.deepEqual(
    recorded.map(({ name }) => name),
    ['request'],
  );
  t.is(recorded[0]?.attributes['muster.spans_omitted'], 2_050);
});

test('another process finds the same places', (t) => {
  const [one, other] = [recorder(), recorder()].map(({ spans }) => spans.ofAttempt(requestOf(), attemptOf(1)));
  t.truthy(one);
  t.deepEqual(one, other);
});

test('a request that was not traced, or not sampled, has no place', (t) => {
  const { spans } = recorder();
  const { trace: _, ...untraced } = requestOf();
  t.is(spans.ofAttempt(untraced, attemptOf(1)), null);
  t.is(
    spans.ofAttempt(requestOf({ trace: { traceparent: trace.traceparent.replace(/1$/, '0') } }), attemptOf(1)),
    null,
  );
  t.is(spans.linkOf(untraced as RequestRecord, attemptOf(1), 0), undefined);
});

test('an attempt that ends twice has one span', (t) => {
  const { spans, recorded } = recorder();
  const change = { request: requestOf(), endedAttempts: [attemptOf(1)], machines: { of: () => [1, 2] } };
  spans.became(requestOf(), change as never);
  spans.became(requestOf(), change as never);
  t.is(recorded.length, 1);
  t.like(recorded[0]?.attributes, { 'muster.machines': 2, 'muster.attempt': 1 });
});

test('observations are linked until the request has ended and none of its machines is going', (t) => {
  const { spans } = recorder();
  const ended = requestOf({ status: 'completed' });
  t.truthy(spans.linkOf(requestOf(), attemptOf(1), 0));
  t.truthy(spans.linkOf(ended, attemptOf(1), 1));
  t.is(spans.linkOf(ended, attemptOf(1), 0), undefined);
});

test('a release for several returns is below the attempt and linked to the returns; a return that is gone is no link', async (t) => {
  const traced = (request_id: string, digit: string) =>
    requestOf({ request_id, kind: 'return', trace: { traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01` } });
  const { spans } = recorder([traced('ret-1', '1'), traced('ret-2', '2')]);
  const attempt = attemptOf(1);
  const own = spans.ofAttempt(requestOf(), attempt)?.parent;
  const several = await spans.ofRelease(requestOf(), attempt, [{ return_id: 'ret-1' }, { return_id: 'ret-2' }]);
  t.deepEqual(several?.parent, own);
  t.deepEqual(
    several?.links?.map(({ traceparent }) => placeIn(traceparent)?.trace_id),
    ['1'.repeat(32), '2'.repeat(32)],
  );
  const one = await spans.ofRelease(requestOf(), attempt, [{ return_id: 'ret-1' }, { return_id: 'ret-1' }]);
  t.is(placeIn(one?.parent?.traceparent ?? '')?.trace_id, '1'.repeat(32));
  t.deepEqual(one?.links, own ? [own] : []);
  const none = await spans.ofRelease(requestOf(), attempt, [{ return_id: 'ret-9' }]);
  t.deepEqual(none?.parent, own);
  t.is(none?.links, undefined);
});
