import { useSignal } from '@preact/signals';
import type { Account } from '../../api/shapes.ts';
import { count } from '../../words/numbers.ts';

type List = Account['incomplete'][number]['list'];

/** Subnets and security groups of one network. What is not known to the broker, or only in part, is typed. */
export function AccountFields({ account }: { readonly account: Account | undefined }) {
  const { networks = [], subnets = [], security_groups = [] } = account ?? {};
  const chosen = useSignal<string | undefined>(undefined);
  const network = chosen.value ?? networks[0]?.id;
  const isThere = (network_id: string | null) =>
    network === undefined || network_id === null || network_id === network;
  return (
    <>
      {networks.length > 1 ? (
        <label class="field">
          <span>Network</span>
          <select value={network} onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}>
            {networks.map((each) => (
              <option key={each.id} value={each.id}>
                {[named(each), each.address_block, each.is_default && 'default'].filter(Boolean).join(' · ')}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <Ids
        name="subnet_ids"
        title="Subnets"
        isPartial={isPartial(account, 'subnets', 'networks')}
        choices={subnets
          .filter(({ network_id }) => isThere(network_id))
          .map((each) => [each.id, [named(each), each.zone, room(each.free_addresses)].filter(Boolean).join(' · ')])}
      />
      <Ids
        name="security_group_ids"
        title="Security groups"
        isPartial={isPartial(account, 'security_groups')}
        choices={security_groups.filter(({ network_id }) => isThere(network_id)).map((each) => [each.id, named(each)])}
      />
    </>
  );
}

interface IdsProps {
  readonly name: string;
  readonly title: string;
  /** Ids with the text that describes them. */
  readonly choices: readonly (readonly [id: string, text: string])[];
  /** Whether there are more than the choices. */
  readonly isPartial: boolean;
}

/** Ids to tick, and a line for others when there are none to tick, or not all. */
function Ids({ name, title, choices, isPartial }: IdsProps) {
  return (
    <fieldset class="choices">
      <legend>{title}</legend>
      {choices.length > 0 ? (
        <div class="choice-list">
          {choices.map(([id, text]) => (
            <label key={id} class="choice">
              <input type="checkbox" name={name} value={id} />
              <span>{text}</span>
            </label>
          ))}
        </div>
      ) : null}
      {choices.length === 0 || isPartial ? (
        <label class="field">
          <span>{choices.length > 0 ? `Other ${title.toLowerCase()}` : `Ids of ${title.toLowerCase()}`}</span>
          <input name={name} spellcheck={false} autocomplete="off" />
        </label>
      ) : null}
    </fieldset>
  );
}

const isPartial = (account: Account | undefined, ...lists: readonly List[]): boolean =>
  account?.incomplete.some(({ list }) => lists.includes(list)) ?? false;

const named = ({ id, name }: { readonly id: string; readonly name: string | null }): string =>
  name === null ? id : `${id} '${name}'`;

const room = (free: number | null): string => {
  if (free === null) return '';
  return free === 0 ? 'no free address' : count(free, 'free address', 'free addresses');
};
