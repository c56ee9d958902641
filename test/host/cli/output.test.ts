import test from 'ava';
import type { RequestAnswer } from '../../../core/answers.ts';
import { answerTable } from '../../../host/cli/output/answer-table.ts';
import { print, textOf } from '../../../host/cli/output/print.ts';
import { table, width } from '../../../host/cli/output/table.ts';
import { outcomeOf } from '../../../host/cli/outcome.ts';
import { progress, progressLine } from '../../../host/cli/progress.ts';
import { wantsColours } from '../../../host/terminal.ts';
import { watch } from '../../../host/cli/watch.ts';

const plain = { colours: false };

test('columns are as wide as what stands in them, also with wide letters and marks', (t) => {
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

test('colours come only where they are wanted', (t) => {
  t.is(table(['status'], [['failed']], { colours: true }), '\u001b[1mSTATUS\u001b[22m\n\u001b[31mfailed\u001b[39m\n');
  t.is(table(['status'], [['failed']], plain), 'STATUS\nfailed\n');
  t.true(wantsColours({ isTTY: true }, { TERM: 'xterm' }));
  t.false(wantsColours({ isTTY: true }, { TERM: 'xterm', NO_COLOR: '1' }));
  t.false(wantsColours({ isTTY: true }, { TERM: 'dumb' }));
  t.false(wantsColours({}, {}));
});

test('a list is a table without the columns that nobody has; an empty one keeps its head', (t) => {
  const machines = [{ machine_id: 'i-1', status: 'running', name: null, template_id: 'small' }];
  t.is(
    answerTable('list_machines', { machines, count: 1, total_count: 1 }, plain),
    'MACHINE ID  STATUS   TEMPLATE ID\ni-1         running  small\n',
  );
  t.regex(answerTable('list_machines', { machines: [], count: 0, total_count: 0 }, plain), /^MACHINE ID  STATUS  NAME .*\n$/);
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
  t.is(await textOf('x', answer, 'json', plain, true), '{"a":[1,{"b":"x: y"}]}\n');
  t.is(await textOf('x', answer, 'yaml', plain), 'a:\n  - 1\n  - b: "x: y"\n');
  t.regex(await textOf('x', answer, 'yaml', plain, true), /^---\n/);
});

test('that a list is not whole is said beside it', async (t) => {
  const written = { out: '', err: '' };
  const terminal = {
    out: (text: string) => void (written.out += text),
    err: (text: string) => void (written.err += text),
    outIsScreen: false,
    errIsScreen: false,
    colours: false,
  };
  await print('list_active_requests', { requests: [{ request_id: 'r' }], count: 1, total_count: 9 }, 'table', terminal);
  t.regex(written.err, /1 of 9 are shown/);
  t.notRegex(written.out, /of 9/);
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
    'req-1 in_progress: 3 to give back, 1 gone, 1 failed, 1 stopping',
  );
});

test('progress is a line for each change, and one line that is written anew on a screen', (t) => {
  const told = (errIsScreen: boolean): string => {
    let text = '';
    const shown = progress({ out() {}, err: (more) => (text += more), outIsScreen: false, errIsScreen, colours: false });
    for (const now of [request({}), request({}), request({ status: 'completed' })]) shown.show(now);
    shown.end();
    return text;
  };
  t.is(told(false), 'req-1 in_progress: 3 requested, 0 running, 0 failed, 0 s\nreq-1 completed: 3 requested, 0 running, 0 failed, 0 s\n');
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
        look: async () => answers.shift() ?? '',
        text: (answer) => `${answer}\n`,
        hasEnded: (answer) => answer === 'end',
        seconds: 0.001,
        signal,
      },
      { out: (more) => (text += more), err() {}, outIsScreen, errIsScreen: false, colours: false },
    );
    t.is(last, 'end');
    return text;
  };
  t.is(await seen(false), 'a\nb\nend\n');
  t.is((await seen(true)).split('\u001b[2J').length, 4);
});

test('watching ends with an interruption, and not with a failure', async (t) => {
  const controller = new AbortController();
  const terminal = { out: () => controller.abort(), err() {}, outIsScreen: false, errIsScreen: false, colours: false };
  const options = { look: async () => 'x', text: () => 'x', hasEnded: () => false, seconds: 60, signal: controller.signal };
  t.is(await watch(options, terminal), 'x');
  const broken = { ...options, look: () => Promise.reject(new Error('gone')), signal: new AbortController().signal };
  await t.throwsAsync(watch(broken, terminal), { message: 'gone' });
});
