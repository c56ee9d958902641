import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { parse } from 'yaml';
import type { RequestAnswer } from '../../../core/contract/answers.ts';
import { BrokerError } from '../../../core/contract/errors.ts';
import { answerTable } from '../../../host/cli/output/answer-table.ts';
import { print, textOf } from '../../../host/cli/output/print.ts';
import { pairs, table } from '../../../host/cli/output/table.ts';
import { width } from '../../../host/cli/output/width.ts';
import { outcomeOf } from '../../../host/cli/outcome.ts';
import { progress, progressLine } from '../../../host/cli/operations/progress.ts';
import { printable, printableLine } from '../../../host/process/printable.ts';
import { reportFailure } from '../../../host/cli/report-failure.ts';
import { wantsColors } from '../../../host/process/terminal.ts';
import { polled, watch } from '../../../host/cli/operations/watching/watch.ts';

const run = promisify(execFile);
const plain = { colors: false };

test('columns are as wide as their contents, also with wide characters and combining marks', (t) => {
  t.is(
    table(
      ['name', 'max_count'],
      [
        ['東京', '1'],
        ['e\u0301a', '22'],
        ['abcdef', ''],
      ],
      plain,
    ),
    'NAME    MAX COUNT\n東京    1\ne\u0301a      22\nabcdef\n',
  );
  t.is(width('👩‍💻'), 4);
  t.is(width('ｆ'), 2);
});

test('what a terminal would obey does not reach it', (t) => {
  t.is(table(['a'], [['x\u001b[31m\n\u009by\u202e']], plain), 'A\nx [31m y\n');
});

test('names that callers choose, such as keys of tags, are plain text as well, and forge no line', async (t) => {
  const key = 'k\u001b[2J\u001b]0;owned\u0007\nmuster: forged\nstatus';
  t.is(
    pairs(
      [
        [key, 'v'],
        ['a', 'b'],
      ],
      plain,
    ),
    'k [2J ]0;owned muster: forged status  v\na                                     b\n',
  );
  t.is(table(['a\nb', 'c\u200f'], [['1', '2']], plain), 'A B  C\n1    2\n');
  t.regex(await textOf('x', { tags: { [key]: 'v' } }, 'table', { colors: false }), /^k \[2J .* status {2}v\n$/);
});

test('YAML means the same without what a terminal would obey', async (t) => {
  const answer = {
    plain: 'ü€',
    csi: '\u009b2J',
    right: ['a\u202eb', 'a\u200fb: c', '\u061c'],
    lines: 'one\ntwo\u2028three\u001b',
    blank: [' \n', '  \n\n', 'a\n \nb', 'a\n', '\t', ''],
    '\ufeff': '\ufeff{',
    'key\u009b': { deep: null, n: 1 },
  };
  const text = await textOf('x', answer, 'yaml', { colors: false });
  t.notRegex(text, /[^\n -~ü€]/);
  t.deepEqual(parse(text), answer);
  t.is(await textOf('x', { a: ['b', 1] }, 'yaml', { colors: false }, { each: true }), '---\na:\n  - b\n  - 1\n');
});

test('a message of several lines has no line that begins as one of muster', (t) => {
  const told: string[] = [];
  const err = (text: string) => void told.push(text);
  reportFailure(new BrokerError('UNAVAILABLE', 'no\nmuster: forged\n{"level":"info"}\n  more'), { err });
  const findings = [{ level: 'warning', path: '/a', message: 'first\n  error: forged at /b' }];
  reportFailure(new BrokerError('INVALID_CONFIGURATION', 'wrong', { findings }), { err });
  t.deepEqual(told, [
    'muster: no\n    muster: forged\n    {"level":"info"}\n      more\n',
    'muster: the configuration cannot be used:\n  warning: /a: first   error: forged at /b\n',
  ]);
});

test('what a terminal would obey does not reach it in messages either, and JSON means the same without it', async (t) => {
  const hostile = "template '\u001b]0;owned\u0007\u202ecod.exe\u0085'\n\tsecond line";
  t.is(printable(hostile), "template ' ]0;owned cod.exe '\n\tsecond line");
  t.is(printableLine(hostile), "template ' ]0;owned cod.exe ' second line");
  const json = await textOf('list_events', { hostile, plain: 'ü€' }, 'json', { colors: false }, { each: true });
  t.notRegex(json.trimEnd(), /[^ -~ü€]/);
  t.deepEqual(JSON.parse(json), { hostile, plain: 'ü€' });
  t.is(await textOf('x', { '\u202e': 1 }, 'json', { colors: false }, { each: true }), '{"\\u202e":1}\n');
});

test('messages beside the results are made printable where they are written', async (t) => {
  const terminal = new URL('../../../host/process/terminal.ts', import.meta.url).href;
  const script = `const { processTerminal } = await import(${JSON.stringify(terminal)});
    processTerminal().err('\\r\\u001b[Kreq-1\\u001b[2J\\n'); processTerminal().err('a\\u202eb\\r\\u001b[Kc\\n');`;
  const { stderr } = await run(process.execPath, ['--input-type=module', '-e', script]);
  t.is(stderr, '\r\u001b[Kreq-1 [2J\na b [Kc\n');
});

test('why machines are missing is a table below a status, not JSON in a line', (t) => {
  const shortfall = [
    {
      kind: 'capacity',
      code: 'InsufficientInstanceCapacity',
      offer: 'm5.large|subnet-1|spot',
      message: 'None.',
      count: 2,
    },
  ];
  t.is(
    answerTable(
      'sync_and_get_request',
      { request_id: 'req-1', machines: [{ machine_id: 'i-1' }], fulfilment: { delivered: 1, shortfall } },
      plain,
    ),
    'request_id            req-1\nfulfilment.delivered  1\n\nMACHINE ID\ni-1\n\n' +
      'CODE                          OFFER                   COUNT  MESSAGE\n' +
      'InsufficientInstanceCapacity  m5.large|subnet-1|spot  2      None.\n',
  );
});

test('colors come only where they are wanted', (t) => {
  t.is(table(['status'], [['failed']], { colors: true }), '\u001b[1mSTATUS\u001b[22m\n\u001b[31mfailed\u001b[39m\n');
  t.is(table(['status'], [['failed']], plain), 'STATUS\nfailed\n');
  t.true(wantsColors({ isTTY: true }, { TERM: 'xterm' }));
  t.false(wantsColors({ isTTY: true }, { TERM: 'xterm', NO_COLOR: '1' }));
  t.false(wantsColors({ isTTY: true }, { TERM: 'dumb' }));
  t.false(wantsColors({}, {}));
});

test('a list is a table without empty columns', (t) => {
  const machines = [{ machine_id: 'i-1', status: 'running', name: null, template_id: 'small' }];
  t.is(
    answerTable('list_machines', { machines, count: 1, total_count: 1 }, plain),
    'MACHINE ID  STATUS   TEMPLATE ID\ni-1         running  small\n',
  );
});

const empty = (operation: string, key: string, input: object, total_count = 0): string =>
  answerTable(operation, { [key]: [], count: 0, total_count }, plain, input as Readonly<Record<string, unknown>>);

test('an empty list says what was looked for, and what shows more', (t) => {
  t.is(empty('list_active_requests', 'requests', {}), 'No active requests; --all-resources shows ended requests.\n');
  t.is(empty('list_active_requests', 'requests', { status: 'failed' }), 'No requests with status failed.\n');
  t.is(empty('list_active_requests', 'requests', { all_resources: true }), 'No requests.\n');
  t.is(
    empty('list_machines', 'machines', { request_id: 'req-1', provider_name: 'east' }),
    'No active machines with request_id req-1 and provider_name east; --all-resources shows terminated machines.\n',
  );
  t.is(
    empty('list_machines', 'machines', { status: 'failed', all_resources: true }),
    'No machines with status failed.\n',
  );
  t.is(
    empty('list_templates', 'templates', { provider_api: 'ASG' }),
    'No usable templates with provider_api ASG; --no-active-only shows all templates.\n',
  );
  t.is(empty('list_templates', 'templates', { active_only: false }), 'No templates.\n');
  t.is(
    empty('sync_and_list_return_requests', 'requests', {}),
    'No returns in progress; `muster requests list --all-resources` shows ended returns.\n',
  );
  t.is(
    empty('list_reclaimed_machines', 'machines', { machine_ids: ['i-1'] }),
    'The cloud reclaims none of these machines.\n',
  );
  t.is(
    empty('list_providers', 'providers', {}),
    'No provider instances; add them to `providers` in the configuration file, which `muster server status` names.\n',
  );
  t.is(empty('list_events', 'events', { limit: 5 }), 'No events; the journal is empty.\n');
  t.is(empty('list_events', 'events', { type: ['machine.lost'] }), 'No events with type machine.lost.\n');
  t.is(empty('list_active_requests', 'requests', { page: 3 }, 70), 'This page is empty; 70 entries match in total.\n');
  t.is(empty('list_of_something_new', 'things', {}), 'Nothing was found.\n');
});

test('a list of orphans says of each instance whether and when its cloud was searched', (t) => {
  const at = '2026-01-15T09:30:00.000Z';
  const shown = (...searches: readonly object[]): string =>
    answerTable('list_orphans', { orphans: [], count: 0, searches }, plain);
  const east = { provider_instance: 'east', state: 'searched', searched_at: at };
  const west = { provider_instance: 'west', state: 'not_yet', searched_at: null };
  t.regex(shown(east), /^No orphans: the last search found nothing.*\n\nPROVIDER.*\neast +2026-01-15T09:30:00.000Z, /);
  t.regex(shown(west), /^No orphans are known, because no cloud was searched yet\.\n\n.*\nwest +not searched yet: /);
  t.notRegex(shown(west), /found nothing/);
  t.regex(shown(east, west), /^No orphans are known, but not every cloud was searched\.\n/);
  t.regex(shown({ ...west, searched_at: at }), /not searched yet: .*before the broker started: 2026-01-15T09:30/);
  t.regex(shown({ ...west, state: 'off' }), /because no cloud was searched yet.*west +off: /s);
  t.regex(shown(), /^No orphans: there are no provider instances/);
  const orphans = [{ provider_instance: 'east', id: 'i-1' }];
  const some = answerTable('list_orphans', { orphans, count: 1, searches: [east, west] }, plain);
  t.regex(some, /i-1.*\nwest +not searched yet: /s);
});

const message = 'Want of capacity: the pool m5.large in us-east-1a has none left at the moment.';
const rows = [
  {
    request_id: 'req-019f0000-0000-7000-8000-000000000001',
    status: 'in_progress',
    template_id: 'small',
    requested_count: 3,
    message,
  },
];
const listing = (columns?: number): string[] =>
  answerTable(
    'list_active_requests',
    { requests: rows, count: 1, total_count: 1 },
    { ...plain, ...(columns ? { columns } : {}) },
  )
    .trimEnd()
    .split('\n');

test('on a screen a table fits its width: texts wrap, then the last columns are left out and named; ids stay whole', (t) => {
  t.is(listing().length, 2);
  t.true((listing()[1]?.length ?? 0) > 140);
  for (const columns of [140, 120, 100, 80, 60]) {
    const lines = listing(columns);
    t.deepEqual(
      lines.filter((line) => width(line) > columns),
      [],
      String(columns),
    );
    t.true(
      lines.some((line) => line.startsWith('req-019f0000-0000-7000-8000-000000000001')),
      String(columns),
    );
  }
  // Wrapped, and nothing of it lost.
  const words = listing(120)
    .slice(1)
    .map((line) => line.slice(70))
    .join(' ');
  for (const word of message.split(' ')) t.true(words.includes(word), word);
  t.false(listing(60).join('\n').includes('Want of'));
  t.is(listing(60).slice(-2).join(' '), 'Not shown at this width: template_id, requested_count, message.');
  t.notRegex(listing(120).join('\n'), /Not shown/);
});

test('fields wrap too on a screen, between words only', (t) => {
  const id = 'req-019f0000-0000-7000-8000-000000000001-and-more-and-more-and-more-and-more';
  const text = answerTable('get_request', { request_id: id, message }, { ...plain, columns: 51 });
  t.is(
    text,
    `request_id  ${id}\nmessage     Want of capacity: the pool m5.large in\n            us-east-1a has none left at the moment.\n`,
  );
  t.is(answerTable('get_request', { request_id: id, message }, plain).split('\n').length, 3);
});

test('machines are shown with their type, market and zone', (t) => {
  const machine = {
    machine_id: 'i-1',
    status: 'running',
    machine_type: 'm5.large',
    market: 'spot',
    zone: 'us-east-1a',
  };
  const shown =
    'MACHINE ID  STATUS   MACHINE TYPE  MARKET  ZONE\ni-1         running  m5.large      spot    us-east-1a\n';
  t.is(answerTable('list_machines', { machines: [machine], count: 1, total_count: 1 }, plain), shown);
  t.is(
    answerTable('sync_and_get_request', { status: 'completed', machines: [machine] }, plain),
    `status  completed\n\n${shown}`,
  );
});

test('one thing is its fields, with a table for each list of things in it', (t) => {
  const answer = {
    request_id: 'req-1',
    fulfilment: { requested: 2, shortfall: [] },
    tags: {},
    machine_ids: ['a', 'b'],
    machines: [{ machine_id: 'i-1', status: 'running' }],
    message: null,
  };
  t.is(
    answerTable('sync_and_get_request', answer, plain),
    'request_id            req-1\nfulfilment.requested  2\nmachine_ids           a, b\n\nMACHINE ID  STATUS\ni-1         running\n',
  );
  t.is(answerTable('get_template', { template: { template_id: 'a' }, timestamp: 'now' }, plain), 'template_id  a\n');
});

test('JSON and YAML have everything, one line or document each when they follow each other', async (t) => {
  const answer = { a: [1, { b: 'x: y' }] };
  t.is(await textOf('x', answer, 'json', plain), `${JSON.stringify(answer, null, 2)}\n`);
  t.is(await textOf('x', answer, 'json', plain, { each: true }), '{"a":[1,{"b":"x: y"}]}\n');
  t.is(await textOf('x', answer, 'yaml', plain), 'a:\n  - 1\n  - b: "x: y"\n');
  t.regex(await textOf('x', answer, 'yaml', plain, { each: true }), /^---\n/);
});

test('a note beside an incomplete list says so', async (t) => {
  const written = { out: '', err: '' };
  const terminal = {
    out: (text: string) => void (written.out += text),
    err: (text: string) => void (written.err += text),
    outIsScreen: false,
    errIsScreen: false,
    colors: false,
  };
  await print(
    'list_active_requests',
    { requests: [{ request_id: 'r' }], count: 1, total_count: 9 },
    'table',
    terminal,
  );
  t.regex(written.err, /1 of 9 are shown/);
  t.notRegex(written.out, /of 9/);
});

test('a list of what is active says so beside it, unless the caller chose', async (t) => {
  const said = async (operation: string, input: object, key = 'requests') => {
    let err = '';
    const terminal = {
      out() {},
      err: (text: string) => void (err += text),
      outIsScreen: false,
      errIsScreen: false,
      colors: false,
    };
    const answer = { [key]: [{ request_id: 'r' }], count: 1, total_count: 1 };
    await print(operation, answer, 'table', terminal, input as Readonly<Record<string, unknown>>);
    return err;
  };
  t.is(await said('list_active_requests', {}), 'Active requests only; --all-resources shows ended requests too.\n');
  t.is(await said('list_active_requests', { all_resources: true }), '');
  t.is(await said('list_active_requests', { status: 'completed' }), '');
  t.is(
    await said('list_machines', {}, 'machines'),
    'Active machines only; --all-resources shows terminated machines too.\n',
  );
});

const request = (over: object): RequestAnswer =>
  ({ request_id: 'req-1', status: 'in_progress', requested_count: 3, fulfilment: null, ...over }) as RequestAnswer;
const machines = (...states: string[]) => states.map((status) => ({ status }));

test('the exit code says how a request ended', (t) => {
  const ended = (status: string, delivered: number, cancelling = false) =>
    outcomeOf(request({ status, fulfilment: { requested: 3, delivered } }), cancelling);
  t.is(ended('completed', 3), 0);
  t.is(ended('completed', 2), 6);
  t.is(ended('failed', 0), 1);
  t.is(ended('cancelled', 0), 1);
  t.is(ended('cancelled', 0, true), 0);
  t.is(ended('completed', 3, true), 0);
});

test('progress counts what was asked for, runs and failed', (t) => {
  t.is(
    progressLine(request({ machines: machines('running', 'running', 'pending') })),
    'req-1 in_progress: 3 requested, 2 running, 0 failed, 1 pending',
  );
  t.is(
    progressLine(request({ machine_ids: ['a', 'b', 'c'], machines: machines('terminated', 'stopping', 'failed') })),
    'req-1 in_progress: 3 to return, 1 gone, 1 failed, 1 stopping',
  );
});

test('the progress of an ended request shows missing machines as failed', (t) => {
  const ended = (status: string, delivered: number, ...states: string[]) =>
    progressLine(
      request({
        status,
        fulfilment: { requested: 3, delivered, final: true, shortfall: [] },
        machines: machines(...states),
      }),
    );
  t.is(ended('failed', 0), 'req-1 failed: 3 requested, 0 running, 3 failed');
  t.is(ended('completed', 2, 'running', 'running'), 'req-1 completed: 3 requested, 2 running, 1 failed');
  t.is(
    ended('completed', 3, 'running', 'running', 'terminated'),
    'req-1 completed: 3 requested, 2 running, 0 failed, 1 terminated',
  );
  t.is(ended('cancelled', 0, 'terminated'), 'req-1 cancelled: 3 requested, 0 running, 0 failed, 1 terminated');
});

test('a return that went well says nothing of failures', (t) => {
  const back = (status: string, more: object, ...states: string[]) =>
    progressLine(
      request({ status, requested_count: 2, machine_ids: ['a', 'b'], machines: machines(...states), ...more }),
    );
  t.is(
    back('in_progress', {}, 'terminated', 'shutting-down'),
    'req-1 in_progress: 2 to return, 1 gone, 1 shutting-down',
  );
  // One that had failed before it was given back, and that is gone too.
  t.is(back('completed', {}, 'terminated', 'failed'), 'req-1 completed: 2 to return, 2 gone');
  const late = { fulfilment: { requested: 2, delivered: 1, final: true, shortfall: [{}] } };
  t.is(back('completed', late, 'terminated', 'failed'), 'req-1 completed: 2 to return, 1 gone, 1 failed');
});

test('progress is one line for each change, and one rewritten line on a terminal', (t) => {
  const told = (errIsScreen: boolean): string => {
    let text = '';
    const shown = progress({
      out() {},
      err: (more) => (text += more),
      outIsScreen: false,
      errIsScreen,
      colors: false,
    });
    for (const now of [request({}), request({}), request({ status: 'completed' })]) shown.show(now);
    shown.end();
    return text;
  };
  t.is(
    told(false),
    'req-1 in_progress: 3 requested, 0 running, 0 failed, 0 s\nreq-1 completed: 3 requested, 0 running, 0 failed, 0 s\n',
  );
  t.is(told(true).split('\r\u001b[K').length, 4);
  t.is(told(true).match(/\n/g)?.length, 1);
});

test('watching prints what changed until the end, in the same place on a screen', async (t) => {
  const seen = async (outIsScreen: boolean) => {
    let text = '';
    const answers = ['a', 'a', 'b', 'end'];
    const { signal } = new AbortController();
    const last = await watch(
      {
        answers: polled(async () => answers.shift() ?? '', 0.001, signal),
        text: (answer) => `${answer}\n`,
        hasEnded: (answer) => answer === 'end',
        signal,
      },
      { out: (more) => (text += more), outIsScreen },
    );
    t.is(last, 'end');
    return text;
  };
  t.is(await seen(false), 'a\nb\nend\n');
  t.is((await seen(true)).split('\u001b[2J').length, 4);
});

test('watching ends with an interruption, and not with a failure', async (t) => {
  const controller = new AbortController();
  const terminal = { out: () => controller.abort(), err() {}, outIsScreen: false, errIsScreen: false, colors: false };
  const { signal } = controller;
  const options = { answers: polled(async () => 'x', 60, signal), text: () => 'x', hasEnded: () => false, signal };
  t.is(await watch(options, terminal), 'x');
  const { signal: other } = new AbortController();
  const broken = {
    ...options,
    answers: polled<string>(() => Promise.reject(new Error('gone')), 60, other),
    signal: other,
  };
  await t.throwsAsync(watch(broken, terminal), { message: 'gone' });
});
