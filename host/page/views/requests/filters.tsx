import { address, setQuery } from '../../parts/address.ts';
import { requestState } from '../../words/states.ts';

const statuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
const kinds = [
  ['provision', 'requests for machines'],
  ['return', 'returns'],
] as const;

/** The filter of the list of requests. */
export function Filters() {
  const { query } = address.value;
  const set = (name: string, value: string): void => setQuery({ [name]: value, offset: '' });
  return (
    <form class="filters" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>Status</span>
        <select value={query.get('status') ?? ''} onChange={({ currentTarget }) => set('status', currentTarget.value)}>
          <option value="">any</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {requestState(status).word}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Kind</span>
        <select value={query.get('kind') ?? ''} onChange={({ currentTarget }) => set('kind', currentTarget.value)}>
          <option value="">any</option>
          {kinds.map(([kind, words]) => (
            <option key={kind} value={kind}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Template</span>
        <input
          type="search"
          value={query.get('template_id') ?? ''}
          placeholder="any"
          spellcheck={false}
          onChange={({ currentTarget }) => set('template_id', currentTarget.value.trim())}
        />
      </label>
    </form>
  );
}
