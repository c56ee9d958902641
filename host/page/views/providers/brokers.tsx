import type { BrokerList } from '../../api/shapes.ts';
import { Empty } from '../../parts/show.tsx';
import { State } from '../../parts/state-mark.tsx';
import { Ago } from '../../parts/times.tsx';
import { Section } from '../../shell/view.tsx';
import { figure } from '../../words/numbers.ts';
import { brokerState } from '../../words/states.ts';

/** The brokers that share the storage. */
export const Brokers = ({ brokers }: BrokerList) => (
  <Section title="Brokers" note="that share the storage">
    {brokers.length === 0 ? <Empty>No broker works on this storage.</Empty> : null}
    <div class="table-place" tabIndex={0} role="group" aria-label="Table of brokers">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Broker</th>
            <th scope="col">State</th>
            <th scope="col">Where</th>
            <th scope="col">Version</th>
            <th scope="col">Serves</th>
            <th scope="col" class="right">
              Requests
            </th>
            <th scope="col" class="right">
              Started
            </th>
          </tr>
        </thead>
        <tbody>
          {brokers.map(({ broker_id, status, host, pid, address, version, serves, holds, started_at, warnings }) => (
            <tr key={broker_id}>
              <th scope="row">
                <span class="id">{broker_id}</span>
                {warnings.map((warning) => (
                  <span key={warning} class="row-note warning">
                    {warning}
                  </span>
                ))}
              </th>
              <td>
                <State mark={brokerState(status).mark}>{brokerState(status).word}</State>
              </td>
              <td>
                {host}, process <span class="number">{pid}</span>
                {address ? <span class="row-note">{address}</span> : null}
              </td>
              <td class="number">{version}</td>
              <td>{serves.map(({ name }) => name).join(', ') || '–'}</td>
              <td class="right number">{figure(holds)}</td>
              <td class="right">
                <Ago at={started_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Section>
);
