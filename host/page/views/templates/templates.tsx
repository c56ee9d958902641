import { api } from '../../api/place.ts';
import type { JournalEvent, TemplateList } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { address, linkTo, setQuery } from '../../parts/address.ts';
import { TemplateLink } from '../../parts/links.tsx';
import { hasControls } from '../../parts/mode.ts';
import { Empty, Show } from '../../parts/show.tsx';
import { View } from '../../shell/view.tsx';
import { count, figure } from '../../words/numbers.ts';

export type Template = TemplateList['templates'][number];

const concerns = ({ type }: JournalEvent): boolean => type.startsWith('template.');

/** All templates, as merged from their layers. */
export function Templates() {
  const answer = useAnswer<TemplateList>(`${api}/templates/?limit=1000`, { concerns });
  const sought = (address.value.query.get('find') ?? '').toLowerCase();
  return (
    <View
      title="Templates"
      note="What machines are requested from, merged from files and the API."
      controls={
        hasControls ? (
          <a class="button" href={linkTo('/new-template')}>
            New template
          </a>
        ) : null
      }
    >
      <form class="filters" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Find</span>
          <input
            type="search"
            value={sought}
            placeholder="id, name or machine type"
            spellcheck={false}
            onInput={({ currentTarget }) => setQuery({ find: currentTarget.value })}
          />
        </label>
      </form>
      <Show answer={answer.value} what="the templates">
        {({ templates, total_count }) => {
          const found = templates.filter((template) => wordsOf(template).includes(sought));
          return (
            <>
              {total_count === 0 ? (
                <Empty>There is no template. Files of templates stand beside the configuration.</Empty>
              ) : null}
              {total_count > 0 && found.length === 0 ? <Empty>No template matches.</Empty> : null}
              {found.length > 0 ? <TemplateTable templates={found} /> : null}
              {total_count > templates.length ? (
                <p class="quiet">
                  These are the first {figure(templates.length)} of {count(total_count, 'template')}.
                </p>
              ) : null}
            </>
          );
        }}
      </Show>
    </View>
  );
}

const wordsOf = (template: Template): string =>
  [template.template_id, template.name, template.description, machineTypes(template)].join(' ').toLowerCase();

/** The machine types that a template allows. */
export function machineTypes({ machine_type, ...template }: Template): string {
  const { machine_types } = template as { readonly machine_types?: unknown };
  if (machine_type !== undefined) return machine_type;
  if (Array.isArray(machine_types)) return machine_types.map(String).join(', ');
  return typeof machine_types === 'object' && machine_types !== null ? Object.keys(machine_types).join(', ') : '';
}

const TemplateTable = ({ templates }: { readonly templates: readonly Template[] }) => (
  <div class="table-place" tabIndex={0} role="group" aria-label="Table of templates">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Template</th>
          <th scope="col">Instance and API</th>
          <th scope="col">Machine types</th>
          <th scope="col">Market</th>
          <th scope="col" class="right">
            Limit
          </th>
        </tr>
      </thead>
      <tbody>
        {templates.map((template) => {
          const { template_id, name, description, provider_name, provider_api, max_instances = -1 } = template;
          const { price_type } = template as { readonly price_type?: string };
          return (
            <tr key={template_id}>
              <th scope="row">
                <TemplateLink id={template_id} />
                {name || description ? (
                  <span class="row-note">{[name, description].filter(Boolean).join(': ')}</span>
                ) : null}
              </th>
              <td>{[provider_name ?? 'any', provider_api].filter(Boolean).join(' · ')}</td>
              <td>{machineTypes(template) || '–'}</td>
              <td>{price_type ?? '–'}</td>
              <td class="right number">{max_instances < 0 ? 'none' : figure(max_instances)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  </div>
);
