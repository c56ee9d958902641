import type { Command, History } from './commands.ts';
import type { Rule } from './judge.ts';
import { plainSetup, type ApiSetup, type InstanceSetup, type Setup, type TemplateSetup } from './setup.ts';

/** A history that the core once went wrong in, with the rule that it broke. */
export interface Past extends History {
  readonly what: string;
  readonly broke: Rule;
}

interface Differing extends Partial<Omit<Setup, 'api' | 'instances' | 'templates'>> {
  readonly api?: Partial<ApiSetup>;
  readonly instances?: readonly Partial<InstanceSetup>[];
  readonly templates?: readonly Partial<TemplateSetup>[];
}

/** The plainest setup but for this. */
export function setupWith({ api, instances = [{}], templates = [{}], ...others }: Differing): Setup {
  const [instance] = plainSetup.instances;
  const [template] = plainSetup.templates;
  if (!instance || !template) throw new Error('The plain setup has an instance and a template.');
  return {
    ...plainSetup,
    ...others,
    api: { ...plainSetup.api, ...api },
    instances: instances.map((each) => ({ ...instance, ...each })),
    templates: templates.map((each) => ({ ...template, ...each })),
  };
}

const request = (machines: number, times = 1): Command => ({ do: 'request', machines, template: 0, times });
const pass = (ms: number): Command => ({ do: 'pass', ms });
const killAfter = (on: 'commit' | 'full commit', nth = 1): Extract<Command, { do: 'kill' }> => ({
  do: 'kill',
  on,
  side: 'after',
  executed: 'yes',
  nth,
  down_ms: 10,
  elsewhere: false,
});
const past = (what: string, broke: Rule, differing: Differing, ...commands: readonly Command[]): Past => ({
  what,
  broke,
  setup: setupWith(differing),
  commands,
});

/**
 * Each was found by the search, or made after what somebody found by reading; all are played with every run of the
 * tests.
 */
export const pasts: readonly Past[] = [
  past(
    'two answers are taken in together and cut off after the first part, and then the tokens are too old: what is stored can be ended',
    'nobody can release it',
    { api: { machines_per_launch: 1, prepares: false, token_valid_ms: 60_000 }, sweep: 'report' },
    { do: 'restart', elsewhere: true },
    request(2),
    killAfter('commit', 3),
    pass(8_000),
  ),
  past(
    'a return of many is cut off after the first part of its commit: none comes in their place',
    'more than asked',
    { api: { boot_ms: 20_000 } },
    request(12),
    pass(3_000),
    killAfter('full commit'),
    { do: 'return', of: 0, from: 0, machines: 8 },
    pass(8_000),
  ),
  past(
    'many become ready in one look, and it is cut off after the first part: all of them count',
    'figures',
    { api: { boot_ms: 8_000 } },
    request(12),
    pass(3_000),
    killAfter('full commit'),
    pass(30_000),
  ),
  past(
    'an answer with many machines is cut off after its first part, and then the token is too old: those that are stored can be ended',
    'signal not carried out',
    { api: { token_valid_ms: 60_000 } },
    { ...killAfter('full commit'), down_ms: 90_000 },
    request(20),
    pass(120_000),
  ),
  past(
    'an order that was given up has started machines after all: they are ended',
    'signal not carried out',
    { api: { token_valid_ms: 60_000 } },
    { do: 'launches', at: 0, mood: 'lost, executed', times: 30 },
    request(3),
    pass(300_000),
  ),
  past(
    'an order arrives after its sender died and its successor was refused: what it starts is ended',
    'signal not carried out',
    {},
    { do: 'kill', on: 'launch', side: 'before', executed: 'late', nth: 1, down_ms: 10, elsewhere: false },
    { do: 'launches', at: 0, mood: 'capacity', times: 1 },
    request(3),
    pass(30_000),
  ),
  past(
    'a read fails just when a signal was told of: the signal is carried out',
    'signal not carried out',
    {},
    request(3),
    pass(8_000),
    { do: 'storage', of: 'reads', fault: 'refused', after: 0, times: 1 },
    { do: 'return', of: 0, from: 0, machines: 1 },
    pass(2_000),
  ),
  past(
    'an instance refuses connections and another one is well: that one serves',
    'short without cause',
    { instances: [{}, {}] },
    request(1),
    pass(8_000),
    { do: 'refuse', at: 0, ms: 7_200_000 },
    request(3),
    pass(300_000),
  ),
  past(
    'more requests at once than an instance takes: the others wait',
    'over the limit',
    { instances: [{ max_concurrent: 1 }] },
    request(3, 4),
  ),
  past(
    'an instance lists nothing for a while: none of its machines is taken for gone',
    'living one told gone',
    {},
    request(1),
    { do: 'observations', at: 0, mood: 'empty', ms: 60_000 },
    pass(15_000),
  ),
  past(
    'an instance is disabled while a request has no order yet: it gets none',
    'ordered where disabled',
    {},
    request(3),
    { do: 'restart', elsewhere: false, change: { at: 0, to: 'disabled' } },
    pass(2_000),
  ),
  past(
    'the clock is set forward: machines that come up are not judged by it',
    'judged by the clock',
    { api: { boot_ms: 20_000 }, templates: [{ timeout: 1_200 }] },
    request(1),
    pass(2_000),
    { do: 'jump', ms: 660_000 },
    pass(8_000),
  ),
  past(
    'the clock is set forward: a request keeps the time that it has',
    'judged by the clock',
    { instances: [{ free: 0 }], templates: [{ retry_until_timeout: true }] },
    request(1),
    pass(10),
    {
      do: 'jump',
      ms: 660_000,
    },
  ),
  past(
    'machines of an all-or-nothing request are given back while others come up: it does not fail and keep the others',
    'wrong status',
    { api: { boot_ms: 20_000 }, templates: [{ partial: 'all_or_nothing' }] },
    request(2),
    pass(8_000),
    { do: 'return', of: 0, from: 0, machines: 1 },
  ),
  past(
    'a machine is lost that nothing replaces: it counts no longer against the limit of its template',
    'figures',
    { templates: [{ replace_lost: true }] },
    request(1),
    pass(8_000),
    { do: 'die', at: 0, from: 0, machines: 1 },
  ),
  past(
    'one instance has none of what is asked for, another one all, and one is given back: what is missing is counted once',
    'shortfall',
    { api: { boot_ms: 20_000 }, instances: [{ free: 0 }, {}] },
    request(2),
    pass(8_000),
    { do: 'return', of: 0, from: 0, machines: 1 },
  ),
  past(
    'the clock is set while nobody holds a request whose claim ended with the sleep of its host: the request is not judged by that either',
    'judged by the clock',
    { api: { boot_ms: 90_000 } },
    pass(3),
    request(1),
    { do: 'suspend', ms: 60_000 },
    pass(2_000),
    { do: 'jump', ms: 660_000 },
  ),
  past(
    'fleets that keep their number, and of which no handle is known, are ended by the sweep before their machines',
    'forgotten',
    {
      api: {
        kind: 'maintain',
        machines_per_launch: 1,
        offers_per_launch: 'one',
        offers: 3,
        prepares: false,
        token_valid_ms: 60_000,
        call_ms: 400,
      },
    },
    request(1),
    { do: 'capacity', at: 0, offer: 0, free: 0 },
    { do: 'launches', at: 0, mood: 'lost, executed', times: 2 },
    request(20),
    { do: 'kill', on: 'observe', side: 'after', executed: 'no', nth: 4, down_ms: 1_000, elsewhere: true },
    pass(2_000),
    { do: 'releases', at: 0, mood: 'unavailable', times: 30 },
    pass(30_000),
  ),
  past(
    'what was replaced before the end of its request, and is seen again after it, goes',
    'more than asked',
    { api: { kind: 'maintain' } },
    request(5),
    { do: 'jump', ms: 1_200_000 },
    { do: 'observations', at: 0, mood: 'missing', ms: 400_000 },
    pass(7_200_000),
  ),
  past(
    'fleets of a request that ended while their instance did not answer are removed when it does',
    'forgotten',
    {
      api: { kind: 'maintain', disposes: true, call_ms: 5_000 },
      instances: [{ weight: 10, max_concurrent: 3, free: 0 }],
      templates: [{ timeout: 90, partial: 'all_or_nothing' }],
      lease_ms: 30_000,
    },
    request(1),
    pass(60_000),
    { do: 'storage', of: 'reads', fault: 'unknown, not written', after: 0, times: 20 },
    { do: 'refuse', at: 0, ms: 60_000 },
    { do: 'freeze', on: 'read', side: 'before', executed: 'late', nth: 1, ms: 5_000 },
    pass(7_200_000),
  ),
  past(
    'a clock is set while a request is claimed again and cannot be read',
    'judged by the clock',
    {
      instances: [{ weight: 30, max_concurrent: 1, free: 4 }],
      templates: [{ timeout: 1_200, retry_until_timeout: true }],
    },
    request(6),
    pass(2_000),
    { do: 'suspend', ms: 900_000 },
    { do: 'storage', of: 'reads', fault: 'unknown, written', after: 1, times: 1 },
    { do: 'jump', ms: -30_000 },
    { do: 'jump', ms: 1_200_000 },
  ),
  past(
    'a machine that the cloud hid, and that nobody can see again while the host is suspended',
    'more than asked',
    {
      api: { seen_after_ms: 4_000 },
      lease_ms: 30_000,
    },
    request(2),
    pass(2_000),
    { do: 'observations', at: 1, mood: 'missing', ms: 60_000 },
    pass(30_000),
    { do: 'suspend', ms: 900_000 },
  ),
  past(
    'slots after a jump of the clock: a change of several commits takes its slot with its attempts',
    'over the limit',
    {
      api: { machines_per_launch: 1, prepares: false, call_ms: 400 },
      instances: [
        { weight: 30, free: 12 },
        { weight: 30, max_concurrent: 3, free: 4 },
      ],
      templates: [{ timeout: 90, retry_until_timeout: true }],
      sweep: 'terminate',
      rows_per_commit: 6,
    },
    request(20, 4),
    pass(30_000),
    { do: 'restart', elsewhere: false },
    { do: 'jump', ms: -30_000 },
  ),
  past(
    'a machine is found for a request that has ended, and its holder dies: the next one continues',
    'figures',
    { api: { kind: 'request' } },
    pass(60_000),
    request(2),
    pass(10),
    { do: 'refuse', at: 2, ms: 60_000 },
    pass(30_000),
    { do: 'cancel', of: 0 },
    { do: 'observations', at: 1, mood: 'empty', ms: 400_000 },
    pass(30_000),
    { do: 'jump', ms: 660_000 },
    { do: 'kill', on: 'full commit', side: 'after', executed: 'no', nth: 2, down_ms: 60_000, elsewhere: false },
    pass(60_000),
  ),
  past(
    'machines that the cloud took are returned before a fleet has replaced them: their places stay empty',
    'forgotten',
    {
      api: { kind: 'maintain' },
      instances: [{ max_concurrent: 3, free: 4 }],
      templates: [{ replace_lost: true }],
    },
    request(2),
    pass(30_000),
    { do: 'die', at: 2, from: 0, machines: 2 },
    request(8),
    { do: 'restart', elsewhere: false, change: { at: 2, to: 'there' } },
    { do: 'return', of: -1, from: 0, machines: 3 },
  ),
  past(
    'a request is accepted after the clock was set forward and back: it keeps its time',
    'judged by the clock',
    {
      instances: [{ free: 4 }],
      templates: [{ timeout: 90, partial: 'all_or_nothing', retry_until_timeout: true }],
    },
    { do: 'jump', ms: 6_000 },
    { do: 'jump', ms: -30_000 },
    pass(8_000),
    request(5),
  ),
  past(
    'a machine that the cloud took is returned before the order for another one is sent: the order is dropped',
    'more than asked',
    { api: { boot_ms: 20_000 }, instances: [{}, {}] },
    request(1),
    pass(8_000),
    { do: 'launches', at: 0, mood: 'quota', times: 1 },
    { do: 'refuse', at: 1, ms: 400_000 },
    { do: 'die', at: 0, from: 0, machines: 1 },
    pass(30_000),
    { do: 'return', of: 0, from: 0, machines: 10_000 },
  ),
  past(
    'a request is accepted after a suspension that follows a backward shift: it keeps its time',
    'judged by the clock',
    { api: { kind: 'plain' }, templates: [{ timeout: 300 }] },
    { do: 'jump', ms: -660_000 },
    { do: 'jump', ms: -660_000 },
    { do: 'suspend', ms: 900_000 },
    request(1),
  ),
  past(
    'a holder is frozen while it stores machines, and the next one yields: the order stays in doubt for the third',
    'forgotten',
    {
      api: { kind: 'plain', machines_per_launch: 40, late_release_ms: 0, boot_ms: 0, finds: false, disposes: false },
      templates: [{ timeout: 90, retry_until_timeout: true, on_rebalance: 'replace', rebalance_drain: 0 }],
      sweep: 'report',
      rows_per_commit: 6,
      lease_ms: 120_000,
    },
    { do: 'freeze', on: 'full commit', side: 'after', executed: 'late', nth: 1, ms: 150_000 },
    { do: 'return', of: 0, from: 0, machines: 10_000 },
    request(4),
    { do: 'capacity', at: 1, offer: 0, free: 3 },
    { do: 'refuse', at: 2, ms: 400_000 },
    { do: 'recommend', at: 0, from: 0, machines: 1 },
    { do: 'capacity', at: 2, offer: 0, free: 3 },
    pass(300_000),
  ),
  past(
    'the clock is set while nobody holds a request whose machine cannot be seen yet: the next holder looks for itself',
    'living one told gone',
    { api: { seen_after_ms: 4_000 } },
    request(1),
    pass(8_000),
    request(1),
    { do: 'jump', ms: 1_200_000 },
    { do: 'kill', on: 'commit', side: 'before', executed: 'no', nth: 1, down_ms: 10, elsewhere: true },
    { do: 'jump', ms: 1_200_000 },
  ),
  past(
    'the clock is set before the next holder looks for a machine anew: the time of its launch follows',
    'judged by the clock',
    {
      api: { kind: 'maintain', boot_ms: 90_000, seen_after_ms: 4_000 },
      instances: [{ max_concurrent: 1 }],
    },
    { do: 'request', machines: 2, template: 2, times: 4 },
    pass(30_000),
    { do: 'jump', ms: 1_200_000 },
  ),
  past(
    'a request is made after a set clock and a suspension, in the seconds before this process compares its clocks',
    'judged by the clock',
    { templates: [{ timeout: 300 }] },
    { do: 'jump', ms: -660_000 },
    { do: 'suspend', ms: 60_000 },
    { do: 'silence', ms: 400_000 },
    request(1),
  ),
  past(
    'an answer that is applied long after it was asked for: meanwhile the machine became visible',
    'living one told gone',
    {
      api: { machines_per_launch: 1, offers: 0, prepares: true, visible_within_ms: 30_000, call_ms: 5_000 },
      instances: [{ max_concurrent: 1 }],
      templates: [{ timeout: 1_200, retry_until_timeout: true, on_rebalance: 'replace' }],
      lease_ms: 120_000,
    },
    { do: 'observations', at: 0, mood: 'stale', ms: 400_000 },
    request(1),
    request(10, 4),
    pass(300_000),
  ),
];
