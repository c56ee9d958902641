import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Refusal, send } from '../../api/broker-client.ts';
import { api } from '../../api/place.ts';
import type { Account, Provider, TemplateVerdict } from '../../api/shapes.ts';
import type { Answer } from '../../api/use-answer.ts';
import { goTo, linkToTemplate } from '../../parts/address.ts';
import { Loading } from '../../parts/show.tsx';
import { State } from '../../parts/state-mark.tsx';
import { AccountFields } from './account-fields.tsx';
import { draftOf } from './draft.ts';
import { useAccount } from './use-account.ts';

/** The fields of a template. What the account of its instance contains is offered. */
export function TemplateForm({ providers }: { readonly providers: readonly Provider[] }) {
  const form = useRef<HTMLFormElement>(null);
  const instance = useSignal(providers[0]?.name ?? '');
  const turn = useSignal(0);
  const account = useAccount(instance.value, turn.value);
  const busy = useSignal(false);
  const refused = useSignal<string | undefined>(undefined);
  const verdict = useSignal<TemplateVerdict | undefined>(undefined);

  async function attempt(act: (draft: Readonly<Record<string, unknown>>) => Promise<void>): Promise<void> {
    if (busy.value || !form.current) return;
    busy.value = true;
    [refused.value, verdict.value] = [undefined, undefined];
    try {
      await act(draftOf(new FormData(form.current)));
    } catch (error) {
      refused.value = error instanceof Refusal ? error.message : String(error);
    } finally {
      busy.value = false;
    }
  }
  const check = () =>
    attempt(async (draft) => {
      verdict.value = await send<TemplateVerdict>('POST', `${api}/templates/validate`, draft);
    });
  const create = () =>
    attempt(async (draft) => {
      const { templateId } = await send<{ readonly templateId: string }>('POST', `${api}/templates/`, draft);
      goTo(linkToTemplate(templateId));
    });
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <Text name="template_id" label="Template" required />
      <Text name="description" label="What it is for" />
      <label class="field">
        <span>Provider instance</span>
        <select
          name="provider_name"
          value={instance.value}
          onChange={({ currentTarget }) => (instance.value = currentTarget.value)}
        >
          {providers.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>API</span>
        <select key={instance.value} name="provider_api">
          {providers
            .find(({ name }) => name === instance.value)
            ?.capabilities.map((name) => (
              <option key={name}>{name}</option>
            ))}
        </select>
      </label>
      <AccountState answer={account.value} instance={instance.value} again={() => (turn.value += 1)} />
      <Text name="image_id" label="Image" offers={imagesOf(account.value.value)} />
      <Text name="machine_types" label="Machine types" hint="m5.large, or several: m5.large, c5.large" />
      <label class="field">
        <span>Market</span>
        <select name="price_type">
          <option value="">Default of the API</option>
          <option value="ondemand">On demand</option>
          <option value="spot">Spot</option>
        </select>
      </label>
      {isKnown(account.value) ? <AccountFields key={instance.value} account={account.value.value} /> : null}
      <Text
        name="key_name"
        label="Key pair"
        offers={account.value.value?.key_pairs.map(({ name }) => [name, '']) ?? []}
      />
      <label class="field">
        <span>Most machines at once</span>
        <input name="max_instances" type="number" min="0" placeholder="no limit" />
      </label>
      <div role="status">{verdict.value ? <Verdict verdict={verdict.value} /> : null}</div>
      {refused.value ? (
        <p class="trouble-note" role="alert">
          {refused.value}
        </p>
      ) : null}
      <div class="form-controls">
        <button type="submit" class="button main" disabled={busy.value}>
          Create template
        </button>
        <button type="button" class="button" disabled={busy.value} onClick={check}>
          Validate
        </button>
      </div>
    </form>
  );
}

const isKnown = ({ value, failure }: Answer<Account>): boolean => value !== undefined || failure !== undefined;

const imagesOf = (account: Account | undefined): readonly Offer[] =>
  account?.images.map(({ image_id, description, arch }) => [
    image_id,
    [description, arch].filter(Boolean).join(' · '),
  ]) ?? [];

type Offer = readonly [value: string, text: string];

interface TextProps {
  readonly name: string;
  readonly label: string;
  readonly required?: boolean;
  readonly hint?: string;
  /** What the browser proposes; anything else may be typed. */
  readonly offers?: readonly Offer[];
}

const Text = ({ name, label, required = false, hint, offers = [] }: TextProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      name={name}
      required={required}
      list={`offers-${name}`}
      placeholder={hint}
      spellcheck={false}
      autocomplete="off"
    />
    <datalist id={`offers-${name}`}>
      {offers.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </datalist>
  </label>
);

interface AccountStateProps {
  readonly answer: Answer<Account>;
  readonly instance: string;
  readonly again: () => void;
}

function AccountState({ answer: { value, failure }, instance, again }: AccountStateProps) {
  if (failure)
    return (
      <div role="status" class="trouble-note">
        <p>
          What the account of {instance} contains is not known, so ids are typed: {failure.message}
        </p>
        {failure.code === 'NOT_IMPLEMENTED' ? null : (
          <button type="button" class="button small" onClick={again}>
            Look again
          </button>
        )}
      </div>
    );
  return value ? (
    <div role="status">
      {value.incomplete.map(({ list, message }) => (
        <p key={list} class="quiet">
          {message}
        </p>
      ))}
    </div>
  ) : (
    <Loading what={`what the account of ${instance} contains`} />
  );
}

const Verdict = ({
  verdict: { valid, validationErrors, validationWarnings },
}: {
  readonly verdict: TemplateVerdict;
}) => (
  <>
    <State mark={valid ? 'good' : 'bad'}>{valid ? 'It is valid' : 'It is not valid'}</State>
    {[...validationErrors, ...validationWarnings].map((text) => (
      <p key={text} class="quiet">
        {text}
      </p>
    ))}
  </>
);
