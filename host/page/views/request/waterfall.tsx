import { Shape } from '../../parts/state-mark.tsx';
import { duration } from '../../words/durations.ts';
import { count, figure } from '../../words/numbers.ts';
import { machineState } from '../../words/states.ts';
import type { AttemptLane, Crowd, MachineLane, Milestone, Instant, Stretch, Waterfall } from './waterfall-layout.ts';

interface WaterfallProps {
  readonly drawn: Waterfall;
  /** When the request was accepted, in epoch milliseconds. */
  readonly from: number;
  readonly isOpen: boolean;
}

/**
 * The course of a request: time goes to the right, orders and their machines downwards. The tables below hold the
 * same for those who do not see it.
 */
export function WaterfallPicture({ drawn: { scale, milestones, attempts }, from, isOpen }: WaterfallProps) {
  const rows = Math.max(1, ...milestones.map(({ row }) => row + 1));
  return (
    <figure class="waterfall" aria-label={summary(milestones, attempts, from)}>
      <div class="wf-row wf-top" style={{ '--rows': rows }}>
        <span class="wf-label" />
        <div class="wf-track">
          {milestones.map((milestone) => (
            <MilestoneLabel key={milestone.name} milestone={milestone} from={from} />
          ))}
        </div>
      </div>
      <div class="wf-body">
        <div class="wf-row wf-under" aria-hidden="true">
          <span class="wf-label" />
          <div class="wf-track">
            {scale.ticks.map(({ at, label }) => (
              <span key={label} class="wf-tick" style={{ left: `${at}%` }} />
            ))}
            {milestones.map(({ name, at }) => (
              <span key={name} class={`wf-line wf-line-${name}`} style={{ left: `${at}%` }} />
            ))}
            {scale.cut === undefined ? null : <span class="wf-cut" style={{ left: `${scale.cut}%` }} />}
            {isOpen ? <span class="wf-now" style={{ left: '100%' }} /> : null}
          </div>
        </div>
        {attempts.length === 0 ? (
          <div class="wf-row wf-attempt">
            <span class="wf-label quiet">No order yet</span>
            <div class="wf-track" />
          </div>
        ) : null}
        {attempts.map((lane) => (
          <Attempt key={lane.number} lane={lane} />
        ))}
      </div>
      <div class="wf-row wf-axis" aria-hidden="true">
        <span class="wf-label" />
        <div class="wf-track">
          {scale.ticks.map(({ at, label }) => (
            <span key={label} class="wf-tick-label number" style={{ left: `${at}%` }}>
              {label}
            </span>
          ))}
          {scale.cut === undefined ? null : (
            <span class="wf-tick-label wf-later" style={{ left: '94%' }}>
              later
            </span>
          )}
        </div>
      </div>
      <Legend />
    </figure>
  );
}

function summary(milestones: readonly Milestone[], attempts: readonly AttemptLane[], from: number): string {
  const reached = milestones
    .filter(({ name }) => name !== 'accepted')
    .map(({ label, time }) => `${label} after ${duration(time - from)}`);
  const machines = attempts.reduce((sum, lane) => sum + lane.machines.length, 0);
  return `Course of the request: ${[count(attempts.length, 'order'), count(machines, 'machine'), ...reached].join(', ')}.`;
}

const MilestoneLabel = ({
  milestone: { name, label, time, at, row, before },
  from,
}: {
  readonly milestone: Milestone;
  readonly from: number;
}) => (
  <span class={`wf-milestone wf-line-${name}${before ? ' wf-before' : ''}`} style={{ left: `${at}%`, '--row': row }}>
    {label} {time === from ? null : <span class="number">{duration(time - from)}</span>}
  </span>
);

function Attempt({ lane }: { readonly lane: AttemptLane }) {
  const { number, attempt, stretches, moments, lanes, crowd, machines } = lane;
  return (
    <>
      <div class="wf-row wf-attempt">
        <span class="wf-label">
          <strong>{number}</strong>
          <span class="wf-where">
            {attempt?.provider_instance ?? machines[0]?.provider_instance}
            {attempt ? <span class="quiet"> {attempt.api}</span> : null}
          </span>
          <span class="number wf-count">
            {figure(machines.length)}
            {attempt ? ` of ${figure(attempt.machine_count)}` : ''}
          </span>
        </span>
        <div class="wf-track">
          {stretches.map((stretch) => (
            <Bar key={stretch.kind} stretch={stretch} />
          ))}
          {moments.map((moment, index) => (
            <Mark key={index} moment={moment} />
          ))}
        </div>
      </div>
      {lanes.map((each) => (
        <MachineRow key={`${each.machine.provider_instance} ${each.machine.machine_id}`} lane={each} />
      ))}
      {crowd ? <CrowdRow crowd={crowd} /> : null}
    </>
  );
}

const Bar = ({ stretch: { kind, from, to } }: { readonly stretch: Stretch }) => (
  <span class={`wf-bar wf-${kind}`} style={{ left: `${from}%`, width: `${Math.max(0, to - from)}%` }} />
);

const Mark = ({ moment: { kind, at, text } }: { readonly moment: Instant }) => (
  <span class={`wf-mark wf-mark-${kind}${at > 72 ? ' wf-before' : ''}`} style={{ left: `${at}%` }}>
    <Shape mark={kind === 'gone' ? 'gone' : 'bad'} />
    {kind === 'outcome' ? <span class="wf-code">{text}</span> : null}
  </span>
);

function MachineRow({ lane: { machine, stretches, moments } }: { readonly lane: MachineLane }) {
  const { mark, word } = machineState(machine.status);
  const where = [machine.machine_type, machine.zone, machine.market].filter(Boolean).join(' · ');
  return (
    <div class="wf-row wf-machine" title={`${machine.machine_id}: ${word}${where ? `, ${where}` : ''}`}>
      <span class="wf-label">
        <Shape mark={mark} />
        <span class="id">{machine.machine_id}</span>
      </span>
      <div class="wf-track">
        {stretches.map((stretch) => (
          <Bar key={stretch.kind} stretch={stretch} />
        ))}
        {moments.map((moment, index) => (
          <Mark key={index} moment={moment} />
        ))}
      </div>
    </div>
  );
}

/** Many machines: the light area is how many exist, the full one how many are ready. */
function CrowdRow({ crowd: { most, launched, ready } }: { readonly crowd: Crowd }) {
  return (
    <div class="wf-row wf-crowd">
      <span class="wf-label quiet">
        machines over time
        <span class="number wf-count">{figure(most)}</span>
      </span>
      <div class="wf-track">
        <span class="wf-booting crowd-hatched" style={{ clipPath: stepsPolygon(launched, most) }} />
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <path class="crowd-launched" d={stepsPath(launched, most)} />
          <path class="crowd-ready" d={stepsPath(ready, most)} />
        </svg>
      </div>
    </div>
  );
}

const heightOf = (number: number, most: number): number => 100 - (96 * number) / most;

/** The area below the steps, for a background that does not stretch with the picture. */
function stepsPolygon(points: readonly (readonly [number, number])[], most: number): string {
  let before = 100;
  const corners = points.flatMap(([at, number]) => {
    const corner = [`${at}% ${before}%`, `${at}% ${heightOf(number, most)}%`];
    before = heightOf(number, most);
    return corner;
  });
  return `polygon(${[...corners, `${points.at(-1)?.[0] ?? 0}% 100%`].join(', ')})`;
}

function stepsPath(points: readonly (readonly [number, number])[], most: number): string {
  const [first] = points;
  if (!first) return '';
  const steps = points.map(([at, number]) => `H${at}V${heightOf(number, most)}`).join('');
  return `M${first[0]} 100${steps}V100Z`;
}

const legend: readonly (readonly [string, string])[] = [
  ['waiting', 'order stored'],
  ['call', 'asked of the cloud'],
  ['booting', 'machine starts'],
  ['ready', 'machine ready'],
];

const Legend = () => (
  <figcaption class="legend">
    {legend.map(([kind, words]) => (
      <span key={kind} class="legend-entry">
        <span class={`wf-bar wf-sample wf-${kind}`} />
        {words}
      </span>
    ))}
    <span class="legend-entry">
      <Shape mark="bad" /> refusal of the cloud
    </span>
    <span class="legend-entry">
      <Shape mark="gone" /> machine gone
    </span>
  </figcaption>
);
