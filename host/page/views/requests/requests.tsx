import { api } from '../../api/place.ts';
import type { JournalEvent, RequestList } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { address, setQuery } from '../../parts/address.ts';
import { RequestLink, TemplateLink } from '../../parts/links.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Empty, Show } from '../../parts/show.tsx';
import { State } from '../../parts/state-mark.tsx';
import { Ago, Between } from '../../parts/times.tsx';
import { View } from '../../shell/view.tsx';
import { calmMessage } from '../../words/calm-message.ts';
import { figure } from '../../words/numbers.ts';
import { requestState } from '../../words/states.ts';
import { Filters } from './filters.tsx';
import { Pager } from './pager.tsx';

const pageSize = 50;
const concerns = ({ type }: JournalEvent): boolean => /^(request|return)\.|^machine\.ready|^attempt\./.test(type);

/** All requests and returns, newest first. The filter is part of the address. */
export function Requests() {
  const { query } = address.value;
  const offset = Number(query.get('offset') ?? 0) || 0;
  const filters = new URLSearchParams({ limit: String(pageSize), offset: String(offset) });
  for (const name of ['status', 'template_id', 'kind']) {
    const value = query.get(name);
    if (value) filters.set(name, value);
  }
  const answer = useAnswer<RequestList>(`${api}/requests/?${filters}`, { concerns });
  const isFiltered = ['status', 'template_id', 'kind'].some((name) => query.has(name));
  return (
    <View title="Requests" note="Requests for machines, and returns of machines, newest first.">
      <Filters />
      <Show answer={answer.value} what="the requests">
        {({ requests, total_count }) => (
          <>
            {requests.length === 0 ? (
              <Empty>
                {isFiltered ? 'No request matches the filter.' : 'No machines were ever requested from this broker.'}
              </Empty>
            ) : (
              <RequestTable requests={requests} />
            )}
            <Pager
              offset={offset}
              size={pageSize}
              total={total_count}
              go={(to) => setQuery({ offset: to === 0 ? '' : String(to) })}
            />
          </>
        )}
      </Show>
    </View>
  );
}

type Row = RequestList['requests'][number];

const RequestTable = ({ requests }: { readonly requests: readonly Row[] }) => (
  <div class="table-place" tabIndex={0} role="group" aria-label="Table of requests">
    <table class="table requests cards" role="table">
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">
            Request
          </th>
          <th role="columnheader" scope="col">
            State
          </th>
          <th role="columnheader" scope="col">
            Template
          </th>
          <th role="columnheader" scope="col">
            Instance
          </th>
          <th role="columnheader" scope="col" class="right">
            Machines
          </th>
          <th role="columnheader" scope="col" class="right">
            Asked for
          </th>
          <th role="columnheader" scope="col" class="right">
            Took
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {requests.map((request) => (
          <RequestRow key={request.request_id} request={request} />
        ))}
      </tbody>
    </table>
  </div>
);

function RequestRow({ request }: { readonly request: Row }) {
  const { request_id, status, template_id, provider_instance, requested_count, fulfilment, message } = request;
  const isReturn = request_id.startsWith('ret-');
  const delivered = isReturn ? undefined : fulfilment?.delivered;
  const { mark, word } = requestState(status, delivered, requested_count);
  return (
    <tr role="row">
      <th role="rowheader" scope="row">
        <RequestLink id={request_id} />
        <span class="row-note">{calmMessage(message)}</span>
      </th>
      <td role="cell">
        <State mark={mark}>{word}</State>
      </td>
      <td role="cell">{isReturn ? <span class="quiet">return</span> : <TemplateLink id={template_id} />}</td>
      <td role="cell">{provider_instance ?? <span class="quiet">none yet</span>}</td>
      <td role="cell" class="right">
        <span class="number nowrap">
          {delivered === undefined ? '' : `${figure(delivered)} of `}
          {figure(requested_count)}
        </span>
        {delivered === undefined ? null : <Meter have={delivered} of={requested_count} label="Delivered" />}
      </td>
      <td role="cell" class="right">
        <Ago at={request.created_at} />
      </td>
      <td role="cell" class="right">
        <Between from={request.created_at} to={request.completed_at} />
      </td>
    </tr>
  );
}
