import { isFault, type Call, type ProviderFault } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';
import { tagValue } from '../template/tags.ts';
import { ownIdTag, type InstanceSummary } from './machines.ts';

/** One observation spends at most this long on tags: each machine needs a call of its own. */
const budgetMs = 2_000;
const atOnce = 4;
/** After a refusal that concerns all machines. */
const pauseMs = 600_000;
/** The longest time for which EC2 may not know a new machine. */
const propagationMs = 300_000;
const mostRemembered = 50_000;

interface Waiting {
  readonly volumes: readonly string[];
  readonly since: number;
}

interface OwnIdTags {
  /** By machine id. */
  readonly waiting: Map<string, Waiting>;
  /** Machines that have their tag, or cannot get it. The oldest are forgotten: their tag shows it too. */
  readonly done: Set<string>;
  paused_until: number;
  busy: boolean;
}

const tagsField = sessionField(
  (): OwnIdTags => ({ waiting: new Map(), done: new Set(), paused_until: -Infinity, busy: false }),
);

/**
 * Tags running machines and their volumes with the id of the machine, where the configuration demands it. A machine
 * knows its id only after its launch, and a call of CreateTags sets one value: so each machine is one call, and an
 * observation makes some of them. What remains is done by the next observations of any order. Repeatable: the tag is
 * set to the same value, and a restarted process sees it. Never fails the observation.
 */
export async function tagOwnIds(session: CloudSession, found: Iterable<InstanceSummary>, call: Call): Promise<void> {
  if (!session.settings.tag_instance_id) return;
  const tags = tagsField(session);
  for (const instance of found) note(session, tags, instance);
  if (tags.busy || tags.waiting.size === 0 || session.clock.monotonic() < tags.paused_until) return;
  tags.busy = true;
  try {
    const end = session.clock.monotonic() + budgetMs;
    const queue = [...tags.waiting];
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const fault = await tag(session, tags, next, call);
        // A refusal of one machine says nothing about the others; any other fault would meet them too.
        if (fault && !concernsOne(fault)) return void (queue.length = 0);
        if (session.clock.monotonic() >= end) return void (queue.length = 0);
      }
    };
    // The first call shows whether tags can be set at all.
    const [first] = queue.splice(0, 1);
    const fault = first && (await tag(session, tags, first, call));
    if (fault && !concernsOne(fault)) return;
    await Promise.all(Array.from({ length: atOnce }, worker));
  } finally {
    tags.busy = false;
  }
}

function note({ clock }: CloudSession, tags: OwnIdTags, instance: InstanceSummary): void {
  const { InstanceId: id, State, BlockDeviceMappings = [] } = instance;
  if (id === undefined || tags.done.has(id)) return;
  const isTagged = tagValue(instance.Tags, ownIdTag) === id;
  if (isTagged) finish(tags, id);
  else if (State?.Name === 'running') {
    const volumes = BlockDeviceMappings.flatMap(({ Ebs }) => Ebs?.VolumeId ?? []);
    if (tags.waiting.size < mostRemembered)
      tags.waiting.set(id, { volumes, since: tags.waiting.get(id)?.since ?? clock.monotonic() });
  } else tags.waiting.delete(id);
}

/** Sets the tag of one machine. Returns the fault, which the next observations repair where they can. */
async function tag(
  session: CloudSession,
  tags: OwnIdTags,
  [id, { volumes, since }]: readonly [string, Waiting],
  call: Call,
): Promise<ProviderFault | undefined> {
  try {
    await session.write(
      (ec2) => new ec2.CreateTagsCommand({ Resources: [id, ...volumes], Tags: [{ Key: ownIdTag, Value: id }] }),
      call,
    );
    finish(tags, id);
    return undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    const { code, message } = error;
    const about = { provider_instance: session.instance, machine_id: id, code };
    if (!concernsOne(error)) {
      const lasts = error.kind !== 'unavailable' && error.kind !== 'unknown-outcome' && error.kind !== 'throttled';
      if (lasts) tags.paused_until = session.clock.monotonic() + pauseMs;
      call.log[lasts ? 'warn' : 'debug'](about, `Machines are not tagged with their own id now: ${message}`);
    } else if (error.kind !== 'gone' || session.clock.monotonic() - since > propagationMs) {
      finish(tags, id);
      call.log.warn(about, `'${id}' is not tagged with its own id: ${message}`);
    }
    return error;
  }
}

/** Unknown ids, and machines with as many tags as they may have. */
const concernsOne = ({ kind, code }: ProviderFault): boolean => kind === 'gone' || code === 'TagLimitExceeded';

function finish({ waiting, done }: OwnIdTags, id: string): void {
  waiting.delete(id);
  done.add(id);
  if (done.size <= mostRemembered) return;
  for (const oldest of done) return void done.delete(oldest);
}
