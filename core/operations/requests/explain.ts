import { Type, type Static } from 'typebox';
import { attemptStates, type AttemptRecord, type AttemptState } from '../../model/attempt.ts';
import { presentToken } from '../../model/ids.ts';
import { requestStatuses, type RequestRecord, type RequestStatus } from '../../model/request.ts';
import { Shortfall } from '../../model/shortfall.ts';
import { offerStates, type OfferStanding, type OfferState } from '../../reconciler/plan/orders/offer-states.ts';
import { reasonsOf } from '../../requests/explain/causes.ts';
import type { Explanation } from '../../requests/explain/explanations.ts';
import { isoTime } from '../../schema/iso-time.ts';
import { operation } from '../operation.ts';
import { p } from '../parameters.ts';

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

const Candidate = Type.Object({
  provider_instance: Type.String(),
  eligible: Type.Boolean({ description: 'Whether the instance could serve the request then.' }),
  reasons: Type.Array(Type.String()),
});

const Selection = Type.Object({
  provider_instance: Type.String(),
  reason: Type.String({ description: 'Why the instance got the last order, or gets the first one.' }),
  candidates: Type.Array(Candidate, { description: 'What was known about each instance then. At most 21.' }),
});

const OfferView = Type.Object({
  key: Type.String({ description: "Machine type, place and market, in the provider's own spelling." }),
  state: Type.Unsafe<OfferState>(
    Type.Enum([...offerStates], {
      description:
        '`free`: it may be ordered; `short`: it lacked capacity, and comes after all others; `refused`: it is not ordered again for this request.',
    }),
  ),
  short_since: time('Since when it lacks capacity.'),
  tried_again_at: time('From then on it may be ordered when no other offer is left.'),
});

const Outcome = Type.Object({
  at: Type.String({ format: 'date-time', description: 'The last answer of this kind.' }),
  code: Type.String({ description: "The provider's own code, or one of muster." }),
  message: Type.String(),
  offer: Type.Optional(Type.String()),
  count: Type.Optional(Type.Integer({ description: 'How many equal answers there were. Absent: one.' })),
});

const AttemptView = Type.Object({
  attempt: Type.Integer(),
  provider_instance: Type.String(),
  api: Type.String(),
  machine_count: Type.Integer(),
  names: Type.Optional(Type.Array(Type.String(), { description: 'The names that its machines may get.' })),
  offers: Type.Array(Type.String(), { description: 'The keys of the offers that were ordered.' }),
  token: Type.String({ description: 'The idempotency token of the last call.' }),
  state: Type.Unsafe<AttemptState>(
    Type.Enum([...attemptStates], {
      description:
        '`open`: the outcome is not known; `launched`: the provider accepted the order; `closed`: it started nothing; `lost`: the outcome cannot be learned any more.',
    }),
  ),
  reason: Type.Optional(
    Type.String({ description: 'Why the order went to its instance. Absent: as for the attempt before.' }),
  ),
  cloud_request_ids: Type.Array(Type.String(), {
    description: 'The ids under which the cloud knows the calls, for its support: the first ones and the last ones.',
  }),
  outcomes: Type.Array(Outcome, { description: 'The last answers that were no success, oldest first.' }),
  created_at: Type.String({ format: 'date-time' }),
  sent_at: time('The first call.'),
  ended_at: time('Since then the order starts no further machine.'),
});

const ExplanationAnswer = Type.Object({
  request_id: Type.String(),
  status: Type.Unsafe<RequestStatus>(Type.Enum([...requestStatuses])),
  because: Type.String({ description: 'Why the request has this status: one sentence for people.' }),
  waiting_for: Type.Union(
    [
      Type.Object({
        what: Type.String(),
        until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
          description: 'When that changes by itself at the latest. null: no time is known.',
        }),
      }),
      Type.Null(),
    ],
    { description: 'What the request waits for. null: for nothing.' },
  ),
  selection: Type.Union([Selection, Type.Null()], { description: 'null: it is a return.' }),
  order: Type.Array(
    Type.Object({ provider_instance: Type.String(), api: Type.String(), offers: Type.Array(OfferView) }),
    {
      description:
        'The instances that can serve the request, in the order in which they would get an order now, with their offers, best first.',
    },
  ),
  attempts: Type.Array(AttemptView, { description: 'The last orders, at most 50, oldest first.' }),
  attempt_count: Type.Integer({ description: 'How many orders are stored.' }),
  shortfall: Type.Array(Shortfall, { description: 'Why machines are missing: finally, or so far.' }),
});
type ExplanationAnswer = Static<typeof ExplanationAnswer>;

export const explainRequest = operation('ExplainRequestQuery', {
  summary:
    'Explain why a request or a return is in its present state: one sentence, what it waits for, which instances were considered, and every order with the answers of the cloud.',
  input: Type.Object({ request_id: p.request_id }, { additionalProperties: false }),
  output: ExplanationAnswer,
  refusals: ['REQUEST_NOT_FOUND'],
  rest: { method: 'GET', path: '/requests/{request_id}/explain', limit: 'read' },
  cli: { command: 'requests explain', args: ['request_id'], example: 'muster requests explain req-01a1b2c3' },
  async handle({ request_id }, { explanations }) {
    const { cache_key, load } = await explanations.of(request_id);
    return { cache_key, load: async () => answerOf(await load()) };
  },
});

/** The most orders of one answer. */
const mostAttempts = 50;
/** The most outcomes of one order. */
const mostOutcomes = 50;

function answerOf({ request, because, waiting_for, order, attempts }: Explanation): ExplanationAnswer {
  const until = waiting_for?.until;
  return {
    request_id: request.request_id,
    status: request.status,
    because,
    waiting_for: waiting_for ? { what: waiting_for.what, until: until === undefined ? null : isoTime(until) } : null,
    selection: selectionView(request, attempts),
    order: order.map(({ offers, ...each }) => ({ ...each, offers: offers.map(offerView) })),
    attempts: attempts.slice(-mostAttempts).map(attemptView),
    attempt_count: attempts.length,
    shortfall: [...(request.fulfilment?.shortfall ?? reasonsOf(attempts))],
  };
}

/** The last choice of an instance: for an order that went elsewhere, else when the request was accepted. */
function selectionView(request: RequestRecord, attempts: readonly AttemptRecord[]): ExplanationAnswer['selection'] {
  const { provider_selection, selected_instance = '', rejected = [] } = request;
  if (request.kind === 'return') return null;
  const last = attempts.findLast(({ choice }) => choice !== undefined);
  if (last?.choice) {
    const { provider_instance, choice } = last;
    const { reason, candidates } = choice;
    return {
      provider_instance,
      reason,
      candidates: [{ provider_instance, eligible: true, reasons: [reason] }, ...candidates],
    };
  }
  const reason = provider_selection?.selection_reason ?? '';
  const alternatives = (provider_selection?.alternatives ?? []).filter((name) => name !== selected_instance);
  return {
    provider_instance: selected_instance,
    reason,
    candidates: [
      { provider_instance: selected_instance, eligible: true, reasons: [reason] },
      ...alternatives.map((provider_instance, index) => ({
        provider_instance,
        eligible: true,
        reasons: [`it is number ${index + 2} in the order`],
      })),
      ...rejected.map(({ name, reason: why }) => ({ provider_instance: name, eligible: false, reasons: [why] })),
    ],
  };
}

const offerView = ({ key, state, short_since, tried_again_at }: OfferStanding): Static<typeof OfferView> => ({
  key,
  state,
  ...(short_since === undefined ? {} : { short_since: isoTime(short_since) }),
  ...(tried_again_at === undefined ? {} : { tried_again_at: isoTime(tried_again_at) }),
});

function attemptView(attempt: AttemptRecord): Static<typeof AttemptView> {
  const { order, choice, cloud_request_ids = [], created_at, sent_at, ended_at } = attempt;
  return {
    attempt: attempt.attempt,
    provider_instance: attempt.provider_instance,
    api: attempt.api,
    machine_count: order.machine_count,
    ...(order.names ? { names: order.names } : {}),
    offers: (order.offers ?? []).map(({ key }) => key),
    token: presentToken(attempt),
    state: attempt.state,
    ...(choice ? { reason: choice.reason } : {}),
    cloud_request_ids: [...cloud_request_ids],
    outcomes: outcomesOf(attempt),
    created_at: isoTime(created_at),
    ...(sent_at === undefined ? {} : { sent_at: isoTime(sent_at) }),
    ...(ended_at === undefined ? {} : { ended_at: isoTime(ended_at) }),
  };
}

/** The recorded outcomes, and the reasons for missing machines that were not recorded as such. */
function outcomesOf({ outcomes = [], shortfall, created_at, sent_at, answered_ms = 0 }: AttemptRecord) {
  const known = new Set(outcomes.map(({ offer, code }) => `${offer} ${code}`));
  const at = (sent_at ?? created_at) + answered_ms;
  const others = shortfall.flatMap(({ offer, code, message }) =>
    known.has(`${offer} ${code}`) ? [] : [{ at, code, message, offer, count: undefined }],
  );
  return [...others, ...outcomes].slice(-mostOutcomes).map((each) => ({
    at: isoTime(each.at),
    code: each.code,
    message: each.message,
    ...(each.offer === undefined ? {} : { offer: each.offer }),
    ...(each.count === undefined ? {} : { count: each.count }),
  }));
}
