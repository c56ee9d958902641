import pLimit from 'p-limit';
import type { Call, CheckedTemplate, CheckResult, ProviderCheck } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { drySession, type DryCall } from './dry-session.ts';
import { policyPage } from './policy-page.ts';
import { rehearse } from './rehearse.ts';
import { counted, error, named, ok, warning } from './results.ts';

/** The check ends within 30 s; templates that are not rehearsed after this time are named instead. */
const budgetMs = 22_000;
const atATime = 4;

/** What the rehearsal of one template found. */
interface Rehearsed {
  readonly template: CloudTemplate;
  readonly calls: readonly DryCall[];
  /** Why an order cannot be prepared or launched, in words of the cloud. */
  readonly refusals: readonly CheckResult[];
}

/**
 * Whether the identity may make every call that the templates need. The provider APIs run whole orders, from their
 * preparation to their disposal, with a session whose changes are dry runs.
 */
export const permissionsCheck: ProviderCheck<CloudSession> = {
  name: 'permissions',
  why: 'AWS refuses a call without its permission, and the request fails or its machines are not returned.',
  remedy: `Grant the permission to the identity of the instance; ${policyPage()} has the whole policy.`,
  async run(session, templates, call) {
    const until = performance.now() + budgetMs;
    const limit = pLimit(atATime);
    const late: CloudTemplate[] = [];
    const rehearsed = await Promise.all(
      templates.map((each) =>
        limit(async () => {
          if (performance.now() < until) return rehearsalOf(session, each, call);
          late.push(each.template as CloudTemplate);
          return undefined;
        }),
      ),
    );
    const done = rehearsed.filter((each) => each !== undefined);
    const wrong = [...denials(done), ...done.flatMap(({ refusals }) => refusals)];
    const tried = done.reduce((sum, { calls }) => sum + calls.filter(isTried).length, 0);
    return [
      ...wrong,
      ...(wrong.length === 0 && tried > 0
        ? [ok(`AWS permits ${counted(tried, 'dry run')} of the calls of ${counted(done.length, 'template')}.`)]
        : []),
      ...unclear(done),
      ...untried(done),
      ...(late.length > 0
        ? [
            warning(
              `There was no time to try the calls of ${named(late)}.`,
              'Run muster doctor again with --instance.',
            ),
          ]
        : []),
    ];
  },
};

const isTried = ({ outcome }: DryCall): boolean => outcome === 'permitted';

async function rehearsalOf(session: CloudSession, checked: CheckedTemplate, call: Call): Promise<Rehearsed> {
  const calls: DryCall[] = [];
  const dry = drySession(session, (each) => calls.push(each));
  const faults = await rehearse(dry, checked, calls, call);
  const { template_id } = checked.template;
  const refusals = faults.map((fault) => {
    const message = `Template '${template_id}': ${fault.message}`;
    const remedy = 'Correct the template as the message says.';
    return fault.kind === 'invalid' || fault.kind === 'gone' ? error(message, remedy) : warning(message, remedy);
  });
  return { template: checked.template as CloudTemplate, calls, refusals };
}

/** One result for each permission that is missing, with the templates that need it. */
function denials(rehearsed: readonly Rehearsed[]): readonly CheckResult[] {
  const by = new Map<string, { readonly message: string; readonly of: Set<CloudTemplate> }>();
  for (const { template, calls } of rehearsed)
    for (const { action, outcome, fault } of calls) {
      if (outcome !== 'denied') continue;
      const known = by.get(action) ?? { message: fault?.message ?? '', of: new Set<CloudTemplate>() };
      by.set(action, { ...known, of: known.of.add(template) });
    }
  return [...by].map(([action, { message, of }]) => error(`${action} is denied: ${named([...of])}. ${message}`));
}

/** Denials that may be due to a condition on the tags of resources, as that of the documented policy. */
function unclear(rehearsed: readonly Rehearsed[]): readonly CheckResult[] {
  const { actions, of } = withOutcome(rehearsed, 'unclear');
  if (of.length === 0) return [];
  const own = 'muster:installation';
  return [
    warning(
      `${actions.join(', ')} cannot be tried: denied for a resource that does not exist. A policy that permits it by the tag ${own} does the same, and permits it for what muster made. Needed by ${named(of)}.`,
      `Make sure that the identity may do it with resources that have the tag ${own}, as the policy in ${policyPage()} allows: otherwise machines are not returned.`,
    ),
  ];
}

function untried(rehearsed: readonly Rehearsed[]): readonly CheckResult[] {
  const { actions, of } = withOutcome(rehearsed, 'untried');
  if (of.length === 0) return [];
  return [
    warning(
      `${actions.join(', ')} cannot be tried: AWS has no dry run of it. Needed by ${named(of)}.`,
      `Compare the policy of the identity with ${policyPage()}.`,
    ),
  ];
}

/** The actions of the calls with an outcome, each once, and the templates that need them. */
function withOutcome(
  rehearsed: readonly Rehearsed[],
  outcome: DryCall['outcome'],
): { readonly actions: readonly string[]; readonly of: readonly CloudTemplate[] } {
  const concerned = rehearsed.filter(({ calls }) => calls.some((each) => each.outcome === outcome));
  const actions = concerned.flatMap(({ calls }) => calls.filter((each) => each.outcome === outcome));
  return {
    actions: [...new Set(actions.map(({ action }) => action))],
    of: concerned.map(({ template }) => template),
  };
}
