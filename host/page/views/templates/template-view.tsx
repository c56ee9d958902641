import { useSignal } from '@preact/signals';
import { send } from '../../api/broker-client.ts';
import { api } from '../../api/place.ts';
import type { JournalEvent, TemplateAnswer } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { goTo, linkTo, linkToRequest } from '../../parts/address.ts';
import { hasControls } from '../../parts/mode.ts';
import { Show } from '../../parts/show.tsx';
import { Section, View } from '../../shell/view.tsx';
import { Fits } from './fits.tsx';
import { layersOf, originOf } from './layers.ts';

/** One template: what it says, which layer says it, who can serve it, and a request from it. */
export function TemplateView({ id }: { readonly id: string }) {
  const concerns = ({ type, data }: JournalEvent): boolean =>
    type.startsWith('template.') && data['template_id'] === id;
  const path = `${api}/templates/${encodeURIComponent(id)}`;
  const answer = useAnswer<TemplateAnswer>(`${path}?include_source=true`, { concerns });
  return (
    <View
      title={id}
      note={answer.value.value?.template.description}
      controls={
        <>
          <a class="button" href={`${linkTo('/machines')}?template_id=${encodeURIComponent(id)}`}>
            Its machines
          </a>
          {hasControls && answer.value.value ? <RequestAction id={id} /> : null}
        </>
      }
    >
      <Show answer={answer.value} what="the template">
        {({ template }) => (
          <div class="columns">
            <Fields template={template} />
            <div>
              <Layers template={template} />
              <Fits id={id} />
            </div>
          </div>
        )}
      </Show>
    </View>
  );
}

function RequestAction({ id }: { readonly id: string }) {
  const number = useSignal('1');
  return (
    <Action
      label="Request machines"
      title={`Request machines of ${id}`}
      kind="main"
      act={() =>
        send<{ readonly request_id: string }>('POST', `${api}/machines/request`, {
          template_id: id,
          machine_count: Number(number.value),
        })
      }
      done={({ request_id }) => goTo(linkToRequest(request_id))}
    >
      <label class="field">
        <span>How many</span>
        <input
          type="number"
          min="1"
          max="10000"
          required
          value={number.value}
          onInput={({ currentTarget }) => (number.value = currentTarget.value)}
        />
      </label>
    </Action>
  );
}

type Template = TemplateAnswer['template'];

function Fields({ template }: { readonly template: Template }) {
  const { source_info, ...fields } = template;
  const layers = layersOf(source_info);
  return (
    <Section title="Fields" note="and the layer that sets each">
      <div class="table-place" tabIndex={0} role="group" aria-label="Fields of the template">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Value</th>
              <th scope="col">Set by</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(fields).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td class="value">{valueText(value)}</td>
                <td class="quiet">{originOf(name, layers)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function Layers({ template }: { readonly template: Template }) {
  const layers = layersOf(template.source_info);
  return (
    <Section title="Layers" note="a later one overrides">
      <ol class="layers">
        {layers.map(({ file, fields, overridden }) => (
          <li key={file} class="layer">
            <strong>{file}</strong>
            <span class="layer-fields">
              {fields.map((field) => (
                <code key={field} class={overridden.has(field) ? 'overridden' : undefined}>
                  {field}
                </code>
              ))}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** The value of a field: a list of words as words, everything else as it would stand in a file. */
const valueText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))
    return value.join(', ');
  return JSON.stringify(value, undefined, 1);
};
