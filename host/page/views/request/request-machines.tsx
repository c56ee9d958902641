import type { AllMachines } from '../../api/all-machines.ts';
import type { Machine, RequestStatus } from '../../api/shapes.ts';
import type { Answer } from '../../api/use-answer.ts';
import { linkTo } from '../../parts/address.ts';
import { Empty, Show } from '../../parts/show.tsx';
import { State } from '../../parts/state-mark.tsx';
import { Ago } from '../../parts/times.tsx';
import { Section } from '../../shell/view.tsx';
import { priceText } from '../../words/cost.ts';
import { figure } from '../../words/numbers.ts';
import { machineState } from '../../words/states.ts';

const mostRows = 25;

interface RequestMachinesProps {
  readonly answer: Answer<AllMachines>;
  readonly request: RequestStatus;
}

/** The machines of a request, the living ones first; of a return, those that are given back. */
export function RequestMachines({ answer, request }: RequestMachinesProps) {
  if (request.request_id.startsWith('ret-')) return <Returned request={request} />;
  return (
    <Section title="Machines" note={answer.value ? figure(answer.value.total) : null}>
      <Show answer={answer} what="the machines">
        {({ machines, total }) => {
          const sorted = machines.toSorted((a, b) => Number(a.gone_at !== null) - Number(b.gone_at !== null));
          return (
            <>
              {machines.length === 0 ? (
                <Empty>The request has no machine yet.</Empty>
              ) : (
                <MachineTable machines={sorted.slice(0, mostRows)} />
              )}
              {total > mostRows ? (
                <p>
                  <a href={`${linkTo('/machines')}?request_id=${request.request_id}&all_resources=true`}>
                    All {figure(total)} machines
                  </a>
                </p>
              ) : null}
            </>
          );
        }}
      </Show>
    </Section>
  );
}

const MachineTable = ({ machines }: { readonly machines: readonly Machine[] }) => (
  <div class="table-place" tabIndex={0} role="group" aria-label="Table of machines">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Machine</th>
          <th scope="col">State</th>
          <th scope="col">Address</th>
          <th scope="col">Type, market, zone</th>
          <th scope="col" class="right">
            Order
          </th>
          <th scope="col" class="right">
            $ an hour
          </th>
          <th scope="col" class="right">
            Launched
          </th>
        </tr>
      </thead>
      <tbody>
        {machines.map((machine) => (
          <tr key={`${machine.provider_instance} ${machine.machine_id}`}>
            <th scope="row">
              <span class="id">{machine.machine_id}</span>
              {machine.message ? <span class="row-note">{machine.message}</span> : null}
            </th>
            <td>
              <State mark={machineState(machine.status).mark}>{machineState(machine.status).word}</State>
            </td>
            <td class="number">{machine.private_ip ?? '–'}</td>
            <td>{[machine.machine_type, machine.market, machine.zone].filter(Boolean).join(' · ') || '–'}</td>
            <td class="right number">{machine.attempt}</td>
            <td class="right number">{priceText(machine.cost)}</td>
            <td class="right">{machine.created_at ? <Ago at={machine.created_at} /> : null}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function Returned({ request: { machines = [], machine_ids = [] } }: { readonly request: RequestStatus }) {
  const known = new Map(machines.map((machine) => [machine.machine_id, machine]));
  const first = machine_ids.slice(0, mostRows);
  return (
    <Section title="Machines" note={figure(machine_ids.length)}>
      <ul class="returned">
        {first.map((id) => {
          const status = known.get(id)?.status;
          return (
            <li key={id}>
              <span class="id">{id}</span>
              {status ? <State mark={machineState(status).mark}>{machineState(status).word}</State> : null}
            </li>
          );
        })}
      </ul>
      {machine_ids.length > mostRows ? <p class="quiet">and {figure(machine_ids.length - mostRows)} more</p> : null}
    </Section>
  );
}
