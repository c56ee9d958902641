import { useSignal } from '@preact/signals';
import { Refusal, send } from '../../api/broker-client.ts';
import { api } from '../../api/place.ts';
import type { FitAnswer } from '../../api/shapes.ts';
import { State } from '../../parts/state-mark.tsx';
import { Section } from '../../shell/view.tsx';

/** Which instances can serve the template, when asked. Calls no provider. */
export function Fits({ id }: { readonly id: string }) {
  const answer = useSignal<FitAnswer | undefined>(undefined);
  const refused = useSignal<string | undefined>(undefined);
  async function validate(): Promise<void> {
    try {
      answer.value = await send<FitAnswer>('POST', `${api}/templates/${encodeURIComponent(id)}/validate-multi`, {});
      refused.value = undefined;
    } catch (error) {
      refused.value = error instanceof Refusal ? error.message : String(error);
    }
  }
  return (
    <Section title="Who can serve it">
      <button type="button" class="button" onClick={validate}>
        Validate
      </button>
      <div role="status">
        {refused.value ? <p class="trouble-note">{refused.value}</p> : null}
        {answer.value ? (
          <ul class="fits">
            {Object.entries(answer.value.validation_results).map(([name, { valid, errors, warnings }]) => (
              <li key={name}>
                <State mark={valid ? 'good' : 'bad'}>
                  {name} {valid ? 'can serve it' : 'cannot serve it'}
                </State>
                {[...errors, ...warnings].map((text) => (
                  <p key={text} class="quiet">
                    {text}
                  </p>
                ))}
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </Section>
  );
}
