import { DescribeInstancesCommand, EC2Client, type Instance, type LaunchTemplateVersion } from '@aws-sdk/client-ec2';
import type { ExecutionContext } from 'ava';
import type { Clock, LaunchOrder, ProviderApi } from '../../../core/index.ts';
import { standingClock } from '../../../plugins/cloud-simulator/clock.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { cloud, type CloudSession } from '../../../plugins/cloud/index.ts';
import { contextOf, prepared, stage, type Stage } from './support.ts';

export const hourMs = 3_600_000;
export const weekMs = 7 * 24 * hourMs;

export interface Shelf {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly default: number;
  /** By number. */
  readonly versions: Readonly<Record<number, string>>;
}

/** A cloud whose time stands still, and what launch templates there are. */
export interface TemplateStage extends Stage {
  /** As a broker has it that was started anew, or another one of an installation; ends with the test. */
  another(installation?: string, config?: object): Promise<Stage>;
  order(api: ProviderApi, more?: Partial<LaunchOrder<any, any>>, at?: Stage): Promise<LaunchOrder<any, any>>;
  /** Launch templates as they are, oldest first, whoever made them. */
  shelves(): Shelf[];
  /** One version as EC2 shows it. */
  version(used: { id: string; version: string }): Promise<LaunchTemplateVersion | undefined>;
  /** The machines of an order with all their properties, of which the provider reads only some. */
  machines(order: Pick<LaunchOrder, 'request_id'>): Promise<Instance[]>;
}

/** Starts on the first hour of a week. */
export async function templateStage(
  t: ExecutionContext,
  launch_template: object = {},
  knobs: KnobChange = {},
): Promise<TemplateStage> {
  const clock = standingClock(2_900 * weekMs);
  const still: Clock = { now: () => clock.now(), monotonic: () => clock.now(), sleep: async () => {} };
  const first = await stage({ launch_template }, { clock: still }, { clock, knobs });
  const sessions: CloudSession[] = [];
  t.teardown(async () => {
    for (const session of sessions) session.close();
    await first.close();
  });
  return {
    ...first,
    async another(installation = 'inst-1', config = { launch_template }) {
      const keys = { access_key_id: 'AKIATEST000000000000', secret_access_key: 'a-secret-that-nobody-sees' };
      const session = await cloud.connect(
        { endpoint_url: first.simulator.url, ...keys, ...config },
        contextOf({ clock: still, installation }),
      );
      sessions.push(session);
      return { ...first, session };
    },
    order: (api, more, at = first) => prepared(api, at, more),
    shelves: () =>
      [...first.simulator.state.regions()].flatMap(({ templates }) =>
        [...templates.byId.values()].map(({ name, tags, defaultVersion, versions }) => ({
          name,
          tags: Object.fromEntries(tags as Iterable<[string, string]>),
          default: defaultVersion,
          versions: Object.fromEntries(
            [...versions.values()].map(({ number, description }) => [number, description ?? '']),
          ),
        })),
      ),
    async version({ id, version }) {
      const { LaunchTemplateVersions } = await first.session.read(
        (ec2) => new ec2.DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId: id, Versions: [version] }),
        first.call,
      );
      return LaunchTemplateVersions?.[0];
    },
    async machines({ request_id }) {
      const credentials = { accessKeyId: 'AKIATEST000000000000', secretAccessKey: 'a-secret-that-nobody-sees' };
      const client = new EC2Client({ region: 'us-east-1', endpoint: first.simulator.url, credentials });
      try {
        const Filters = [{ Name: 'tag:muster:request-id', Values: [request_id] }];
        const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ Filters }));
        return Reservations.flatMap(({ Instances = [] }) => Instances);
      } finally {
        client.destroy();
      }
    },
  };
}
