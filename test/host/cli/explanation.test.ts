import test from 'ava';
import { explanationText } from '../../../host/cli/output/explanation.ts';

const message = 'RunInstances: There is no capacity. Error Code: ICE';
const answer = {
  request_id: 'req-1',
  status: 'in_progress',
  because: "2 of 2 machines at 'west' were started and are not ready yet, after 'east' had no capacity for 'a' (ICE).",
  waiting_for: { what: "2 machines at 'west' to become ready", until: '2026-01-01T00:10:00.000Z' },
  selection: {
    provider_instance: 'west',
    reason: "'east' answered ICE",
    candidates: [
      { provider_instance: 'west', eligible: true, reasons: ["'east' answered ICE"] },
      { provider_instance: 'east', eligible: true, reasons: ['it answered ICE', 'it does not answer'] },
      { provider_instance: 'lab', eligible: false, reasons: ['it is disabled'] },
    ],
  },
  order: [
    {
      provider_instance: 'east',
      api: 'Api',
      offers: [
        {
          key: 'a',
          state: 'short',
          short_since: '2026-01-01T00:00:01.000Z',
          tried_again_at: '2026-01-01T00:00:16.000Z',
        },
        { key: 'b', state: 'free' },
      ],
    },
    { provider_instance: 'west', api: 'Api', offers: [] },
  ],
  attempts: [
    {
      attempt: 1,
      provider_instance: 'east',
      api: 'Api',
      machine_count: 2,
      offers: ['a'],
      token: 'x',
      state: 'closed',
      cloud_request_ids: ['id-1'],
      outcomes: [{ at: '2026-01-01T00:00:01.000Z', code: 'ICE', message, offer: 'a', count: 2 }],
      created_at: '2026-01-01T00:00:00.000Z',
      ended_at: '2026-01-01T00:00:01.000Z',
    },
  ],
  attempt_count: 7,
  shortfall: [{ kind: 'capacity', code: 'ICE', message, offer: 'a', count: 2 }],
};

test('an explanation is its sentence, and a section for each kind of fact', (t) => {
  t.is(
    explanationText(answer, { colors: false }),
    `2 of 2 machines at 'west' were started and are not ready yet, after 'east' had no capacity for 'a' (ICE).

request      req-1
status       in_progress
waiting for  2 machines at 'west' to become ready
until        2026-01-01T00:10:00.000Z

Selection
PROVIDER INSTANCE  RESULT    REASON
west               selected  'east' answered ICE
east               eligible  it answered ICE; it does not answer
lab                rejected  it is disabled

Order now
PROVIDER INSTANCE  API  OFFER  STATE  SHORT SINCE               TRIED AGAIN AT
east               Api  a      short  2026-01-01T00:00:01.000Z  2026-01-01T00:00:16.000Z
east               Api  b      free
west               Api

Orders (the last 1 of 7)
#  PROVIDER INSTANCE  API  MACHINES  STATE   CREATED AT                ENDED AT                  OFFERS  CLOUD REQUEST IDS
1  east               Api  2         closed  2026-01-01T00:00:00.000Z  2026-01-01T00:00:01.000Z  a       id-1

Answers of the cloud
#  AT                        CODE  COUNT  OFFER  MESSAGE
1  2026-01-01T00:00:01.000Z  ICE   2      a      ${message}

Missing machines
MACHINES  KIND      CODE  OFFER
2         capacity  ICE   a
`,
  );
});

test('an explanation fits the terminal, with few sections and with hundreds of offers', (t) => {
  const offers = Array.from({ length: 300 }, (_, index) => ({ key: `m5.large|subnet-${index}|spot`, state: 'free' }));
  const large = { ...answer, order: [{ provider_instance: 'east', api: 'Api', offers }] };
  const text = explanationText(large, { colors: false, columns: 80 });
  for (const line of text.split('\n')) t.true(line.length <= 80, line);
  t.regex(text, /\n270 further offers; --output json shows all\.\n/);
  t.is(
    explanationText(
      {
        request_id: 'ret-1',
        status: 'completed',
        because: 'The returned machine is gone.',
        waiting_for: null,
        selection: null,
        order: [],
        attempts: [],
        attempt_count: 0,
        shortfall: [],
      },
      { colors: false },
    ),
    'The returned machine is gone.\n\nrequest  ret-1\nstatus   completed\n',
  );
});
