import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect as openSocket, createServer, type AddressInfo } from 'node:net';
import test from 'ava';
import pLimit from 'p-limit';
import {
  isFault,
  ProviderFault,
  Type,
  type ReleaseTarget,
  type Call,
  type LaunchOrder,
  type NoticeMessage,
  type NoticeSource,
  type Plugin,
} from '../../core/index.ts';
import { testProvider, type ProviderKit, type Runner } from '../../plugin-testkit/index.ts';
import {
  clouds,
  reportOf,
  TinyCloud,
  tinyApi,
  tinyPlugin,
  tinyNotices,
  tinyType,
  type TinyHandle,
  type TinySession,
} from './fixtures/tiny-provider.ts';

interface TinyWorld {
  readonly config: { readonly cloud: string; readonly api_token: string; readonly source: boolean };
  readonly cloud: TinyCloud;
}

const throwing = (kind: ProviderFault['kind']) => (world: TinyWorld) => {
  world.cloud.next = () => {
    throw new ProviderFault(kind, `It is ${kind}.`);
  };
};

const kitOf = (runner: Runner, plugin: Plugin): ProviderKit<TinyWorld> => ({
  test: runner,
  plugin,
  open() {
    const cloud = new TinyCloud();
    const name = randomUUID();
    clouds.set(name, cloud);
    return { config: { cloud: name, api_token: 'let-me-in-please', source: true }, cloud };
  },
  close: ({ config }) => clouds.delete(config.cloud),
  settle: ({ cloud }) => cloud.step(),
  living: ({ cloud }) => cloud.living(),
  room: ({ cloud }, machines) => void (cloud.room = machines),
  loseAnswer: ({ cloud }) => void (cloud.lost = true),
  hang: ({ cloud }) => void (cloud.hanging = true),
  endMachine: ({ cloud }, id) => cloud.end([id]),
  notices: {
    announce({ cloud }, at) {
      const id = `n-${++cloud.ids}`;
      cloud.messages.push({ id, text: `${id} at ${at}`, visible: 0 });
      return id;
    },
    announceMalformed: ({ cloud }) => void cloud.messages.push({ id: 'broken', text: 'hello', visible: 0 }),
    fail: ({ cloud }) => void (cloud.silent = true),
    recover: ({ cloud }) => void (cloud.silent = false),
  },
  faults: {
    capacity: throwing('capacity'),
    quota: throwing('quota'),
    throttled: throwing('throttled'),
    credentials: throwing('credentials'),
    invalid: throwing('invalid'),
    unavailable: throwing('unavailable'),
  },
});

interface Registered {
  readonly title: string;
  readonly body?: (t: unknown) => Promise<void>;
}

/** What a kit registers, without running it. */
function collect(register: (runner: Runner) => void): Registered[] {
  const found: Registered[] = [];
  const runner: Runner = Object.assign(
    (title: string, body: (t: unknown) => Promise<void>) => found.push({ title, body }),
    {
      todo: (title: string) => found.push({ title }),
    },
  );
  register(runner);
  return found;
}

/** Plugins that are tested at the same time. */
const some = pLimit(6);

/** Titles of the checks that a plugin fails, each with what was said; all run at the same time. */
async function failures(plugin: Plugin): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  await some(() =>
    Promise.all(
      collect((runner) => testProvider(kitOf(runner, plugin))).map(async ({ title, body }) => {
        try {
          await body?.({ pass() {} });
        } catch (error) {
          failed.set(title.replace('Tiny: ', ''), (error as Error).message);
        }
      }),
    ),
  );
  return failed;
}

test('a provider that keeps the contract passes every check, and none is left undone', async (t) => {
  const checks = collect((runner) => testProvider(kitOf(runner, tinyPlugin())));
  t.true(checks.length > 50, `${checks.length} checks`);
  t.deepEqual(
    checks.filter(({ body }) => body === undefined),
    [],
  );
  t.deepEqual([...(await failures(tinyPlugin()))], []);
});

test('a check whose case cannot be made is registered as not done, with what it needs', (t) => {
  const { test: _, ...whole } = kitOf((() => undefined) as Runner, tinyPlugin());
  const bare = collect((runner) => testProvider({ test: runner, plugin: whole.plugin, open: whole.open }));
  const undone = bare.filter(({ body }) => body === undefined).map(({ title }) => title);
  t.is(undone.length, 21, undone.join('\n'));
  t.true(undone.every((title) => / \(not shown: \w+[.:(]/.test(title) || title.includes('(not shown: ')));
  t.is(bare.length, collect((runner) => testProvider({ ...whole, test: runner })).length);
});

test('a plugin without the API that is tested fails with a sentence', async (t) => {
  const [only, ...others] = collect((runner) => testProvider({ ...kitOf(runner, tinyPlugin()), api: 'Huge' }));
  t.is(others.length, 0);
  await t.throwsAsync(async () => only?.body?.({}), {
    message: /contribute no API 'Huge' \(they contribute: 'Tiny'\)/,
  });
});

test('without a fake to judge by, the same checks go by what observe says, and machines are given back', async (t) => {
  let opened: TinyCloud[] = [];
  const checks = collect((runner) => {
    const { open, plugin, settle } = kitOf(runner, tinyPlugin());
    const watched = async () => {
      const world = await open();
      opened = [...opened, world.cloud];
      return world;
    };
    testProvider({ test: runner, plugin, open: watched, ...(settle ? { settle } : {}) });
  });
  for (const { body } of checks) await body?.({ pass() {} });
  t.true(opened.length > 30);
  t.deepEqual(
    opened.flatMap((cloud) => cloud.living()),
    [],
  );
});

type Launching = (session: TinySession, order: LaunchOrder<any, any>, call: Call) => ReturnType<typeof tinyApi.launch>;
const launch: Launching = (session, order, call) => tinyApi.launch(session, order, call);
const changed = (change: (given: any, order: LaunchOrder) => object) => ({
  launch: async (session: TinySession, order: LaunchOrder<any, any>, call: Call) => {
    const given = await launch(session, order, call);
    return { ...given, ...change(given, order) };
  },
});
const mapped = (change: (seen: any, index: number, session: TinySession) => unknown) => ({
  observe: async (session: TinySession, watched: readonly any[], call: Call) =>
    (await tinyApi.observe(session, watched, call)).map((seen, index) => change(seen, index, session)),
});
const withConfig = (properties: object) => ({ config: Type.Object({ ...tinyType.config.properties, ...properties }) });
const release = (session: TinySession, handle: TinyHandle, aim: ReleaseTarget, call: Call) =>
  tinyApi.release(session, handle, aim, call);
const deaf = (call: Call): Call => ({ ...call, signal: new AbortController().signal });
const remembered = new WeakMap<TinySession, Set<string>>();
const server = createServer((socket) => void socket.destroy());
const listening = new Promise<number>((resolve) =>
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
);
test.after.always(() => void server.close());

/** One thing wrong with the tiny provider, the check that is named after it, and what must be said. */
const defects: Readonly<
  Record<string, readonly [plugin: () => Plugin | Promise<Plugin>, check: string, says: RegExp]>
> = {
  'it throws for want of room when it has started a part': [
    () =>
      tinyPlugin(
        {},
        {
          launch: async (session: TinySession, order: LaunchOrder<any, any>, call: Call) => {
            const given = await launch(session, order, call);
            if ((given.shortfall ?? []).length > 0) throw new ProviderFault('capacity', 'There is no more room.');
            return given;
          },
        },
      ),
    'with room for fewer machines, it gives fewer with the cause',
    /throws 'capacity' reports that no machine of the order was started/,
  ],
  'it starts anew for a token that was used': [
    () => tinyPlugin({}, { launch: (s: TinySession, o: LaunchOrder<any, any>, c: Call) => startsAnew(s, o, c) }),
    'launched twice with one token, an order starts once',
    /order of 3 machines was sent twice.*Living: 6/,
  ],
  'it remembers its tokens in memory alone': [
    () =>
      tinyPlugin(
        {},
        {
          async launch(session: TinySession, order: LaunchOrder<any, any>, call: Call) {
            const mine = remembered.get(session) ?? new Set<string>();
            remembered.set(session, mine);
            const first = !mine.has(order.token);
            mine.add(order.token);
            return first ? startsAnew(session, order, call) : launch(session, order, call);
          },
        },
      ),
    'launched twice through two sessions, as after a restart, an order starts once',
    /Living: 6/,
  ],
  'two launches at the same time race': [
    () =>
      tinyPlugin(
        {},
        {
          async launch(session: TinySession, order: LaunchOrder<any, any>, call: Call) {
            const known = session.cloud.machines.some(({ token }) => token === order.token);
            await new Promise((resolve) => void setTimeout(resolve, 5));
            return known ? launch(session, order, call) : startsAnew(session, order, call);
          },
        },
      ),
    'launched twice at the same time with one token, an order starts once',
    /3 ordered, 6 returned/,
  ],
  'it starts one more than ordered': [
    () =>
      tinyPlugin(
        {},
        {
          launch: (s: TinySession, o: LaunchOrder<any, any>, c: Call) =>
            launch(s, { ...o, machine_count: o.machine_count + 1 }, c),
        },
      ),
    'a launch gives the number that was ordered, or fewer with the cause',
    /3 ordered, 4 returned/,
  ],
  'it starts fewer and says nothing': [
    () =>
      tinyPlugin(
        {},
        changed(() => ({ shortfall: [] })),
      ),
    'with room for fewer machines, it gives fewer with the cause',
    /nothing said why/,
  ],
  'it forgets what it launched when it is started anew': [
    () =>
      tinyPlugin(
        {},
        {
          launch: async (session: TinySession, order: LaunchOrder<any, any>, call: Call) => {
            remembered.set(session, new Set([...(remembered.get(session) ?? []), order.token]));
            return launch(session, order, call);
          },
          observe: async (session: TinySession, watched: readonly any[], call: Call) =>
            (await tinyApi.observe(session, watched, call)).map((seen, index) =>
              remembered.get(session)?.has(watched[index].order.token) ? seen : { machines: [], settled: true },
            ),
        },
      ),
    'a session of a restarted process observes and releases the machines of an earlier one',
    /Seen: settled: true; machines: none/,
  ],
  'it releases everything': [
    () =>
      tinyPlugin(
        {},
        {
          release: async (s: TinySession, h: TinyHandle, aim: ReleaseTarget, c: Call) =>
            release(s, h, { ...aim, go: allOf(s, h) }, c),
        },
      ),
    'release ends exactly the machines that it names, and nothing takes their place',
    /missing: m-2, m-3/,
  ],
  'it releases nothing': [
    () =>
      tinyPlugin(
        {},
        {
          release: async (_s: TinySession, _h: TinyHandle, _a: ReleaseTarget, call: Call) => (
            call.fence(), { done: true }
          ),
        },
      ),
    'release of all machines at once leaves none',
    /not expected: m-1, m-2, m-3/,
  ],
  'it replaces what was released': [
    () =>
      tinyPlugin(
        {},
        {
          async release(session: TinySession, handle: TinyHandle, aim: ReleaseTarget, call: Call) {
            const [like] = session.cloud.machines.filter(({ token }) => token === handle.token);
            const fresh = aim.go.length > 0 && aim.stay.length > 0 && like;
            const progress = await release(session, handle, aim, call);
            if (fresh) session.cloud.machines.push({ ...like, id: `m-${++session.cloud.ids}`, status: 'pending' });
            return progress;
          },
        },
      ),
    'release ends exactly the machines that it names, and nothing takes their place',
    /not expected: m-4/,
  ],
  'it throws on a machine that it does not know': [
    () =>
      tinyPlugin(
        {},
        {
          async release(session: TinySession, handle: TinyHandle, aim: ReleaseTarget, call: Call) {
            if (aim.go.some(({ machine_id }) => !session.cloud.machines.some(({ id }) => id === machine_id)))
              throw new ProviderFault('gone', 'There is no such machine.');
            return release(session, handle, aim, call);
          },
        },
      ),
    'release of an unknown machine is a success and ends no other',
    /release must succeed here: it threw a ProviderFault of kind 'gone'/,
  ],
  'it throws on a machine that is gone already': [
    () =>
      tinyPlugin(
        {},
        {
          async release(session: TinySession, handle: TinyHandle, aim: ReleaseTarget, call: Call) {
            const gone = session.cloud.machines.filter(({ status }) => status === 'terminated').map(({ id }) => id);
            if (aim.go.some(({ machine_id }) => gone.includes(machine_id))) throw new Error('409');
            return release(session, handle, aim, call);
          },
        },
      ),
    'release of the rest, and then of all again, is a success',
    /it threw Error: 409.*bug of the plugin/,
  ],
  'it goes on launching what was stopped': [
    () =>
      tinyPlugin(
        {},
        {
          async release(session: TinySession, handle: TinyHandle, aim: ReleaseTarget, call: Call) {
            const [like] = session.cloud.machines.filter(({ token }) => token === handle.token);
            if (like?.status === 'pending' && aim.go.length === 0)
              setTimeout(() => session.cloud.machines.push({ ...like, id: `m-${++session.cloud.ids}` }), 1);
            return release(session, handle, aim, call);
          },
        },
      ),
    'release with nothing to come, straight after the launch, means that nothing comes later',
    /came later: m-4/,
  ],
  'it uses ids again': [
    () =>
      tinyPlugin(
        {},
        {
          async release(session: TinySession, handle: TinyHandle, aim: ReleaseTarget, call: Call) {
            const progress = await release(session, handle, aim, call);
            if (session.cloud.living().length === 0) session.cloud.ids = 0;
            return progress;
          },
        },
      ),
    'an id is never used again',
    /m-1, m-2, m-3 was released, and came again/,
  ],
  'it records numbers as ids of requests': [
    () =>
      tinyPlugin(
        {},
        {
          launch(session: TinySession, order: LaunchOrder<any, any>, call: Call) {
            call.recordCloudRequest?.(7 as unknown as string);
            return launch(session, order, call);
          },
        },
      ),
    'the ids that it records for its requests are short texts, and those of two launches differ',
    /takes texts of 1 to 128 characters, but was called with 7/,
  ],
  'it records the same id for every request': [
    () =>
      tinyPlugin(
        {},
        {
          launch(session: TinySession, order: LaunchOrder<any, any>, call: Call) {
            call.recordCloudRequest?.('request');
            return launch(session, order, call);
          },
        },
      ),
    'the ids that it records for its requests are short texts, and those of two launches differ',
    /'request' was recorded for two launches/,
  ],
  'launch ignores the fence': [
    () =>
      tinyPlugin(
        {},
        { launch: (s: TinySession, o: LaunchOrder<any, any>, c: Call) => launch(s, o, { ...c, fence: () => {} }) },
      ),
    'a launch whose claim is lost starts nothing',
    /launch must call call\.fence\(\)|not expected: m-1/,
  ],
  'release ignores the fence': [
    () =>
      tinyPlugin(
        {},
        {
          release: (s: TinySession, h: TinyHandle, a: ReleaseTarget, c: Call) =>
            release(s, h, a, { ...c, fence: () => {} }),
        },
      ),
    'a release whose claim is lost ends nothing',
    /call\.fence\(\) threw, so nothing was to end/,
  ],
  'it makes a fault of the lost claim': [
    () =>
      tinyPlugin(
        {},
        {
          launch: (session: TinySession, order: LaunchOrder<any, any>, call: Call) =>
            launch(session, order, call).catch((error: Error) => {
              throw error instanceof ProviderFault ? error : new ProviderFault('unavailable', error.message);
            }),
        },
      ),
    'a launch whose claim is lost starts nothing',
    /must not catch the ClaimLost that it throws; it threw a ProviderFault of kind 'unavailable'/,
  ],
  'its handle is no JSON': [
    () =>
      tinyPlugin(
        {},
        changed(({ handle }) => ({ handle: { ...handle, at: new Date() } })),
      ),
    'reports, handles and data survive storage as JSON',
    /handle\.at is a Date/,
  ],
  'its reports carry a Map': [
    () =>
      tinyPlugin(
        {},
        mapped((seen) => ({
          ...seen,
          machines: seen.machines.map((each: object) => ({ ...each, data: { zones: new Map() } })),
        })),
      ),
    'machines become ready, with a name and an address',
    /data\.zones is a Map/,
  ],
  'a machine is ready without a name': [
    () =>
      tinyPlugin(
        {},
        mapped((seen) => ({ ...seen, machines: seen.machines.map((each: object) => ({ ...each, name: undefined })) })),
      ),
    'machines become ready, with a name and an address',
    /a machine that is ready has a name/,
  ],
  'its status is a word of its own': [
    () =>
      tinyPlugin(
        {},
        mapped((seen) => ({
          ...seen,
          machines: seen.machines.map((each: object) => ({ ...each, status: 'RUNNING' })),
        })),
      ),
    'machines become ready, with a name and an address',
    /status 'RUNNING' is none of pending, running/,
  ],
  'a full provider is called invalid': [
    () => tinyPlugin({}, refaulted('capacity', 'invalid')),
    'without capacity, the launch reports capacity',
    /must report 'capacity'.*kind 'invalid'/,
  ],
  'a throttled call throws a plain error': [
    () => tinyPlugin({}, refaulted('throttled', undefined)),
    'when calls are throttled, the launch reports throttled, and starts its machines when it is sent again',
    /throws a ProviderFault of kind 'throttled': it threw Error: 429/,
  ],
  'refused credentials count as unavailable': [
    () => tinyPlugin({}, refaulted('credentials', 'unavailable')),
    'when the credentials are refused, the launch reports credentials',
    /must report 'credentials'/,
  ],
  'a lost answer is called unavailable': [
    () => tinyPlugin({}, refaulted('unknown-outcome', 'unavailable')),
    'a launch whose answer was lost has an unknown outcome, and starts its machines once when it is sent again',
    /ends in 'unknown-outcome'.*ended in 'unavailable'/,
  ],
  'a fault names the secret': [
    () =>
      tinyPlugin(
        {},
        {
          launch: (session: TinySession, order: LaunchOrder<any, any>, call: Call) =>
            launch(session, order, call).catch((error: ProviderFault) => {
              throw new ProviderFault(error.kind, `${error.message} (let-me-in-please)`);
            }),
        },
      ),
    'when the credentials are refused, the launch reports credentials',
    /must not contain config\.api_token/,
  ],
  'a launch does not heed its signal': [
    () => tinyPlugin({}, { launch: (s: TinySession, o: LaunchOrder<any, any>, c: Call) => launch(s, o, deaf(c)) }),
    'launch ends within a second when its signal aborts',
    /launch must end within a second/,
  ],
  'connect opens a connection': [
    async () => {
      const port = await listening;
      return tinyPlugin({
        connect: (config: any, context: any) => {
          openSocket(port, '127.0.0.1').on('error', () => {});
          return tinyType.connect(config, context);
        },
      });
    },
    'connect makes no call',
    /it opened a connection/,
  ],
  'connect sends a datagram a moment later': [
    () =>
      tinyPlugin({
        connect: (config: any, context: any) => {
          setTimeout(() => {
            const socket = createSocket('udp4');
            socket.send('hello', 9, '127.0.0.1', () => socket.close());
          }, 10);
          return tinyType.connect(config, context);
        },
      }),
    'connect makes no call',
    /opened a datagram socket/,
  ],
  'connect waits for somebody': [
    () =>
      tinyPlugin({
        connect: async (config: any, context: any) => {
          if (!clouds.has(config.cloud)) await new Promise((resolve) => void setTimeout(resolve, 600_000).unref());
          return tinyType.connect(config, context);
        },
      }),
    'connect takes less than a second, even if the provider does not answer',
    /connect must end within a second/,
  ],
  'a field of the configuration says nothing of itself': [
    () => tinyPlugin(withConfig({ colour: Type.Optional(Type.String()) })),
    'every field of its configuration has a description',
    /Without one: config\.colour/,
  ],
  'a field of templates says nothing of itself': [
    () => tinyPlugin({}, { fields: Type.Object({ colour: Type.Optional(Type.String()) }) }),
    'every template field that it adds has a description',
    /Without one: template\.colour/,
  ],
  'a secret is not marked': [
    () => tinyPlugin(withConfig({ client_secret: Type.Optional(Type.String({ description: 'Hidden.' })) })),
    'fields of its configuration whose names indicate a secret are marked sensitive',
    /config\.client_secret: .*sensitive: true/,
  ],
  'a default does not fit its field': [
    () =>
      tinyPlugin(
        withConfig({ depth: Type.Optional(Type.Integer({ minimum: 1, default: 0, description: 'Depth.' })) }),
      ),
    'a configuration with only the required fields gets its defaults, and connects',
    /depth/,
  ],
  'connect refuses what its schema takes': [
    () =>
      tinyPlugin({
        connect: (config: any, context: any) => {
          if (config.retries > 8) throw new Error('too many');
          return tinyType.connect(config, context);
        },
      }),
    'both bounds of each range of its configuration are accepted, and values beyond them are findings',
    /config\.retries: 9.*too many/,
  ],
  'an alias is the name of another field': [
    () =>
      tinyPlugin(withConfig({ colour: Type.Optional(Type.String({ description: 'Colour.', aliases: ['retries'] })) })),
    'names and aliases are unique',
    /'retries' is field 'colour' and field 'retries' at once/,
  ],
  'a capability is missing': [
    () => tinyPlugin({}, { capabilities: { ...tinyApi.capabilities, visible_within_ms: undefined } }),
    'its capabilities are complete and consistent',
    /capabilities\.visible_within_ms must be a number/,
  ],
  'an attempt sees the machines of its whole request': [
    () =>
      tinyPlugin(
        {},
        {
          observe: async ({ cloud }: TinySession, watched: readonly any[]) =>
            watched.map(({ order }) => ({
              machines: cloud.machines.filter((each) => each.order.request_id === order.request_id).map(reportOf),
              settled: true,
            })),
        },
      ),
    'two attempts of one request do not see each other',
    /must end with 3 machines/,
  ],
  'observe sees the machines of all requests': [
    () =>
      tinyPlugin(
        {},
        mapped((_, __, { cloud }) => ({ machines: cloud.machines.map(reportOf), settled: true })),
      ),
    'observe answers for several orders in one call, in their order, each with its own machines',
    /must end with/,
  ],
  'observe answers in an order of its own': [
    () =>
      tinyPlugin(
        {},
        {
          observe: async (s: TinySession, w: readonly any[], c: Call) =>
            tinyApi.observe(
              s,
              w.toSorted((a, b) => (a.order.token < b.order.token ? -1 : 1)),
              c,
            ),
        },
      ),
    'observe answers for several orders in one call, in their order, each with its own machines',
    /must show order/,
  ],
  'observe leaves out what is over': [
    () =>
      tinyPlugin(
        {},
        {
          observe: async (session: TinySession, watched: readonly any[], call: Call) => {
            const seen = await tinyApi.observe(session, watched, call);
            if (seen.some((each) => !isFault(each) && each.machines.every(({ status }) => status === 'terminated')))
              throw new ProviderFault('gone', 'No such order.');
            return seen;
          },
        },
      ),
    'an order that is over does not hide another that is asked for with it',
    /observe must succeed here.*No such order/,
  ],
  'what ended by itself is shown as living': [
    () =>
      tinyPlugin(
        {},
        mapped((seen) => ({
          ...seen,
          machines: seen.machines.map((each: any) =>
            each.status === 'terminated' ? { ...each, status: 'running' } : each,
          ),
        })),
      ),
    'a machine that ended by itself is no longer shown as living, and the others are',
    /ended, and observe still calls it running/,
  ],
  'find knows an order that was never sent': [
    () => tinyPlugin({}, { find: async (_: TinySession, { token }: LaunchOrder) => ({ token }) }),
    'an order that was never sent is not found',
    /find must give undefined/,
  ],
  'dispose asks for a handle': [
    () =>
      tinyPlugin(
        {},
        {
          dispose: async (_: TinySession, { handle }: { handle?: TinyHandle }) => {
            if (!handle) throw new TypeError('handle is undefined');
            return { done: true };
          },
        },
      ),
    'dispose, twice, with a handle and without, leaves nothing and ends nothing of others',
    /dispose must succeed here: it threw TypeError/,
  ],
  'owned lists what is of another installation': [
    () =>
      tinyPlugin({
        async *owned({ cloud }: TinySession) {
          for (const each of cloud.machines)
            if (each.status !== 'terminated')
              yield { kind: 'machine', id: each.id, ...each.order, machine: reportOf(each) };
        },
      }),
    'owned lists the resources of this installation with their orders, and none of another',
    /none of another.*not expected: m-4, m-5, m-6/,
  ],
  'whichLive names whoever it is asked about': [
    () => tinyPlugin({ whichLive: async (_: TinySession, hosts: readonly object[]) => hosts }),
    'whichLive names the hosts that live, and no others',
    /m-1 was released/,
  ],
  'each session is a cloud of its own': [
    () => tinyPlugin({ identity: async () => randomUUID() }),
    'two sessions of one configuration are the same cloud',
    /identity must be the same in every session/,
  ],
  'offers are drawn by lot': [
    () => tinyPlugin({}, { offers: () => [{ key: randomUUID() }] }),
    'offers depend only on the template, each with a unique key',
    /offers must be pure/,
  ],
  'a machine is said to come from an offer that its order did not have': [
    () => tinyPlugin({}, { offersOfMachine: () => [{ key: 'other' }] }),
    'the pool of a machine is among the offers of its order',
    /at least one of the offers of the order; it gave .*other/,
  ],
  'review changes the template': [
    () => tinyPlugin({}, { review: (template: { name?: string }) => ((template.name = 'mine'), []) }),
    'a review depends only on the template, and finds no error in the template of the world',
    /read only|not extensible|object is not/,
  ],
  'it is written for another contract': [
    () => ({ ...tinyPlugin(), contract: 2 }) as unknown as Plugin,
    'each plugin is made by definePlugin, has a name, and is written for contract 1',
    /must say contract: 1; it says 2/,
  ],
  'it has no release': [
    () => tinyPlugin({}, { release: undefined }),
    'each API belongs to a provider type of the plugins, and has launch, observe and release',
    /'Tiny' must have release/,
  ],
  'its check fails on a healthy provider': [
    () =>
      tinyPlugin({
        check: async () => {
          throw new ProviderFault('unavailable', 'It is ill.');
        },
      }),
    'a healthy provider passes its check',
    /check must succeed here.*It is ill/,
  ],
  'its check does not heed its signal': [
    () => tinyPlugin({ check: (s: TinySession, c: Call) => tinyType.check?.(s, deaf(c)) }),
    'check ends within a second when its signal aborts',
    /check must end within a second/,
  ],
  'observe does not heed its signal': [
    () => tinyPlugin({}, { observe: (s: TinySession, w: readonly any[], c: Call) => tinyApi.observe(s, w, deaf(c)) }),
    'observe ends within a second when its signal aborts',
    /observe must end within a second/,
  ],
  'release does not heed its signal': [
    () =>
      tinyPlugin(
        {},
        { release: (s: TinySession, h: TinyHandle, a: ReleaseTarget, c: Call) => release(s, h, a, deaf(c)) },
      ),
    'release ends within a second when its signal aborts',
    /release must end within a second/,
  ],
  'a launch remembers for ever that its time was over': [
    () =>
      tinyPlugin(
        {},
        {
          launch: async (session: TinySession, order: LaunchOrder<any, any>, call: Call) => {
            if (call.signal.aborted || session.cloud.lost) {
              session.cloud.room = 0;
              throw new ProviderFault('unavailable', 'Too late.');
            }
            return launch(session, order, call);
          },
        },
      ),
    'a launch whose signal is aborted before it begins ends at once, and can be sent again',
    /must end with 3 machines/,
  ],
  'a limit of the account is called capacity': [
    () => tinyPlugin({}, refaulted('quota', 'capacity')),
    'when the account has reached a limit, the launch reports quota',
    /must report 'quota'/,
  ],
  'refused parameters count as capacity': [
    () => tinyPlugin({}, refaulted('invalid', 'capacity')),
    'when the provider refuses the parameters, the launch reports invalid',
    /must report 'invalid'/,
  ],
  'a provider that was not reached is of unknown outcome': [
    () => tinyPlugin({}, refaulted('unavailable', 'unknown-outcome')),
    'when the provider was certainly not reached, the launch reports unavailable, and starts its machines when it is sent again',
    /must report 'unavailable'/,
  ],
  'all orders are one': [
    () =>
      tinyPlugin(
        {},
        {
          async launch({ cloud, installation }: TinySession, order: LaunchOrder<any, any>, call: Call) {
            call.fence();
            const first = cloud.machines.length === 0 ? order : { ...order, token: cloud.machines[0]?.token ?? '' };
            return launch({ cloud, installation }, first, call);
          },
        },
      ),
    'two orders with different tokens are two orders',
    /must start two/,
  ],
  'an order of one gives none': [
    () =>
      tinyPlugin(
        {},
        {
          launch: (s: TinySession, o: LaunchOrder<any, any>, c: Call) =>
            launch(s, { ...o, machine_count: o.machine_count > 1 ? o.machine_count : 0 }, c),
        },
      ),
    'a launch of one machine gives one',
    /must end with 1 machines/,
  ],
  'machines that are up are forgotten by their token': [
    () =>
      tinyPlugin(
        {},
        {
          launch: (session: TinySession, order: LaunchOrder<any, any>, call: Call) =>
            session.cloud.machines.some(({ token, status }) => token === order.token && status === 'running')
              ? startsAnew(session, order, call)
              : launch(session, order, call),
        },
      ),
    'launched again when its machines are up, an order starts nothing',
    /Living: 6/,
  ],
  'preparing starts machines': [
    () =>
      tinyPlugin(
        {},
        {
          prepare: async (session: TinySession, order: LaunchOrder<any, any>, call: Call) => {
            await launch(session, { ...order, token: `${order.token}p` }, call);
            return {};
          },
        },
      ),
    'prepared twice, as after a crash before it was stored, an order starts once and leaves nothing behind',
    /prepare starts no machine/,
  ],
  'find gives a handle that leads nowhere': [
    () =>
      tinyPlugin(
        {},
        {
          find: async (s: TinySession, o: LaunchOrder<any, any>, c: Call) =>
            (await tinyApi.find?.(s, o, c)) ? { token: 'none' } : undefined,
        },
      ),
    'an order whose answer was lost is found again, and can be followed and released',
    /machines: none/,
  ],
  'observe of nothing throws': [
    () =>
      tinyPlugin(
        {},
        {
          observe: async (session: TinySession, watched: readonly any[], call: Call) => {
            if (watched.length === 0) throw new Error('Which?');
            return tinyApi.observe(session, watched, call);
          },
        },
      ),
    'observe of no orders returns an empty list',
    /Which\?/,
  ],
  'observe leaves out machines at rest': [
    () =>
      tinyPlugin(
        {},
        {
          observe: async (session: TinySession, watched: readonly any[], call: Call) =>
            (await tinyApi.observe(session, watched, call)).map((seen, i) =>
              watched[i].steady ? { ...seen, machines: [] } : seen,
            ),
        },
      ),
    'observations of an unchanged machine are equal, also with steady: true',
    /they live is enough/,
  ],
  'observe shows machines of others when some are gone': [
    () =>
      tinyPlugin(
        {},
        mapped((seen, _, { cloud }) =>
          cloud.machines.some(({ status }) => status === 'terminated')
            ? { ...seen, machines: cloud.machines.map(reportOf) }
            : seen,
        ),
      ),
    'observe sees all machines that live, and no others',
    /must end with|not expected/,
  ],
  'release ends the whole provider': [
    () =>
      tinyPlugin(
        {},
        {
          release: async (session: TinySession, handle: TinyHandle, aim: ReleaseTarget, call: Call) => {
            const all = aim.stay.length === 0 && aim.go.length > 0;
            return release(
              session,
              handle,
              all ? { ...aim, go: session.cloud.machines.map(({ id, status }) => ({ machine_id: id, status })) } : aim,
              call,
            );
          },
        },
      ),
    'release of one order leaves the machines of another',
    /missing: m-4, m-5, m-6/,
  ],
  'release of one that is gone takes the next': [
    () =>
      tinyPlugin(
        {},
        {
          release: async (session: TinySession, handle: TinyHandle, aim: ReleaseTarget, call: Call) => {
            const [first] = aim.go;
            const gone = session.cloud.machines.some(
              ({ id, status }) => id === first?.machine_id && status === 'terminated',
            );
            return release(session, handle, gone ? { ...aim, go: [...aim.go, ...aim.stay.slice(0, 1)] } : aim, call);
          },
        },
      ),
    'release of one machine twice ends no other',
    /missing: m-2/,
  ],
  'release with machines to come cuts them': [
    () =>
      tinyPlugin(
        {},
        {
          ...changed(({ machines }) => ({ machines: machines.slice(0, 1), settled: false })),
          release: async (session: TinySession, handle: TinyHandle, aim: ReleaseTarget, call: Call) => {
            const kept = new Set(aim.stay.map(({ machine_id }) => machine_id));
            const more =
              aim.go.length === 0 ? allOf(session, handle).filter(({ machine_id }) => !kept.has(machine_id)) : [];
            return release(session, handle, { ...aim, go: [...aim.go, ...more] }, call);
          },
        },
      ),
    'release with machines still to come does not keep them from coming',
    /must end with 3 machines/,
  ],
  'owned goes on listing what is gone': [
    () =>
      tinyPlugin({
        async *owned({ cloud }: TinySession, installation: string) {
          for (const each of cloud.machines)
            if (each.installation === installation)
              yield { kind: 'machine', id: each.id, ...each.order, machine: { ...reportOf(each), status: 'running' } };
        },
      }),
    'after everything is released and disposed of, owned lists nothing',
    /owned still lists: machine m-1, machine m-2, machine m-3/,
  ],
  'remove does nothing': [
    () => tinyPlugin({ remove: async () => undefined }),
    'remove ends only what it is given, and may be repeated',
    /not expected: m-1, m-2, m-3/,
  ],
  'what it says of itself is a promise': [
    () => tinyPlugin({ state: async (session: TinySession) => tinyType.state?.(session) }),
    'what a session says of itself is complete, before its first call and after it',
    /must return its answer, not a promise/,
  ],
  'a rate is told as a text once it was used': [
    () =>
      tinyPlugin({
        state: ({ cloud }: TinySession) => {
          const { rates, ...more } = tinyType.state?.({ cloud } as TinySession) ?? { rates: [] };
          return { ...more, rates: cloud.ids === 0 ? [] : rates.map((rate) => ({ ...rate, free: 'some' })) };
        },
      }),
    'what a session says of itself is complete, before its first call and after it',
    /A rate has action/,
  ],
  'the end of its credentials is a date': [
    () => tinyPlugin({ state: () => ({ rates: [], credentials: { source: 'keys', expires_at: new Date() } }) }),
    'what a session says of itself is complete, before its first call and after it',
    /ISO 8601 or null/,
  ],
  'it asks the provider what it says of itself': [
    () =>
      tinyPlugin({
        state: (session: TinySession) => {
          createSocket('udp4').close();
          return tinyType.state?.(session);
        },
      }),
    'what a session says of itself costs no call',
    /must not call the provider.*datagram/,
  ],
  'it says its token': [
    () =>
      tinyPlugin({
        state: () => ({
          rates: [],
          credentials: { source: 'token let-me-in-please', expires_at: null, renewed: false },
        }),
      }),
    'what a session says of itself names no secret',
    /must not contain config.api_token/,
  ],
  'its places are one text': [
    () => tinyPlugin({ places: async () => ({ regions: 'here', availability_zones: [] }) }),
    'its places are regions and zones',
    /lists of different names/,
  ],
  'it presumes places that change': [
    () => tinyPlugin({ presumedPlaces: () => ({ regions: [randomUUID()], availability_zones: [] }) }),
    'the places that it presumes depend only on the configuration',
    /presumedPlaces must be pure/,
  ],
  'it serves another API only': [
    () => tinyPlugin({ serves: (_: object, api: string) => api !== 'Tiny' }),
    'the APIs that an instance serves depend only on its configuration',
    /serves\('Tiny'\) must be true/,
  ],
  'a machine type is listed twice': [
    () =>
      tinyPlugin({
        async *machineTypes() {
          yield* [1, 2].map(() => ({ name: 'small', vcpus: 1, cores: 1, memory_mib: 512, arch: 'x86_64' }));
        },
      }),
    'its machine types are complete, and each is listed once',
    /small is listed twice/,
  ],
  'the machine type of a template is asked for': [
    () => tinyPlugin({ machineTypeOf: async () => ({ name: 'small' }) }),
    'the machine type of a template is known without a call to the provider',
    /not a promise/,
  ],
  'close cannot be said twice': [
    () => {
      const closed = new WeakSet<object>();
      return tinyPlugin({
        close: async (session: TinySession) => {
          if (closed.has(session)) throw new Error('It is closed.');
          closed.add(session);
        },
      });
    },
    'a session may be closed twice, and other sessions continue',
    /a second close must succeed here/,
  ],
};

const received = (change: (message: NoticeMessage, cloud: TinyCloud) => unknown) => ({
  receive: async (session: TinySession, call: Call) =>
    (await tinyNotices.receive(session, call)).map((message) => change(message, session.cloud)),
});
const withNotices = (change: Partial<NoticeSource<any, any>> | object) => () =>
  tinyPlugin({ notices: { ...tinyNotices, ...change } });

/** The same for the source of notices. */
const noticeDefects: typeof defects = {
  'whether notices are configured changes': [
    () => {
      let calls = 0;
      return withNotices({ configured: () => calls++ % 2 === 0 })();
    },
    'whether notices are configured follows from the configuration alone',
    /twice the same/,
  ],
  'a message is removed when it is received': [
    withNotices(
      received((message, cloud) => {
        const index = cloud.messages.findIndex(({ id }) => id === message.receipt);
        cloud.messages.splice(index, 1);
        return message;
      }),
    ),
    'a message that is not acknowledged comes again as it was',
    /comes again until it is acknowledged/,
  ],
  'a message that comes again is changed': [
    withNotices(
      received((message, { ids, steps }) => ({
        ...message,
        notices: message.notices.map((notice) => ({ ...notice, message: `${ids} ${steps}` })),
      })),
    ),
    'a message that is not acknowledged comes again as it was',
    /must have the same notices/,
  ],
  'messages are not removed': [
    withNotices({ acknowledge: async () => {} }),
    'an acknowledged message is removed, and no other',
    /must remove the message for good/,
  ],
  'all messages are removed with one': [
    withNotices({ acknowledge: async ({ cloud }: TinySession) => void cloud.messages.splice(0) }),
    'an acknowledged message is removed, and no other',
    /No reception brought a message/,
  ],
  'a message that is gone cannot be acknowledged': [
    withNotices({
      async acknowledge({ cloud }: TinySession, [receipt]: readonly string[], call: Call) {
        if (!cloud.messages.some(({ id }) => id === receipt)) throw new ProviderFault('gone', 'There is none.');
        await tinyNotices.acknowledge({ cloud } as TinySession, [receipt ?? ''], call);
      },
    }),
    'an acknowledged message is removed, and no other',
    /notices.acknowledge must succeed here.*'gone'/,
  ],
  'notices have the time of their reception': [
    withNotices(
      received((message) => ({
        ...message,
        notices: message.notices.map((notice) => ({ ...notice, at: new Date().toISOString() })),
      })),
    ),
    'notices have the time at which they were announced',
    /announced at .* has the time/,
  ],
  'a message that cannot be read breaks the reception': [
    withNotices(
      received((message) => {
        if (message.malformed !== undefined) throw new SyntaxError('Unexpected token');
        return message;
      }),
    ),
    'a message that cannot be read says so, is removed, and keeps no other from being read',
    /notices.receive must succeed here: it threw SyntaxError/,
  ],
  'a message that cannot be read is passed over': [
    withNotices({
      receive: async (session: TinySession, call: Call) =>
        (await tinyNotices.receive(session, call)).filter(({ malformed }) => malformed === undefined),
    }),
    'a message that cannot be read says so, is removed, and keeps no other from being read',
    /must return a message that cannot be read with `malformed`/,
  ],
  'a message that cannot be read is not removed': [
    withNotices({
      acknowledge: async (session: TinySession, receipts: readonly string[], call: Call) =>
        tinyNotices.acknowledge(
          session,
          receipts.filter((receipt) => receipt !== 'broken'),
          call,
        ),
    }),
    'a message that cannot be read says so, is removed, and keeps no other from being read',
    /must also remove a message that cannot be read/,
  ],
  'a source that fails seems to be empty': [
    withNotices({
      receive: (session: TinySession, call: Call) => tinyNotices.receive(session, call).catch(() => []),
    }),
    'a source that fails is a fault, and after its recovery the messages come',
    /must throw a ProviderFault while the source fails.*it returned/,
  ],
  'a source that failed is given up': [
    () => {
      const given = new WeakSet<TinySession>();
      return withNotices({
        async receive(session: TinySession, call: Call) {
          if (session.cloud.silent) given.add(session);
          if (given.has(session) && !session.cloud.silent) return [];
          return tinyNotices.receive(session, call);
        },
      })();
    },
    'a source that fails is a fault, and after its recovery the messages come',
    /No reception brought a message/,
  ],
  'a reception does not heed its signal': [
    withNotices({
      async receive(session: TinySession, call: Call) {
        const messages = await tinyNotices.receive(session, deaf(call));
        if (messages.length === 0) await new Promise((resolve) => void setTimeout(resolve, 8_000));
        return messages;
      },
    }),
    'a reception ends with its signal, and loses no message',
    /within two seconds after its signal aborted/,
  ],
  'it returns all messages at once': [
    withNotices({
      async receive(session: TinySession, call: Call) {
        const messages: NoticeMessage[] = [];
        for (;;) {
          const more = await tinyNotices.receive(session, call);
          if (more.length === 0) return messages;
          messages.push(...more);
        }
      },
    }),
    'many messages come in several receptions',
    /returned 220 messages; the broker accepts at most 200/,
  ],
};

const seenToFail = new Set<string>();
let tried = 0;
for (const [defect, [plugin, check, says]] of Object.entries({ ...defects, ...noticeDefects }))
  test(`the kit catches it where ${defect}`, async (t) => {
    const failed = await failures(await plugin());
    tried += 1;
    for (const title of failed.keys()) seenToFail.add(title);
    t.true(failed.has(check), `The check was passed. Failed were:\n${[...failed.keys()].join('\n')}`);
    t.regex(failed.get(check) ?? '', says);
  });

// Runs when all others are through.
test.after('each check was seen to fail', (t) => {
  // Where only some tests were run there is nothing to say.
  if (tried < Object.keys({ ...defects, ...noticeDefects }).length) return;
  const titles = collect((runner) => testProvider(kitOf(runner, tinyPlugin()))).map(({ title }) =>
    title.replace('Tiny: ', ''),
  );
  t.deepEqual(
    titles.filter((title) => !seenToFail.has(title)),
    [],
  );
});

const allOf = ({ cloud }: TinySession, { token }: TinyHandle) =>
  cloud.machines.filter((each) => each.token === token).map(({ id, status }) => ({ machine_id: id, status }));

/** A launch that does not look whether the token was used. */
async function startsAnew(session: TinySession, order: LaunchOrder<any, any>, call: Call) {
  const given = await launch(session, { ...order, token: `${order.token}${session.cloud.ids}` }, call);
  const mine = new Set(given.machines?.map(({ machine_id }) => machine_id));
  session.cloud.machines.forEach((each, index, all) => {
    if (mine.has(each.id)) all[index] = { ...each, token: order.token };
  });
  return { ...given, handle: { token: order.token } };
}

/** One kind of fault taken for another; undefined: for nothing at all. */
const refaulted = (kind: string, other: ProviderFault['kind'] | undefined) => ({
  launch: (session: TinySession, order: LaunchOrder<any, any>, call: Call) =>
    launch(session, order, call).catch((error: ProviderFault) => {
      if (error.kind !== kind) throw error;
      throw other === undefined ? new Error('429') : new ProviderFault(other, error.message);
    }),
});
