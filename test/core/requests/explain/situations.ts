import type { AttemptRecord, MachineRecord, RequestRecord, Shortfall } from '../../../../core/index.ts';
import type { AttemptOutcome } from '../../../../core/model/attempt.ts';
import type { ReturnSituation, Situation } from '../../../../core/requests/explain/situation.ts';
import { attemptOf, machineOf, requestOf, stateOf } from '../../../support/records.ts';

interface Given extends Partial<Pick<Situation, 'slots' | 'tried_again_at' | 'awaited'>> {
  readonly request?: Partial<RequestRecord>;
  readonly attempts?: readonly AttemptRecord[];
  readonly machines?: readonly MachineRecord[];
  /** The instances that no live broker has. */
  readonly unserved?: readonly string[];
  /** The instances that do not answer. */
  readonly silent?: readonly string[];
}

/** A request at the time 1 000 000. */
export function situationOf({ request, attempts, machines, unserved = [], silent = [], ...more }: Given): Situation {
  return {
    ...stateOf({
      request: requestOf({ selected_instance: 'east', provider_instance: 'east', deadline_at: 3_600_000, ...request }),
      ...(attempts ? { attempts } : {}),
      ...(machines ? { machines } : {}),
    }),
    now: 1_000_000,
    isServed: (name) => !unserved.includes(name),
    trouble: (name) => (silent.includes(name) ? 'It does not answer.' : undefined),
    ...more,
  };
}

const zone = (name: string): string => `m5.large|subnet-${name}|on-demand`;

const reasons = {
  capacity: (offer?: string, count?: number): Shortfall => ({
    ...(offer === undefined ? {} : { offer }),
    kind: 'capacity',
    code: 'InsufficientInstanceCapacity',
    message: 'RunInstances: There is no capacity. Error Code: InsufficientInstanceCapacity',
    ...(count === undefined ? {} : { count }),
  }),
  quota: {
    kind: 'quota',
    code: 'VcpuLimitExceeded',
    message: 'RunInstances: You have requested more vCPU capacity. Error Code: VcpuLimitExceeded',
    count: 3,
  },
  credentials: {
    kind: 'credentials',
    code: 'RequestExpired',
    message:
      "AWS refused the credentials of 'east' (RequestExpired): RunInstances: Request has expired. Error Code: RequestExpired",
    count: 3,
  },
  image: {
    kind: 'invalid',
    code: 'InvalidAMIID.NotFound',
    message: "RunInstances: The image id '[ami-1]' does not exist. Error Code: InvalidAMIID.NotFound",
    count: 3,
  },
  launchTemplate: {
    kind: 'invalid',
    code: 'InvalidLaunchTemplateName.NotFoundException',
    message:
      "CreateFleet: The specified launch template, with template name 'web', does not exist. Error Code: InvalidLaunchTemplateName.NotFoundException",
    count: 3,
  },
  denied: {
    kind: 'invalid',
    code: 'UnauthorizedOperation',
    lack: 'denied',
    message: 'RunInstances: You are not authorized. Error Code: UnauthorizedOperation',
    count: 3,
  },
  timeout: { kind: 'unavailable', code: 'TIMEOUT', message: 'The time-out of 3600 s passed.' },
} satisfies Record<string, Shortfall | ((offer?: string, count?: number) => Shortfall)>;

const outcome = ({ kind, code, message }: Shortfall, fields: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
  at: 900_000,
  kind,
  code,
  message,
  ...fields,
});

/** An order that the provider refused. */
const refused = (
  attempt: number,
  shortfall: readonly Shortfall[],
  fields: Partial<AttemptRecord> = {},
  machine_count = 3,
) => {
  const { handle: _, ...rest } = attemptOf(
    attempt,
    { state: 'closed', shortfall: [...shortfall], ...fields },
    machine_count,
  );
  return rest;
};

/** An order without an answer. */
const open = (attempt: number, fields: Partial<AttemptRecord> = {}) => {
  const { handle: _, ...rest } = attemptOf(attempt, { state: 'open', settled: false, ...fields });
  return rest;
};

const machines = (count: number, fields: Partial<MachineRecord> = {}, from = 1): MachineRecord[] =>
  Array.from({ length: count }, (_, index) => machineOf(`i-${from + index}`, fields));

const booting: Partial<MachineRecord> = { status: 'pending', created_at: 900_000 };
const unreadyMachines = (count: number, from = 1): MachineRecord[] =>
  machines(count, booting, from).map((machine) => {
    const { ready_at: _, ...unready } = machine;
    return unready;
  });

const ended = (
  status: RequestRecord['status'],
  delivered: number,
  shortfall: readonly Shortfall[] = [],
  fields: Partial<RequestRecord> = {},
): Partial<RequestRecord> => ({
  status,
  delivered,
  completed_at: 950_000,
  fulfilment: { requested: fields.machine_count ?? 3, delivered, final: true, shortfall: [...shortfall] },
  ...fields,
});

const gone: Partial<MachineRecord> = { status: 'terminated', gone_at: 960_000 };

const requests: Readonly<Record<string, readonly [Given, string]>> = {
  'it was just accepted': [
    { request: { status: 'pending', message: "3 machines of template 'small' requested from 'east'." } },
    "The request was accepted, and its 3 machines will be ordered at 'east'.",
  ],
  'its order has no answer yet': [
    { attempts: [open(1)] },
    "An order of 3 machines went to 'east', which has not answered yet.",
  ],
  'its first order is being sent': [
    { attempts: [open(1, { unsent: true })] },
    "An order of 3 machines is being sent to 'east'.",
  ],
  'it completed': [
    { request: ended('completed', 3), attempts: [attemptOf(1)], machines: machines(3) },
    "All 3 machines were delivered by 'east'.",
  ],
  'its only machine was delivered': [
    { request: ended('completed', 1, [], { machine_count: 1 }), attempts: [attemptOf(1)], machines: machines(1) },
    "The machine was delivered by 'east'.",
  ],
  'its machines were purged': [{ request: ended('completed', 3) }, 'All 3 machines were delivered.'],
  'one zone had no capacity, and another one had': [
    {
      request: ended('completed', 3),
      attempts: [
        refused(1, [reasons.capacity(zone('1'), 3)]),
        attemptOf(2, {
          order: { machine_count: 3, template: { template_id: 'small' }, tags: {}, offers: [{ key: zone('2') }] },
        }),
      ],
      machines: machines(3, { attempt: 2 }),
    },
    `All 3 machines were delivered by 'east' with '${zone('2')}', after 'east' had no capacity for '${zone('1')}' (InsufficientInstanceCapacity).`,
  ],
  'no zone had capacity': [
    {
      request: ended('failed', 0, [reasons.capacity(zone('1')), reasons.capacity(zone('2'), 3)]),
      attempts: [refused(1, [reasons.capacity(zone('1'), 3)]), refused(2, [reasons.capacity(zone('2'), 3)])],
    },
    "None of 3 machines was delivered: 'east' had no capacity for any of 2 offers (InsufficientInstanceCapacity).",
  ],
  'another request met the shortage before': [
    {
      request: ended('failed', 0, [
        { ...reasons.capacity(zone('1')), message: 'Not retried yet: RunInstances: There is no capacity.' },
      ]),
    },
    `None of 3 machines was delivered: '${zone('1')}' lacked capacity for another request moments before (InsufficientInstanceCapacity).`,
  ],
  'the account reached a limit': [
    { request: ended('failed', 0, [reasons.quota]), attempts: [refused(1, [reasons.quota])] },
    "None of 3 machines was delivered: the account of 'east' has reached a limit (VcpuLimitExceeded).",
  ],
  'the credentials were refused': [
    { request: ended('failed', 0, [reasons.credentials]), attempts: [refused(1, [reasons.credentials])] },
    "None of 3 machines was delivered: the credentials of 'east' were refused (RequestExpired).",
  ],
  'the image does not exist': [
    { request: ended('failed', 0, [reasons.image]), attempts: [refused(1, [reasons.image])] },
    "None of 3 machines was delivered: 'east' refused the order (InvalidAMIID.NotFound): RunInstances: The image id '[ami-1]' does not exist.",
  ],
  'the cloud gives advice': [
    {
      request: ended('failed', 0, [
        { ...reasons.image, message: `${reasons.image.message.split(' Error')[0]}. Name another one. Error Code: X` },
        {
          ...reasons.capacity(zone('1')),
          message: 'Not retried yet: RunInstances: There is no capacity.',
        },
      ]),
      attempts: [refused(1, [reasons.image])],
    },
    "None of 3 machines was delivered: 'east' refused the order (InvalidAMIID.NotFound): RunInstances: The image id '[ami-1]' does not exist.",
  ],
  'the launch template is missing': [
    { request: ended('failed', 0, [reasons.launchTemplate]), attempts: [refused(1, [reasons.launchTemplate])] },
    "None of 3 machines was delivered: 'east' refused the order (InvalidLaunchTemplateName.NotFoundException): CreateFleet: The specified launch template, with template name 'web', does not exist.",
  ],
  'a permission is missing': [
    { request: ended('failed', 0, [reasons.denied]), attempts: [refused(1, [reasons.denied])] },
    "None of 3 machines was delivered: the identity of 'east' may not start these machines (UnauthorizedOperation).",
  ],
  'no instance can serve': [
    {
      request: ended('failed', 0, [
        {
          kind: 'invalid',
          code: 'NO_PROVIDER',
          message: "No configured provider instance can serve the request now: 'east': it is disabled.",
        },
      ]),
    },
    "None of 3 machines was delivered: no configured provider instance can serve the request now: 'east': it is disabled.",
  ],
  'the provider throttles': [
    {
      attempts: [
        open(1, {
          tries: 4,
          retry_at: 1_008_000,
          unsent: true,
          outcomes: [
            outcome(
              { kind: 'throttled', code: 'RequestLimitExceeded', message: 'Request limit exceeded.' },
              { count: 4 },
            ),
          ],
        }),
      ],
    },
    "'east' throttles the account (RequestLimitExceeded), 4 times so far; the same order of 3 machines is sent again.",
  ],
  'the provider cannot be reached': [
    {
      attempts: [
        open(1, {
          tries: 1,
          unsent: true,
          outcomes: [
            outcome({
              kind: 'unavailable',
              code: 'ECONNREFUSED',
              message: 'RunInstances: connect ECONNREFUSED 10.0.0.1:443. Error Code: ECONNREFUSED',
            }),
          ],
        }),
      ],
    },
    "'east' did not carry out the order (ECONNREFUSED): RunInstances: connect ECONNREFUSED 10.0.0.1:443; the same order of 3 machines is sent again.",
  ],
  'a new launch template is not visible yet': [
    {
      attempts: [
        open(1, {
          tries: 1,
          unsent: true,
          outcomes: [outcome({ ...reasons.launchTemplate, kind: 'unavailable' })],
        }),
      ],
    },
    "'east' did not carry out the order (InvalidLaunchTemplateName.NotFoundException): CreateFleet: The specified launch template, with template name 'web', does not exist; the same order of 3 machines is sent again.",
  ],
  'it waits for an instance before its first order': [
    {
      request: {
        status: 'pending',
        message: "Waiting for 'east': GetCallerIdentity: connect ECONNREFUSED 10.0.0.1:443. Error Code: ECONNREFUSED",
      },
    },
    "Waiting for 'east': GetCallerIdentity: connect ECONNREFUSED 10.0.0.1:443.",
  ],
  'the outcome is unknown': [
    {
      attempts: [
        open(1, {
          tries: 1,
          doubtful: true,
          outcomes: [
            outcome({ kind: 'unknown-outcome', code: 'ECONNRESET', message: 'RunInstances: socket hang up.' }),
          ],
        }),
      ],
    },
    "The answer of 'east' was lost (ECONNRESET), and what it started for an order of 3 machines is found out before anything else is ordered.",
  ],
  'the outcome is unknown, and the provider does not answer since': [
    {
      attempts: [
        open(1, {
          tries: 3,
          doubtful: true,
          outcomes: [
            outcome({ kind: 'unknown-outcome', code: 'ECONNRESET', message: 'RunInstances: socket hang up.' }),
            outcome({ kind: 'unavailable', code: 'ECONNREFUSED', message: 'RunInstances: connect ECONNREFUSED.' }),
          ],
        }),
      ],
    },
    "The answer of 'east' was lost (ECONNRESET), its repetition has no success (ECONNREFUSED), and what it started for an order of 3 machines is found out before anything else is ordered.",
  ],
  'it is cancelled while the outcome is unknown': [
    {
      request: { cancel_requested_at: 950_000 },
      attempts: [open(1, { tries: 1, doubtful: true })],
    },
    "The request is cancelled; it is not known whether 'east' got the order, and what it started for an order of 3 machines is found out and released.",
  ],
  'an order cannot be repeated': [
    {
      attempts: [open(1, { state: 'lost', retry_at: 1_030_000 })],
    },
    "It is not known what 'east' started for an order of 3 machines, and the order cannot be repeated: its machines are searched by their tags, and released if they appear.",
  ],
  'it waits for a slot': [
    {
      request: { waits_for: 'east' },
      slots: { max: 2, ahead: ['req-a', 'req-b'], ahead_count: 5 },
    },
    "The request waits for a slot at 'east', which may have 2 open requests; req-a, req-b and 3 others come first.",
  ],
  'it gets the next slot': [
    { request: { waits_for: 'east' }, slots: { max: 1, ahead: [], ahead_count: 0 } },
    "The request waits for a slot at 'east', which may have 1 open request; it gets the next one.",
  ],
  'no broker has its instance': [
    { request: { status: 'pending' }, unserved: ['east'] },
    "The request waits for a broker that has 'east' in its configuration; no live broker has it.",
  ],
  'no broker has the instance of its open order': [
    { attempts: [open(1)], unserved: ['east'] },
    "The request waits for a broker that has 'east' in its configuration; no live broker has it.",
  ],
  'the broker of the next instance was stopped a moment ago': [
    { attempts: [refused(1, [reasons.capacity(zone('1'), 3)])], unserved: ['west'], awaited: 'west' },
    "The request waits for a broker that has 'west' in its configuration; no live broker has it.",
  ],
  'the broker of the next instance has not connected to its cloud yet': [
    { attempts: [refused(1, [reasons.capacity(zone('1'), 3)])], awaited: 'west' },
    "A broker that has 'west' in its configuration cannot take the request over yet; the request waits for it.",
  ],
  'every offer lacked capacity, and it keeps trying': [
    {
      request: { template: { template_id: 'small', retry_until_timeout: true } },
      attempts: [refused(1, [reasons.capacity(zone('1'), 3)])],
      tried_again_at: 1_010_000,
    },
    `'east' had no capacity for '${zone('1')}' (InsufficientInstanceCapacity); the offers are tried again until the time-out.`,
  ],
  'a fleet has not started all machines': [
    {
      attempts: [attemptOf(1, { settled: false, shortfall: [reasons.capacity(zone('1'))] })],
      machines: machines(1),
    },
    `'east' accepted the order and has not started 2 machines yet: 'east' had no capacity for '${zone('1')}' (InsufficientInstanceCapacity).`,
  ],
  'its machines boot': [
    { attempts: [attemptOf(1)], machines: [...machines(1), ...unreadyMachines(2, 2)] },
    "2 of 3 machines at 'east' were started and are not ready yet; 1 is ready.",
  ],
  'its machines boot, and the provider does not answer': [
    { attempts: [attemptOf(1)], machines: unreadyMachines(3), silent: ['east'] },
    "3 of 3 machines at 'east' were started and are not ready yet; 'east' is unhealthy now: It does not answer.",
  ],
  'its machines boot, and may not be described': [
    {
      attempts: [attemptOf(1, { outcomes: [outcome({ ...reasons.denied, code: 'UnauthorizedOperation' })] })],
      machines: unreadyMachines(3),
    },
    "3 of 3 machines at 'east' were started and are not ready yet; 'east' refused a call about them (UnauthorizedOperation).",
  ],
  'one of its machines was returned early': [
    {
      attempts: [attemptOf(1)],
      machines: [...machines(1, { going: 'returned' }), ...unreadyMachines(2, 2)],
    },
    "2 of 2 machines at 'east' were started and are not ready yet; 1 of 3 was returned early.",
  ],
  'one of its machines was lost, and another one starts': [
    {
      attempts: [attemptOf(1), attemptOf(2, {}, 1)],
      machines: [
        ...machines(1, { ...gone, lost: true }),
        ...machines(1, {}, 2),
        ...unreadyMachines(2, 3).map((each) => ({ ...each, attempt: 2 })),
      ],
    },
    "2 of 3 machines at 'east' were started and are not ready yet; 1 is ready; 1 was lost before.",
  ],
  'it fell back to another instance': [
    {
      attempts: [refused(1, [reasons.quota]), attemptOf(2, { provider_instance: 'west' })],
      machines: unreadyMachines(3).map((each) => ({ ...each, attempt: 2, provider_instance: 'west' })),
    },
    "3 of 3 machines at 'west' were started and are not ready yet, after the account of 'east' has reached a limit (VcpuLimitExceeded).",
  ],
  'it fell back to another market, and completed': [
    {
      request: ended('completed', 3),
      attempts: [
        refused(1, [reasons.capacity('m5.large|subnet-1|spot', 3)]),
        attemptOf(2, {
          order: { machine_count: 3, template: { template_id: 'small' }, tags: {}, offers: [{ key: zone('1') }] },
        }),
      ],
      machines: machines(3, { attempt: 2 }),
    },
    `All 3 machines were delivered by 'east' with '${zone('1')}', after 'east' had no capacity for 'm5.large|subnet-1|spot' (InsufficientInstanceCapacity).`,
  ],
  'it completed at another instance': [
    {
      request: ended('completed', 3),
      attempts: [refused(1, [reasons.credentials]), attemptOf(2, { provider_instance: 'west' })],
      machines: machines(3, { attempt: 2, provider_instance: 'west' }),
    },
    "All 3 machines were delivered by 'west', after the credentials of 'east' were refused (RequestExpired).",
  ],
  'a part is enough': [
    {
      request: ended('completed', 2, [reasons.capacity(zone('1'), 1)]),
      attempts: [attemptOf(1, { shortfall: [reasons.capacity(zone('1'), 1)] })],
      machines: machines(2),
    },
    `2 of 3 machines were delivered: 'east' had no capacity for '${zone('1')}' (InsufficientInstanceCapacity).`,
  ],
  'two instances refused': [
    {
      request: ended('failed', 0, [reasons.capacity(zone('1'), 3), { ...reasons.quota, count: 1 }]),
      attempts: [
        refused(1, [reasons.capacity(zone('1'), 3)]),
        refused(2, [reasons.quota], { provider_instance: 'west' }),
      ],
    },
    `None of 3 machines was delivered: 'east' had no capacity for '${zone('1')}' (InsufficientInstanceCapacity) and the account of 'west' has reached a limit (VcpuLimitExceeded).`,
  ],
  'a Spot offer had no capacity': [
    {
      request: ended('failed', 0, [reasons.capacity('m5.large|subnet-1|spot', 2)], { machine_count: 2 }),
      attempts: [refused(1, [reasons.capacity('m5.large|subnet-1|spot', 2)], {}, 2)],
    },
    "None of 2 machines was delivered: 'east' had no capacity for 'm5.large|subnet-1|spot' (InsufficientInstanceCapacity).",
  ],
  'another type had capacity': [
    {
      request: ended('completed', 2, [], { machine_count: 2 }),
      attempts: [
        refused(1, [reasons.capacity(zone('1'), 2)], {}, 2),
        attemptOf(2, {
          order: {
            machine_count: 2,
            template: { template_id: 'two-types' },
            tags: {},
            offers: [{ key: 'c5.large|subnet-1|on-demand' }],
          },
        }),
      ],
      machines: machines(2, { attempt: 2 }),
    },
    `All 2 machines were delivered by 'east' with 'c5.large|subnet-1|on-demand', after 'east' had no capacity for '${zone('1')}' (InsufficientInstanceCapacity).`,
  ],
  'two instances lack capacity in the same way': [
    {
      request: ended('failed', 0, [reasons.capacity(undefined, 1)], { machine_count: 1 }),
      attempts: [
        refused(1, [reasons.capacity()]),
        refused(2, [reasons.capacity()], { provider_instance: 'west' }),
        refused(3, [reasons.capacity()], { provider_instance: 'west' }),
      ],
    },
    "The machine was not delivered: 'east' had no capacity (InsufficientInstanceCapacity) and 'west' had no capacity (InsufficientInstanceCapacity).",
  ],
  'it was taken over before the answer came': [
    { attempts: [open(1, { doubtful: true })] },
    "It is not known whether 'east' got the order, and what it started for an order of 3 machines is found out before anything else is ordered.",
  ],
  'all or nothing is being undone': [
    {
      request: { undone_at: 900_000 },
      attempts: [attemptOf(1, { shortfall: [reasons.capacity(zone('1'), 1)] })],
      machines: machines(2, { going: 'surplus' }),
    },
    `The template accepts all 3 machines or none, and 'east' had no capacity for '${zone('1')}' (InsufficientInstanceCapacity): 2 machines were not released completely yet.`,
  ],
  'all or nothing was undone': [
    {
      request: ended('failed', 2, [reasons.capacity(zone('1'), 1)], { undone_at: 900_000 }),
      attempts: [attemptOf(1, { shortfall: [reasons.capacity(zone('1'), 1)] })],
      machines: machines(2, { going: 'surplus', ...gone }),
    },
    `The template accepts all 3 machines or none, and 2 could be delivered; those were released, because 'east' had no capacity for '${zone('1')}' (InsufficientInstanceCapacity).`,
  ],
  'it timed out': [
    {
      request: ended('completed', 1, [
        {
          kind: 'unavailable',
          code: 'MACHINE_FAILED',
          message: 'It was not ready before the time-out of its request.',
          count: 2,
        },
        reasons.timeout,
      ]),
      attempts: [attemptOf(1)],
      machines: machines(1),
    },
    '1 of 3 machines was delivered before the time-out of 3600 s: 2 machines started and were not usable in time (it was not ready before the time-out of its request).',
  ],
  'it timed out without a further reason': [
    { request: ended('failed', 0, [reasons.timeout]), attempts: [attemptOf(1, { settled: false, incoming: 0 })] },
    'None of 3 machines was delivered before the time-out of 3600 s.',
  ],
  'it was cancelled half-way': [
    {
      request: ended('cancelled', 1, [], { cancel_requested_at: 900_000, cancel_reason: 'no longer needed' }),
      attempts: [attemptOf(1)],
      machines: machines(1, { going: 'cancelled', ...gone }),
    },
    'The request was cancelled ("no longer needed") after 1 of 3 machines had been delivered.',
  ],
  'it was cancelled before its first order': [
    { request: ended('cancelled', 0, [], { cancel_requested_at: 900_000 }) },
    'The request was cancelled before any machine was delivered.',
  ],
  'the cancellation waits for releases': [
    {
      request: { cancel_requested_at: 900_000 },
      attempts: [
        attemptOf(1, {
          outcomes: [
            outcome(
              { kind: 'throttled', code: 'RequestLimitExceeded', message: 'Request limit exceeded.' },
              { at: 950_000 },
            ),
          ],
        }),
      ],
      machines: machines(2, { going: 'cancelled' }),
    },
    "The request was cancelled after 2 of 3 had been delivered, and 2 machines were not released completely yet; 'east' throttles the account (RequestLimitExceeded).",
  ],
  'the cancellation waits for an order that may have been sent': [
    { request: { cancel_requested_at: 900_000 }, attempts: [open(1)] },
    "The request is cancelled, and waits for the answer of 'east' to an order of 3 machines that may have been sent.",
  ],
  'machines never became ready': [
    {
      request: ended('failed', 0, [
        { kind: 'unavailable', code: 'MACHINE_FAILED', message: 'It was not ready 600 s after its launch.', count: 3 },
      ]),
      attempts: [attemptOf(1)],
    },
    'None of 3 machines was delivered: 3 machines started and were not usable in time (it was not ready 600 s after its launch).',
  ],
  'the plugin is in quarantine': [
    {
      attempts: [
        open(1, {
          tries: 1,
          unsent: true,
          outcomes: [
            outcome({ kind: 'unavailable', code: 'QUARANTINED', message: 'Its plugin blocked the loop thread.' }),
          ],
        }),
      ],
    },
    "The plugin of 'east' is in quarantine, because it blocked the broker; the same order of 3 machines is sent again.",
  ],
  'the plugin broke its contract': [
    {
      attempts: [
        open(1, {
          tries: 1,
          doubtful: true,
          outcomes: [outcome({ kind: 'unknown-outcome', code: 'PLUGIN_ERROR', message: 'It broke its contract.' })],
        }),
      ],
    },
    "The plugin of 'east' broke its contract, and what it started for an order of 3 machines is found out before anything else is ordered.",
  ],
  'the plugin stopped the thread twice': [
    {
      request: ended('failed', 0, [
        { kind: 'unavailable', code: 'STOPPED_THREAD', message: 'It hung twice.', count: 3 },
      ]),
      attempts: [refused(1, [{ kind: 'unavailable', code: 'STOPPED_THREAD', message: 'It hung twice.', count: 3 }])],
    },
    "None of 3 machines was delivered: the plugin of 'east' blocked the broker twice with this request.",
  ],
  'machines were returned since': [
    {
      request: ended('completed', 3),
      attempts: [attemptOf(1)],
      machines: [...machines(2, { going: 'returned', ...gone }), ...machines(1, {}, 3)],
    },
    "All 3 machines were delivered by 'east'; since then 2 were returned.",
  ],
  'the lease of machines ended since': [
    {
      request: ended('completed', 3),
      attempts: [attemptOf(1)],
      machines: [
        ...machines(2, { going: 'returned', expired_at: 5, ...gone }),
        ...machines(1, { going: 'returned', ...gone }, 3),
      ],
    },
    "All 3 machines were delivered by 'east'; since then 1 was returned and the lease of 2 ended.",
  ],
  'all were returned before they were ready': [
    {
      request: ended('failed', 0),
      attempts: [attemptOf(1)],
      machines: unreadyMachines(3).map((each) => ({ ...each, going: 'returned' as const, ...gone })),
    },
    'None of 3 machines was delivered: they were returned before they were ready.',
  ],
  'machines were lost and reclaimed since': [
    {
      request: ended('completed', 3),
      attempts: [attemptOf(1)],
      machines: [
        ...machines(1, { ...gone, lost: true, message: 'User initiated.' }),
        ...machines(1, { ...gone, lost: true, reclaim_at: '2026-01-01T00:00:00.000Z' }, 2),
        ...machines(1, {}, 3),
      ],
    },
    "All 3 machines were delivered by 'east'; since then the cloud reclaimed 1 and 1 was lost (User initiated).",
  ],
  'a machine was replaced since': [
    {
      request: ended('completed', 3),
      attempts: [attemptOf(1), attemptOf(2)],
      machines: [
        ...machines(1, { replaced_by: { provider_instance: 'east', machine_id: 'i-4' } }),
        ...machines(2, {}, 2),
        ...machines(1, { attempt: 2, replaces: { provider_instance: 'east', machine_id: 'i-1' }, took_over_at: 5 }, 4),
      ],
    },
    "All 3 machines were delivered by 'east'; since then 1 was replaced, because the cloud recommended it.",
  ],
};

const returned = (fields: Partial<RequestRecord> = {}): RequestRecord =>
  requestOf({ request_id: 'ret-1', kind: 'return', machine_count: 3, deadline_at: 3_600_000, ...fields });

const returns: Readonly<Record<string, readonly [ReturnSituation, string]>> = {
  'a return is stored': [
    { request: returned({ status: 'pending' }), left: 3, accepted: false, missing: [] },
    'The return of 3 machines is stored, and waits for the broker that works on their request.',
  ],
  'a return is under way': [
    { request: returned(), left: 2, accepted: true, missing: [] },
    '1 of 3 machines is gone; the others are being released.',
  ],
  'a release is refused': [
    {
      request: returned(),
      left: 3,
      accepted: true,
      missing: [],
      refusal: { provider_instance: 'east', code: 'RequestLimitExceeded', message: 'Too many calls.' },
    },
    "None of 3 machines is gone yet; they are being released; 'east' did not accept a release yet (RequestLimitExceeded).",
  ],
  'the instance of a returned machine is not configured': [
    { request: returned(), left: 3, accepted: true, missing: ['lab'] },
    "None of 3 machines is gone yet; 'lab' is not configured, so that its machines cannot be released until it is.",
  ],
  'the lease of machines ended': [
    { request: returned({ expired: true }), left: 2, accepted: true, missing: [] },
    'The lease of 3 machines ended, so muster returned them. 1 of 3 machines is gone; the others are being released.',
  ],
  'a return is complete': [
    { request: returned({ status: 'completed' }), left: 0, accepted: true, missing: [] },
    'All 3 returned machines are gone.',
  ],
  'a return was late': [
    {
      request: returned({
        status: 'completed',
        fulfilment: {
          requested: 3,
          delivered: 1,
          final: true,
          shortfall: [{ kind: 'unavailable', code: 'TIMEOUT', message: 'Late.', count: 2 }],
        },
      }),
      left: 1,
      accepted: true,
      missing: [],
    },
    '2 machines were not gone within 3600 s; the release of 1 continues.',
  ],
};

/** What happened to a request, and the sentence about it. */
export const requestSituations: readonly (readonly [string, Situation, string])[] = Object.entries(requests).map(
  ([name, [given, sentence]]) => [name, situationOf(given), sentence],
);

/** What happened to a return, and the sentence about it. */
export const returnSituations: readonly (readonly [string, ReturnSituation, string])[] = Object.entries(returns).map(
  ([name, [given, sentence]]) => [name, given, sentence],
);
