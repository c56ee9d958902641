import example from '../../../../docs/examples/provider-processes/index.ts';
import { Places } from '../../../../docs/examples/provider-processes/places.ts';
import type { MachineReport, Plugin, ProviderApi } from '../../../../core/index.ts';
import { staged } from './staging.ts';

/**
 * The example provider of processes, whose cloud can also be short of machines, and announce that it takes one back:
 * see `staging`.
 */
const [api] = example.providerApis as readonly ProviderApi<any>[];
if (!api) throw new Error('The example has no API.');

interface Session {
  readonly config: { readonly directory: string; readonly max_processes: number };
  readonly lock: ConstructorParameters<typeof Places>[1];
}

const withReclaim =
  (directory: string) =>
  (report: MachineReport): MachineReport => {
    const reclaim_at = staged.reclaimAt(directory, report.machine_id);
    return reclaim_at === undefined ? report : { ...report, reclaim_at };
  };

const stagedApi: ProviderApi<any> = {
  ...api,
  async launch(session: Session, ...given) {
    const { directory, max_processes } = session.config;
    const most = staged.most(directory) ?? max_processes;
    return api.launch({ ...session, places: new Places(directory, session.lock, most) }, ...given);
  },
  async observe(session: Session, ...given) {
    const answers = await api.observe(session, ...given);
    const told = withReclaim(session.config.directory);
    return answers.map((answer) =>
      'machines' in answer ? { ...answer, machines: answer.machines.map(told) } : answer,
    );
  },
};

export default { ...example, name: 'staged-processes', providerApis: [stagedApi] } satisfies Plugin;
