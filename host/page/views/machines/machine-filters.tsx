import { address, setQuery } from '../../parts/address.ts';
import { machineState } from '../../words/states.ts';

const statuses = ['pending', 'running', 'shutting-down', 'stopping', 'stopped', 'terminated', 'failed'] as const;
const markets = ['ondemand', 'spot', 'capacity_block'] as const;
const orders = [
  ['created_at:desc', 'newest first'],
  ['', 'oldest first'],
  ['name:asc', 'by name'],
  ['machine_id:asc', 'by id'],
] as const;
const texts = [
  ['template_id', 'Template'],
  ['provider_instance', 'Instance'],
  ['request_id', 'Request'],
] as const;

/** The names of the filters in the address, which are those of the route. */
export const filterNames = [
  'status',
  'market',
  'template_id',
  'provider_instance',
  'request_id',
  'all_resources',
  'sort',
];

/** The query of the list for the present address. Without an order the newest machine comes first. */
export function listQuery(query: URLSearchParams): string {
  const list = new URLSearchParams();
  for (const name of filterNames) {
    const value = query.get(name);
    if (value) list.set(name, value);
  }
  if (!query.has('sort')) list.set('sort', 'created_at:desc');
  if (list.get('sort') === 'oldest') list.delete('sort');
  return list.toString();
}

/** The filter of the list of machines. */
export function MachineFilters() {
  const { query } = address.value;
  const sort = query.get('sort') ?? 'created_at:desc';
  return (
    <form class="filters" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>Status</span>
        <select
          value={query.get('status') ?? ''}
          onChange={({ currentTarget }) => setQuery({ status: currentTarget.value })}
        >
          <option value="">any</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {machineState(status).word}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Market</span>
        <select
          value={query.get('market') ?? ''}
          onChange={({ currentTarget }) => setQuery({ market: currentTarget.value })}
        >
          <option value="">any</option>
          {markets.map((market) => (
            <option key={market} value={market}>
              {market}
            </option>
          ))}
        </select>
      </label>
      {texts.map(([name, label]) => (
        <label key={name}>
          <span>{label}</span>
          <input
            type="search"
            placeholder="any"
            spellcheck={false}
            value={query.get(name) ?? ''}
            onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value.trim() })}
          />
        </label>
      ))}
      <label>
        <span>Order</span>
        <select
          value={sort === 'oldest' ? '' : sort}
          onChange={({ currentTarget }) => setQuery({ sort: currentTarget.value || 'oldest' })}
        >
          {orders.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={query.get('all_resources') === 'true'}
          onChange={({ currentTarget }) => setQuery({ all_resources: currentTarget.checked ? 'true' : '' })}
        />
        <span>Also those that are gone</span>
      </label>
    </form>
  );
}
