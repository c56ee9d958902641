import { send } from '../../api/broker-client.ts';
import { api, prefix } from '../../api/place.ts';
import { useMachinesOf } from '../../api/all-machines.ts';
import type { Explanation, JournalEvent, RequestStatus, Timeline } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { goTo, linkToRequest } from '../../parts/address.ts';
import { now } from '../../parts/clock.ts';
import { Copy } from '../../parts/copy.tsx';
import { hasControls } from '../../parts/mode.ts';
import { Show } from '../../parts/show.tsx';
import { View } from '../../shell/view.tsx';
import { count } from '../../words/numbers.ts';
import { Attempts } from './attempts.tsx';
import { asCommand, asCurl } from './commands.ts';
import { Facts } from './facts.tsx';
import { Journal } from './journal.tsx';
import { RequestMachines } from './request-machines.tsx';
import { WaterfallPicture } from './waterfall.tsx';
import { waterfall } from './waterfall-layout.ts';
import { Why } from './why.tsx';

/** The most machines of a request: all of them are drawn. */
const mostMachines = 10_000;

const isOpen = ({ status }: RequestStatus): boolean => status === 'pending' || status === 'in_progress';

/** One request or return: its course, its orders, its machines, and why it stands as it does. */
export function RequestView({ id }: { readonly id: string }) {
  const concerns = ({ request_id }: JournalEvent): boolean => request_id === id;
  const path = `${api}/requests/${encodeURIComponent(id)}`;
  const status = useAnswer<RequestStatus>(`${path}/status?long=${id.startsWith('ret-')}`, { concerns, every_s: 30 });
  const explained = useAnswer<Explanation>(`${path}/explain`, { concerns, every_s: 30 });
  const timeline = useAnswer<Timeline>(`${path}/timeline`, { concerns });
  const machines = useMachinesOf(id, mostMachines);
  const request = status.value.value;
  return (
    <View
      title={id}
      isId
      controls={request ? <Controls request={request} machine_ids={living(machines.value.value?.machines)} /> : null}
    >
      <Show answer={status.value} what="the request">
        {(request) => (
          <>
            <Facts
              request={request}
              explained={explained.value.value}
              timeline={timeline.value.value}
              machines={machines.value.value?.machines}
            />
            {id.startsWith('ret-') ? null : (
              <Course
                request={request}
                timeline={timeline.value.value}
                attempts={explained.value.value?.attempts ?? []}
                machines={machines.value.value?.machines ?? []}
              />
            )}
            {explained.value.value ? (
              <div class="columns even">
                <Attempts attempts={explained.value.value.attempts} />
                <Why explained={explained.value.value} />
              </div>
            ) : null}
            <RequestMachines answer={machines.value} request={request} />
            <Journal answer={timeline.value} />
          </>
        )}
      </Show>
    </View>
  );
}

interface CourseProps {
  readonly request: RequestStatus;
  readonly timeline: Timeline | undefined;
  readonly attempts: Explanation['attempts'];
  readonly machines: Parameters<typeof waterfall>[0]['machines'];
}

/** Redrawn each second while the request is open, and when something changed. */
function Course({ request: { created_at, completed_at, ...request }, timeline, attempts, machines }: CourseProps) {
  const open = isOpen(request as RequestStatus);
  const moves = open || machines.some(({ gone_at }) => gone_at === null);
  const drawn = waterfall({
    created_at,
    completed_at,
    now: moves ? now.value : now.peek(),
    timeline,
    attempts,
    machines,
  });
  return <WaterfallPicture drawn={drawn} from={Date.parse(created_at)} isOpen={open} />;
}

type Living = readonly { readonly provider_instance: string; readonly machine_id: string }[];

const living = (
  machines: readonly {
    readonly machine_id: string;
    readonly provider_instance: string;
    readonly gone_at: string | null;
    readonly return_id: string | null;
  }[] = [],
): Living => machines.filter(({ gone_at, return_id }) => gone_at === null && return_id === null);

function Controls({ request, machine_ids }: { readonly request: RequestStatus; readonly machine_ids: Living }) {
  const { request_id } = request;
  return (
    <>
      <Copy label="Copy as CLI" text={asCommand(request)} />
      <Copy label="Copy as curl" text={asCurl(request, `${location.origin}${prefix}`)} />
      {hasControls && isOpen(request) && !request_id.startsWith('ret-') ? (
        <Action
          label="Cancel"
          title="Cancel this request?"
          grave
          act={() => send('DELETE', `${api}/requests/${encodeURIComponent(request_id)}`)}
        >
          <p>
            The broker orders no more machines for <span class="id">{request_id}</span> and releases those that it has.
          </p>
        </Action>
      ) : null}
      {hasControls && !isOpen(request) && machine_ids.length > 0 ? (
        <Action
          label={`Return ${count(machine_ids.length, 'machine')}`}
          title={`Return ${count(machine_ids.length, 'machine')}?`}
          grave
          act={() =>
            send<{ readonly request_id: string }>('POST', `${api}/machines/return`, {
              machine_ids: machine_ids.map(({ machine_id }) => machine_id),
            })
          }
          done={({ request_id: return_id }) => goTo(linkToRequest(return_id))}
        >
          <p>They end in the cloud and are not replaced.</p>
        </Action>
      ) : null}
    </>
  );
}
