import type { MetricsList } from '../../api/shapes.ts';
import { State } from '../../parts/state-mark.tsx';
import { Moment, Until } from '../../parts/times.tsx';

type Metrics = MetricsList['providers'][number];

/** What is not called at an instance for some time, because its plugin stopped the loop: with the reason. */
export function Pauses({ metrics: { quarantine, quarantined_templates } }: { readonly metrics: Metrics }) {
  if (!quarantine && quarantined_templates.length === 0) return null;
  return (
    <ul class="pauses">
      {quarantine ? <Pause about="not called" {...quarantine} /> : null}
      {quarantined_templates.map(({ template_id, ...pause }) => (
        <Pause key={template_id} about={`not called for requests of ${template_id}`} {...pause} />
      ))}
    </ul>
  );
}

interface PauseProps {
  readonly about: string;
  readonly why: string;
  readonly until: string;
}

const Pause = ({ about, why, until }: PauseProps) => (
  <li>
    <State mark="off">
      {about} until <Moment at={until} />, <Until at={until} passed="over" />
    </State>
    <span class="row-note">{why}</span>
  </li>
);
