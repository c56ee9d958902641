import { isFault, type Call, type LaunchOrder } from '../../../../core/index.ts';
import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';
import { ownTags } from '../../template/tags.ts';
import { digest } from '../contents.ts';
import { weekIn } from '../descriptions.ts';
import { templatesTagged, versionsOf, type VersionSummary } from '../describe-templates.ts';
import { templateTags } from '../create.ts';
import { deleteTemplate, deleteVersions } from './deletions.ts';
import { isOver, unusedAfterMs, weekOf } from './week.ts';

/** The shortest time between two searches for unused launch templates, and how many each search checks at most. */
const cleanUpIntervalMs = 3_600_000;
const maxChecks = 20;

/**
 * Deletes the oldest versions of a launch template of shared contents beyond `max_versions_per_template`, if no order
 * can still use them: only versions of a week that is over. `versions`: all versions, the newest last. A failed
 * clean-up is logged and left to the next one.
 */
export async function cleanVersions(
  session: CloudSession,
  id: string,
  versions: readonly VersionSummary[],
  { token }: Pick<LaunchOrder, 'token'>,
  call: Call,
): Promise<void> {
  const { cleanup_old_versions, max_versions_per_template } = session.settings.launch_template;
  const newest = versions.at(-1);
  const excess = versions.length - max_versions_per_template;
  if (!cleanup_old_versions || excess <= 0 || !newest) return;
  const now = session.clock.now();
  const old = versions.slice(0, excess).filter(({ description }) => {
    const week = weekIn(description);
    return week !== undefined && isOver(week, now);
  });
  if (old.length === 0) return;
  await loggingFailure(call, id, async () => {
    // The default version cannot be deleted.
    if (old.some((each) => each.is_default)) {
      const change = { LaunchTemplateId: id, DefaultVersion: String(newest.number) };
      const ClientToken = digest(`default ${id} ${newest.number} ${token}`);
      await session.write((ec2) => new ec2.ModifyLaunchTemplateCommand({ ...change, ClientToken }), call);
    }
    await deleteVersions(
      session,
      id,
      old.map((each) => String(each.number)),
      call,
    );
  });
}

/** The time of the last search for unused launch templates, and the week in which each was found in use. */
const cleanUps = sessionField(() => ({ at: -Infinity, weekOf: new Map<string, number>() }));

/**
 * Deletes launch templates of shared contents whose newest version no order can still use. Checks a few templates,
 * each once a week.
 */
export async function cleanTemplates(session: CloudSession, call: Call): Promise<void> {
  if (!session.settings.launch_template.cleanup_old_versions) return;
  const now = session.clock.now();
  const done = cleanUps(session);
  if (now - done.at < cleanUpIntervalMs) return;
  done.at = now;
  await loggingFailure(call, 'of shared contents', async () => {
    const ours = { [ownTags.installation]: session.installation, [templateTags.holds]: 'contents' };
    const due = (await templatesTagged(session, ours, call)).flatMap(({ LaunchTemplateId: id, CreateTime }) =>
      id !== undefined &&
      CreateTime !== undefined &&
      now - CreateTime.getTime() > unusedAfterMs &&
      done.weekOf.get(id) !== weekOf(now)
        ? [id]
        : [],
    );
    for (const id of due.slice(-maxChecks)) {
      const [newest] = await versionsOf(session, id, call, '$Latest');
      const week = weekIn(newest?.description);
      if (week !== undefined && isOver(week, now)) await deleteTemplate(session, id, call);
      else done.weekOf.set(id, weekOf(now));
    }
  });
}

/** Logs a failure: the leftovers cost little, and the order that triggered the clean-up must not fail. */
async function loggingFailure(call: Call, launch_template: string, clean: () => Promise<void>): Promise<void> {
  try {
    await clean();
  } catch (error) {
    if (!isFault(error)) throw error;
    call.log.warn(
      { code: error.code, launch_template },
      `Old versions of launch templates were not deleted; the next clean-up retries: ${error.message}`,
    );
  }
}
